#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "simulator/audit/reference/reference_flow.hpp"

namespace factosim::audit {

/// Formats of the tiles of a Cholesky factorization from the keys "tile_formats", and what its tasks and conversions are:
/// a second derivation, by rules for a single task.
///
/// A task computes in the precision of the tile that it writes. It reads tiles in this precision, and trsm the triangle
/// in double precision if its own tile is in double, otherwise in single. A tile in another precision is read from a copy.
class ReferenceFormats {
 public:
  struct Format {
    Precision precision = Precision::double_;
    int rank = 0;
  };
  /// A copy of a tile: its precision and the node that makes it; no node: the owner.
  struct Copy {
    Precision precision;
    NodeId node;
    auto operator<=>(Copy const&) const = default;
  };

  /// Throws InputError if a file of formats cannot be read. Both must outlive this object.
  ReferenceFormats(ReferenceProblem const& problem, TileMap const& map);
  /// Returns the formats of a problem, and appends to the kernels of its application those that they need; the four plain ones
  /// begin at `first`. Null if all tiles are full, in one precision.
  [[nodiscard]] static std::shared_ptr<ReferenceFormats const> of(ReferenceProblem const& problem,
                                                                  TileMap const& map,
                                                                  std::vector<Reference::KernelCost>& kernels,
                                                                  std::int32_t first);

  /// The application's precision.
  [[nodiscard]] Precision usual() const { return usual_; }
  [[nodiscard]] Format at(int m, int n) const { return formats_[place(m, n)]; }
  /// Bytes of tile (m, n) in that precision.
  [[nodiscard]] std::int64_t bytes(int m, int n, Precision precision) const;

  /// Numbers of the kernels of tasks.
  [[nodiscard]] std::int32_t potrf(int k) const;
  [[nodiscard]] std::int32_t trsm(int k, int m) const;
  [[nodiscard]] std::int32_t update(int k, int m, int n) const;
  [[nodiscard]] std::int32_t conversion(int m, int k, Precision to) const;

  /// The copies of final tile (m, k), in the order in which they are made.
  [[nodiscard]] std::vector<Copy> copies(int m, int k) const;
  /// The copy of tile (m, k) that the task reads that writes tile (row, column) in iteration k; none: the tile itself.
  [[nodiscard]] std::optional<Copy> read_copy(int m, int k, int row, int column) const;

 private:
  [[nodiscard]] static std::size_t place(int m, int n) {
    auto const row = static_cast<std::size_t>(m);
    return row * (row + 1) / 2 + static_cast<std::size_t>(n);
  }
  /// The node of the task that writes tile (row, column) in iteration k.
  [[nodiscard]] NodeId reader_of(int k, int row, int column) const;
  [[nodiscard]] bool narrows(int m, int k, NodeId reader) const;
  [[nodiscard]] Precision needed(int k, int row, int column) const;
  [[nodiscard]] Reference::KernelCost cost(char const* kernel, Precision precision, std::string const& shape,
                                           std::string const& timing, double flops) const;
  [[nodiscard]] Reference::KernelCost potrf_cost(int k) const;
  [[nodiscard]] Reference::KernelCost trsm_cost(int k, int m) const;
  [[nodiscard]] Reference::KernelCost update_cost(int k, int m, int n) const;
  [[nodiscard]] Reference::KernelCost conversion_cost(int m, int k, Precision to) const;

  void add_kernels(std::vector<Reference::KernelCost>& kernels, std::int32_t first);
  void by_bands(nlohmann::json const& bands);
  void by_file(std::string const& file);
  void by_tolerance(nlohmann::json const& keys);

  ReferenceProblem const& p_;
  TileMap const& map_;
  Precision usual_;
  std::string conversion_;
  std::vector<Format> formats_;                  // [tiles]
  std::map<std::string, std::int32_t> numbers_;  // of kernels, by name
};

/// Right-looking tile Cholesky of the lower triangle:
///
///   potrf(k)       after syrk(k-1, k)
///   trsm(k, m)     after potrf(k), gemm(k-1, m, k)
///   syrk(k, n)     after trsm(k, n), syrk(k-1, n)
///   gemm(k, m, n)  after trsm(k, m), trsm(k, n), gemm(k-1, m, n)
///
/// Source: Buttari, Langou, Kurzak, Dongarra, Parallel Computing 35(1), 2009, section 3.
struct ReferenceCholesky {
  int nt = 0;
  std::int32_t potrf = 0;          // number of the first kernel; trsm, syrk and gemm follow
  std::int32_t first_writer = -1;  // kernel that writes all tiles before, with indices (0, m, n); -1: none
  bool equations = false;          // priorities by the equations of ICPP 2021 instead of Chameleon's
  bool flushes_diagonal = false;   // trsm drops the received diagonal tile
  std::int32_t iteration = 0;
  std::string_view phase = {};
  ReferenceFormats const* formats = nullptr;  // null: all tiles are full, in one precision

  void submit(ReferenceSink& sink) const;

  /// The task that last writes tile (m, n) before iteration k of the factorization.
  [[nodiscard]] std::optional<TaskName> last_writer(int k, int m, int n) const {
    if (k > 0) return update(k - 1, m, n);
    if (first_writer >= 0) return TaskName{first_writer, 0, m, n, iteration};
    return std::nullopt;
  }
  [[nodiscard]] int priority(int k, int m, int n) const;

  /// Names of the tasks: the factorization and the solve of a column, the update of a tile.
  [[nodiscard]] TaskName factor(int k) const {
    return {formats != nullptr ? formats->potrf(k) : potrf, k, k, k, iteration};
  }
  [[nodiscard]] TaskName panel(int k, int m) const {
    return {formats != nullptr ? formats->trsm(k, m) : potrf + 1, k, m, k, iteration};
  }
  [[nodiscard]] TaskName update(int k, int m, int n) const {
    return {formats != nullptr ? formats->update(k, m, n) : potrf + (m == n ? 2 : 3), k, m, n, iteration};
  }
  [[nodiscard]] TaskName conversion(int k, int m, ReferenceFormats::Copy const& copy) const {
    int const place = copy.node.valid() ? static_cast<int>(copy.node.value()) : k;
    return {formats->conversion(m, k, copy.precision), k, m, place, iteration};
  }
  /// Names of the tasks that read the copy of tile (m, k), or, without one, the tile itself; conversions included.
  [[nodiscard]] std::vector<TaskName> readers(int m, int k,
                                              std::optional<ReferenceFormats::Copy> const& copy) const;

 private:
  void convert(ReferenceSink& sink, int k, int m) const;
};

/// Bytes of a tile, or of a copy of one.
[[nodiscard]] std::int64_t bytes_of_tile(ReferenceProblem const& problem, ReferenceFormats const* formats,
                                         Datum const& tile);

}  // namespace factosim::audit
