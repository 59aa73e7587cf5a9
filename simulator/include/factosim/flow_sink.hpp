#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "factosim/task_graph.hpp"

namespace factosim {

/// Handles that a DataAccess can name.
inline constexpr std::size_t max_flow_handles = std::size_t{1} << 30U;

/// Receives the tasks of a sequential program in the order of their submission: `SequentialTaskFlow` stores them as a
/// graph, others compute from them what needs no graph.
class FlowSink {
 public:
  FlowSink() = default;
  FlowSink(FlowSink const&) = default;
  FlowSink(FlowSink&&) = default;
  FlowSink& operator=(FlowSink const&) = default;
  FlowSink& operator=(FlowSink&&) = default;
  virtual ~FlowSink() = default;

  virtual KernelId add_kernel(Kernel kernel) = 0;
  virtual HandleId add_handle(HandleInfo handle) = 0;
  virtual TaskId submit(KernelId kernel, std::int32_t priority, TaskIndices indices,
                        std::span<DataAccess const> accesses) = 0;
  TaskId submit(KernelId kernel, std::int32_t priority, TaskIndices indices,
                std::initializer_list<DataAccess> accesses) {
    return submit(kernel, priority, indices, std::span(accesses.begin(), accesses.size()));
  }
  /// States that the application does not need the handle for some time: see TaskGraph::writes_back.
  virtual void wont_use(HandleId /*handle*/) {}
  /// States that no task from here on writes the handle.
  virtual void last_write(HandleId /*handle*/) {}
  /// States that no task from here on accesses the handle.
  virtual void last_use(HandleId /*handle*/) {}
  /// Flushes the inputs of the task after it: see TaskGraph::flushes_inputs.
  virtual void flush_inputs(TaskId task) = 0;

  /// Assigns the following tasks to that phase. Phases of the same name are one phase.
  virtual void begin_phase(Phase phase) = 0;
  /// Makes the program wait for all tasks so far, on all nodes: see TaskGraph::barriers.
  virtual void barrier() {}
  /// Makes nodes drop received data: see TaskGraph::cache_flushes.
  virtual void flush_cache() {}
};

}  // namespace factosim
