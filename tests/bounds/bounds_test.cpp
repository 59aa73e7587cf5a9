// Bounds compared with optimal schedules, found by trying all, and between sets of nodes.

#include "factosim/sequential_task_flow.hpp"
#include "platforms/topology.hpp"
#include "simulator/tasks/bounds/task_figures.hpp"
#include "simulator/tasks/plan/plan_execution.hpp"
#include "tests/cli/program.hpp"
#include "tests/runtime/small_cluster.hpp"

using namespace factosim;

namespace {

/// Tasks of three kernels in a random graph, and types of nodes on whose workers they take random times.
struct RandomProblem {
  TaskGraph graph;
  std::vector<Machine::Type> types;

  RandomProblem(std::uint64_t seed, int tasks, double edges) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(0, 1);
    graph.kernels.resize(3);
    graph.successor_begin = {0};
    for (int t = 0; t < tasks; ++t) {
      graph.kernel.push_back(static_cast<std::uint16_t>(random() % 3));
      for (int next = t + 1; next < tasks; ++next)
        if (uniform(random) < edges) graph.successors.emplace_back(next);
      graph.successor_begin.push_back(static_cast<std::uint32_t>(graph.successors.size()));
    }
    for (int type = 0; type < 3; ++type) {
      auto const workers = 1 + random() % 2;
      Machine::Type t;
      t.workers.resize(workers);
      for (std::size_t i = 0; i < 3 * workers; ++i)
        t.durations.push_back(0.2 + 3 * uniform(random) * uniform(random));
      types.push_back(t);
    }
  }

  [[nodiscard]] Machine machine(std::vector<std::uint32_t> const& type_of) const {
    Machine out{.types = types, .type_of = type_of, .first_worker = {0}};
    for (std::uint32_t const t : type_of)
      out.first_worker.push_back(out.first_worker.back() +
                                 static_cast<std::uint32_t>(types[t].workers.size()));
    return out;
  }

  /// Bounds with all tasks on the first node: those of the problem do not depend on it.
  [[nodiscard]] Bounds bounds(std::vector<std::uint32_t> const& type_of) const {
    ExecutionPlan plan;
    plan.first_task.assign(type_of.size() + 1, static_cast<std::uint32_t>(graph.task_count()));
    plan.first_task[0] = 0;
    Topology const topology(testing::platform_of(static_cast<int>(type_of.size()), 1, 0));
    return task_figures(graph, plan, machine(type_of), topology, {}).bounds;
  }
};

/// A random graph whose tasks stay on random nodes of random types, with messages of random sizes between them.
struct RandomPlacedProblem {
  RandomProblem problem;
  TaskGraph graph;
  ExecutionPlan plan;
  Machine machine;
  Topology topology;

  RandomPlacedProblem(std::uint64_t seed, int tasks, int nodes)
      : problem(seed, 0, 0), topology(testing::platform_of(nodes, 1, 0)) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(0, 1);
    double const edges = 0.15 * static_cast<double>(1 + seed % 4);
    SequentialTaskFlow flow;
    for (char const* const name : {"a", "b", "c"}) flow.add_kernel({.name = name, .flops = {1}});
    std::vector<NodeId> owners;
    for (int t = 0; t < tasks; ++t) {
      HandleId const written =
          flow.add_handle({.size = {1 + static_cast<std::int64_t>(1e8 * uniform(random))}});
      owners.emplace_back(static_cast<int>(random() % static_cast<std::uint64_t>(nodes)));
      std::vector<DataAccess> accesses{{written, Access::read_write}};
      for (int before = 0; before < t; ++before)
        if (uniform(random) < edges) accesses.emplace_back(HandleId{before}, Access::read);
      flow.submit(KernelId{static_cast<int>(random() % 3)}, 0, {}, accesses);
    }
    graph = std::move(flow).finish();
    plan = plan_execution(graph, owners, static_cast<std::size_t>(nodes));
    std::vector<std::uint32_t> types;
    for (int n = 0; n < nodes; ++n) types.push_back(static_cast<std::uint32_t>(random() % 3));
    machine = problem.machine(types);
  }
};

/// Tries all assignments and orders of the tasks.
class OptimalSchedule {
 public:
  OptimalSchedule(TaskGraph const& graph, Machine const& machine) : graph_(graph) {
    for (std::size_t n = 0; n < machine.node_count(); ++n)
      for (std::size_t w = 0; w < machine.types[machine.type_of[n]].workers.size(); ++w) {
        node_of_.push_back(NodeId{n});
        durations_.emplace_back();
        for (std::size_t k = 0; k < graph.kernels.size(); ++k)
          durations_.back().push_back(machine.types[machine.type_of[n]].durations_of(k)[w]);
      }
    free_.assign(durations_.size(), 0);
    ready_.assign(graph.task_count(), 0);
    missing_.assign(graph.task_count(), 0);
    for (TaskId const t : graph.successors) ++missing_[t.index()];
  }

  /// Keeps tasks on their nodes, with messages that do not slow each other down.
  explicit OptimalSchedule(RandomPlacedProblem const& p) : OptimalSchedule(p.graph, p.machine) {
    placed_ = &p;
  }

  double makespan() {
    place(0, 0);
    return best_;
  }

 private:
  void place(std::size_t placed, double so_far) {
    if (so_far >= best_) return;
    if (placed == graph_.task_count()) {
      best_ = so_far;
      return;
    }
    for (std::uint32_t t = 0; t < graph_.task_count(); ++t) {
      if (missing_[t] != 0) continue;
      for (std::size_t w = 0; w < free_.size(); ++w)
        if (placed_ == nullptr || placed_->plan.runs_on(TaskId{t}, node_of_[w]))
          place_on(placed, so_far, t, w);
    }
  }

  void place_on(std::size_t placed, double so_far, std::uint32_t t, std::size_t w) {
    auto const free = free_;
    auto const ready = ready_;
    double const end = std::max(free_[w], ready_[t]) + durations_[w][graph_.kernel[t]];
    free_[w] = end;
    missing_[t] = -1;
    for (TaskId const next : graph_.successors_of(TaskId{t})) {
      ready_[next.index()] = std::max(ready_[next.index()], end + message(TaskId{t}, next));
      --missing_[next.index()];
    }
    place(placed + 1, std::max(so_far, end));
    for (TaskId const next : graph_.successors_of(TaskId{t})) ++missing_[next.index()];
    missing_[t] = 0;
    free_ = free;
    ready_ = ready;
  }

  [[nodiscard]] double message(TaskId from, TaskId to) const {
    if (placed_ == nullptr) return 0;
    NodeId const a = placed_->plan.node_of(from), b = placed_->plan.node_of(to);
    if (a == b) return 0;
    return unshared_time(placed_->topology, placed_->topology.ram_of(a), placed_->topology.ram_of(b),
                         graph_.handles[graph_.given_to(from, to).index()].size)
        .value;
  }

  TaskGraph const& graph_;
  RandomPlacedProblem const* placed_ = nullptr;
  std::vector<NodeId> node_of_;                 // [workers]
  std::vector<std::vector<double>> durations_;  // [workers][kernels]
  std::vector<double> free_, ready_;
  std::vector<int> missing_;
  double best_ = std::numeric_limits<double>::infinity();
};

nlohmann::json lille_bounds(int chifflet, int chetemi, int nt, std::string const& distribution) {
  nlohmann::json nodes = nlohmann::json::array();
  if (chifflet > 0) nodes.push_back({{"type", "chifflet"}, {"count", chifflet}});
  if (chetemi > 0) nodes.push_back({{"type", "chetemi"}, {"count", chetemi}});
  auto const file = testing::repository() / "scenarios/lu_icpads20/fig13_growing_matrix.json";
  return testing::json_of(
      fmt::format("bounds '{}' --json --set '/platform/nodes={}' --set /application/nt={} --set "
                  "'/distribution={{\"type\":\"{}\"}}'",
                  file.string(), nodes.dump(), nt, distribution));
}

}  // namespace

TEST_SUITE("property") {
  TEST_CASE("no schedule of a small problem beats its bound") {
    double bounds = 0, larger_of_two = 0;
    int tighter = 0, count = 0;
    for (std::uint64_t seed = 1; seed <= 80; ++seed) {
      CAPTURE(seed);
      RandomProblem const problem(seed, 6, 0.1 * static_cast<double>(seed % 6));
      std::vector<std::uint32_t> const nodes =
          seed % 2 == 0 ? std::vector<std::uint32_t>{0, 1} : std::vector<std::uint32_t>{2};
      double const optimum = OptimalSchedule(problem.graph, problem.machine(nodes)).makespan();
      Bounds const b = problem.bounds(nodes);
      // Durations of the bound are rounded to ticks of 1 ps, those of the optimum are not.
      CHECK(b.problem().value <= optimum + 1e-12 * static_cast<double>(problem.graph.task_count()));
      double const simple = std::max(b.abe, b.problem_path).value;
      CHECK(b.problem().value >= simple);
      bounds += b.problem().value / optimum;
      larger_of_two += simple / optimum;
      tighter += b.problem().value > simple * (1 + 1e-9) ? 1 : 0;
      ++count;
    }
    MESSAGE(fmt::format(
        "bound over optimum: mean {:.3f}, of the larger of area and path {:.3f}; tighter in {} of {}",
        bounds / count, larger_of_two / count, tighter, count));
    CHECK(tighter > 0);
  }

  TEST_CASE("no schedule of a small placed problem beats the bound of its distribution") {
    double bounds = 0, larger_of_two = 0;
    int tighter = 0, count = 0;
    for (std::uint64_t seed = 1; seed <= 80; ++seed) {
      CAPTURE(seed);
      RandomPlacedProblem const p(seed, 8, 2);
      double const optimum = OptimalSchedule(p).makespan();
      Bounds const b = task_figures(p.graph, p.plan, p.machine, p.topology, {}).bounds;
      // Durations and messages of the bound are rounded to ticks of 1 ps, those of the optimum are not.
      CHECK(b.distribution().value <= optimum + 2e-12 * static_cast<double>(p.graph.task_count()));
      double const simple = std::max(b.most_loaded_node(), b.critical_path_with_comm).value;
      bounds += b.distribution().value / optimum;
      larger_of_two += simple / optimum;
      tighter += b.distribution().value > simple * (1 + 1e-9) ? 1 : 0;
      ++count;
    }
    MESSAGE(fmt::format(
        "bound over optimum: mean {:.3f}, of the larger of load and path {:.3f}; tighter in {} of {}",
        bounds / count, larger_of_two / count, tighter, count));
    CHECK(tighter > 0);
  }

  TEST_CASE("more nodes never raise a bound of the problem") {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      CAPTURE(seed);
      RandomProblem const problem(seed, 40 + static_cast<int>(seed), 0.02 * static_cast<double>(seed % 10));
      std::mt19937_64 random(seed);
      std::vector<std::uint32_t> nodes;
      Bounds before;
      for (int n = 0; n < 8; ++n) {
        nodes.push_back(static_cast<std::uint32_t>(random() % 3));
        Bounds const b = problem.bounds(nodes);
        if (n > 0) {
          CHECK(b.abe.value <= before.abe.value * (1 + 1e-9));
          CHECK(b.problem_path.value <= before.problem_path.value * (1 + 1e-9));
          CHECK(b.problem().value <= before.problem().value * (1 + 1e-9));
        }
        before = b;
      }
    }
  }

  TEST_CASE("bounds of the problem are those of the nodes, for each distribution of the LU study") {
    std::mt19937_64 random(1);
    double fewer = std::numeric_limits<double>::infinity();
    int chifflet = 0, chetemi = 1;
    for (int step = 0; step < 6; ++step) {
      auto const cyclic = lille_bounds(chifflet, chetemi, 16, "block-cyclic");
      for (char const* const type : {"1d1d", "1d1d-c"}) {
        auto const other = lille_bounds(chifflet, chetemi, 16, type);
        // Up to the ticks of the two runs.
        for (auto const& [part, seconds] : cyclic["problem"].items())
          CHECK(other["problem"][part].get<double>() ==
                doctest::Approx(seconds.get<double>()).epsilon(1e-10));
        CHECK(other["distribution_s"] >= other["problem_s"]);
      }
      double const bound = cyclic["problem_s"];
      CHECK(bound <= fewer * (1 + 1e-9));
      fewer = bound;
      (random() % 2 == 0 ? chifflet : chetemi) += 1 + static_cast<int>(random() % 3);
    }
  }
}
