#include <algorithm>
#include <cmath>
#include <memory>

#include "distributions/tiles_sent.hpp"
#include "models/applications/application.hpp"
#include "models/applications/task_formulas.hpp"

namespace factosim {

// The application "lu": tile LU without pivoting. For each k, getrf of A(k,k), trsm_ll of the row
// A(k, k+1:nt), trsm_ru of the column A(k+1:nt, k), and gemm of every tile of the trailing submatrix. Both
// variants hint that the diagonal tile and the panels may be written back after their last read.
//
// Variant "starpu": StarPU's examples/lu/xlu_implicit.c. The two kinds of trsm alternate, then come the gemms
// row by row; priorities 3 nt - 3k (getrf), 3 nt - (2k + i) (trsm), 3 nt - (k + m + n) (gemm).
//
// Variant "chameleon": Chameleon's compute/pzgetrf_nopiv.c, whose data_flush is StarPU's wont_use on the
// owner. The column panel, then column by column the trsm of the row panel and its gemms; priorities 2 nt -
// 2k (getrf), 2 nt - 2k - m (trsm_ru), 2 nt - 2k - n (trsm_ll), 2 nt - 2k - m - n (gemm).

namespace {

std::vector<Kernel> lu_kernels(ApplicationParameters const& p) {
  double const nb3 = std::pow(p.nb, 3);
  return {{.name = "getrf", .flops = {2 * nb3 / 3}, .asynchronous_on_gpu = false},
          {.name = "trsm_ll", .flops = {nb3}},
          {.name = "trsm_ru", .flops = {nb3}},
          {.name = "gemm", .flops = {2 * nb3}}};
}

class LuFlow final : public ApplicationFlow {
 public:
  explicit LuFlow(ApplicationParameters const& p) : p_(p), nt_(p.nt), iterations_(computed_iterations(p)) {}

  void begin(FlowSink& sink) override {
    std::vector<Kernel> const kernels = lu_kernels(p_);
    auto kernel = kernels.begin();
    for (KernelId* const id : {&getrf_, &trsm_ll_, &trsm_ru_, &gemm_}) *id = sink.add_kernel(*kernel++);
    for (int m = 0; m < nt_; ++m)
      for (int n = 0; n < nt_; ++n) sink.add_handle({.size = tile_bytes(p_), .m = m, .n = n});
  }

  [[nodiscard]] int rounds() const override { return iterations_.count(); }

  void submit_round(FlowSink& sink, int round) override {
    int const k = iterations_.first + round;
    p_.variant == "chameleon" ? chameleon(sink, k) : starpu(sink, k);
    sink.last_use(tile(k, k));
    for (int i = k + 1; i < nt_; ++i) {
      sink.last_use(tile(k, i));
      sink.last_use(tile(i, k));
    }
  }

 private:
  void starpu(FlowSink& sink, int k) {
    getrf(sink, k, 3 * nt_ - 3 * k);
    for (int i = k + 1; i < nt_; ++i) {
      trsm_row(sink, k, i, 3 * nt_ - (2 * k + i));
      trsm_column(sink, k, i, 3 * nt_ - (2 * k + i));
    }
    sink.wont_use(tile(k, k));
    for (int m = k + 1; m < nt_; ++m)
      for (int n = k + 1; n < nt_; ++n) gemm(sink, k, m, n, 3 * nt_ - (k + m + n));
    for (int i = k + 1; i < nt_; ++i) {
      sink.wont_use(tile(k, i));
      sink.wont_use(tile(i, k));
    }
  }

  void chameleon(FlowSink& sink, int k) {
    int const base = 2 * nt_ - 2 * k;
    getrf(sink, k, base);
    for (int m = k + 1; m < nt_; ++m) trsm_column(sink, k, m, base - m);
    for (int n = k + 1; n < nt_; ++n) {
      trsm_row(sink, k, n, base - n);
      for (int m = k + 1; m < nt_; ++m) gemm(sink, k, m, n, base - m - n);
      sink.wont_use(tile(k, n));
    }
    for (int m = k; m < nt_; ++m) sink.wont_use(tile(m, k));
  }

  [[nodiscard]] HandleId tile(int m, int n) const { return HandleId{m * nt_ + n}; }

  void getrf(FlowSink& sink, int k, int priority) {
    sink.submit(getrf_, priority, {k, k, k}, {{tile(k, k), Access::read_write}});
    sink.last_write(tile(k, k));
  }
  void trsm_row(FlowSink& sink, int k, int n, int priority) {
    sink.submit(trsm_ll_, priority, {k, k, n},
                {{tile(k, k), Access::read}, {tile(k, n), Access::read_write}});
    sink.last_write(tile(k, n));
  }
  void trsm_column(FlowSink& sink, int k, int m, int priority) {
    sink.submit(trsm_ru_, priority, {k, m, k},
                {{tile(k, k), Access::read}, {tile(m, k), Access::read_write}});
    sink.last_write(tile(m, k));
  }
  void gemm(FlowSink& sink, int k, int m, int n, int priority) {
    sink.submit(gemm_, priority, {k, m, n},
                {{tile(m, k), Access::read}, {tile(k, n), Access::read}, {tile(m, n), Access::read_write}});
  }

  ApplicationParameters const& p_;
  int nt_;
  IterationRange iterations_;
  KernelId getrf_, trsm_ll_, trsm_ru_, gemm_;
};

/// The same tasks as formulas.
class LuFormulas final : public TaskFormulas {
 public:
  explicit LuFormulas(ApplicationParameters const& p)
      : nt_(p.nt), iterations_(computed_iterations(p)), chameleon_(p.variant == "chameleon") {}

  [[nodiscard]] std::uint64_t task_count() const override {
    return begin(iterations_.end) - begin(iterations_.first);
  }
  [[nodiscard]] int line_count() const override { return nt_; }
  [[nodiscard]] HandleId updated_tile(int m, int n) const override { return HandleId{m * nt_ + n}; }

  [[nodiscard]] FormulaTask task(HandleId tile, std::uint32_t version) const override {
    auto const place = static_cast<int>(tile.value());
    int const k = iterations_.first + static_cast<int>(version), m = place / nt_, n = place % nt_;
    bool const in_row = m == k, in_column = n == k;
    FormulaTask out{.last = in_row || in_column || k + 1 == iterations_.end,
                    .writes_back = in_row || in_column,
                    .indices = {k, m, n}};
    out.kernel = static_cast<std::uint16_t>(in_row ? (in_column ? 0 : 1) : (in_column ? 2 : 3));
    out.priority = chameleon_ ? chameleon_priority(k, m, n) : 3 * nt_ - (k + m + n);
    out.position = chameleon_ ? chameleon_position(k, m, n) : starpu_position(k, m, n);
    out.position -= begin(iterations_.first);
    if (in_row && in_column) return out;
    out.input_count = in_row || in_column ? 1 : 2;
    out.inputs[0] = updated_tile(in_row || in_column ? k : m, k);
    if (out.input_count == 2) out.inputs[1] = updated_tile(k, n);
    return out;
  }

  [[nodiscard]] std::uint32_t last_version(HandleId tile) const override {
    auto const place = static_cast<int>(tile.value());
    return iterations_.count_until(std::min(place / nt_, place % nt_));
  }

  [[nodiscard]] TileReaders readers(HandleId tile) const override {
    auto const place = static_cast<int>(tile.value());
    int const m = place / nt_, n = place % nt_, k = std::min(m, n);
    if (!iterations_.contains(k)) return {};
    TileReaders out{.version = static_cast<std::uint32_t>(k - iterations_.first)};
    if (n == k)
      out.runs[out.run_count++] = {.kind = TileRun::Line::row, .line = m, .first = k + 1, .end = nt_};
    if (m == k)
      out.runs[out.run_count++] = {.kind = TileRun::Line::column, .line = n, .first = k + 1, .end = nt_};
    return out;
  }

 private:
  [[nodiscard]] int chameleon_priority(int k, int m, int n) const {
    return 2 * nt_ - 2 * k - (m > k ? m : 0) - (n > k ? n : 0);
  }
  /// Number of tasks of the iterations before.
  [[nodiscard]] std::uint64_t begin(int k) const {
    return sum_of_squares(count(nt_)) - sum_of_squares(count(nt_ - k));
  }
  [[nodiscard]] std::uint64_t starpu_position(int k, int m, int n) const {
    std::uint64_t const left = count(nt_ - 1 - k);
    if (m == k) return begin(k) + (n == k ? 0 : 1 + 2 * count(n - k - 1));
    if (n == k) return begin(k) + 2 + 2 * count(m - k - 1);
    return begin(k) + 1 + 2 * left + count(m - k - 1) * left + count(n - k - 1);
  }
  [[nodiscard]] std::uint64_t chameleon_position(int k, int m, int n) const {
    std::uint64_t const left = count(nt_ - 1 - k);
    if (n == k) return begin(k) + count(m - k);
    return begin(k) + 1 + left + count(n - k - 1) * (left + 1) + count(m - k);
  }

  int nt_;
  IterationRange iterations_;
  bool chameleon_;
};

class Lu final : public Application {
 public:
  Lu()
      : Application({.name = "lu",
                     .description = "LU factorization without pivoting",
                     .variants = {"starpu", "chameleon"},
                     .has_formulas = true,
                     .counts_tiles_sent = true,
                     .is_plain_factorization = true,
                     .may_be_nested = true,
                     .has_iterations = true,
                     .may_have_layers = true}) {}

  std::unique_ptr<ApplicationFlow> plain_flow(ApplicationParameters const& p, TileMap const&) const override {
    return std::make_unique<LuFlow>(p);
  }
  std::vector<Kernel> plain_kernels(ApplicationParameters const& p) const override { return lu_kernels(p); }
  std::unique_ptr<TaskFormulas> formulas(ApplicationParameters const& p) const override {
    return std::make_unique<LuFormulas>(p);
  }
  FactorizationKernels factorization_kernels(ApplicationParameters const& p) const override {
    return {lu_kernels(p), {TaskKind::diagonal, TaskKind::panel, TaskKind::panel, TaskKind::update}};
  }
  /// 2 n^3 / 3 with n = nt nb.
  Flops total_flops(ApplicationParameters const& p) const override {
    return {2 * std::pow(static_cast<double>(p.nt) * p.nb, 3) / 3};
  }
  double max_tasks(ApplicationParameters const& p) const override {
    auto const tasks = [](double n) { return n * (n + 1) * (2 * n + 1) / 6; };
    return tasks(p.nt) + (p.is_nested() ? tasks(1.0 * p.nt * p.nested->parts(p.nb)) : 0);
  }
  std::uint64_t tiles_sent(ApplicationParameters const&, TileMap const& map) const override {
    return lu_tiles_sent(map);
  }
};

}  // namespace

std::unique_ptr<Application const> lu_application() { return std::make_unique<Lu>(); }

}  // namespace factosim
