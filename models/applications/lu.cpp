#include <algorithm>
#include <cmath>
#include <memory>

#include "distributions/tiles_sent.hpp"
#include "factosim/sequential_task_flow.hpp"
#include "models/applications/application.hpp"

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

std::vector<HandleInfo> lu_tiles(ApplicationParameters const& p) {
  std::vector<HandleInfo> tiles;
  for (int m = 0; m < p.nt; ++m)
    for (int n = 0; n < p.nt; ++n) tiles.push_back({.size = tile_bytes(p), .m = m, .n = n});
  return tiles;
}

class LuFlow {
 public:
  explicit LuFlow(ApplicationParameters const& p) : nt_(p.nt) {
    std::vector<Kernel> const kernels = lu_kernels(p);
    auto kernel = kernels.begin();
    for (KernelId* const id : {&getrf_, &trsm_ll_, &trsm_ru_, &gemm_}) *id = flow_.add_kernel(*kernel++);
    for (HandleInfo const& tile : lu_tiles(p)) flow_.add_handle(tile);
  }

  TaskGraph starpu() && {
    for (int k = 0; k < nt_; ++k) {
      getrf(k, 3 * nt_ - 3 * k);
      for (int i = k + 1; i < nt_; ++i) {
        trsm_row(k, i, 3 * nt_ - (2 * k + i));
        trsm_column(k, i, 3 * nt_ - (2 * k + i));
      }
      flow_.wont_use(tile(k, k));
      for (int m = k + 1; m < nt_; ++m)
        for (int n = k + 1; n < nt_; ++n) gemm(k, m, n, 3 * nt_ - (k + m + n));
      for (int i = k + 1; i < nt_; ++i) {
        flow_.wont_use(tile(k, i));
        flow_.wont_use(tile(i, k));
      }
    }
    return std::move(flow_).finish();
  }

  TaskGraph chameleon() && {
    for (int k = 0; k < nt_; ++k) {
      int const base = 2 * nt_ - 2 * k;
      getrf(k, base);
      for (int m = k + 1; m < nt_; ++m) trsm_column(k, m, base - m);
      for (int n = k + 1; n < nt_; ++n) {
        trsm_row(k, n, base - n);
        for (int m = k + 1; m < nt_; ++m) gemm(k, m, n, base - m - n);
        flow_.wont_use(tile(k, n));
      }
      for (int m = k; m < nt_; ++m) flow_.wont_use(tile(m, k));
    }
    return std::move(flow_).finish();
  }

 private:
  [[nodiscard]] HandleId tile(int m, int n) const { return HandleId{m * nt_ + n}; }

  void getrf(int k, int priority) {
    flow_.submit(getrf_, priority, {k, k, k}, {{tile(k, k), Access::read_write}});
  }
  void trsm_row(int k, int n, int priority) {
    flow_.submit(trsm_ll_, priority, {k, k, n},
                 {{tile(k, k), Access::read}, {tile(k, n), Access::read_write}});
  }
  void trsm_column(int k, int m, int priority) {
    flow_.submit(trsm_ru_, priority, {k, m, k},
                 {{tile(k, k), Access::read}, {tile(m, k), Access::read_write}});
  }
  void gemm(int k, int m, int n, int priority) {
    flow_.submit(gemm_, priority, {k, m, n},
                 {{tile(m, k), Access::read}, {tile(k, n), Access::read}, {tile(m, n), Access::read_write}});
  }

  int nt_;
  SequentialTaskFlow flow_;
  KernelId getrf_, trsm_ll_, trsm_ru_, gemm_;
};

/// The same tasks as formulas.
class LuFormulas final : public TaskFormulas {
 public:
  explicit LuFormulas(ApplicationParameters const& p) : p_(p), nt_(p.nt), chameleon_(p.variant == "chameleon") {}

  [[nodiscard]] TaskGraph data() const override {
    TaskGraph out;
    out.kernels = lu_kernels(p_);
    out.handles = lu_tiles(p_);
    return out;
  }
  [[nodiscard]] std::uint64_t task_count() const override { return sum_of_squares(count(nt_)); }
  [[nodiscard]] int line_count() const override { return nt_; }
  [[nodiscard]] HandleId updated_tile(int m, int n) const override { return HandleId{m * nt_ + n}; }

  [[nodiscard]] FormulaTask task(HandleId written, std::uint32_t version) const override {
    auto const place = static_cast<int>(written.value());
    int const k = static_cast<int>(version), m = place / nt_, n = place % nt_;
    bool const in_row = m == k, in_column = n == k;
    FormulaTask out{.last = in_row || in_column, .writes_back = in_row || in_column, .indices = {k, m, n}};
    out.kernel = static_cast<std::uint16_t>(in_row ? (in_column ? 0 : 1) : (in_column ? 2 : 3));
    out.priority = chameleon_ ? chameleon_priority(k, m, n) : 3 * nt_ - (k + m + n);
    out.position = chameleon_ ? chameleon_position(k, m, n) : starpu_position(k, m, n);
    if (in_row && in_column) return out;
    out.input_count = in_row || in_column ? 1 : 2;
    out.inputs[0] = updated_tile(in_row ? k : m, k);
    if (out.input_count == 2) out.inputs[1] = updated_tile(k, n);
    return out;
  }

  [[nodiscard]] TileReaders readers(HandleId tile) const override {
    auto const place = static_cast<int>(tile.value());
    int const m = place / nt_, n = place % nt_, k = std::min(m, n);
    TileReaders out{.version = static_cast<std::uint32_t>(k)};
    if (n == k) out.runs[out.run_count++] = {.in_row = true, .line = m, .first = k + 1, .end = nt_};
    if (m == k) out.runs[out.run_count++] = {.in_row = false, .line = n, .first = k + 1, .end = nt_};
    return out;
  }

 private:
  [[nodiscard]] static std::uint64_t count(int number) { return static_cast<std::uint64_t>(number); }
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

  ApplicationParameters p_;
  int nt_;
  bool chameleon_;
};

TaskGraph lu_graph(ApplicationParameters const& p, TileMap const& /*map*/) {
  return p.variant == "chameleon" ? LuFlow(p).chameleon() : LuFlow(p).starpu();
}

FactorizationKernels lu_factorization_kernels(ApplicationParameters const& p) {
  return {lu_kernels(p), {TaskKind::diagonal, TaskKind::panel, TaskKind::panel, TaskKind::update}};
}

/// 2 n^3 / 3 with n = nt nb.
Flops lu_flops(ApplicationParameters const& p) {
  return {2 * std::pow(static_cast<double>(p.nt) * p.nb, 3) / 3};
}

double max_lu_tasks(ApplicationParameters const& p) {
  double const n = p.nt;
  return n * (n + 1) * (2 * n + 1) / 6;
}

}  // namespace

Application lu_application() {
  return {.name = "lu",
          .description = "LU factorization without pivoting",
          .variants = {"starpu", "chameleon"},
          .graph = lu_graph,
          .formulas = [](ApplicationParameters const& p) -> std::unique_ptr<TaskFormulas> {
            return std::make_unique<LuFormulas>(p);
          },
          .kernels = lu_kernels,
          .factorization_kernels = lu_factorization_kernels,
          .total_flops = lu_flops,
          .max_tasks = max_lu_tasks,
          .tiles_sent = [](ApplicationParameters const&, TileMap const& map) { return lu_tiles_sent(map); },
          .is_plain_factorization = true,
          .may_be_recursive = true};
}

}  // namespace factosim
