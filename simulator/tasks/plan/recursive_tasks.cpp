#include "simulator/tasks/plan/recursive_tasks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "factosim/error.hpp"
#include "factosim/sequential_task_flow.hpp"

namespace factosim {

namespace {

using Place = std::array<std::int32_t, 3>;

/// Builds the graph of all forms, role by role.
class ProgramBuilder {
 public:
  ProgramBuilder(TaskGraph const& coarse, TaskGraph const& fine, Splitting const& splitting)
      : coarse_(coarse), fine_(fine), s_(splitting) {
    tasks_.count = static_cast<std::uint32_t>(coarse.task_count());
    tasks_.kernels = static_cast<std::uint32_t>(coarse.kernels.size());
    tasks_.predecessors = transpose(coarse.successor_begin, coarse.successors);
    find_parents();
    check_edges();
    join_handles();
    join_kernels();
  }

  RecursiveProgram build() && {
    for (std::uint32_t c = 0; c < tasks_.count; ++c) add_coarse(c);
    for (std::uint32_t c = 0; c < tasks_.count; ++c) {
      begin_task(2 * tasks_.kernels + coarse_.kernel[c], c);
      end_task(tasks_.children_of(c), 0);
    }
    for (bool const split : {true, false})
      for (std::uint32_t c = 0; c < tasks_.count; ++c) add_conversion(c, split);
    for (std::uint32_t t = 0; t < fine_.task_count(); ++t) add_child(t);
    return {std::move(g_), std::move(tasks_)};
  }

 private:
  [[nodiscard]] Place place_of(TaskIndices const& i, int parts) const {
    return {i.k / parts, i.m / parts, i.n / parts};
  }

  void find_parents() {
    std::map<Place, std::uint32_t> known;
    for (std::uint32_t c = 0; c < tasks_.count; ++c) known[place_of(coarse_.indices[c], 1)] = c;
    std::vector<TaskEdge> edges;
    for (std::uint32_t t = 0; t < fine_.task_count(); ++t) {
      std::uint32_t const parent = known.at(place_of(fine_.indices[t], s_.parts));
      tasks_.parent.push_back(parent);
      edges.push_back({TaskId{parent}, TaskId{4 * tasks_.count + t}});
    }
    tasks_.children = rows_of(tasks_.count, edges);
  }

  /// Children of two tasks depend on each other only if these do.
  void check_edges() const {
    for (std::uint32_t t = 0; t < fine_.task_count(); ++t)
      for (TaskId const next : fine_.successors_of(TaskId{t})) {
        TaskId const before{tasks_.parent[t]};
        auto const known = tasks_.predecessors_of(tasks_.parent[next.index()]);
        FACTOSIM_ALWAYS(before.value() == tasks_.parent[next.index()] ||
                            std::binary_search(known.begin(), known.end(), before),
                        "children depend on a task that their own task does not depend on");
      }
  }

  void join_handles() {
    g_.handles = coarse_.handles;
    std::map<std::pair<int, int>, std::size_t> tiles;
    for (std::size_t h = 0; h < coarse_.handles.size(); ++h)
      tiles[{coarse_.handles[h].m, coarse_.handles[h].n}] = h;
    parts_.resize(coarse_.handles.size());
    tasks_.first_part = static_cast<std::uint32_t>(coarse_.handles.size());
    for (HandleInfo const& part : fine_.handles) {
      parts_[tiles.at({part.m / s_.parts, part.n / s_.parts})].emplace_back(g_.handles.size());
      g_.handles.push_back(part);
    }
  }

  void join_kernels() {
    g_.kernels = coarse_.kernels;
    for (Kernel kernel : fine_.kernels) {
      kernel.timing = timing_name(kernel);
      kernel.name = fmt::format("{}_{}", kernel.name, s_.nb);
      kernel.nb = s_.nb;
      g_.kernels.push_back(kernel);
    }
    for (std::uint32_t k = 0; k < tasks_.kernels; ++k)
      g_.kernels.push_back({.name = "split", .flops = {0}, .is_free = true});
    for (char const* name : {"unpartition", "partition"})
      g_.kernels.push_back({.name = name, .flops = {0}, .is_free = true});
  }

  void begin_task(std::size_t kernel, std::uint32_t c) {
    g_.kernel.push_back(static_cast<std::uint16_t>(kernel));
    g_.priority.push_back(coarse_.priority[c] * s_.parts);  // that of its first child
    g_.indices.push_back(coarse_.indices[c]);
    g_.writes_back.push_back(false);
    g_.access_begin.push_back(static_cast<std::uint32_t>(g_.accesses.size()));
  }
  void end_task(std::span<TaskId const> successors, std::uint32_t predecessors, std::uint32_t offset = 0) {
    g_.successor_begin.push_back(static_cast<std::uint32_t>(g_.successors.size()));
    for (TaskId const next : successors) g_.successors.emplace_back(next.value() + offset);
    g_.predecessors.push_back(predecessors);
  }

  void add_coarse(std::uint32_t c) {
    begin_task(coarse_.kernel[c], c);
    g_.writes_back.back() = coarse_.writes_back[c];
    for (DataAccess const a : coarse_.accesses_of(TaskId{c})) g_.accesses.push_back(a);
    end_task(coarse_.successors_of(TaskId{c}), coarse_.predecessors[c]);
  }

  void add_conversion(std::uint32_t c, bool split) {
    begin_task(3 * tasks_.kernels + (split ? 0 : 1), c);
    HandleId const whole = coarse_.written_by(TaskId{c});
    if (!split) g_.accesses.emplace_back(whole, Access::read);
    for (HandleId const part : parts_[whole.index()])
      g_.accesses.emplace_back(part, split ? Access::read : Access::write);
    if (split) g_.accesses.emplace_back(whole, Access::write);
    g_.priority.back() = conversion_priority();
    end_task({}, 0);
  }
  /// Tasks that are ready otherwise wait for a conversion: it comes first.
  [[nodiscard]] std::int32_t conversion_priority() {
    if (!first_priority_) first_priority_ = std::max(0, std::ranges::max(coarse_.priority) * s_.parts) + 1;
    return *first_priority_;
  }

  void add_child(std::uint32_t t) {
    auto const offset = static_cast<std::uint32_t>(coarse_.handles.size());
    begin_task(tasks_.kernels + fine_.kernel[t], tasks_.parent[t]);
    g_.priority.back() = fine_.priority[t];
    g_.indices.back() = fine_.indices[t];
    g_.writes_back.back() = fine_.writes_back[t];
    for (DataAccess const a : fine_.accesses_of(TaskId{t}))
      g_.accesses.emplace_back(HandleId{a.handle().value() + offset}, a.mode());
    end_task(fine_.successors_of(TaskId{t}), fine_.predecessors[t] + 1, 4 * tasks_.count);
    if (t + 1 == fine_.task_count()) {
      g_.access_begin.push_back(static_cast<std::uint32_t>(g_.accesses.size()));
      g_.successor_begin.push_back(static_cast<std::uint32_t>(g_.successors.size()));
    }
  }

  TaskGraph const& coarse_;
  TaskGraph const& fine_;
  Splitting const& s_;
  RecursiveTasks tasks_;
  TaskGraph g_;
  std::vector<std::vector<HandleId>> parts_;  // [coarse handles]
  std::optional<std::int32_t> first_priority_;
};

/// Submits the tasks that a run has taken, in the order of a sequential program.
class TakenFlow {
 public:
  TakenFlow(TaskGraph const& all, RecursiveTasks const& tasks, std::vector<bool> const& split)
      : all_(all), tasks_(tasks), split_(split) {
    out_.number.resize(all.task_count());
    for (Kernel const& kernel : all.kernels) flow_.add_kernel(kernel);
    for (HandleInfo const& handle : all.handles) flow_.add_handle(handle);
  }

  TakenTasks finish() && {
    for (std::uint32_t c = 0; c < tasks_.count; ++c) {
      for (TaskId const before : tasks_.predecessors_of(c)) {
        bool const form = split_[before.index()];
        TaskId const conversion = tasks_.conversion_of(before.value(), form);
        if (form != split_[c] && !number(conversion).valid()) submit(conversion);
      }
      if (!split_[c]) {
        submit(TaskId{c});
        continue;
      }
      for (TaskId const before : tasks_.predecessors_of(c))
        follow(number(split_[before.index()] ? tasks_.split_of(before.value()) : before));
      submit(tasks_.split_of(c));
      for (TaskId const child : tasks_.children_of(c)) {
        follow(number(tasks_.split_of(c)));
        submit(child);
      }
    }
    out_.graph = std::move(flow_).finish();
    out_.graph.writes_back = std::move(writes_back_);
    return std::move(out_);
  }

 private:
  [[nodiscard]] TaskId& number(TaskId t) { return out_.number[t.index()]; }
  void follow(TaskId before) {
    flow_.wait_for(before);
    out_.explicit_edges.emplace_back(before, TaskId{writes_back_.size()});
  }
  void submit(TaskId t) {
    number(t) = flow_.submit(KernelId{all_.kernel[t.index()]}, all_.priority[t.index()],
                             all_.indices[t.index()], all_.accesses_of(t));
    writes_back_.push_back(all_.writes_back[t.index()]);
  }

  TaskGraph const& all_;
  RecursiveTasks const& tasks_;
  std::vector<bool> const& split_;
  SequentialTaskFlow flow_;
  std::vector<bool> writes_back_;
  TakenTasks out_;
};

}  // namespace

RecursiveProgram recursive_program(TaskGraph const& coarse, TaskGraph const& fine,
                                   Splitting const& splitting) {
  return ProgramBuilder(coarse, fine, splitting).build();
}

TakenTasks taken_tasks(TaskGraph const& all, RecursiveTasks const& tasks, std::vector<bool> const& split) {
  return TakenFlow(all, tasks, split).finish();
}

}  // namespace factosim
