#include <cmath>
#include <memory>

#include "models/applications/application.hpp"

namespace factosim {

// The application "syrk": the lower triangle of C = A A^T, of matrices of nt x nt tiles, by outer products: for each k,
// syrk of every C(n,n) with A(n,k), and gemm of every C(m,n) below with A(m,k) and A(n,k). A(m,k) is at first on
// the owner of C(max(m,k), min(m,k)): a symmetric distribution has it on a node that needs row m. Before, a task `load`
// without operations writes each tile of A on its owner and takes no time. Priorities as of "gemm".
//
// Source: Al Daas, Ballard, Grigori, Kumar, Rouse, SPAA 2023.

namespace {

std::vector<Kernel> syrk_kernels(ApplicationParameters const& p) {
  double const nb3 = std::pow(p.nb, 3);
  return {{.name = "syrk", .flops = {nb3}},
          {.name = "gemm", .flops = {2 * nb3}},
          {.name = "load", .flops = {0}, .is_free = true}};
}

class SyrkFlow final : public ApplicationFlow {
 public:
  SyrkFlow(ApplicationParameters const& p, TileMap const& map)
      : p_(p), map_(map), nt_(p.nt), iterations_(computed_iterations(p)) {}

  void begin(FlowSink& sink) override {
    std::vector<Kernel> const kernels = syrk_kernels(p_);
    auto kernel = kernels.begin();
    for (KernelId* const id : {&syrk_, &gemm_, &load_}) *id = sink.add_kernel(*kernel++);
    for (int m = 0; m < nt_; ++m)
      for (int n = 0; n <= m; ++n) sink.add_handle({.size = tile_bytes(p_), .m = m, .n = n});
    for (int m = 0; m < nt_; ++m)
      for (int k = 0; k < nt_; ++k)
        sink.add_handle(
            {.size = tile_bytes(p_), .m = m, .n = k, .owner = map_.owner.empty() ? NodeId{0} : owner(m, k)});
  }

  /// All loads, then the iterations.
  [[nodiscard]] int rounds() const override { return 1 + iterations_.count(); }

  void submit_round(FlowSink& sink, int round) override {
    if (round > 0) return update(sink, iterations_.first + round - 1);
    for (int k = iterations_.first; k < iterations_.end; ++k)
      for (int m = 0; m < nt_; ++m) {
        sink.submit(load_, 3 * nt_ - 3 * k, {k, m, k}, {{a(m, k), Access::write}});
        sink.last_write(a(m, k));
      }
  }

 private:
  [[nodiscard]] NodeId owner(int m, int k) const { return map_.at(std::max(m, k), std::min(m, k)); }
  [[nodiscard]] HandleId a(int m, int k) const { return HandleId{nt_ * (nt_ + 1) / 2 + m * nt_ + k}; }
  [[nodiscard]] HandleId c(int m, int n) const { return HandleId{m * (m + 1) / 2 + n}; }

  void update(FlowSink& sink, int k) {
    int const priority = 3 * nt_ - (2 * k + 1);
    for (int n = 0; n < nt_; ++n) {
      sink.submit(syrk_, priority, {k, n, n}, {{a(n, k), Access::read}, {c(n, n), Access::read_write}});
      for (int m = n + 1; m < nt_; ++m)
        sink.submit(gemm_, priority, {k, m, n},
                    {{a(m, k), Access::read}, {a(n, k), Access::read}, {c(m, n), Access::read_write}});
    }
    for (int m = 0; m < nt_; ++m) sink.last_use(a(m, k));
  }

  ApplicationParameters const& p_;
  TileMap const& map_;
  int nt_;
  IterationRange iterations_;
  KernelId syrk_, gemm_, load_;
};

class Syrk final : public Application {
 public:
  Syrk()
      : Application({.name = "syrk",
                     .description = "lower triangle of the product C = A A^T",
                     .variants = {"outer-product"},
                     .lower_only = true,
                     .is_product = true,
                     .graph_depends_on_map = true,
                     .has_iterations = true,
                     .may_have_layers = true}) {}

  std::unique_ptr<ApplicationFlow> plain_flow(ApplicationParameters const& p,
                                              TileMap const& map) const override {
    return std::make_unique<SyrkFlow>(p, map);
  }
  std::vector<Kernel> plain_kernels(ApplicationParameters const& p) const override { return syrk_kernels(p); }
  FactorizationKernels factorization_kernels(ApplicationParameters const& p) const override {
    std::vector<Kernel> kernels = syrk_kernels(p);
    kernels.pop_back();
    return {std::move(kernels), {TaskKind::symmetric_update, TaskKind::update}};
  }
  /// n^3 with n = nt nb.
  Flops total_flops(ApplicationParameters const& p) const override {
    return {std::pow(static_cast<double>(p.nt) * p.nb, 3)};
  }
  double max_tasks(ApplicationParameters const& p) const override {
    double const n = p.nt;
    return n * n * (n + 1) / 2 + n * n;
  }
};

}  // namespace

std::unique_ptr<Application const> syrk_application() { return std::make_unique<Syrk>(); }

}  // namespace factosim
