#include "simulator/tasks/schedule/task_schedule.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>

#include "factosim/error.hpp"
#include "simulator/tasks/graph/graph_order.hpp"

namespace factosim {

namespace {

constexpr std::size_t none = SIZE_MAX;

std::string lower_case(std::string_view text) {
  std::string out;
  for (char const c : text) out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

/// Returns whether the names mean one kernel: NNTile writes "TILE_GEMM" for gemm.
bool same_kernel(std::string_view a, std::string_view b) {
  auto const plain = [](std::string_view name) {
    std::string out = lower_case(name);
    return out.starts_with("tile_") ? out.substr(5) : out;
  };
  return plain(a) == plain(b);
}

class Fitter {
 public:
  Fitter(StaticSchedule const& schedule, ScheduledGraph const& to) : file_(schedule), to_(to) {}

  TaskSchedule fit() {
    if (file_.one_node && to_.machine.node_count() > 1)
      throw InputError(file_.file + "#",
                       fmt::format("numbers the workers of one node (the platform has {}). Use a "
                                   "factosim-schedule, which names the node of each task",
                                   to_.machine.node_count()));
    find_tasks();
    TaskSchedule out{.worker = std::vector<std::uint32_t>(count()),
                     .position = std::vector<std::uint32_t>(count()),
                     .strict = file_.strict};
    if (std::ranges::any_of(file_.tasks, [](ScheduledTask const& t) { return t.priority.has_value(); }))
      out.priority = to_.graph.priority;
    for (std::uint32_t t = 0; t < count(); ++t) {
      ScheduledTask const& stated = of(TaskId{t});
      check(TaskId{t}, stated);
      out.worker[t] = worker_of(TaskId{t}, stated);
      if (stated.priority) out.priority[t] = *stated.priority;
    }
    order(out);
    if (out.strict) check_order(out);
    return out;
  }

 private:
  [[nodiscard]] std::size_t count() const { return to_.graph.task_count(); }
  [[nodiscard]] ScheduledTask const& of(TaskId task) const { return file_.tasks[stated_[task.index()]]; }
  [[nodiscard]] std::string text(TaskId task) const {
    return fmt::format("task {} ({})", to_.graph.submission_number(task), to_.graph.kernel_of(task).name);
  }
  [[nodiscard]] NodeId node_of(TaskId task) const { return to_.plan.node_of(task); }

  [[noreturn]] void fail(ScheduledTask const& stated, std::string const& message) const {
    throw InputError(file_.where(stated), message);
  }

  void find_tasks() {
    std::vector<TaskId> const by_submission = in_submission_order(to_.graph);
    stated_.assign(count(), none);
    for (std::size_t i = 0; i < file_.tasks.size(); ++i) {
      ScheduledTask const& t = file_.tasks[i];
      if (t.task >= count())
        fail(t, fmt::format(
                    "is task {} (the scenario has {}, numbered from 0). Give the schedule of this task graph",
                    t.task, count()));
      std::size_t& place = stated_[by_submission[t.task].index()];
      if (place != none)
        fail(t, fmt::format("is task {} again (its first place is {}). Leave one of them out", t.task,
                            file_.where(file_.tasks[place])));
      place = i;
    }
    auto const missing = std::ranges::find(stated_, none);
    if (missing == stated_.end()) return;
    TaskId first{missing - stated_.begin()};
    for (TaskId const task : by_submission)
      if (stated_[task.index()] == none) {
        first = task;
        break;
      }
    throw InputError(file_.file + "#",
                     fmt::format("has no entry for {}, nor for {} others (every task needs a worker). Add "
                                 "them, or give the schedule of this task graph",
                                 text(first), std::ranges::count(stated_, none) - 1));
  }

  void check(TaskId task, ScheduledTask const& stated) const {
    std::string const& kernel = to_.graph.kernel_of(task).name;
    if (!stated.kernel.empty() && !same_kernel(stated.kernel, kernel))
      fail(stated, fmt::format("is {} (task {} of the scenario is {}: this is the schedule of another task "
                               "graph). Give that of this one",
                               stated.kernel, stated.task, kernel));
    if (stated.node && *stated.node != node_of(task).value())
      fail(stated, fmt::format("puts {} on node {} (the scenario's distribution has it on node {}). Use the "
                               "distribution for which the schedule was made",
                               text(task), *stated.node, node_of(task).value()));
  }

  /// Returns the number of the worker within its node; none if there is no such worker.
  [[nodiscard]] static std::size_t number_of(WorkerReference const& worker, Machine::Type const& type) {
    std::size_t const all = type.workers.size();
    switch (worker.by) {
      case WorkerReference::By::name: {
        auto const found = std::ranges::find(type.worker_names, worker.name);
        return found == type.worker_names.end() ? none
                                                : static_cast<std::size_t>(found - type.worker_names.begin());
      }
      case WorkerReference::By::number:
        return worker.number < all ? worker.number : none;
      case WorkerReference::By::gpu:
        return worker.number < type.gpus ? worker.number : none;
      case WorkerReference::By::core:
        return type.gpus + worker.number < all ? type.gpus + worker.number : none;
    }
    return none;
  }

  [[nodiscard]] std::uint32_t worker_of(TaskId task, ScheduledTask const& stated) const {
    Machine::Type const& type = to_.machine.type(node_of(task));
    std::size_t const number = number_of(stated.worker, type);
    std::string const name = stated.worker.by == WorkerReference::By::name
                                 ? fmt::format("\"{}\"", stated.worker.name)
                                 : fmt::format("{}", stated.worker.number);
    if (number == none)
      fail(stated, fmt::format("puts {} on worker {} (node {} has {}). Use one of these", text(task), name,
                               node_of(task).value(), fmt::join(type.worker_names, ", ")));
    if (std::isinf(to_.machine.durations(node_of(task), to_.graph.kernel[task.index()])[number]))
      fail(stated, fmt::format("puts {} on {}, which cannot run it (its kernel file has no timing of it "
                               "there). Use another worker",
                               text(task), type.worker_names[number]));
    return static_cast<std::uint32_t>(number);
  }

  [[nodiscard]] std::uint32_t global_worker(TaskSchedule const& s, TaskId task) const {
    return to_.machine.first_worker[node_of(task).index()] + s.worker[task.index()];
  }

  /// Numbers all tasks by worker and stated position.
  void order(TaskSchedule& out) {
    sequence_.reserve(count());
    for (std::uint32_t t = 0; t < count(); ++t) sequence_.emplace_back(t);
    auto const key = [&](TaskId t) { return std::pair(global_worker(out, t), of(t).position); };
    std::ranges::sort(sequence_, {}, key);
    for (std::size_t i = 0; i < sequence_.size(); ++i) {
      out.position[sequence_[i].index()] = static_cast<std::uint32_t>(i);
      if (i > 0 && key(sequence_[i - 1]) == key(sequence_[i]))
        fail(of(sequence_[i]),
             fmt::format("gives {} the position of {} on the same worker ({}). Give each its own",
                         text(sequence_[i]), text(sequence_[i - 1]), of(sequence_[i]).position));
    }
  }

  /// Returns the edges of the dependencies, of the workers' orders and of the barriers, each of which is a vertex
  /// behind the tasks.
  [[nodiscard]] std::vector<TaskEdge> waits(TaskSchedule const& s) const {
    std::vector<TaskEdge> edges;
    for (std::uint32_t t = 0; t < count(); ++t)
      for (TaskId const next : to_.graph.successors_of(TaskId{t})) edges.push_back({TaskId{t}, next});
    for (std::size_t i = 1; i < sequence_.size(); ++i)
      if (global_worker(s, sequence_[i - 1]) == global_worker(s, sequence_[i]))
        edges.push_back({sequence_[i - 1], sequence_[i]});
    auto const& barriers = to_.graph.barriers;
    if (barriers.empty()) return edges;
    for (std::uint32_t t = 0; t < count(); ++t) {
      auto const next = static_cast<std::size_t>(
          std::ranges::upper_bound(barriers, to_.graph.submission_number(TaskId{t})) - barriers.begin());
      if (next < barriers.size()) edges.push_back({TaskId{t}, TaskId{count() + next}});
      if (next > 0) edges.push_back({TaskId{count() + next - 1}, TaskId{t}});
    }
    return edges;
  }

  void check_order(TaskSchedule const& s) const {
    std::size_t const vertices = count() + to_.graph.barriers.size();
    TaskRows const after = rows_of(vertices, waits(s));
    TopologicalOrder const found = topological_order(after.begin, after.items);
    if (found.blocked.empty()) return;
    auto const [first, second] = of_circle(found.blocked, transpose(after.begin, after.items));
    fail(of(first), fmt::format("never runs {} (it waits for {}, which waits for it: by dependencies and the "
                                "orders of the workers). Change the order",
                                text(first), text(second)));
  }

  /// Returns a task on a circle of blocked vertices, and one that it waits for.
  [[nodiscard]] std::pair<TaskId, TaskId> of_circle(std::vector<TaskId> const& blocked,
                                                    TaskRows const& before) const {
    auto const is_blocked = [&](TaskId t) { return std::ranges::binary_search(blocked, t); };
    auto const blocker = [&](TaskId t) {
      for (std::uint32_t i = before.begin[t.index()]; i < before.begin[t.index() + 1]; ++i)
        if (is_blocked(before.items[i])) return before.items[i];
      return TaskId{};
    };
    TaskId at = blocked.front();
    for (std::size_t steps = 0; steps < before.begin.size(); ++steps) at = blocker(at);  // on a circle now
    while (at.index() >= count()) at = blocker(at);
    TaskId next = blocker(at);
    while (next.index() >= count()) next = blocker(next);
    return {at, next};
  }

  StaticSchedule const& file_;
  ScheduledGraph const& to_;
  std::vector<std::size_t> stated_;  // [tasks] into file_.tasks
  std::vector<TaskId> sequence_;     // worker after worker, in order
};

}  // namespace

std::vector<std::uint32_t> turns(TaskSchedule const& schedule, ScheduledGraph const& of) {
  std::vector<std::uint32_t> order(schedule.position.size()), out(order.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](std::uint32_t t) { return schedule.position[t]; });
  std::vector<std::uint32_t> next(of.machine.worker_count(), 0);
  for (std::uint32_t const t : order)
    out[t] = next[of.machine.first_worker[of.plan.node_of(TaskId{t}).index()] + schedule.worker[t]]++;
  return out;
}

TaskSchedule fit_schedule(StaticSchedule const& schedule, ScheduledGraph const& to) {
  return Fitter(schedule, to).fit();
}

}  // namespace factosim
