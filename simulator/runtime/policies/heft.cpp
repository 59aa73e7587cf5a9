#include "simulator/runtime/policies/heft.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <queue>
#include <tuple>

#include "factosim/error.hpp"
#include "simulator/runtime/policies/policies.hpp"
#include "simulator/tasks/graph/graph_order.hpp"

namespace factosim {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// Copy times of handles, in seconds, computed once for each size.
class CopyTimes {
 public:
  explicit CopyTimes(NodeView const& node) : memories_(node.memory_node_count()) {
    std::map<Bytes, std::uint32_t> known;
    for (HandleInfo const& handle : node.graph().handles) {
      auto const [size, added] = known.try_emplace(handle.size, static_cast<std::uint32_t>(known.size()));
      if (added) add_size(node, handle.size);
      size_of_.push_back(size->second);
    }
  }

  [[nodiscard]] double between(LocalMemory from, LocalMemory to, HandleId handle) const {
    return seconds_[(size_of_[handle.index()] * memories_ + from.index()) * memories_ + to.index()];
  }
  /// Returns the mean over all pairs of different memory nodes.
  [[nodiscard]] double mean(HandleId handle) const { return mean_[size_of_[handle.index()]]; }

 private:
  void add_size(NodeView const& node, Bytes size) {
    double sum = 0;
    for (std::size_t from = 0; from < memories_; ++from)
      for (std::size_t to = 0; to < memories_; ++to) {
        seconds_.push_back(from == to ? 0 : node.copy_time(LocalMemory{from}, LocalMemory{to}, size).value);
        sum += seconds_.back();
      }
    mean_.push_back(
        memories_ > 1 ? sum / (static_cast<double>(memories_) * (static_cast<double>(memories_) - 1.0)) : 0);
  }

  std::size_t memories_;
  std::vector<std::uint32_t> size_of_;  // [handles] which size
  std::vector<double> seconds_;         // [sizes][from][to]
  std::vector<double> mean_;            // [sizes]
};

/// The intervals in which nothing is planned on a worker, in seconds.
class IdleGaps {
 public:
  /// `shortest`: the shortest task; shorter gaps are dropped.
  explicit IdleGaps(double shortest) : shortest_(shortest) {}

  [[nodiscard]] double earliest_start(double ready, double duration) const {
    return std::max(ready, first_fit(ready, duration)->start);
  }

  void fill(double ready, double duration) {
    auto const gap = gaps_.begin() + (first_fit(ready, duration) - gaps_.cbegin());
    Gap const before{gap->start, std::max(ready, gap->start)};
    Gap const after{before.end + duration, gap->end};
    if (!useful(after)) {
      *gap = before;
      if (!useful(before)) gaps_.erase(gap);
      return;
    }
    *gap = after;
    if (useful(before)) gaps_.insert(gap, before);
  }

 private:
  struct Gap {
    double start, end;
  };

  [[nodiscard]] bool useful(Gap gap) const { return gap.end > gap.start && gap.end - gap.start >= shortest_; }

  [[nodiscard]] std::vector<Gap>::const_iterator first_fit(double ready, double duration) const {
    auto gap = std::ranges::lower_bound(gaps_, ready + duration, {}, &Gap::end);
    while (std::max(ready, gap->start) + duration > gap->end) ++gap;
    return gap;
  }

  double shortest_;
  std::vector<Gap> gaps_{{0, never}};  // by date; the last one is unbounded
};

double mean_duration(std::span<double const> durations) {
  double sum = 0;
  int count = 0;
  for (double const duration : durations)
    if (!std::isinf(duration)) {
      sum += duration;
      ++count;
    }
  return count > 0 ? sum / count : 0;
}

std::vector<double> upward_ranks(NodeView const& node, CopyTimes const& copies) {
  TaskGraph const& graph = node.graph();
  std::vector<double> rank(graph.task_count());
  std::vector<TaskId> const order = in_submission_order(graph);
  for (auto place = order.rbegin(); place != order.rend(); ++place) {
    TaskId const t = *place;
    HandleId const written = graph.written_by(t);
    double const copy = written.valid() ? copies.mean(written) : 0;
    double rest = 0;
    for (TaskId const s : graph.successors_of(t)) rest = std::max(rest, copy + rank[s.index()]);
    rank[t.index()] = mean_duration(node.durations(t)) + rest;
  }
  return rank;
}

/// Returns the duration of the shortest task of the graph on each worker: [workers].
std::vector<double> shortest_durations(NodeView const& node) {
  std::vector<double> shortest(node.workers().size(), never);
  for (std::size_t t = 0; t < node.graph().task_count(); ++t) {
    auto const durations = node.durations(TaskId{t});
    for (std::size_t w = 0; w < shortest.size(); ++w) shortest[w] = std::min(shortest[w], durations[w]);
  }
  return shortest;
}

class Planner {
 public:
  explicit Planner(NodeView const& node)
      : node_(node),
        graph_(node.graph()),
        copies_(node),
        versions_(graph_.handles.size()),
        ready_(graph_.task_count(), 0.0),
        arrivals_(node.memory_node_count()) {
    for (double const shortest : shortest_durations(node)) gaps_.emplace_back(shortest);
  }

  HeftPlan plan() {
    std::size_t const tasks = graph_.task_count();
    plan_.rank = upward_ranks(node_, copies_);
    plan_.worker.assign(tasks, LocalWorker{});
    plan_.start.assign(tasks, 0);
    plan_.end.assign(tasks, 0);
    // A topological order: no rank is less than that of a successor.
    std::vector<TaskId> order = in_submission_order(graph_);
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](TaskId t) { return plan_.rank[t.index()]; });
    for (TaskId const task : order)
      if (node_.runs_here(task))
        place(task);
      else
        estimate(task);
    make_sequences(order);
    return std::move(plan_);
  }

 private:
  /// The content of a handle after the last writer planned: since when, and where.
  struct Version {
    double date = 0;
    LocalMemory memory{0};
  };

  void place(TaskId task) {
    inputs_arrive(task);
    auto const workers = node_.workers();
    auto const durations = node_.durations(task);
    double earliest_end = never;
    LocalWorker best;
    for (std::size_t w = 0; w < workers.size(); ++w) {
      if (std::isinf(durations[w])) continue;
      double const end =
          gaps_[w].earliest_start(arrivals_[workers[w].memory.index()], durations[w]) + durations[w];
      if (end >= earliest_end) continue;
      earliest_end = end;
      best = LocalWorker{w};
    }
    FACTOSIM_ALWAYS(best.valid(), "no worker of the node can run one of its tasks");
    LocalMemory const memory = workers[best.index()].memory;
    double const arrival = arrivals_[memory.index()], duration = durations[best.index()];
    IdleGaps& gaps = gaps_[best.index()];
    plan_.worker[task.index()] = best;
    plan_.start[task.index()] = gaps.earliest_start(arrival, duration);
    gaps.fill(arrival, duration);
    ends(task, earliest_end, memory);
  }

  void estimate(TaskId task) {
    double const fastest = std::ranges::min(node_.durations(task));
    plan_.start[task.index()] = ready_[task.index()];
    ends(task, ready_[task.index()] + (std::isinf(fastest) ? 0 : fastest), LocalMemory{0});
    for (TaskId const successor : graph_.successors_of(task))
      if (node_.runs_here(successor)) plan_.waits_for_other_nodes = true;
  }

  /// Computes `arrivals_`: the date when the inputs of the task can be in each memory node.
  void inputs_arrive(TaskId task) {
    std::ranges::fill(arrivals_, ready_[task.index()]);
    for (DataAccess const access : graph_.accesses_of(task)) {
      if (!reads(access.mode())) continue;
      Version const version = versions_[access.handle().index()];
      for (std::size_t m = 0; m < arrivals_.size(); ++m)
        arrivals_[m] = std::max(
            arrivals_[m], version.date + copies_.between(version.memory, LocalMemory{m}, access.handle()));
    }
  }

  void ends(TaskId task, double end, LocalMemory memory) {
    plan_.end[task.index()] = end;
    for (DataAccess const access : graph_.accesses_of(task))
      if (writes(access.mode())) versions_[access.handle().index()] = {end, memory};
    for (TaskId const successor : graph_.successors_of(task))
      ready_[successor.index()] = std::max(ready_[successor.index()], end);
  }

  /// `order`: all tasks, predecessors first; it breaks ties of tasks whose duration is 0.
  void make_sequences(std::vector<TaskId> order) {
    std::erase_if(order, [&](TaskId t) { return !plan_.worker[t.index()].valid(); });
    std::ranges::stable_sort(order, std::less{}, [&](TaskId t) {
      return std::tuple(plan_.worker[t.index()], plan_.start[t.index()], plan_.end[t.index()]);
    });
    plan_.begin.assign(node_.workers().size() + 1, 0);
    for (TaskId const t : order) ++plan_.begin[plan_.worker[t.index()].index() + 1];
    std::partial_sum(plan_.begin.begin(), plan_.begin.end(), plan_.begin.begin());
    plan_.sequence = std::move(order);
  }

  NodeView const& node_;
  TaskGraph const& graph_;
  CopyTimes copies_;
  HeftPlan plan_;
  std::vector<IdleGaps> gaps_;     // [workers]
  std::vector<Version> versions_;  // [handles]
  std::vector<double> ready_;      // [tasks] maximum end of the predecessors planned so far
  std::vector<double> arrivals_;   // [memory nodes] scratch
};

/// Each worker runs its tasks of `plan_by_heft`, in the order of the plan, and waits for the next one. Only
/// where tasks wait for other nodes, for all tasks before a barrier, or for a limited submission, does a worker take the
/// first task of its plan that is ready: such dates are estimates, and strict plans could deadlock.
class HeftScheduler final : public Scheduler {
 public:
  HeftScheduler(SchedulerOptions const& options, NodeView const& node)
      : position_(node.graph().task_count()), workers_(node.workers().size()) {
    HeftPlan plan = plan_by_heft(node);
    strict_ = !plan.waits_for_other_nodes && node.graph().barriers.empty() && !options.limited_submission;
    sequence_ = std::move(plan.sequence);
    begin_ = std::move(plan.begin);
    for (std::uint32_t i = 0; i < sequence_.size(); ++i) position_[sequence_[i].index()] = i;
    for (std::size_t w = 0; w < workers_.size(); ++w) workers_[w].next = begin_[w];
  }

  Assignment push(TaskId task, LocalWorker /*pusher*/) override {
    std::uint32_t const position = position_[task.index()];
    FACTOSIM_EXPECT(sequence_[position] == task, "a task of another node is ready on this one");
    auto const end = std::ranges::upper_bound(begin_, position);
    LocalWorker const worker{end - begin_.begin() - 1};
    workers_[worker.index()].ready.push(position);
    return to_worker(worker);
  }
  TaskId pop(LocalWorker worker) override {
    PerWorker& own = workers_[worker.index()];
    if (own.ready.empty() || (strict_ && own.ready.top() != own.next)) return {};
    TaskId const task = sequence_[own.ready.top()];
    own.ready.pop();
    ++own.next;
    return task;
  }
  [[nodiscard]] bool prefetches() const override { return true; }
  [[nodiscard]] bool shares_tasks() const override { return false; }
  [[nodiscard]] bool knows_priorities() const override { return false; }

 private:
  using FirstOnTop = std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>>;
  struct PerWorker {
    std::uint32_t next = 0;  // into sequence_
    FirstOnTop ready;        // into sequence_
  };

  bool strict_ = true;
  std::vector<TaskId> sequence_;         // [tasks of the node] by worker, in planned order
  std::vector<std::uint32_t> begin_;     // [workers + 1] into sequence_
  std::vector<std::uint32_t> position_;  // [tasks] in sequence_
  std::vector<PerWorker> workers_;
};

}  // namespace

HeftPlan plan_by_heft(NodeView const& node) { return Planner(node).plan(); }

std::vector<PolicyKind> heft_policies() {
  return {{"heft", made_with_options<HeftScheduler>,
           "a plan made before the run: earliest finish time, by decreasing rank"}};
}

}  // namespace factosim
