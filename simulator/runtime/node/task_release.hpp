#pragma once

#include <utility>
#include <vector>

#include "simulator/runtime/node/kernel_stream.hpp"
#include "simulator/runtime/node/node_parts.hpp"

namespace factosim {

/// Ends a task that a worker has run: releases its data, starts to send its output, and lists the remaining
/// steps of the worker: pushing the tasks that became ready, and a hint about data that no task will use.
class TaskRelease {
 public:
  void complete(KernelStream::Ended const& ended, LocalWorker worker, NodeParts const& node);

  [[nodiscard]] bool has_ready() const { return next_ < ready_.size(); }
  [[nodiscard]] TaskId take_ready() { return ready_[next_++]; }
  [[nodiscard]] bool has_unused() const { return unused_.valid(); }
  void give_hint(NodeData& data) { data.wont_use(std::exchange(unused_, TaskId{})); }

 private:
  std::vector<TaskId> ready_;
  std::size_t next_ = 0;
  TaskId unused_;  // no task on this node will use what it wrote
};

}  // namespace factosim
