#pragma once

#include <cstdint>
#include <vector>

#include "factosim/eviction.hpp"
#include "factosim/scheduler.hpp"
#include "simulator/base/core/growing_array.hpp"

namespace factosim {

/// The known future uses of the copies on each memory node: by tasks that are planned for it, and by tasks that were
/// handed out to it and have not ended. Chooses the copy that is least used in the future.
/// Source: Gonthier, Marchal, Thibault, "Memory-aware scheduling of tasks sharing data on multiple GPUs with dynamic
/// runtime systems", IPDPS 2022, section IV (LUF); StarPU 1.5 `darts.c` (darts_victim_selector).
class FutureUses {
 public:
  explicit FutureUses(NodeView const& node);

  void plan(TaskId task, LocalMemory memory) { count(planned_, task, memory, 1); }
  void unplan(TaskId task, LocalMemory memory) { count(planned_, task, memory, -1); }
  void hand_out(TaskId task, LocalMemory memory);
  void finish(TaskId task, LocalMemory memory);

  [[nodiscard]] std::int32_t planned(LocalReplica replica, LocalMemory memory) const {
    return planned_[at(replica, memory)];
  }
  [[nodiscard]] std::int32_t handed_out(LocalReplica replica, LocalMemory memory) const {
    return handed_out_[at(replica, memory)];
  }
  /// The tasks handed out to that memory node that have not ended, the first one first.
  [[nodiscard]] std::vector<TaskId> const& running(LocalMemory memory) const {
    return running_[memory.index()];
  }

  /// Returns, of the evictable copies: the least recently used one that no known task uses; else, of those that no
  /// handed-out task uses, the one with the fewest planned uses; else, unless it is for a prefetch, the one whose next
  /// use by handed-out tasks is farthest; an invalid id if there is none. O(copies), and O(copies x handed-out tasks)
  /// in the last case.
  [[nodiscard]] LocalReplica least_used(EvictionRequest const& request) const;

 private:
  [[nodiscard]] std::size_t at(LocalReplica replica, LocalMemory memory) const {
    return replica.index() * memories_ + memory.index();
  }
  void count(GrowingArray<std::int32_t>& uses, TaskId task, LocalMemory memory, std::int32_t by);
  [[nodiscard]] LocalReplica farthest(EvictionRequest const& request) const;

  NodeView const& node_;
  std::size_t memories_;
  GrowingArray<std::int32_t> planned_;        // [replicas][memory nodes]
  GrowingArray<std::int32_t> handed_out_;     // [replicas][memory nodes]
  std::vector<std::vector<TaskId>> running_;  // [memory nodes]
};

}  // namespace factosim
