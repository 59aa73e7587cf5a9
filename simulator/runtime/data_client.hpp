#pragma once

#include "factosim/id.hpp"

namespace factosim {

/// The memory node where data starts, where messages arrive, and from where output is sent.
inline constexpr LocalMemory first_ram{0};

/// Who waits for a copy.
struct Waiter {
  LocalWorker worker{};  // for an operand of the task that it has taken
  TaskId sender{};       // or the task whose output is to be sent; neither: nothing waits
  [[nodiscard]] bool valid() const { return worker.valid() || sender.valid(); }
};

/// Receives what happens to the data of one node.
class DataClient {
 public:
  virtual ~DataClient() = default;
  /// The copy is there, and the waiter may go on.
  virtual void data_arrived(Waiter const& waiter) = 0;
  /// The driver of that GPU memory has a request to handle or a copy to complete.
  virtual void wake_driver(LocalMemory memory) = 0;
  virtual void start_copy(RequestId request, LocalMemory from, LocalMemory to, LocalReplica replica) = 0;
  /// The replica occupies memory of that GPU from now on.
  virtual void place_taken(LocalReplica replica, LocalMemory memory) = 0;
  /// The replica has given that memory back.
  virtual void place_released(LocalReplica replica, LocalMemory memory) = 0;
};

}  // namespace factosim
