#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "factosim/flow_sink.hpp"
#include "factosim/task_graph.hpp"

namespace factosim {

/// Builds a task graph from tasks submitted in the order of a sequential program. Dependencies follow from
/// accesses: a reader depends on the last writer; a writer depends on the readers since then, or on the last
/// writer if there are none. Two accesses of a task to one handle become one access of both modes.
/// O(1) amortised per access.
class SequentialTaskFlow final : public FlowSink {
 public:
  KernelId add_kernel(Kernel kernel) override;
  HandleId add_handle(HandleInfo handle) override;
  using FlowSink::submit;
  TaskId submit(KernelId kernel, std::int32_t priority, TaskIndices indices,
                std::span<DataAccess const> accesses) override;
  /// Makes the task that is submitted next depend on that one, whatever their accesses.
  void wait_for(TaskId task) { waits_.push_back(task); }
  /// Sets the factors of the durations of a submitted task: see TaskGraph::weights.
  void set_weight(TaskId task, TaskWeight weight);
  void wont_use(HandleId handle) override;
  void last_write(HandleId handle) override { last_use_[handle.index()].may_be_written = false; }
  void last_use(HandleId handle) override { last_use_[handle.index()].may_be_used = false; }
  void flush_inputs(TaskId task) override;
  void begin_phase(Phase phase) override;
  void barrier() override;
  void flush_cache() override;

  /// Returns the graph and leaves an empty flow.
  TaskGraph finish() &&;

 private:
  using ReaderPlace = Id<struct ReaderTag>;  // in readers_

  /// The last writer of a handle and the list of its readers since then.
  struct LastUse {
    TaskId writer;
    ReaderPlace first_reader;
    bool may_be_written = true, may_be_used = true;  // as the program has stated
  };
  struct Reader {
    TaskId task;
    ReaderPlace next;
  };

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
