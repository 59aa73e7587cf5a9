#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "factosim/kernel_model.hpp"

namespace factosim {

/// What the name of a StarPU performance model says: which kernel, of which application, on what data.
struct StarpuSymbol {
  std::string kernel;
  std::string application;  // "lu", "cholesky", "gemm": StarPU's own examples; empty: Chameleon
  Precision precision = Precision::double_;
  int tiles = 0;            // nb x nb tiles that one task accesses
  int reflector_tiles = 0;  // ib x nb tiles of Householder factors (QR)
  bool any_shape = false;   // the data are not always square tiles: the footprint must say that they are
};

/// The kernels of StarPU's LU, Cholesky and gemm examples (also under their names of before 2022: 11, 12,
/// 21, 22), of Chameleon's LU, Cholesky and QR, and ExaGeoStat's dcmg. nullopt: none of these.
std::optional<StarpuSymbol> parse_starpu_symbol(std::string_view symbol);

/// The tile size that makes the data of one task that large; nullopt when no whole number does.
std::optional<int> tile_size(StarpuSymbol const& symbol, Bytes size);

/// StarPU's footprint of a task on square matrices of nb x nb: CRC32C of (nx, ny), then of the kind of
/// interface (0: matrix), chained over the data (starpu_hash_crc32c_be in its common/hash.c).
std::uint32_t square_footprint(int tiles, int nb);

}  // namespace factosim
