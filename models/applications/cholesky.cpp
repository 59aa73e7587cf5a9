#include "models/applications/cholesky.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "distributions/tiles_sent.hpp"
#include "models/applications/task_formulas.hpp"

namespace factosim {

// The application "cholesky": tile Cholesky of the lower triangle with `cholesky_priority`.
//
// Variants "starpu" (examples/cholesky/cholesky_implicit.c) and "chameleon" (compute/pzpotrf.c, whose
// data_flush is StarPU's wont_use on the owner) are the same. "starpu-mpi"
// (mpi/examples/matrix_decomposition) drops the received copies of the diagonal tile after each trsm: the
// tile is sent once for each trsm on another node, and the trsm of one column on one node run one after the
// other.

namespace {

bool flushes_diagonal(ApplicationParameters const& p) { return p.variant == "starpu-mpi"; }

class CholeskyFlow final : public ApplicationFlow {
 public:
  CholeskyFlow(ApplicationParameters const& p, TileMap const& map)
      : p_(p),
        iterations_(computed_iterations(p)),
        submission_{.nt = p.nt,
                    .priority = cholesky_priority,
                    .flush_diagonal = flushes_diagonal(p),
                    .uses_tiles_again = false} {
    if (p.formats) submission_.formats = &formats_.emplace(p, map);
  }

  void begin(FlowSink& sink) override {
    CholeskyKernels& ids = submission_.kernels;
    std::vector<Kernel> const kernels = cholesky_kernels(p_);
    auto kernel = kernels.begin();
    for (KernelId* const id : {&ids.potrf, &ids.trsm, &ids.syrk, &ids.gemm}) *id = sink.add_kernel(*kernel++);
    if (formats_) formats_->add_kernels(sink);
    for (int m = 0; m < p_.nt; ++m)
      for (int n = 0; n <= m; ++n) sink.add_handle({.size = bytes_of_tile(p_, m, n), .m = m, .n = n});
    if (formats_) formats_->add_copies(sink);
  }

  [[nodiscard]] int rounds() const override { return iterations_.count(); }
  void submit_round(FlowSink& sink, int round) override {
    submit_cholesky_step(sink, submission_, iterations_.first + round);
  }

 private:
  ApplicationParameters const& p_;
  IterationRange iterations_;
  CholeskySubmission submission_;
  std::optional<FormattedCholesky> formats_;
};

/// The same tasks as formulas, without flushes.
class CholeskyFormulas final : public TaskFormulas {
 public:
  explicit CholeskyFormulas(ApplicationParameters const& p)
      : nt_(p.nt), iterations_(computed_iterations(p)) {}

  [[nodiscard]] std::uint64_t task_count() const override {
    return begin(iterations_.end) - begin(iterations_.first);
  }
  [[nodiscard]] int line_count() const override { return nt_; }
  [[nodiscard]] HandleId updated_tile(int m, int n) const override {
    return n <= m ? lower_tile(m, n) : HandleId{};
  }

  [[nodiscard]] FormulaTask task(HandleId tile, std::uint32_t version) const override {
    auto const [m, n] = place(tile);
    int const k = iterations_.first + static_cast<int>(version);
    bool const panel = n == k, diagonal = m == n;
    FormulaTask out{.last = panel || k + 1 == iterations_.end, .writes_back = panel, .indices = {k, m, n}};
    out.kernel = static_cast<std::uint16_t>(panel ? (diagonal ? 0 : 1) : (diagonal ? 2 : 3));
    out.priority = cholesky_priority(nt_, out.indices);
    out.position = position(k, m, n) - begin(iterations_.first);
    if (panel && diagonal) return out;
    out.input_count = panel || diagonal ? 1 : 2;
    out.inputs[0] = panel ? lower_tile(k, k) : lower_tile(m, k);
    if (out.input_count == 2) out.inputs[1] = lower_tile(n, k);
    return out;
  }

  [[nodiscard]] std::uint32_t last_version(HandleId tile) const override {
    return iterations_.count_until(place(tile).n);
  }

  [[nodiscard]] TileReaders readers(HandleId tile) const override {
    auto const [m, k] = place(tile);
    if (!iterations_.contains(k)) return {};
    TileReaders out{.version = static_cast<std::uint32_t>(k - iterations_.first)};
    if (m > k)
      out.runs[out.run_count++] = {.kind = TileRun::Line::row, .line = m, .first = k + 1, .end = m + 1};
    out.runs[out.run_count++] = {.kind = TileRun::Line::column, .line = m, .first = m + 1, .end = nt_};
    return out;
  }

 private:
  struct Place {
    int m, n;
  };
  /// Inverts `lower_tile`.
  [[nodiscard]] static Place place(HandleId tile) {
    auto const number = static_cast<int>(tile.value());
    int m = static_cast<int>((std::sqrt(8.0 * number + 1) - 1) / 2);
    while (m * (m + 1) / 2 > number) --m;
    while ((m + 1) * (m + 2) / 2 <= number) ++m;
    return {m, number - m * (m + 1) / 2};
  }
  /// Number of tasks of the iterations before.
  [[nodiscard]] std::uint64_t begin(int k) const {
    return sum_of_triangles(count(nt_)) - sum_of_triangles(count(nt_ - k));
  }
  [[nodiscard]] std::uint64_t position(int k, int m, int n) const {
    std::uint64_t const left = count(nt_ - 1 - k), columns_left = left - count(std::max(0, n - k - 1));
    if (n == k) return begin(k) + count(m - k);
    return begin(k) + 1 + left + (left * (left + 1) - columns_left * (columns_left + 1)) / 2 + count(m - n);
  }

  int nt_;
  IterationRange iterations_;
};

/// An upper bound of the number of tasks on parts: each task of one of the four kernels has its own, less those that write
/// tiles of low rank.
double max_nested_tasks(ApplicationParameters const& p) {
  if (!p.is_nested()) return 0;
  double const n = p.nested->parts(p.nb), square = n * n;
  double out = 0;
  for (int k = 0; k < p.nt; ++k) {
    double full = p.nt - 1 - k;  // tiles below the diagonal of column k
    if (p.formats) {
      full = 0;
      for (int m = k + 1; m < p.nt; ++m) full += p.formats->of(m, k).rank == 0 ? 1 : 0;
    }
    out += cholesky_task_count(p.nested->parts(p.nb)) + full * square * (n + 1) / 2 +
           full * square * (n + 1) / 2 + full * (full - 1) / 2 * square * n;
  }
  return out;
}

class Cholesky final : public Application {
 public:
  Cholesky()
      : Application({.name = "cholesky",
                     .description = "Cholesky factorization of the lower triangle",
                     .variants = {"starpu", "chameleon", "starpu-mpi"},
                     .variants_in_one_format = {"starpu-mpi"},
                     .lower_only = true,
                     .has_formulas = true,
                     .counts_tiles_sent = true,
                     .is_plain_factorization = true,
                     .may_be_nested = true,
                     .has_iterations = true,
                     .may_have_layers = true,
                     .may_have_formats = true}) {}

  std::unique_ptr<ApplicationFlow> plain_flow(ApplicationParameters const& p,
                                              TileMap const& map) const override {
    return std::make_unique<CholeskyFlow>(p, map);
  }
  std::vector<Kernel> plain_kernels(ApplicationParameters const& p) const override {
    std::vector<Kernel> out = cholesky_kernels(p);
    for (Kernel& kernel : format_kernels(p)) out.push_back(std::move(kernel));
    return out;
  }
  std::unique_ptr<TaskFormulas> formulas(ApplicationParameters const& p) const override {
    if (flushes_diagonal(p) || p.formats) return nullptr;
    return std::make_unique<CholeskyFormulas>(p);
  }
  FactorizationKernels factorization_kernels(ApplicationParameters const& p) const override {
    return cholesky_factorization_kernels(p);
  }
  /// n^3 / 3 with n = nt nb.
  Flops total_flops(ApplicationParameters const& p) const override {
    return {std::pow(static_cast<double>(p.nt) * p.nb, 3) / 3};
  }
  double max_tasks(ApplicationParameters const& p) const override {
    return cholesky_task_count(p.nt) + max_conversions(p) + max_nested_tasks(p);
  }
  std::uint64_t tiles_sent(ApplicationParameters const& p, TileMap const& map) const override {
    return flushes_diagonal(p) ? cholesky_tiles_sent_with_flushes(map) : cholesky_tiles_sent(map);
  }
};

}  // namespace

std::unique_ptr<Application const> cholesky_application() { return std::make_unique<Cholesky>(); }

std::vector<Kernel> cholesky_kernels(ApplicationParameters const& p) {
  double const nb3 = std::pow(p.nb, 3);
  return {{.name = "potrf", .flops = {nb3 / 3}, .asynchronous_on_gpu = false},
          {.name = "trsm", .flops = {nb3}},
          {.name = "syrk", .flops = {nb3}},
          {.name = "gemm", .flops = {2 * nb3}}};
}

FactorizationKernels cholesky_factorization_kernels(ApplicationParameters const& p) {
  return {cholesky_kernels(p),
          {TaskKind::diagonal, TaskKind::panel, TaskKind::symmetric_update, TaskKind::update}};
}

double cholesky_task_count(int nt) {
  double const n = nt;
  return n * (n + 1) * (n + 2) / 6;
}

int cholesky_priority(int nt, TaskIndices const& task) {
  int const base = 2 * nt - 2 * task.k;
  if (task.n == task.k) return task.m == task.k ? base : base - task.m;
  return task.m == task.n ? base - task.n : base - task.m - task.n;
}

void submit_cholesky_step(FlowSink& sink, CholeskySubmission const& s, int k) {
  FormattedCholesky const* const formats = s.formats;
  auto const submit = [&](KernelId plain, TaskIndices const& task,
                          std::initializer_list<DataAccess> accesses) {
    KernelId const kernel = formats == nullptr ? plain : formats->kernel(plain, task);
    return sink.submit(kernel, s.priority(s.nt, task), task, accesses);
  };
  auto const read = [&](int m, TaskIndices const& task) {
    return DataAccess{formats == nullptr ? lower_tile(m, k) : formats->operand(m, task), Access::read};
  };
  auto const finish = [&](int m) {  // the tile has its last value
    if (!s.uses_tiles_again) sink.last_write(lower_tile(m, k));
    if (formats != nullptr) formats->submit_conversions(sink, s.priority(s.nt, {k, m, k}), m, k);
  };
  submit(s.kernels.potrf, {k, k, k}, {{lower_tile(k, k), Access::read_write}});
  finish(k);
  for (int m = k + 1; m < s.nt; ++m) {
    TaskIndices const task{k, m, k};
    TaskId const trsm = submit(s.kernels.trsm, task, {read(k, task), {lower_tile(m, k), Access::read_write}});
    if (s.flush_diagonal) sink.flush_inputs(trsm);
    finish(m);
  }
  sink.wont_use(lower_tile(k, k));
  for (int n = k + 1; n < s.nt; ++n) {
    TaskIndices const syrk{k, n, n};
    submit(s.kernels.syrk, syrk, {read(n, syrk), {lower_tile(n, n), Access::read_write}});
    for (int m = n + 1; m < s.nt; ++m) {
      TaskIndices const gemm{k, m, n};
      submit(s.kernels.gemm, gemm, {read(m, gemm), read(n, gemm), {lower_tile(m, n), Access::read_write}});
    }
    sink.wont_use(lower_tile(n, k));
  }
  if (!s.uses_tiles_again)
    for (int m = k; m < s.nt; ++m) sink.last_use(lower_tile(m, k));
}

}  // namespace factosim
