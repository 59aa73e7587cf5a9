#include "factosim/error.hpp"
#include "simulator/runtime/policies/policies.hpp"

#include <algorithm>
#include <boost/dynamic_bitset.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

#include "factosim/id.hpp"
#include "factosim/scheduler.hpp"

namespace factosim {

namespace {

/// Tasks by priority, first in first out among equals. Tasks of the highest priority can be taken from both
/// ends.
class PriorityList {
 public:
  [[nodiscard]] bool empty() const { return items_.empty(); }
  [[nodiscard]] std::size_t size() const { return items_.size(); }

  void push(TaskId task, std::int32_t priority) { items_.insert(first_of(priority), {task, priority}); }

  /// Removes and returns the first task in order that satisfies the condition, or an invalid id.
  template <class Condition>
  TaskId take_first(Condition const& can_run) {
    return take(std::find_if(items_.rbegin(), items_.rend(), [&](Item const& i) { return can_run(i.task); }));
  }

  /// Does the same, the highest priority first, and in each priority from the last task to the first.
  template <class Condition>
  TaskId take_last_of_highest(Condition const& can_run) {
    for (auto end = items_.end(); end != items_.begin();) {
      auto const first = first_of(std::prev(end)->priority);
      auto const found = std::find_if(first, end, [&](Item const& i) { return can_run(i.task); });
      if (found != end) return take(std::make_reverse_iterator(std::next(found)));
      end = first;
    }
    return {};
  }

 private:
  struct Item {
    TaskId task;
    std::int32_t priority;
  };
  using Items = std::vector<Item>;  // the next task last: removing it is cheap

  [[nodiscard]] Items::iterator first_of(std::int32_t priority) {
    return std::lower_bound(items_.begin(), items_.end(), priority,
                            [](Item const& i, std::int32_t p) { return i.priority < p; });
  }
  TaskId take(Items::reverse_iterator const& item) {
    if (item == items_.rend()) return {};
    TaskId const task = item->task;
    items_.erase(std::next(item).base());
    return task;
  }

  Items items_;
};

/// Queues a ready task on the worker that made it ready; a worker without tasks steals one.
///
/// - Push: to the worker whose task was the last predecessor, if it can run this one; else to the next one
///   that can, in turn. All idle workers are woken.
/// - Pop: the most urgent task of the own queue, first in, first out among equals. If that is empty, the most
///   urgent task, the last in among equals, of the next worker in cyclic order that has tasks and found one
///   when it last looked.
///
/// Source: StarPU 1.4 `work_stealing_policy.c` (ws). `lws` differs only in a list of neighbours from the
/// machine's topology; without it, as in StarPU's simulation, both are the same.
class WorkStealingScheduler final : public Scheduler {
 public:
  explicit WorkStealingScheduler(NodeView const& node)
      : node_(node), workers_(node.workers().size()), victims_(workers_.size()) {}

  Assignment push(TaskId task, LocalWorker pusher) override {
    LocalWorker worker = pusher;
    if (!pusher.valid() || !can_run(pusher, task)) {
      FACTOSIM_EXPECT(std::ranges::any_of(node_.durations(task), [](double d) { return !std::isinf(d); }),
                      "no worker of the node can run a ready task");
      do {
        last_pushed_ = (last_pushed_ + 1) % workers_.size();
      } while (!can_run(LocalWorker{last_pushed_}, task));
      worker = LocalWorker{last_pushed_};
    }
    workers_[worker.index()].queue.push(task, node_.priority(task));
    update_victim(worker);
    return to_all_workers();
  }

  TaskId pop(LocalWorker worker) override {
    auto const runs_here = [&](TaskId task) { return can_run(worker, task); };
    PerWorker& own = workers_[worker.index()];
    own.busy = false;
    update_victim(worker);
    TaskId task = own.queue.take_first(runs_here);
    if (!task.valid())
      if (LocalWorker const victim = select_victim(worker); victim.valid()) {
        task = workers_[victim.index()].queue.take_last_of_highest(runs_here);
        update_victim(victim);
      }
    own.busy = task.valid();
    update_victim(worker);
    return task;
  }

  [[nodiscard]] bool prefetches() const override { return false; }
  [[nodiscard]] bool shares_tasks() const override { return true; }
  [[nodiscard]] bool knows_priorities() const override { return true; }

 private:
  struct PerWorker {
    PriorityList queue;
    bool busy = false;            // found a task when it last looked
    std::size_t next_victim = 0;  // first worker to look for tasks at
  };

  [[nodiscard]] bool can_run(LocalWorker worker, TaskId task) const {
    return !std::isinf(node_.durations(task)[worker.index()]);
  }
  void update_victim(LocalWorker worker) {
    PerWorker const& w = workers_[worker.index()];
    victims_[worker.index()] = w.busy && !w.queue.empty();
  }
  /// Returns the worker to steal from; an invalid id if there is none.
  [[nodiscard]] LocalWorker select_victim(LocalWorker thief) {
    std::size_t& first = workers_[thief.index()].next_victim;
    std::size_t victim = victims_[first] ? first : victims_.find_next(first);
    if (victim == victims_.npos) victim = victims_.find_first();
    bool const found = victim != victims_.npos;
    first = ((found ? victim : first) + 1) % workers_.size();
    return found ? LocalWorker{victim} : LocalWorker{};
  }

  NodeView const& node_;
  std::vector<PerWorker> workers_;
  boost::dynamic_bitset<> victims_;  // [workers] those worth stealing from
  std::size_t last_pushed_ = 0;
};

}  // namespace

std::vector<PolicyKind> work_stealing_policies() {
  return {{"ws", made_for_node<WorkStealingScheduler>, "a queue for each worker; idle workers steal"},
          {"lws", made_for_node<WorkStealingScheduler>,
           "as ws: StarPU's differs by a list of neighbours that its simulation lacks"}};
}

}  // namespace factosim
