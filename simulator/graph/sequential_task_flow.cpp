#include "factosim/sequential_task_flow.hpp"

#include <algorithm>
#include <utility>

#include "factosim/error.hpp"
#include "simulator/graph/transpose.hpp"

namespace factosim {

KernelId SequentialTaskFlow::add_kernel(Kernel kernel) {
  graph_.kernels.push_back(std::move(kernel));
  return KernelId{graph_.kernels.size() - 1};
}

HandleId SequentialTaskFlow::add_handle(HandleInfo handle) {
  graph_.handles.push_back(handle);
  last_use_.emplace_back();
  return HandleId{graph_.handles.size() - 1};
}

void SequentialTaskFlow::depend_on(std::uint32_t task) {
  auto const current = static_cast<std::uint32_t>(newest_successor_.size() - 1);
  if (newest_successor_[task] == current) return;  // by another handle
  newest_successor_[task] = current;
  predecessor_list_.emplace_back(task);
}

void SequentialTaskFlow::add_access(DataAccess access) {
  for (std::size_t a = graph_.access_begin.back(); a < graph_.accesses.size(); ++a) {
    DataAccess& earlier = graph_.accesses[a];
    if (earlier.handle() != access.handle()) continue;
    earlier = DataAccess(access.handle(), earlier.mode() | access.mode());
    return;
  }
  graph_.accesses.push_back(access);
}

TaskId SequentialTaskFlow::submit(KernelId kernel, std::int32_t priority, TaskIndices indices,
                                  std::span<DataAccess const> accesses) {
  auto const task = static_cast<std::uint32_t>(graph_.task_count());
  graph_.kernel.push_back(static_cast<std::uint16_t>(kernel.value()));
  graph_.priority.push_back(priority);
  graph_.indices.push_back(indices);
  if (!graph_.phases.empty()) graph_.phase.push_back(phase_);
  graph_.access_begin.push_back(static_cast<std::uint32_t>(graph_.accesses.size()));
  for (DataAccess const access : accesses) add_access(access);
  graph_.writes_back.push_back(false);
  newest_successor_.push_back(none);
  predecessor_begin_.push_back(static_cast<std::uint32_t>(predecessor_list_.size()));

  for (std::size_t a = graph_.access_begin.back(); a < graph_.accesses.size(); ++a) {
    DataAccess const access = graph_.accesses[a];
    LastUse& last = last_use_[access.handle().index()];
    bool const follows_readers = writes(access.mode()) && last.first_reader != none;
    if (last.writer != none && !follows_readers) depend_on(last.writer);
    if (!writes(access.mode())) {
      std::uint32_t place = free_readers_;
      if (place == none) {
        place = static_cast<std::uint32_t>(readers_.size());
        readers_.emplace_back();
      } else {
        free_readers_ = readers_[place].next;
      }
      readers_[place] = {task, last.first_reader};
      last.first_reader = place;
      continue;
    }
    while (last.first_reader != none) {
      std::uint32_t const place = last.first_reader;
      depend_on(readers_[place].task);
      last.first_reader = readers_[place].next;
      readers_[place].next = free_readers_;
      free_readers_ = place;
    }
    last.writer = task;
  }
  return TaskId{task};
}

void SequentialTaskFlow::wont_use(HandleId handle) {
  std::uint32_t const writer = last_use_[handle.index()].writer;
  FACTOSIM_EXPECT(writer != none, "a hint for a handle that nothing has written");
  graph_.writes_back[writer] = true;
}

void SequentialTaskFlow::flush_inputs(TaskId task) {
  graph_.flushes_inputs.resize(graph_.task_count(), false);
  graph_.flushes_inputs[task.index()] = true;
}

void SequentialTaskFlow::begin_phase(Phase phase) {
  FACTOSIM_EXPECT(!graph_.phases.empty() || graph_.task_count() == 0,
                  "the first phase begins before the first task");
  auto const known = std::find_if(graph_.phases.begin(), graph_.phases.end(),
                                  [&](Phase const& p) { return p.name == phase.name; });
  phase_ = static_cast<std::uint8_t>(known - graph_.phases.begin());
  if (known == graph_.phases.end()) graph_.phases.push_back(std::move(phase));
}

void SequentialTaskFlow::barrier() {
  auto const next = static_cast<std::uint32_t>(graph_.task_count());
  if (next > 0 && (graph_.barriers.empty() || graph_.barriers.back() < next)) graph_.barriers.push_back(next);
}

void SequentialTaskFlow::flush_cache() {
  graph_.cache_flushes.push_back(static_cast<std::uint32_t>(graph_.task_count()));
}

TaskGraph SequentialTaskFlow::finish() && {
  std::size_t const tasks = graph_.task_count();
  if (!graph_.barriers.empty() && graph_.barriers.back() == tasks) graph_.barriers.pop_back();
  if (!graph_.flushes_inputs.empty()) graph_.flushes_inputs.resize(tasks, false);
  FACTOSIM_ALWAYS(graph_.accesses.size() < none && predecessor_list_.size() < none,
                  "more accesses or edges than 32 bits can number");
  graph_.access_begin.push_back(static_cast<std::uint32_t>(graph_.accesses.size()));
  predecessor_begin_.push_back(static_cast<std::uint32_t>(predecessor_list_.size()));

  last_use_ = {};  // memory for what follows
  readers_ = {};
  newest_successor_ = {};
  TaskRows successors = transpose(predecessor_begin_, predecessor_list_);
  graph_.successor_begin = std::move(successors.begin);
  graph_.successors = std::move(successors.items);
  // Where lists of predecessors begin becomes how many they are.
  for (std::size_t t = 0; t < tasks; ++t)
    predecessor_begin_[t] = predecessor_begin_[t + 1] - predecessor_begin_[t];
  predecessor_begin_.pop_back();
  graph_.predecessors = std::move(predecessor_begin_);
  TaskGraph graph = std::move(graph_);
  *this = SequentialTaskFlow{};
  return graph;
}

}  // namespace factosim
