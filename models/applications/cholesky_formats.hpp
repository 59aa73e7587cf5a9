#pragma once

#include <compare>
#include <cstdint>
#include <set>
#include <vector>

#include "factosim/flow_sink.hpp"
#include "models/applications/application.hpp"
#include "models/applications/tile_formats.hpp"

namespace factosim {

/// The handle of tile (m, n), n <= m.
[[nodiscard]] inline HandleId lower_tile(int m, int n) { return HandleId{m * (m + 1) / 2 + n}; }

/// The tile Cholesky factorization on tiles of several formats. A kernel computes in the precision of the tile that it writes,
/// and reads tiles in this precision; only triangles are read in single precision at least, as no library solves with
/// shorter ones: trsm on such a tile converts it before and after. A tile that is stored in another precision than it is
/// read in is converted by a task that writes a temporary copy, on the node that TileFormats::conversion names, after
/// the last write of the tile.
///
/// Operations on tiles of low rank, with nb rows and the largest rank k among those of the tiles in factors:
///
///   trsm_lr        nb^2 k
///   syrk_lr        2 nb^2 k + 4 nb k^2
///   gemm_dense_lr  4 nb^2 k, one factor is full; 2 nb^2 k + 4 nb k^2, both are of low rank; the result is full
///   gemm_lr        36 nb k^2 + 157 k^3, all three are of low rank: product, two QR, SVD, two products
///
/// Source: HiCMA-PaRSEC, kernels/band_size_dense_auto_tuning.jdf; Cao et al., PASC 2020, section 5. Not from there: gemm_lr with
/// one full factor (2 nb^2 k + 32 nb k^2 + 157 k^3: its product with the other factor's columns takes the place of the
/// products of columns), and with two (2 nb^3, and 4 nb^2 k for the factors of the product, besides).

/// Returns the kernels that the factorization needs beside the four plain ones, in the order of their numbers.
[[nodiscard]] std::vector<Kernel> format_kernels(ApplicationParameters const& parameters);

/// Bytes of tile (m, n) as it is stored.
[[nodiscard]] Bytes bytes_of_tile(ApplicationParameters const& parameters, int m, int n);

/// An upper bound of the number of conversions: each tile into each other precision, on each of its readers' nodes.
[[nodiscard]] double max_conversions(ApplicationParameters const& parameters);

class FormattedCholesky {
 public:
  /// The map is needed where tiles are converted on readers' nodes. Both must outlive this object.
  FormattedCholesky(ApplicationParameters const& parameters, TileMap const& map);

  /// Adds `format_kernels`, after all others of the flow.
  void add_kernels(FlowSink& sink);
  /// Adds the copies in other precisions, after all other handles of the flow.
  void add_copies(FlowSink& sink);
  /// Returns the kernel of a task; `plain`: that of such tasks on full tiles in one precision.
  [[nodiscard]] KernelId kernel(KernelId plain, TaskIndices const& task) const;
  /// Returns what a task reads of tile (m, k): the tile, or a copy.
  [[nodiscard]] HandleId operand(int m, TaskIndices const& task) const;
  /// Submits the tasks that make the copies of tile (m, k), which has its last value.
  void submit_conversions(FlowSink& sink, int priority, int m, int k) const;

  /// What a kernel differs by from others.
  struct Variant {
    enum class Operation : std::uint8_t { potrf, trsm, syrk, gemm, conversion };
    enum class Shape : std::uint8_t {
      full,         // no tile is of low rank
      low_factor,   // one factor is, the result is full
      low_factors,  // both are, the result is full
      low,          // all are
      full_factor,  // the result is, and one factor
      full_factors  // only the result is
    };

    Operation operation = Operation::potrf;
    Precision precision = Precision::double_;  // of a conversion: from
    Precision to = Precision::double_;         // of a conversion
    Shape shape = Shape::full;
    int rank = 0;
    auto operator<=>(Variant const&) const = default;
  };

 private:
  /// A tile in another precision.
  struct Copy {
    Precision precision;
    NodeId node;  // which makes and reads it; none: the owner makes it for all
    HandleId handle;
  };

  /// Returns the node of the task of iteration k that writes a tile; an empty map stands for one node.
  [[nodiscard]] NodeId node_of(int k, int m, int n) const {
    return map_.owner.empty() ? NodeId{0} : map_.in_iteration(k, m, n);
  }
  [[nodiscard]] std::vector<Copy> copies_of(int m, int k) const;
  [[nodiscard]] bool on_readers() const { return formats_.conversion == ConversionPlace::receiver; }
  /// Returns whether a node that reads a tile in these precisions gets copies from the owner, and not the tile.
  [[nodiscard]] bool converts_on_owner(Precision stored, std::set<Precision> const& needed) const;
  [[nodiscard]] KernelId number_of(Variant const& variant) const;

  ApplicationParameters const& p_;
  TileMap const& map_;
  TileFormats const& formats_;
  std::vector<Variant> variants_;          // sorted
  std::vector<KernelId> numbers_;          // [variants]
  std::vector<std::uint32_t> first_copy_;  // [tiles + 1] into copies_
  std::vector<Copy> copies_;               // by tile
};

}  // namespace factosim
