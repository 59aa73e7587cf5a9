#include "simulator/audit/reference/reference_flow.hpp"

namespace factosim::audit {

/// C = A B by outer products: gemm(k, m, n) adds A(m, k) B(k, n) to C(m, n), after gemm(k-1, m, n) and after
/// both tiles were loaded on their owners.
/// Source: Agarwal, Gustavson, Zubair, IBM J. Research and Development 38(6), 1994.
Reference reference_gemm(ReferenceProblem const& p) {
  enum : std::int32_t { gemm, load };
  enum : std::int32_t { c, a, b };  // matrices
  auto const submit = [&p](ReferenceSink& sink) {
    int const nt = p.nt;
    auto const read_from = [&](ReferenceTask& task, std::int32_t matrix, int k, int m, int n) {
      task.uses.push_back({{.matrix = matrix, .m = m, .n = n}, Access::read});
      task.after.push_back({load, k, m, n});
    };
    for (int k = 0; k < nt; ++k)
      for (int i = 0; i < nt; ++i) {
        sink.task({.name = {load, k, i, k},
                   .priority = 3 * (nt - k),
                   .uses = {{{.matrix = a, .m = i, .n = k}, Access::write}},
                   .after = {}});
        sink.task({.name = {load, k, k, i},
                   .priority = 3 * (nt - k),
                   .uses = {{{.matrix = b, .m = k, .n = i}, Access::write}},
                   .after = {}});
      }
    ReferenceTask task;
    for (int place = 0; place < nt * nt * nt; ++place) {
      int const k = place / (nt * nt), m = place / nt % nt, n = place % nt;
      task.name = {gemm, k, m, n};
      task.priority = 3 * nt - 2 * k - 1;
      task.uses.clear();
      task.after.clear();
      read_from(task, a, k, m, k);
      read_from(task, b, k, k, n);
      task.uses.push_back({{.matrix = c, .m = m, .n = n}, Access::read_write});
      if (k > 0) task.after.push_back({gemm, k - 1, m, n});
      sink.task(task);
    }
  };
  return {.kernels = {{"gemm", 2.0 * p.nb * p.nb * p.nb}, {"load", 0}},
          .bytes = [&p](Datum const&) { return full_tile_bytes(p); },
          .submit = submit};
}

}  // namespace factosim::audit
