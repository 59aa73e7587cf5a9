#include "factosim/error.hpp"
#include "simulator/runtime/policies/policies.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "factosim/scheduler.hpp"
#include "simulator/base/core/priority_fifo.hpp"

namespace factosim {

namespace {

/// One queue for the whole node; a worker takes the first task that it can run.
/// Source: StarPU 1.4 `eager_central_policy.c` (eager) and `eager_central_priority_policy.c` (prio).
class CentralScheduler final : public Scheduler {
 public:
  /// First in, first out; or by priority, first in, first out among equals.
  enum class Order : std::uint8_t { fifo, priority };

  CentralScheduler(Order order, NodeView const& node) : order_(order), node_(node) {}

  Assignment push(TaskId task, LocalWorker /*pusher*/) override {
    std::int32_t const priority = order_ == Order::priority ? node_.priority(task) : 0;
    lane_of(task).tasks.push({priority, next_ticket_++, task});
    return to_first_idle();
  }
  TaskId pop(LocalWorker worker) override {
    Lane* best = nullptr;
    for (Lane& lane : lanes_)
      if (lane.runs_on[worker.index()] && !lane.tasks.empty() &&
          (best == nullptr || PriorityFifo<TaskId>::after(best->tasks.top(), lane.tasks.top())))
        best = &lane;
    return best == nullptr ? TaskId{} : best->tasks.pop().value;
  }
  [[nodiscard]] bool prefetches() const override { return false; }
  [[nodiscard]] bool shares_tasks() const override { return true; }
  [[nodiscard]] bool knows_priorities() const override { return order_ == Order::priority; }

 private:
  /// Tasks that the same set of workers can run.
  struct Lane {
    std::vector<bool> runs_on;  // [workers]
    PriorityFifo<TaskId> tasks;
  };

  [[nodiscard]] Lane& lane_of(TaskId task) {
    auto const durations = node_.durations(task);
    auto const same = [&](Lane const& lane) {
      for (std::size_t w = 0; w < durations.size(); ++w)
        if (lane.runs_on[w] == std::isinf(durations[w])) return false;
      return true;
    };
    auto const found = std::find_if(lanes_.begin(), lanes_.end(), same);
    if (found != lanes_.end()) return *found;
    Lane lane;
    for (double const duration : durations) lane.runs_on.push_back(!std::isinf(duration));
    FACTOSIM_EXPECT(std::ranges::find(lane.runs_on, true) != lane.runs_on.end(),
                    "no worker of the node can run a ready task");
    return lanes_.emplace_back(std::move(lane));
  }

  Order order_;
  NodeView const& node_;
  std::vector<Lane> lanes_;
  std::uint32_t next_ticket_ = 0;
};

}  // namespace

std::vector<PolicyKind> central_policies() {
  using Order = CentralScheduler::Order;
  auto const by = [](Order order) {
    return [order](SchedulerOptions const&, NodeView const& node) {
      return std::make_unique<CentralScheduler>(order, node);
    };
  };
  return {{"eager", by(Order::fifo), "one queue for all workers, first in, first out"},
          {"prio", by(Order::priority), "one queue for all workers, by priority"}};
}

}  // namespace factosim
