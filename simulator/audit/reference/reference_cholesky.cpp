#include "simulator/audit/reference/reference_cholesky.hpp"

namespace factosim::audit {

/// Of the paper's equations: 3 (nt - k) less the distances of row and column to k. Chameleon's: 2 (nt - k) less m
/// (trsm), n (syrk) or m + n (gemm).
int ReferenceCholesky::priority(int k, int m, int n) const {
  if (equations) return 3 * (nt - k) - (m - k) - (n - k);
  int out = 2 * (nt - k);
  if (m > k) out -= m;
  if (n > k && n != m) out -= n;
  return out;
}

void ReferenceCholesky::submit(ReferenceSink& sink) const {
  std::int32_t const trsm = potrf + 1, syrk = potrf + 2, gemm = potrf + 3;
  ReferenceTask task;
  task.phase = phase;
  auto const send = [&](std::int32_t kernel, int k, int m, int n, std::initializer_list<TaskName> panels) {
    task.name = {kernel, k, m, n, iteration};
    task.priority = priority(k, m, n);
    task.uses.clear();
    task.after.clear();
    for (TaskName const& panel : panels) {
      task.uses.push_back({{.m = panel.m, .n = panel.n}, Access::read});
      task.after.push_back(panel);
    }
    task.uses.push_back({{.m = m, .n = n}, Access::read_write});
    if (auto const before = last_writer(k, m, n)) task.after.push_back(*before);
    task.writes_back = kernel == potrf || kernel == trsm;
    task.flushes_inputs = kernel == trsm && flushes_diagonal;
    sink.task(task);
  };
  for (int k = 0; k < nt; ++k) {
    auto const panel = [&](int m) { return TaskName{trsm, k, m, k, iteration}; };
    send(potrf, k, k, k, {});
    for (int m = k + 1; m < nt; ++m) send(trsm, k, m, k, {TaskName{potrf, k, k, k, iteration}});
    for (int n = k + 1; n < nt; ++n) {
      send(syrk, k, n, n, {panel(n)});
      for (int m = n + 1; m < nt; ++m) send(gemm, k, m, n, {panel(m), panel(n)});
    }
  }
}

Reference reference_cholesky(ReferenceProblem const& p) {
  double const nb3 = static_cast<double>(p.nb) * p.nb * p.nb;
  return {
      .kernels = {{"potrf", nb3 / 3}, {"trsm", nb3}, {"syrk", nb3}, {"gemm", 2 * nb3}},
      .bytes = [&p](Datum const&) { return full_tile_bytes(p); },
      .submit =
          [&p](ReferenceSink& sink) {
            ReferenceCholesky{.nt = p.nt, .flushes_diagonal = p.key("variant") == "starpu-mpi"}.submit(sink);
          }};
}

}  // namespace factosim::audit
