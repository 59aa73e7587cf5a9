// Every decision of eager, lws, dmda and dmdas in simulations of whole runs, with their estimates and the state of the
// data at its date, is one that the plain second implementation of the policy permits; exchanged decisions are not.

#include "simulator/runtime/cluster/cluster.hpp"
#include "simulator/runtime/engine/network_factory.hpp"
#include "simulator/scenario/simulation/place.hpp"
#include "simulator/scenario/simulation/task_plan.hpp"
#include "tests/cli/program.hpp"
#include "tests/sched/policy_reference.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

struct Judgement {
  std::uint64_t pushes = 0, pops = 0, refused = 0;
  std::uint64_t wrong = 0, permitted = 0;      // decisions that were not taken and are worse
  std::uint64_t exchanged = 0, unnoticed = 0;  // pairs of popped tasks
  std::uint64_t late = 0;                      // pushes after the worker said what it runs next
};

/// A policy in a simulation, each of whose decisions is judged before the simulation acts on it. With `exchange`, some
/// workers get the task after the one that the policy gave them, and then that one.
class JudgedPolicy final : public Scheduler {
 public:
  JudgedPolicy(SchedulerOptions const& options, NodeView const& node, Judgement& out, bool exchange)
      : policy_(make_scheduler(options, node)),
        reference_(policy_reference(options, node)),
        node_(node),
        out_(out),
        exchange_(exchange),
        kept_(node.workers().size()),
        runs_next_(node.workers().size()) {}

  Assignment push(TaskId task, LocalWorker pusher) override {
    if (pusher.valid() && runs_next_[pusher.index()]) ++out_.late;
    Assignment const chosen = policy_->push(task, pusher);
    ++out_.pushes;
    out_.refused += reference_->may_push(task, pusher, chosen.worker) ? 0 : 1;
    if (auto const* const model = dynamic_cast<DequeModelReference const*>(reference_.get()))
      for (std::uint32_t w = 0; w < node_.workers().size(); ++w) {
        if (model->cost(task, w) < model->cost(task, chosen.worker.index()) + 1e-6) continue;  // as good
        plant(reference_->may_push(task, pusher, LocalWorker{w}));
      }
    reference_->pushed(task, pusher, chosen.worker);
    waiting_.push_back(task);
    return chosen;
  }

  TaskId pop(LocalWorker worker) override {
    TaskId& kept = kept_[worker.index()];
    if (kept.valid()) return std::exchange(kept, TaskId{});  // judged with the one before it
    TaskId task = policy_->pop(worker);
    if (exchange_ && task.valid() && ++popped_ % 7 == 0) task = later_one(worker, task);
    ++out_.pops;
    bool const allowed = reference_->may_pop(worker, task);
    if (kept.valid())
      ++out_.exchanged, out_.unnoticed += allowed ? 1 : 0;
    else
      out_.refused += allowed ? 0 : 1;
    std::size_t planted = 0;
    for (auto other = waiting_.rbegin(); other != waiting_.rend() && planted < 4; ++other)
      if (*other != task && *other != kept) plant(reference_->may_pop(worker, *other)), ++planted;
    if (task.valid()) plant(reference_->may_pop(worker, TaskId{}));
    take(worker, task);
    if (kept.valid()) take(worker, kept);
    return task;
  }

  void started(LocalWorker worker, TaskId task) override {
    policy_->started(worker, task);
    reference_->started(worker, task);
    runs_next_[worker.index()] = true;
  }
  void finished(LocalWorker worker, TaskId task) override {
    policy_->finished(worker, task);
    reference_->finished(worker, task);
    runs_next_[worker.index()] = false;
  }
  bool prefetches() const override { return policy_->prefetches(); }
  bool shares_tasks() const override { return policy_->shares_tasks(); }
  bool knows_priorities() const override { return policy_->knows_priorities(); }

 private:
  void plant(bool permitted) {
    ++out_.wrong;
    out_.permitted += permitted ? 1 : 0;
  }
  void take(LocalWorker worker, TaskId task) {
    reference_->popped(worker, task);
    std::erase(waiting_, task);
  }
  /// Returns the task that the policy would give next and keeps the given one; the given one if there is no other.
  TaskId later_one(LocalWorker worker, TaskId task) {
    TaskId const next = policy_->pop(worker);
    if (!next.valid()) return task;
    kept_[worker.index()] = task;
    return next;
  }

  std::unique_ptr<Scheduler> policy_;
  std::unique_ptr<PolicyReference> reference_;
  NodeView const& node_;
  Judgement& out_;
  bool exchange_;
  std::vector<TaskId> waiting_;
  std::vector<TaskId> kept_;     // [workers] for the next pop
  std::vector<bool> runs_next_;  // [workers] a kernel started since it ended one
  std::uint64_t popped_ = 0;
};

struct Case {
  char const* scenario;
  std::vector<std::string> settings;
};

std::vector<Case> const& cases() {
  static std::vector<Case> const all{
      {"first/lu_mirage.json", {"/application/nt=12"}},
      {"first/lu_mirage.json",
       {"/application/nt=10", "/application/type=cholesky", "/runtime/gpu_pipeline=0"}},
      {"first/lu_mirage.json", {"/application/nt=9", "/noise/distribution=normal"}},
      {"peer/cholesky_mirage.json", {"/application/nt=16"}},
      {"lille/block_cyclic_2x11.json", {"/application/nt=14"}},
      {"lu_icpads20/fig06_1d1d.json", {"/application/nt=14"}},
      {"lu_icpads20/fig06_1d1d.json",
       {"/application/nt=12", "/runtime/prefetch=false", "/network/model=maxmin"}},
      {"lu_icpads20/fig11_fig12_heterogeneous.json", {"/application/nt=12"}},
      {"exageostat_icpp21/fig05_workload_60.json", {"/application/nt=8", "/application/n=7680"}},
      {"exageostat_icpp21/fig08_gpu_nodes.json", {"/application/nt=8", "/application/n=7680"}},
  };
  return all;
}

Judgement judged(Case const& c, std::string const& policy, bool exchange) {
  std::vector<std::string> settings = c.settings;
  settings.push_back("/scheduler/type=" + policy);
  bool const own_network =
      std::ranges::any_of(settings, [](auto const& s) { return s.starts_with("/network/model"); });
  if (!own_network) settings.emplace_back("/network/model=maxmin");  // SimGrid: one simulation in a process
  TaskPlan const p = plan_tasks(place(read_scenario(repository() / "scenarios" / c.scenario, settings)));
  Judgement out;
  SimulationInputs inputs{p.stored().graph,
                          p.stored().plan,
                          p.machine,
                          p.scenario.platform,
                          on_grid(p.scenario.runtime, p.grid),
                          p.scenario.scheduler,
                          p.scenario.noise};
  inputs.make_policy = [&](SchedulerOptions const& options, NodeView const& node) {
    return std::make_unique<JudgedPolicy>(options, node, out, exchange);
  };
  Engine engine(make_network(p.scenario.network, p.topology), p.grid);
  SimulationOutcome const outcome = ClusterRuntime(inputs, p.topology, engine, nullptr, {}, nullptr).run();
  CHECK(outcome.makespan.value > 0);
  return out;
}

}  // namespace

TEST_SUITE("scenario") {
  TEST_CASE(
      "second implementations of policies permit every decision of simulated runs and no exchanged one") {
    std::string table =
        fmt::format("\n{:<8}{:>6}{:>10}{:>10}{:>9}{:>12}{:>8}{:>11}{:>8}\n", "policy", "runs", "pushes",
                    "pops", "refused", "not taken", "missed", "exchanged", "missed");
    for (char const* const policy : {"eager", "lws", "dmda", "dmdas"}) {
      Judgement all;
      for (Case const& c : cases()) {
        CAPTURE_ALL(policy, c.scenario, c.settings.front());
        Judgement const sound = judged(c, policy, false), faulty = judged(c, policy, true);
        CHECK(sound.refused == 0);
        CHECK(sound.permitted == 0);
        CHECK(sound.late == 0);
        all.pushes += sound.pushes, all.pops += sound.pops, all.refused += sound.refused;
        all.wrong += sound.wrong, all.permitted += sound.permitted;
        all.exchanged += faulty.exchanged, all.unnoticed += faulty.unnoticed;
      }
      // Under lws an exchange may be one that ties in the queues permit.
      CHECK(all.exchanged > 100);
      CHECK(100 * all.unnoticed <= (policy == std::string("lws") ? 2 : 0) * all.exchanged);
      table += fmt::format("{:<8}{:>6}{:>10}{:>10}{:>9}{:>12}{:>8}{:>11}{:>8}\n", policy, cases().size(),
                           all.pushes, all.pops, all.refused, all.wrong, all.permitted, all.exchanged,
                           all.unnoticed);
    }
    MESSAGE(table);
  }
}
