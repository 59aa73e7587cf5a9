#include <cmath>
#include <memory>

#include "distributions/tiles_sent.hpp"
#include "models/applications/application.hpp"
#include "models/applications/task_formulas.hpp"

namespace factosim {

// The application "gemm": the product C = A B of matrices of nt x nt tiles by outer products: for each k,
// gemm of every C(m,n) with A(m,k) and B(k,n). The three matrices have one distribution; tiles of C never
// move. Before, a task `load` without operations writes each tile of A and B on its owner and takes no
// time: first column k of A and row k of B. Priorities 3 nt - 3k (load), 3 nt - (2k + 1) (gemm): iterations
// in order, and tiles before the updates that need them.
//
// Source: Agarwal, Gustavson, Zubair, IBM J. Research and Development 38(6), 1994; ScaLAPACK's product.

namespace {

std::vector<Kernel> gemm_kernels(ApplicationParameters const& p) {
  return {{.name = "gemm", .flops = {2 * std::pow(p.nb, 3)}},
          {.name = "load", .flops = {0}, .is_free = true}};
}

class GemmFlow final : public ApplicationFlow {
 public:
  explicit GemmFlow(ApplicationParameters const& p) : p_(p), nt_(p.nt), iterations_(computed_iterations(p)) {}

  void begin(FlowSink& sink) override {
    std::vector<Kernel> const kernels = gemm_kernels(p_);
    gemm_ = sink.add_kernel(kernels[0]);
    load_ = sink.add_kernel(kernels[1]);
    for (int matrix = 0; matrix < 3; ++matrix)  // C, A, B
      for (int m = 0; m < nt_; ++m)
        for (int n = 0; n < nt_; ++n) sink.add_handle({.size = tile_bytes(p_), .m = m, .n = n});
  }

  /// All loads, then the iterations.
  [[nodiscard]] int rounds() const override { return 1 + iterations_.count(); }

  void submit_round(FlowSink& sink, int round) override {
    if (round > 0) return update(sink, iterations_.first + round - 1);
    for (int k = iterations_.first; k < iterations_.end; ++k)
      for (int i = 0; i < nt_; ++i) {
        load(sink, {k, i, k}, tile(1, i, k));
        load(sink, {k, k, i}, tile(2, k, i));
      }
  }

 private:
  [[nodiscard]] HandleId tile(int matrix, int m, int n) const {
    return HandleId{(matrix * nt_ + m) * nt_ + n};
  }

  void load(FlowSink& sink, TaskIndices indices, HandleId handle) {
    sink.submit(load_, 3 * nt_ - 3 * indices.k, indices, {{handle, Access::write}});
    sink.last_write(handle);
  }

  void update(FlowSink& sink, int k) {
    for (int m = 0; m < nt_; ++m)
      for (int n = 0; n < nt_; ++n) {
        sink.submit(gemm_, 3 * nt_ - (2 * k + 1), {k, m, n},
                    {{tile(1, m, k), Access::read},
                     {tile(2, k, n), Access::read},
                     {tile(0, m, n), Access::read_write}});
      }
    for (int i = 0; i < nt_; ++i) {
      sink.last_use(tile(1, i, k));
      sink.last_use(tile(2, k, i));
    }
  }

  ApplicationParameters const& p_;
  int nt_;
  IterationRange iterations_;
  KernelId gemm_, load_;
};

/// The same tasks as formulas.
class GemmFormulas final : public TaskFormulas {
 public:
  explicit GemmFormulas(ApplicationParameters const& p) : nt_(p.nt), iterations_(computed_iterations(p)) {}

  [[nodiscard]] std::uint64_t task_count() const override {
    return count(iterations_.count()) * count(nt_) * count(nt_ + 2);
  }
  [[nodiscard]] int line_count() const override { return nt_; }
  [[nodiscard]] HandleId updated_tile(int m, int n) const override { return tile(0, m, n); }

  [[nodiscard]] FormulaTask task(HandleId written, std::uint32_t version) const override {
    auto const [matrix, m, n] = place(written);
    if (matrix > 0) {
      int const k = matrix == 1 ? n : m, i = matrix == 1 ? m : n;
      return {.kernel = 1,
              .last = true,
              .access = Access::write,
              .priority = 3 * nt_ - 3 * k,
              .indices = {k, m, n},
              .position = 2 * (count(k - iterations_.first) * count(nt_) + count(i)) + (matrix == 1 ? 0 : 1)};
    }
    auto const round = static_cast<int>(version);
    int const k = iterations_.first + round;
    return {.kernel = 0,
            .last = k + 1 == iterations_.end,
            .priority = 3 * nt_ - (2 * k + 1),
            .indices = {k, m, n},
            .position = 2 * count(iterations_.count()) * count(nt_) +
                        (count(round) * count(nt_) + count(m)) * count(nt_) + count(n),
            .inputs = {tile(1, m, k), tile(2, k, n)},
            .input_count = 2};
  }

  [[nodiscard]] std::uint32_t last_version(HandleId written) const override {
    auto const [matrix, m, n] = place(written);
    if (matrix == 0) return static_cast<std::uint32_t>(iterations_.count());
    return iterations_.contains(matrix == 1 ? n : m) ? 1 : 0;
  }

  [[nodiscard]] TileReaders readers(HandleId read) const override {
    auto const [matrix, m, n] = place(read);
    TileReaders out;
    if (matrix == 0 || last_version(read) == 0) return out;
    out.version = static_cast<std::uint32_t>((matrix == 1 ? n : m) - iterations_.first);
    out.runs[out.run_count++] = {.kind = matrix == 1 ? TileRun::Line::row : TileRun::Line::column,
                                 .line = matrix == 1 ? m : n,
                                 .first = 0,
                                 .end = nt_};
    return out;
  }

 private:
  struct Place {
    int matrix, m, n;
  };
  [[nodiscard]] HandleId tile(int matrix, int m, int n) const {
    return HandleId{(matrix * nt_ + m) * nt_ + n};
  }
  [[nodiscard]] Place place(HandleId handle) const {
    auto const number = static_cast<int>(handle.value());
    return {number / (nt_ * nt_), number / nt_ % nt_, number % nt_};
  }

  int nt_;
  IterationRange iterations_;
};

class Gemm final : public Application {
 public:
  Gemm()
      : Application(
            {.name = "gemm",
             .description = "matrix product C = A B in ScaLAPACK's order (not that of StarPU's sgemm)",
             .variants = {"outer-product"},
             .is_product = true,
             .has_formulas = true,
             .counts_tiles_sent = true,
             .has_iterations = true,
             .may_have_layers = true}) {}

  std::unique_ptr<ApplicationFlow> plain_flow(ApplicationParameters const& p, TileMap const&) const override {
    return std::make_unique<GemmFlow>(p);
  }
  std::vector<Kernel> plain_kernels(ApplicationParameters const& p) const override { return gemm_kernels(p); }
  std::unique_ptr<TaskFormulas> formulas(ApplicationParameters const& p) const override {
    return std::make_unique<GemmFormulas>(p);
  }
  FactorizationKernels factorization_kernels(ApplicationParameters const& p) const override {
    return {{gemm_kernels(p).front()}, {TaskKind::update}};
  }
  /// 2 n^3 with n = nt nb.
  Flops total_flops(ApplicationParameters const& p) const override {
    return {2 * std::pow(static_cast<double>(p.nt) * p.nb, 3)};
  }
  double max_tasks(ApplicationParameters const& p) const override {
    double const n = p.nt;
    return n * n * (n + 2);
  }
  std::uint64_t tiles_sent(ApplicationParameters const&, TileMap const& map) const override {
    return product_tiles_sent(map);
  }
};

}  // namespace

std::unique_ptr<Application const> gemm_application() { return std::make_unique<Gemm>(); }

}  // namespace factosim
