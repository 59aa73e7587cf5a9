#include "simulator/audit/reference/reference_flow.hpp"

namespace factosim::audit {

namespace {

struct LuKernels {
  enum : std::int32_t { getrf, trsm_ll, trsm_ru, gemm };
};

/// Right-looking tile LU without pivoting. Tile (m, n) is updated by gemm(i, m, n) for i < min(m, n), then
/// factorized, so each update depends on the one of the iteration before:
///
///   getrf(k)       after gemm(k-1, k, k)
///   trsm_ll(k, n)  after getrf(k), gemm(k-1, k, n)
///   trsm_ru(k, m)  after getrf(k), gemm(k-1, m, k)
///   gemm(k, m, n)  after trsm_ru(k, m), trsm_ll(k, n), gemm(k-1, m, n)
///
/// Source: Buttari, Langou, Kurzak, Dongarra, Parallel Computing 35(1), 2009, section 3; Nesi, Schnorr, Legrand,
/// ICPADS 2020, section II.
class Lu : LuKernels {
 public:
  Lu(ReferenceProblem const& p, ReferenceSink& sink) : nt_(p.nt), sink_(sink) {}

  /// Rows and columns of the panel alternate, updates row by row; an operation of length 3 nt - (k + m + n).
  void starpu() {
    for (int k = 0; k < nt_; ++k) {
      send(getrf, k, k, k, 3 * (nt_ - k));
      for (int i = k + 1; i < nt_; ++i) {
        send(trsm_ll, k, k, i, 3 * nt_ - 2 * k - i);
        send(trsm_ru, k, i, k, 3 * nt_ - 2 * k - i);
      }
      for (int m = k + 1; m < nt_; ++m)
        for (int n = k + 1; n < nt_; ++n) send(gemm, k, m, n, 3 * nt_ - k - m - n);
    }
  }

  /// The column of the panel, then column by column.
  void chameleon() {
    for (int k = 0; k < nt_; ++k) {
      send(getrf, k, k, k, 2 * (nt_ - k));
      for (int m = k + 1; m < nt_; ++m) send(trsm_ru, k, m, k, 2 * (nt_ - k) - m);
      for (int n = k + 1; n < nt_; ++n) {
        send(trsm_ll, k, k, n, 2 * (nt_ - k) - n);
        for (int m = k + 1; m < nt_; ++m) send(gemm, k, m, n, 2 * (nt_ - k) - m - n);
      }
    }
  }

 private:
  void send(std::int32_t kernel, int k, int m, int n, int priority) {
    std::vector<std::pair<Datum, TaskName>> inputs;
    if (kernel == gemm)
      inputs = {{{.m = m, .n = k}, {trsm_ru, k, m, k}}, {{.m = k, .n = n}, {trsm_ll, k, k, n}}};
    else if (kernel != getrf)
      inputs = {{{.m = k, .n = k}, {getrf, k, k, k}}};
    auto const before = k > 0 ? std::optional(TaskName{gemm, k - 1, m, n}) : std::nullopt;
    ReferenceTask task = tile_task({kernel, k, m, n}, priority, inputs, before);
    task.writes_back = kernel != gemm;
    sink_.task(task);
  }

  int nt_;
  ReferenceSink& sink_;
};

}  // namespace

Reference reference_lu(ReferenceProblem const& p) {
  double const nb = p.nb;
  return {.kernels = {{"getrf", nb * nb * nb * 2 / 3},
                      {"trsm_ll", nb * nb * nb},
                      {"trsm_ru", nb * nb * nb},
                      {"gemm", 2 * nb * nb * nb}},
          .bytes = [&p](Datum const&) { return full_tile_bytes(p); },
          .submit =
              [&p](ReferenceSink& sink) {
                Lu lu(p, sink);
                p.key("variant") == "chameleon" ? lu.chameleon() : lu.starpu();
              }};
}

}  // namespace factosim::audit
