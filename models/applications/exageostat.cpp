#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "distributions/tiles_sent.hpp"
#include "models/applications/cholesky.hpp"

namespace factosim {

// The application "exageostat": iterations of ExaGeoStat's likelihood on the lower triangle of an nt x nt
// matrix of tiles M and a vector z:
//
//   generation     dcmg writes M(m,n)
//   factorization  Cholesky of M: potrf, trsm, syrk, gemm
//   determinant    mdet reads M(k,k); one scalar per node
//   solve          trsv of z(k) with M(k,k); gemv of the rows below with M(m,k)
//   dot            dot reads z(k); one scalar per node
//
// z(m) has the owner of M(m,0). Chameleon's solve runs gemv on the owner of z(m), to which M(m,k) is sent.
// The local solve (Algorithm 1) runs it on the owner of M(m,k), into an accumulator per row and node; geadd
// adds the accumulators of row k + 1 to z(k + 1). Chameleon flushes each tile behind the last task of the
// factorization that reads it elsewhere (compute/pzpotrf.c), so the solve receives them again: as if all were
// flushed behind the factorization, since the determinant reads them where they are. Generation uses placement 1
// (possibly the same map), all other phases placement 0.
//
// Priorities, original: `cholesky_priority`, and 0 outside the factorization. All: equations 2 to 11 of the
// paper, 3 nt - (m + n) / 2 (dcmg), 3 (nt - k) (potrf), less m - k (trsm), 2 (n - k) (syrk),
// (m - k) + (n - k) (gemm); 2 (nt - k) (trsv, geadd), 2 (nt - k) - m (gemv); 0 (mdet, dot).
//
// Tasks of an iteration, N = nt: dcmg N(N+1)/2, potrf, mdet, trsv, dot N each, trsm, syrk, gemv N(N-1)/2,
// gemm N(N-1)(N-2)/6, geadd the sum over rows of the number of owners left of the diagonal.
//
// Source: Nesi, Legrand, Schnorr, ICPP 2021, sections 2 and 4.

namespace {

constexpr std::size_t factorization_placement = 0, generation_placement = 1;

/// The six optimisations of section 4.2 of the paper are "asynchronous" and the five keys after it; the
/// defaults have all of them.
std::vector<ApplicationKey> const& exageostat_keys() {
  static std::vector<ApplicationKey> const keys{
      {"iterations", "evaluations of the likelihood; the optimiser waits between them", 1, {}, {}, 10'000},
      {"nu",
       "smoothness of the Matérn function: 1/2, 3/2, ... have a closed form (timing `dcmg`), "
       "others a Bessel function (`dcmg_bessel`)",
       0.5},
      {"asynchronous",
       "`none`: all nodes wait between phases; `partial`: after generation and after the "
       "determinant, as the public version; `full`: never",
       "full",
       {"none", "partial", "full"},
       "ICPP 2021, section 4.2"},
      {"solve",
       "`chameleon`: tiles are sent to where z is; `local`: into an accumulator per row and "
       "node, where the tiles are",
       "local",
       {"chameleon", "local"},
       "ICPP 2021, Algorithm 1"},
      {"priorities",
       "`all`: of all phases; `factorization`: Chameleon's of Cholesky, else 0",
       "all",
       {"factorization", "all"},
       "ICPP 2021, equations 2 to 11"},
      {"generation_order",
       "order of submission: by falling priority (along antidiagonals) or column by column",
       "priorities",
       {"columns", "priorities"}},
      {"memory_optimisations",
       "pinned RAM is allocated in advance, cached and never waited for: defaults of "
       "`host_alloc_cost_s_per_MiB`, `allocate_at_submission`, `chunk_cache`, "
       "`preallocated_ram_fraction`, `gpus_wait_for_pinning` and `pinning_waits_for_kernels` "
       "in `runtime`",
       true},
      {"oversubscribed_worker",
       "one more worker per node, on the core of the application's thread, which does not "
       "generate (`runtime/oversubscribed_workers`)",
       true}};
  return keys;
}

bool is(ApplicationParameters const& p, char const* key, char const* choice) {
  return std::get<std::string>(value_of(p, exageostat_keys(), key)) == choice;
}

std::int64_t iterations_of(ApplicationParameters const& p) {
  return std::get<std::int64_t>(value_of(p, exageostat_keys(), "iterations"));
}

/// Timings of dcmg: Matern functions have a closed form if nu is half an odd number, and need a Bessel
/// function otherwise, integers included.
char const* generation_timing(double nu) {
  return 2 * nu == std::floor(2 * nu) && nu != std::floor(nu) ? "dcmg" : "dcmg_bessel";
}

/// dcmg, potrf, trsm, syrk, gemm, mdet, trsv, gemv, geadd, dot; then those of tiles in other formats.
std::vector<Kernel> exageostat_kernels(ApplicationParameters const& p) {
  double const nb = p.nb;
  double const square = nb * nb;
  std::vector<Kernel> kernels{
      {.name = "dcmg",
       .flops = {square},  // one value of the covariance function each
       .timing = generation_timing(std::get<double>(value_of(p, exageostat_keys(), "nu"))),
       .on_spare_workers = false,
       .memory_bound = true}};
  for (Kernel& kernel : cholesky_kernels(p)) kernels.push_back(std::move(kernel));
  for (auto const& [name, flops] : std::initializer_list<std::pair<char const*, double>>{
           {"mdet", nb}, {"trsv", square}, {"gemv", 2 * square}, {"geadd", nb}, {"dot", 2 * nb}})
    kernels.push_back({.name = name, .flops = {flops}, .memory_bound = true});
  for (Kernel& kernel : format_kernels(p)) kernels.push_back(std::move(kernel));
  return kernels;
}

/// The vectors and scalars of ExaGeoStat's iterations on nodes. The handles of the tiles come first, then those of z, of
/// the accumulators, row after row, and of the scalars.
class ExageostatData {
 public:
  /// The sum of the products of a row of tiles on one node.
  struct Accumulator {
    NodeId node;
    HandleId handle;
    int column;  // of the first of its tiles
  };
  /// Two of them for a node: the determinant and the dot product.
  struct Scalars {
    NodeId node;
    HandleId determinant, dot;
  };

  /// The map must outlive it.
  ExageostatData(int nt, bool local_solve, TileMap const& map) : nt_(nt), map_(map) {
    HandleId next = z(nt);
    auto const add = [&] { return std::exchange(next, HandleId{next.index() + 1}); };
    accumulators_.resize(static_cast<std::size_t>(nt));
    for (int m = 1; m < nt && local_solve; ++m) {
      auto& of_row = accumulators_[static_cast<std::size_t>(m)];
      for (int k = 0; k < m; ++k)
        if (std::ranges::find(of_row, map_.at(m, k), &Accumulator::node) == of_row.end())
          of_row.push_back({map_.at(m, k), add(), k});
    }
    for (int k = 0; k < nt; ++k)
      for (NodeId const node : {map_.at(k, k), map_.at(k, 0)}) {
        if (std::ranges::find(scalars_, node, &Scalars::node) != scalars_.end()) continue;
        HandleId const determinant = add();
        scalars_.push_back({node, determinant, add()});
      }
  }

  [[nodiscard]] HandleId z(int m) const { return HandleId{nt_ * (nt_ + 1) / 2 + m}; }
  /// Of row m, in the order of their columns.
  [[nodiscard]] std::vector<Accumulator> const& accumulators(int m) const {
    return accumulators_[static_cast<std::size_t>(m)];
  }
  /// That of tile (m, k). O(nodes of the row).
  [[nodiscard]] Accumulator const& accumulator(int m, int k) const {
    return *std::ranges::find(accumulators(m), map_.at(m, k), &Accumulator::node);
  }
  /// In the order of their handles.
  [[nodiscard]] std::vector<Scalars> const& scalars() const { return scalars_; }
  [[nodiscard]] Scalars const& scalars_of(NodeId node) const {
    return *std::ranges::find(scalars_, node, &Scalars::node);
  }

 private:
  int nt_;
  TileMap const& map_;
  std::vector<std::vector<Accumulator>> accumulators_;  // [nt][owners left of the diagonal]
  std::vector<Scalars> scalars_;
};

/// Returns the priority of a task of the factorization by the equations of the paper.
int exageostat_priority(int nt, TaskIndices const& task) {
  return 3 * (nt - task.k) - (task.m - task.k) - (task.n - task.k);
}

class ExageostatFlow final : public ApplicationFlow {
 public:
  ExageostatFlow(ApplicationParameters const& p, TileMap const& map)
      : p_(p),
        all_priorities_(is(p, "priorities", "all")),
        map_(map),
        nt_(p.nt),
        data_(p.nt, is(p, "solve", "local"), map) {
    if (p.formats) formats_.emplace(p, map);
  }

  void begin(FlowSink& sink) override {
    std::vector<Kernel> const kernels = exageostat_kernels(p_);
    auto kernel = kernels.begin();
    for (KernelId* const id : {&dcmg_, &cholesky_.potrf, &cholesky_.trsm, &cholesky_.syrk, &cholesky_.gemm,
                               &mdet_, &trsv_, &gemv_, &geadd_, &dot_})
      *id = sink.add_kernel(*kernel++);
    if (formats_) formats_->add_kernels(sink);
    auto const add_vector = [&](int m, int n, NodeId owner, DataKind data) {
      Bytes const size{element_bytes(p_.precision) * std::int64_t{rows_of_tile(p_, m)}};
      sink.add_handle({.size = size, .m = m, .n = n, .owner = owner, .data = data});
    };
    for (int m = 0; m < nt_; ++m)
      for (int n = 0; n <= m; ++n) sink.add_handle({.size = bytes_of_tile(p_, m, n), .m = m, .n = n});
    for (int m = 0; m < nt_; ++m) add_vector(m, 0, map_.at(m, 0), DataKind::vector);
    for (int m = 1; m < nt_; ++m)
      for (ExageostatData::Accumulator const& a : data_.accumulators(m))
        add_vector(m, a.column, a.node, DataKind::accumulator);
    for (ExageostatData::Scalars const& of_node : data_.scalars())
      for (int i = 0; i < 2; ++i)
        sink.add_handle({.size = Bytes{8}, .owner = of_node.node, .data = DataKind::scalar});
    if (formats_) formats_->add_copies(sink);
  }

  /// Of each iteration: the generation, the steps of the factorization, the rest.
  [[nodiscard]] int rounds() const override { return static_cast<int>(iterations_of(p_)) * (nt_ + 2); }

  void submit_round(FlowSink& sink, int round) override {
    int const part = round % (nt_ + 2);
    if (part == 0) {
      if (round > 0) sink.barrier();
      generate(sink);
      if (!is(p_, "asynchronous", "full")) sink.barrier();
    } else if (part <= nt_) {
      factorize(sink, part - 1);
    } else {
      if (is(p_, "asynchronous", "none")) sink.barrier();
      determinant(sink);
      if (!is(p_, "asynchronous", "full")) sink.barrier();
      sink.flush_cache();
      sink.begin_phase({"solve", factorization_placement});
      is(p_, "solve", "local") ? solve_locally(sink) : solve(sink);
      if (is(p_, "asynchronous", "none")) sink.barrier();
      dot(sink);
    }
  }

 private:
  [[nodiscard]] HandleId z(int m) const { return data_.z(m); }
  [[nodiscard]] int priority(int by_equation, int original) const {
    return all_priorities_ ? by_equation : original;
  }

  void generate(FlowSink& sink) {
    sink.begin_phase({"generation", generation_placement});
    std::vector<TaskIndices> order;
    for (int n = 0; n < nt_; ++n)
      for (int m = n; m < nt_; ++m) order.push_back({0, m, n});
    if (is(p_, "generation_order", "priorities"))
      std::stable_sort(order.begin(), order.end(),
                       [](TaskIndices a, TaskIndices b) { return a.m + a.n < b.m + b.n; });
    for (TaskIndices const i : order)
      sink.submit(dcmg_, priority(3 * nt_ - (i.n + i.m) / 2, 0), i, {{lower_tile(i.m, i.n), Access::write}});
  }

  void factorize(FlowSink& sink, int k) {
    sink.begin_phase({"factorization", factorization_placement});
    submit_cholesky_step(sink,
                         {.nt = nt_,
                          .kernels = cholesky_,
                          .priority = all_priorities_ ? exageostat_priority : cholesky_priority,
                          .flush_diagonal = false,
                          .uses_tiles_again = true,
                          .formats = formats_ ? &*formats_ : nullptr},
                         k);
  }

  void determinant(FlowSink& sink) {
    sink.begin_phase({"determinant", factorization_placement});
    for (int k = 0; k < nt_; ++k)
      sink.submit(mdet_, 0, {nt_, k, k},
                  {{lower_tile(k, k), Access::read},
                   {data_.scalars_of(map_.at(k, k)).determinant, Access::read_write}});
  }

  void solve_diagonal(FlowSink& sink, int k) {
    sink.submit(trsv_, priority(2 * (nt_ - k), 0), {nt_, k, k},
                {{lower_tile(k, k), Access::read}, {z(k), Access::read_write}});
  }

  /// Chameleon's solve: gemv runs on the owner of z(m).
  void solve(FlowSink& sink) {
    for (int k = 0; k < nt_; ++k) {
      solve_diagonal(sink, k);
      for (int m = k + 1; m < nt_; ++m)
        sink.submit(gemv_, priority(2 * (nt_ - k) - m, 0), {nt_, m, k},
                    {{lower_tile(m, k), Access::read}, {z(k), Access::read}, {z(m), Access::read_write}});
    }
  }

  /// Algorithm 1: gemv runs on the owner of M(m,k).
  void solve_locally(FlowSink& sink) {
    for (int k = 0; k < nt_; ++k) {
      solve_diagonal(sink, k);
      for (int m = k + 1; m < nt_; ++m) {
        ExageostatData::Accumulator const& own = data_.accumulator(m, k);
        Access const sum = own.column == k ? Access::write : Access::read_write;
        sink.submit(gemv_, priority(2 * (nt_ - k) - m, 0), {nt_, m, k},
                    {{lower_tile(m, k), Access::read}, {z(k), Access::read}, {own.handle, sum}});
      }
      if (k + 1 == nt_) break;
      for (ExageostatData::Accumulator const& a : data_.accumulators(k + 1))
        sink.submit(geadd_, priority(2 * (nt_ - k), 0), {nt_, k + 1, k},
                    {{a.handle, Access::read}, {z(k + 1), Access::read_write}});
    }
  }

  void dot(FlowSink& sink) {
    sink.begin_phase({"dot", factorization_placement});
    for (int k = 0; k < nt_; ++k)
      sink.submit(dot_, 0, {nt_, k, k},
                  {{z(k), Access::read}, {data_.scalars_of(map_.at(k, 0)).dot, Access::read_write}});
  }

  ApplicationParameters const& p_;
  bool all_priorities_;  // else only those of the factorization
  TileMap const& map_;
  int nt_;
  ExageostatData data_;
  CholeskyKernels cholesky_;
  KernelId dcmg_, mdet_, trsv_, gemv_, geadd_, dot_;
  std::optional<FormattedCholesky> formats_;
};

class Exageostat final : public Application {
 public:
  Exageostat()
      : Application(
            {.name = "exageostat",
             .description = "ExaGeoStat: generation of a covariance matrix, Cholesky, solve, determinant",
             .variants = {"chameleon"},
             .keys = exageostat_keys(),
             .lower_only = true,
             .generates_tiles = true,
             .graph_depends_on_map = true,
             .counts_tiles_sent = true,
             .has_partial_tiles = true,
             .may_have_formats = true}) {}

  std::unique_ptr<ApplicationFlow> plain_flow(ApplicationParameters const& p,
                                              TileMap const& map) const override {
    return std::make_unique<ExageostatFlow>(p, map);
  }
  std::vector<Kernel> plain_kernels(ApplicationParameters const& p) const override {
    return exageostat_kernels(p);
  }
  FactorizationKernels factorization_kernels(ApplicationParameters const& p) const override {
    return cholesky_factorization_kernels(p);
  }
  /// n^3 / 3 for the n rows of the matrix and each iteration: the operations of the factorization.
  Flops total_flops(ApplicationParameters const& p) const override {
    return {std::pow(static_cast<double>(matrix_rows(p)), 3) / 3 * static_cast<double>(iterations_of(p))};
  }
  /// An upper bound: as if each tile of a row had another owner (geadd).
  double max_tasks(ApplicationParameters const& p) const override {
    double const n = p.nt;
    double const generation = n * (n + 1) / 2, solve = n * (n - 1);
    double const vectors = 3 * n;  // mdet, trsv, dot
    return static_cast<double>(iterations_of(p)) *
           (generation + cholesky_task_count(p.nt) + max_conversions(p) + solve + vectors);
  }
  /// Of the factorization.
  std::uint64_t tiles_sent(ApplicationParameters const&, TileMap const& map) const override {
    return cholesky_tiles_sent(map);
  }
  /// Step s = 0 .. nt - 1 has the tiles (m, n) of the lower triangle with floor((m + n) / 2) = s and all tasks
  /// that update them. Kernels dcmg, potrf, trsm, syrk, gemm: the others take negligible time.
  PhaseSteps phase_steps(int nt) const override {
    enum { dcmg, potrf, trsm, syrk, gemm, kernels };
    PhaseSteps steps(static_cast<std::size_t>(nt), std::vector<double>(kernels, 0.0));
    for (int m = 0; m < nt; ++m)
      for (int n = 0; n <= m; ++n) {
        auto& step = steps[static_cast<std::size_t>((m + n) / 2)];
        step[dcmg] += 1;
        step[m == n ? potrf : trsm] += 1;
        step[m == n ? syrk : gemm] += n;
      }
    return steps;
  }
  /// One more worker per node, and RAM that is pinned at submission and freed after use, each beside busy GPUs, or
  /// preallocated and cached. 650 us per MiB is the cost of pinning in StarPU's simulation (malloc.c).
  std::optional<RuntimeDefaults> runtime_defaults(ApplicationParameters const& p) const override {
    auto const is_on = [&](char const* key) { return std::get<bool>(value_of(p, exageostat_keys(), key)); };
    bool const optimised = is_on("memory_optimisations");
    return RuntimeDefaults{.oversubscribed_workers = is_on("oversubscribed_worker") ? 1 : 0,
                           .reserved_cores = 1,  // the application's thread
                           .host_alloc_cost = Seconds{650e-6},
                           .allocate_at_submission = !optimised,
                           .chunk_cache = optimised,
                           .gpus_wait_for_pinning = !optimised,
                           .pinning_waits_for_kernels = !optimised,
                           .preallocated_ram = optimised ? 0.5 : 0};
  }
};

}  // namespace

std::unique_ptr<Application const> exageostat_application() { return std::make_unique<Exageostat>(); }

}  // namespace factosim
