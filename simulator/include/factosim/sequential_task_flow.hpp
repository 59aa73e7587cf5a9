#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "factosim/task_graph.hpp"

namespace factosim {

/// Builds a task graph from tasks submitted in the order of a sequential program. Dependencies follow from
/// accesses: a reader depends on the last writer; a writer depends on the readers since then, or on the last
/// writer if there are none. Two accesses of a task to one handle become one access of both modes.
/// O(1) amortised per access.
class SequentialTaskFlow {
 public:
  KernelId add_kernel(Kernel kernel);
  HandleId add_handle(HandleInfo handle);
  TaskId submit(KernelId kernel, std::int32_t priority, TaskIndices indices,
                std::span<DataAccess const> accesses);
  TaskId submit(KernelId kernel, std::int32_t priority, TaskIndices indices,
                std::initializer_list<DataAccess> accesses) {
    return submit(kernel, priority, indices, std::span(accesses.begin(), accesses.size()));
  }
  /// Makes the task that is submitted next depend on that one, whatever their accesses.
  void wait_for(TaskId task) { waits_.push_back(task); }
  /// Sets the factors of the durations of a submitted task: see TaskGraph::weights.
  void set_weight(TaskId task, TaskWeight weight);
  /// States that the application does not need the handle for some time: see TaskGraph::writes_back.
  void wont_use(HandleId handle);
  /// Flushes the inputs of the task after it: see TaskGraph::flushes_inputs.
  void flush_inputs(TaskId task);

  /// Assigns the following tasks to that phase. Phases of the same name are one phase.
  void begin_phase(Phase phase);
  /// Makes the program wait for all tasks so far, on all nodes: see TaskGraph::barriers.
  void barrier();
  /// Makes nodes drop received data: see TaskGraph::cache_flushes.
  void flush_cache();

  /// Returns the graph and leaves an empty flow.
  TaskGraph finish() &&;

 private:
  using ReaderPlace = Id<struct ReaderTag>;  // in readers_

  /// The last writer of a handle and the list of its readers since then.
  struct LastUse {
    TaskId writer;
    ReaderPlace first_reader;
  };
  struct Reader {
    TaskId task;
    ReaderPlace next;
  };

  void add_access(DataAccess access);
  void depend_on(TaskId task);

  TaskGraph graph_;
  std::vector<TaskId> waits_;                     // of the next task
  std::uint8_t phase_ = 0;                        // of the next task, into graph_.phases
  std::vector<LastUse> last_use_;                 // [handles]
  std::vector<Reader> readers_;                   // pool of the lists
  ReaderPlace free_readers_;                      // list of free places in it
  std::vector<TaskId> newest_successor_;          // [tasks]
  std::vector<TaskId> predecessor_list_;          // [edges] grouped by successor
  std::vector<std::uint32_t> predecessor_begin_;  // [tasks + 1]
};

}  // namespace factosim
