// Every decision of eager, lws, dmda and dmdas on random nodes and tasks is one that a plain second implementation of
// the policy permits, and it permits no wrong one.

#include "tests/sched/policy_reference.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <random>

#include "tests/sched/fake_node.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

struct Count {
  int decisions = 0, refused = 0;  // of the policy
  int wrong = 0, permitted = 0;    // planted decisions
};

/// One random run of a node: tasks become ready, workers take, start and finish them, in random order.
class RandomRun {
 public:
  RandomRun(std::string const& policy, unsigned seed) : policy_(policy), random_(seed) {
    std::size_t const gpus = random_() % 3, cores = 1 + random_() % 4;
    for (std::size_t w = 0; w < gpus + cores; ++w)
      node_.worker_list.push_back({.memory = LocalMemory{w < gpus ? 1U : 0U}, .gpu = w < gpus});
    pipelines_.resize(gpus + cores);
    SchedulerOptions options;
    options.type = policy;
    scheduler_ = make_scheduler(options, node_);
    reference_ = policy_reference(options, node_);
  }

  Count run(int steps) {
    for (int i = 0; i < steps; ++i) {
      node_.date += real(0.01);
      LocalWorker const worker{random_() % pipelines_.size()};
      switch (random_() % 4) {
        case 0:
          push();
          break;
        case 1:
          pop(worker);
          break;
        case 2:
          start(worker);
          break;
        default:
          finish(worker);
      }
    }
    return count_;
  }

 private:
  struct Pipeline {
    std::vector<TaskId> tasks;  // popped, the oldest first
    bool started = false;       // the first of them
  };

  double real(double maximum) { return std::uniform_real_distribution<double>(0, maximum)(random_); }

  void push() {
    TaskId const task{next_++};
    std::vector<double>& lasts = node_.lasts[task];
    double const core = 0.01 + real(0.1), gpu = 0.002 + real(0.01);
    bool const everywhere = random_() % 5 > 0;
    for (auto const& w : node_.worker_list) lasts.push_back(w.gpu ? (everywhere ? gpu : never) : core);
    node_.priorities[task] = static_cast<int>(random_() % 4);
    node_.transfers[task] = {random_() % 2 == 0 ? 0 : real(0.02), random_() % 3 == 0 ? 0 : real(0.02)};
    auto const missing = static_cast<std::int64_t>(random_() % 3);
    node_.missing[task] = {missing, missing > 0 ? static_cast<std::int64_t>(random_() % 2) : 0,
                           static_cast<std::int64_t>(random_() % 2)};
    LocalWorker const pusher =
        random_() % 3 == 0 ? LocalWorker{} : LocalWorker{random_() % pipelines_.size()};
    LocalWorker const chosen = scheduler_->push(task, pusher).worker;
    ++count_.decisions;
    count_.refused += reference_->may_push(task, pusher, chosen) ? 0 : 1;
    if (auto const* const model = dynamic_cast<DequeModelReference const*>(reference_.get()))
      for (std::uint32_t w = 0; w < pipelines_.size(); ++w) {
        if (model->cost(task, w) < model->cost(task, chosen.index()) + 1e-6) continue;  // as good
        plant(reference_->may_push(task, pusher, LocalWorker{w}));
      }
    reference_->pushed(task, pusher, chosen);
    waiting_.push_back(task);
  }

  void pop(LocalWorker worker) {
    Pipeline& pipeline = pipelines_[worker.index()];
    if (pipeline.tasks.size() >= 2) return;
    TaskId const task = scheduler_->pop(worker);
    ++count_.decisions;
    count_.refused += reference_->may_pop(worker, task) ? 0 : 1;
    for (TaskId const other : waiting_)
      if (other != task) plant(reference_->may_pop(worker, other));
    if (task.valid()) plant(reference_->may_pop(worker, TaskId{}));
    reference_->popped(worker, task);
    if (!task.valid()) return;
    std::erase(waiting_, task);
    pipeline.tasks.push_back(task);
  }

  void plant(bool permitted) {
    ++count_.wrong;
    count_.permitted += permitted ? 1 : 0;
  }

  void start(LocalWorker worker) {
    Pipeline& pipeline = pipelines_[worker.index()];
    if (pipeline.started || pipeline.tasks.empty()) return;
    pipeline.started = true;
    scheduler_->started(worker, pipeline.tasks.front());
    reference_->started(worker, pipeline.tasks.front());
  }

  void finish(LocalWorker worker) {
    Pipeline& pipeline = pipelines_[worker.index()];
    if (!pipeline.started) return;
    pipeline.started = false;
    scheduler_->finished(worker, pipeline.tasks.front());
    reference_->finished(worker, pipeline.tasks.front());
    pipeline.tasks.erase(pipeline.tasks.begin());
  }

  std::string policy_;
  std::mt19937 random_;
  FakeNode node_;
  std::unique_ptr<Scheduler> scheduler_;
  std::unique_ptr<PolicyReference> reference_;
  std::vector<Pipeline> pipelines_;  // [workers]
  std::vector<TaskId> waiting_;
  std::uint32_t next_ = 0;
  Count count_;
};

}  // namespace

TEST_SUITE("property") {
  TEST_CASE("second implementations of policies permit their decisions and no others") {
    constexpr int runs = 100, steps = 400;
    std::string table = fmt::format("\n{:<8}{:>8}{:>12}{:>10}{:>14}{:>10}\n", "policy", "runs", "decisions",
                                    "refused", "planted wrong", "missed");
    for (char const* const policy : {"eager", "lws", "dmda", "dmdas"}) {
      Count all;
      for (unsigned seed = 1; seed <= runs; ++seed) {
        Count const one = RandomRun(policy, seed).run(steps);
        all.decisions += one.decisions, all.refused += one.refused;
        all.wrong += one.wrong, all.permitted += one.permitted;
      }
      CHECK_MESSAGE(all.refused == 0, policy);
      CHECK_MESSAGE(all.permitted == 0, policy);
      CHECK(all.wrong > 10'000);
      table += fmt::format("{:<8}{:>8}{:>12}{:>10}{:>14}{:>10}\n", policy, runs, all.decisions, all.refused,
                           all.wrong, all.permitted);
    }
    MESSAGE(table);
  }
}
