#pragma once

#include "factosim/id.hpp"

namespace factosim {

/// The memory node where data starts, where messages arrive, and from where output is sent.
inline constexpr LocalMemory first_ram{0};

/// A worker or a message that waits for a copy.
struct Waiter {
  LocalWorker worker{};  // waits for an operand of its task
  TaskId sender{};       // or: the task whose output is to be sent; both invalid: nothing waits
  [[nodiscard]] bool valid() const { return worker.valid() || sender.valid(); }
};

/// Receives events of the data of one node.
class DataClient {
 public:
  virtual ~DataClient() = default;
  /// The copy that the waiter waits for is valid.
  virtual void data_arrived(Waiter const& waiter) = 0;
  /// The driver of that GPU memory has a request to handle or a copy to complete.
  virtual void wake_driver(LocalMemory memory) = 0;
  virtual void start_copy(RequestId request, LocalMemory from, LocalMemory to, LocalReplica replica) = 0;
  /// Memory was allocated for the replica in that memory node.
  virtual void place_taken(LocalReplica replica, LocalMemory memory) = 0;
  /// The memory of the replica in that memory node was released.
  virtual void place_released(LocalReplica replica, LocalMemory memory) = 0;
};

}  // namespace factosim
