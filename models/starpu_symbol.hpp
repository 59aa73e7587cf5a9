#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "factosim/kernel_model.hpp"

namespace factosim {

/// Meaning of the name of a StarPU performance model: kernel, application and data.
struct StarpuSymbol {
  std::string kernel;
  std::string application;  // "lu", "cholesky", "gemm": StarPU's own examples; empty: Chameleon
  Precision precision = Precision::double_;
  int tiles = 0;              // nb x nb tiles that a task accesses
  int reflector_tiles = 0;    // ib x nb tiles of Householder factors (QR)
  bool any_shape = false;     // the data need not be square tiles: check the footprint
  std::string also_kernel{};  // a second kernel that the same codelet executes; empty: none
};

/// Recognises the kernels of StarPU's LU, Cholesky and gemm examples (also under their names before 2022: 11,
/// 12, 21, 22), of Chameleon's LU, Cholesky and QR, and ExaGeoStat's dcmg. nullopt: none of these.
std::optional<StarpuSymbol> parse_starpu_symbol(std::string_view symbol);

/// Tile sizes by the bytes of tasks. Those of QR depend on the inner block too (rows of Householder factors, ib): both
/// follow from the sizes of two kernels with different numbers of tiles; without a second one, ib is taken for 192.
class TileSizes {
 public:
  /// Adds the size of a task that was seen.
  void add(StarpuSymbol const& symbol, Bytes size);
  /// Returns the tile size for which a task has that size; nullopt if it is not an integer, or not clear. O(sizes).
  [[nodiscard]] std::optional<int> of(StarpuSymbol const& symbol, Bytes size) const;

 private:
  std::map<Precision, std::set<std::pair<int, std::int64_t>>> sizes_;  // of QR: tiles, elements
};

/// Returns StarPU's footprint of a task on square matrices of nb x nb: CRC32C of (nx, ny), then of the kind
/// of interface (0: matrix), chained over the data (starpu_hash_crc32c_be in its common/hash.c).
std::uint32_t square_footprint(int tiles, int nb);

}  // namespace factosim
