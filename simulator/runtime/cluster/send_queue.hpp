#pragma once

#include <cstdint>

#include "factosim/error.hpp"
#include "factosim/id.hpp"
#include "simulator/base/core/priority_fifo.hpp"

namespace factosim {

/// Messages or transfers that wait for one sender or connection, and the number of those that it is sending.
template <class Id>
class SendQueue {
 public:
  void push(std::int32_t priority, Id id) { waiting_.push({priority, next_ticket_++, id}); }
  /// Returns whether one waits and fewer than `limit` are being sent.
  [[nodiscard]] bool can_start(int limit) const { return in_flight_ < limit && !waiting_.empty(); }
  /// Returns the most urgent one, which is being sent from now on.
  Id start() {
    FACTOSIM_EXPECT(!waiting_.empty(), "a send starts where none waits");
    ++in_flight_;
    return waiting_.pop().value;
  }
  void end() {
    FACTOSIM_EXPECT(in_flight_ > 0, "a send ends that was not started");
    --in_flight_;
  }

 private:
  PriorityFifo<Id> waiting_;
  std::uint32_t next_ticket_ = 0;
  int in_flight_ = 0;
};

}  // namespace factosim
