#pragma once

#include "simulator/audit/reference/reference_flow.hpp"
#include "simulator/audit/reference/reference_formats.hpp"

namespace factosim::audit {

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

/// The datum of a copy of tile (m, k).
[[nodiscard]] Datum copy_of_tile(int m, int k, ReferenceFormats::Copy const& copy);

}  // namespace factosim::audit
