// Every decision of darts in simulations of whole runs, with full GPU memories too, is that of the plain second
// implementation: tasks, prefetches and evicted copies. Exchanged rules are noticed.

#include "simulator/runtime/cluster/cluster.hpp"
#include "simulator/runtime/engine/network_factory.hpp"
#include "simulator/scenario/simulation/place.hpp"
#include "simulator/scenario/simulation/task_plan.hpp"
#include "tests/cli/program.hpp"
#include "tests/sched/plain_darts.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

enum class Is : std::uint32_t { push, pop, prefetch, victim };
using DartsDecision = std::array<std::uint32_t, 3>;  // what, where, and the task or copy; UINT32_MAX: none

std::uint32_t number(auto id) { return id.valid() ? static_cast<std::uint32_t>(id.index()) : UINT32_MAX; }

/// A policy whose decisions are noted.
class NotedPolicy final : public Scheduler, private Prefetcher, private EvictionPolicy {
 public:
  NotedPolicy(std::unique_ptr<Scheduler> policy, std::vector<DartsDecision>& log)
      : policy_(std::move(policy)), log_(log) {}

  void connect(Prefetcher& prefetcher) override {
    prefetcher_ = &prefetcher;
    policy_->connect(*this);
  }
  Assignment push(TaskId task, LocalWorker pusher) override {
    Assignment const out = policy_->push(task, pusher);
    note(Is::push, static_cast<std::uint32_t>(out.to), number(task));
    return out;
  }
  TaskId pop(LocalWorker worker) override {
    TaskId const task = policy_->pop(worker);
    note(Is::pop, number(worker), number(task));
    return task;
  }
  void finished(LocalWorker worker, TaskId task) override { policy_->finished(worker, task); }
  bool prefetches() const override { return policy_->prefetches(); }
  bool shares_tasks() const override { return policy_->shares_tasks(); }
  bool knows_priorities() const override { return policy_->knows_priorities(); }
  EvictionPolicy* eviction() override { return this; }

 private:
  void prefetch(TaskId task, LocalMemory memory) override {
    note(Is::prefetch, number(memory), number(task));
    prefetcher_->prefetch(task, memory);
  }
  Victim victim(EvictionRequest const& request) override {
    Victim const out = policy_->eviction()->victim(request);
    note(Is::victim, number(request.memory), number(out.copy));
    return out;
  }
  void note(Is what, std::uint32_t where, std::uint32_t which) {
    log_.push_back({static_cast<std::uint32_t>(what), where, which});
  }

  std::unique_ptr<Scheduler> policy_;
  std::vector<DartsDecision>& log_;
  Prefetcher* prefetcher_ = nullptr;
};

struct DartsCase {
  char const* scenario;
  std::vector<std::string> settings;
};

/// GPUs with ample and with little memory, with and without cores, one and several, one and several nodes.
std::vector<DartsCase> const& darts_cases() {
  static std::vector<DartsCase> const all{
      {"peer/cholesky_mirage.json", {"/application/nt=14"}},
      {"peer/cholesky_mirage.json",
       {"/application/nt=14", "/runtime/reserved_cores=9", "/runtime/gpu_memory_fraction=0.02"}},
      {"peer/lu_mirage.json", {"/application/nt=10", "/runtime/gpu_memory_fraction=0.05"}},
      {"peer/lu_mirage.json",
       {"/application/nt=12", "/runtime/reserved_cores=9", "/runtime/gpu_memory_fraction=0.04"}},
      {"peer/cholesky_mirage.json",
       {"/application/type=gemm", "/application/nt=10", "/runtime/reserved_cores=9",
        "/runtime/gpu_memory_fraction=0.02"}},
      {"peer/cholesky_mirage.json",
       {"/application/nt=12", "/runtime/prefetch=false", "/runtime/reserved_cores=9",
        "/runtime/gpu_memory_fraction=0.03"}},
      {"lu_icpads20/fig06_1d1d.json", {"/application/nt=14"}},
  };
  return all;
}

using Maker = std::function<std::unique_ptr<Scheduler>(NodeView const&)>;

/// Returns the decisions of a run, and the number of evictions.
std::vector<DartsDecision> darts_decisions(DartsCase const& c, Maker const& make) {
  std::vector<std::string> settings = c.settings;
  settings.insert(settings.end(), {R"(/scheduler={"type":"darts"})", "/network/model=maxmin"});
  TaskPlan const p = plan_tasks(place(read_scenario(repository() / "scenarios" / c.scenario, settings)));
  SimulationInputs inputs{p.stored().graph,
                          p.stored().plan,
                          p.machine,
                          p.scenario.platform,
                          on_grid(p.scenario.runtime, p.grid),
                          p.scenario.scheduler,
                          p.scenario.noise};
  std::vector<DartsDecision> log;
  inputs.make_policy = [&](SchedulerOptions const&, NodeView const& node) {
    return std::make_unique<NotedPolicy>(make(node), log);
  };
  Engine engine(make_network(p.scenario.network, p.topology), p.grid);
  SimulationOutcome const outcome = ClusterRuntime(inputs, p.topology, engine, nullptr, {}, nullptr).run();
  CHECK(outcome.makespan.value > 0);
  return log;
}

Maker built_in(DartsOptions const& options) {
  return
      [options](NodeView const& node) { return make_scheduler({.type = "darts", .darts = options}, node); };
}

Maker plain(bool as_starpu) {
  return [as_starpu](NodeView const& node) { return std::make_unique<PlainDarts>(node, as_starpu); };
}

std::size_t count(std::vector<DartsDecision> const& log, Is what) {
  return static_cast<std::size_t>(std::ranges::count_if(log, [&](DartsDecision const& d) {
    return d[0] == static_cast<std::uint32_t>(what) && d[2] != UINT32_MAX;
  }));
}

}  // namespace

TEST_SUITE("scenario") {
  TEST_CASE("a second implementation of darts takes the same decisions in simulated runs") {
    std::size_t pops = 0, victims = 0;
    for (bool const as_starpu : {true, false})
      for (DartsCase const& c : darts_cases()) {
        CAPTURE_ALL(as_starpu, c.scenario, c.settings.size());
        auto const ours = darts_decisions(c, built_in({.as_starpu = as_starpu}));
        auto const theirs = darts_decisions(c, plain(as_starpu));
        auto const [a, b] = std::ranges::mismatch(ours, theirs);
        CAPTURE(a - ours.begin());
        CHECK((a == ours.end() && b == theirs.end()));
        pops += count(ours, Is::pop);
        victims += count(ours, Is::victim);
      }
    MESSAGE(fmt::format("{} tasks and {} evicted copies compared", pops, victims));
    CHECK(pops > 5000);
    CHECK(victims > 1000);
  }

  TEST_CASE("the second implementation of darts notices every exchanged rule") {
    // Not here: free_task_memory, since a task's written tile is on one memory node, where alone it can be free.
    std::vector<std::pair<std::string, DartsOptions>> faults{
        {"queue of 3", {.queued_tasks = 3}},
        {"20 tiles", {.max_tiles = 20}},
        {"free tasks first", {.free_tasks_first = true}},
        {"no almost free tasks", {.almost_free = false}},
        {"no priorities", {.priorities = false}},
        {"the first task by default", {.most_urgent = false}},
        {"planned tiles count", {.planned_tiles_count = true}},
        {"present tiles listed", {.present_tiles_listed = true}},
        {"without StarPU's deviations", {.as_starpu = false}},
    };
    for (int order = 0; order < 7; ++order)
      faults.push_back({"order of criteria", {.selection_order = order}});
    std::vector<std::vector<DartsDecision>> sound;
    for (DartsCase const& c : darts_cases()) sound.push_back(darts_decisions(c, plain(true)));
    for (auto const& [name, options] : faults) {
      CAPTURE_ALL(name, options.selection_order);
      std::size_t noticed = 0;
      for (std::size_t i = 0; i < darts_cases().size(); ++i)
        noticed += darts_decisions(darts_cases()[i], built_in(options)) != sound[i] ? 1 : 0;
      CHECK(noticed > 0);
    }
  }
}
