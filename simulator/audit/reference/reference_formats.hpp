#pragma once

#include <map>
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
  [[nodiscard]] static bool are_given(ReferenceProblem const& p) { return p.keys.contains("tile_formats"); }

  /// The application's precision.
  [[nodiscard]] Precision usual() const { return usual_; }
  [[nodiscard]] Format at(int m, int n) const { return formats_[place(m, n)]; }
  /// Bytes of tile (m, n) in that precision.
  [[nodiscard]] std::int64_t bytes(int m, int n, Precision precision) const;

  /// Appends to the kernels of an application those that the formats need; the four plain ones begin at `first`.
  void add_kernels(std::vector<Reference::KernelCost>& kernels, std::int32_t first);
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

}  // namespace factosim::audit
