#include "factosim/sequential_task_flow.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "factosim/error.hpp"
#include "simulator/tasks/graph/graph_order.hpp"

namespace factosim {

KernelId SequentialTaskFlow::add_kernel(Kernel kernel) {
  FACTOSIM_ALWAYS(graph_.kernels.size() <= std::numeric_limits<std::uint16_t>::max(),
                  "more kernels than 16 bits can number");
  graph_.kernels.push_back(std::move(kernel));
  return KernelId{graph_.kernels.size() - 1};
}

HandleId SequentialTaskFlow::add_handle(HandleInfo handle) {
  FACTOSIM_ALWAYS(graph_.handles.size() < max_flow_handles, "more handles than an access can name");
  graph_.handles.push_back(handle);
  last_use_.emplace_back();
  return HandleId{graph_.handles.size() - 1};
}

void SequentialTaskFlow::depend_on(TaskId task) {
  TaskId const current{newest_successor_.size() - 1};
  if (newest_successor_[task.index()] == current) return;  // already a successor by another handle
  newest_successor_[task.index()] = current;
  predecessor_list_.push_back(task);
}

TaskId SequentialTaskFlow::submit(KernelId kernel, std::int32_t priority, TaskIndices indices,
                                  std::span<DataAccess const> accesses) {
  TaskId const task{graph_.task_count()};
  graph_.kernel.push_back(static_cast<std::uint16_t>(kernel.value()));
  graph_.priority.push_back(priority);
  graph_.indices.push_back(indices);
  if (!graph_.phases.empty()) graph_.phase.push_back(phase_);
  graph_.access_begin.push_back(static_cast<std::uint32_t>(graph_.accesses.size()));
  for (DataAccess const access : accesses) add_access(graph_.accesses, graph_.access_begin.back(), access);
  graph_.writes_back.push_back(false);
  newest_successor_.emplace_back();
  predecessor_begin_.push_back(static_cast<std::uint32_t>(predecessor_list_.size()));
  for (TaskId const before : waits_) depend_on(before);
  waits_.clear();

  for (std::size_t a = graph_.access_begin.back(); a < graph_.accesses.size(); ++a) {
    DataAccess const access = graph_.accesses[a];
    LastUse& last = last_use_[access.handle().index()];
    FACTOSIM_EXPECT(last.may_be_used && (last.may_be_written || !writes(access.mode())),
                    "a task accesses a handle after its last use, or writes it after its last write");
    bool const follows_readers = writes(access.mode()) && last.first_reader.valid();
    if (last.writer.valid() && !follows_readers) depend_on(last.writer);
    if (!writes(access.mode())) {
      ReaderPlace place = free_readers_;
      if (place.valid()) {
        free_readers_ = readers_[place.index()].next;
      } else {
        place = ReaderPlace{readers_.size()};
        readers_.emplace_back();
      }
      readers_[place.index()] = {task, last.first_reader};
      last.first_reader = place;
      continue;
    }
    while (last.first_reader.valid()) {
      ReaderPlace const place = last.first_reader;
      depend_on(readers_[place.index()].task);
      last.first_reader = readers_[place.index()].next;
      readers_[place.index()].next = free_readers_;
      free_readers_ = place;
    }
    last.writer = task;
  }
  return task;
}

void SequentialTaskFlow::set_weight(TaskId task, TaskWeight weight) {
  FACTOSIM_EXPECT(weight.core > 0 && weight.gpu > 0, "the weight of a task is positive");
  graph_.weights.resize(graph_.task_count());
  graph_.weights[task.index()] = weight;
}

void SequentialTaskFlow::wont_use(HandleId handle) {
  TaskId const writer = last_use_[handle.index()].writer;
  FACTOSIM_EXPECT(writer.valid(), "a hint for a handle that nothing has written");
  graph_.writes_back[writer.index()] = true;
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
  if (known != graph_.phases.end()) return;
  FACTOSIM_ALWAYS(graph_.phases.size() <= std::numeric_limits<std::uint8_t>::max(),
                  "more phases than 8 bits can number");
  graph_.phases.push_back(std::move(phase));
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
  if (!graph_.weights.empty()) graph_.weights.resize(tasks);
  if (!graph_.flushes_inputs.empty()) graph_.flushes_inputs.resize(tasks, false);
  FACTOSIM_ALWAYS(graph_.accesses.size() < TaskId::none && predecessor_list_.size() < TaskId::none,
                  "more accesses or edges than 32 bits can number");
  graph_.access_begin.push_back(static_cast<std::uint32_t>(graph_.accesses.size()));
  predecessor_begin_.push_back(static_cast<std::uint32_t>(predecessor_list_.size()));

  last_use_ = {};  // releases memory for the next step
  readers_ = {};
  newest_successor_ = {};
  TaskRows successors = transpose(predecessor_begin_, predecessor_list_);
  graph_.successor_begin = std::move(successors.begin);
  graph_.successors = std::move(successors.items);
  // The begins of the lists of predecessors become their lengths.
  for (std::size_t t = 0; t < tasks; ++t)
    predecessor_begin_[t] = predecessor_begin_[t + 1] - predecessor_begin_[t];
  predecessor_begin_.pop_back();
  graph_.predecessors = std::move(predecessor_begin_);
  TaskGraph graph = std::move(graph_);
  *this = SequentialTaskFlow{};
  return graph;
}

}  // namespace factosim
