#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "factosim/task_graph.hpp"

namespace factosim {

/// Turns tasks submitted one after the other, as a sequential program would run them, into a task graph. What
/// a task waits for follows from its accesses: a reader waits for the last writer; a writer waits for the
/// readers since then, or for the last writer if there were none. A handle that a task names twice is one
/// access of both modes. O(1) amortised per access.
class SequentialTaskFlow {
 public:
  KernelId add_kernel(Kernel kernel);
  HandleId add_handle(HandleInfo handle);
  TaskId submit(KernelId kernel, std::int32_t priority, TaskIndices indices,
                std::span<DataAccess const> accesses);
  /// The application will not write the handle for a while: see TaskGraph::writes_back.
  void wont_use(HandleId handle);
  /// What the task read is flushed after it: see TaskGraph::flushes_inputs.
  void flush_inputs(TaskId task);

  /// Tasks submitted from now on belong to that phase; phases of one name are one.
  void begin_phase(Phase phase);
  /// The program waits for all tasks so far, on all nodes: see TaskGraph::barriers.
  void barrier();
  /// What nodes have received is dropped: see TaskGraph::cache_flushes.
  void flush_cache();

  /// The graph; the flow is empty afterwards.
  TaskGraph finish() &&;

 private:
  static constexpr std::uint32_t none = 0xffffffffU;

  /// Who last wrote a handle, and the list of who has read it since.
  struct LastUse {
    std::uint32_t writer = none;
    std::uint32_t first_reader = none;  // into readers_
  };
  struct Reader {
    std::uint32_t task;
    std::uint32_t next;  // into readers_
  };

  void add_access(DataAccess access);
  void depend_on(std::uint32_t task);

  TaskGraph graph_;
  std::uint8_t phase_ = 0;                        // of the next task, into graph_.phases
  std::vector<LastUse> last_use_;                 // [handles]
  std::vector<Reader> readers_;                   // pool of the lists
  std::uint32_t free_readers_ = none;             // list of free places in it
  std::vector<std::uint32_t> newest_successor_;   // [tasks] the last one that waits for it, so far
  std::vector<TaskId> predecessor_list_;          // [edges] of task after task
  std::vector<std::uint32_t> predecessor_begin_;  // [tasks + 1]
};

}  // namespace factosim
