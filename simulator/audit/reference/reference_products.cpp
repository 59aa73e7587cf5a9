#include "simulator/audit/reference/reference_flow.hpp"

namespace factosim::audit {

/// C = A B by outer products: gemm(k, m, n) adds A(m, k) B(k, n) to C(m, n), after gemm(k-1, m, n) and after
/// both tiles were loaded on their owners.
/// Source: Agarwal, Gustavson, Zubair, IBM J. Research and Development 38(6), 1994.
Reference reference_gemm(ReferenceProblem const& p) {
  enum : std::int32_t { gemm, load };
  enum : std::int32_t { a = 1, b };  // matrices
  auto const submit = [&p](ReferenceSink& sink) {
    int const nt = p.nt;
    for (int k = 0; k < nt; ++k)
      for (int i = 0; i < nt; ++i) {
        sink.task({.name = {load, k, i, k},
                   .priority = 3 * (nt - k),
                   .uses = {{{.matrix = a, .m = i, .n = k}, Access::write}}});
        sink.task({.name = {load, k, k, i},
                   .priority = 3 * (nt - k),
                   .uses = {{{.matrix = b, .m = k, .n = i}, Access::write}}});
      }
    for (int place = 0; place < nt * nt * nt; ++place) {
      int const k = place / (nt * nt), m = place / nt % nt, n = place % nt;
      sink.task(tile_task({gemm, k, m, n}, 3 * nt - 2 * k - 1,
                          {{{.matrix = a, .m = m, .n = k}, {load, k, m, k}},
                           {{.matrix = b, .m = k, .n = n}, {load, k, k, n}}},
                          k > 0 ? std::optional(TaskName{gemm, k - 1, m, n}) : std::nullopt));
    }
  };
  return {.kernels = {{"gemm", 2.0 * p.nb * p.nb * p.nb}, {"load", 0}},
          .bytes = [&p](Datum const&) { return full_tile_bytes(p); },
          .submit = submit};
}

/// The lower triangle of C = A A^T by outer products: column k of A updates every C(m, n), m >= n, after column k - 1 and after
/// its two tiles of A were loaded, each by the owner of the tile of C in that place or in the mirrored one.
/// Source: Al Daas, Ballard, Grigori, Kumar, Rouse, SPAA 2023.
Reference reference_syrk(ReferenceProblem const& p, TileMap const& map) {
  enum : std::int32_t { syrk, gemm, load };
  auto const submit = [&p, &map](ReferenceSink& sink) {
    int const nt = p.nt;
    auto const a = [&](int m, int k) {
      return Datum{.matrix = 1, .m = m, .n = k, .node = m >= k ? map.at(m, k) : map.at(k, m)};
    };
    for (int k = 0; k < nt; ++k)
      for (int m = 0; m < nt; ++m)
        sink.task({.name = {load, k, m, k}, .priority = 3 * (nt - k), .uses = {{a(m, k), Access::write}}});
    for (int k = 0; k < nt; ++k)
      for (int n = 0; n < nt; ++n)
        for (int m = n; m < nt; ++m) {
          std::int32_t const kernel = m == n ? syrk : gemm;
          std::vector<std::pair<Datum, TaskName>> inputs{{a(m, k), {load, k, m, k}}};
          if (m != n) inputs.push_back({a(n, k), {load, k, n, k}});
          sink.task(tile_task({kernel, k, m, n}, 3 * nt - 2 * k - 1, inputs,
                              k > 0 ? std::optional(TaskName{kernel, k - 1, m, n}) : std::nullopt));
        }
  };
  double const cube = static_cast<double>(p.nb) * p.nb * p.nb;
  return {.kernels = {{"syrk", cube}, {"gemm", 2 * cube}, {"load", 0}},
          .bytes = [&p](Datum const&) { return full_tile_bytes(p); },
          .submit = submit};
}

}  // namespace factosim::audit
