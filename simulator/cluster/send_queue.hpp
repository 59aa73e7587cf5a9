#pragma once

#include <cstdint>

#include "factosim/id.hpp"
#include "simulator/core/priority_fifo.hpp"

namespace factosim {

/// Messages that one node can send, and the number of those that it is sending.
class SendQueue {
 public:
  void push(std::int32_t priority, MessageId message) { waiting_.push({priority, next_ticket_++, message}); }
  /// Returns whether a message waits and fewer than `limit` are being sent.
  [[nodiscard]] bool can_start(int limit) const { return in_flight_ < limit && !waiting_.empty(); }
  /// Returns the most urgent message, which is being sent from now on.
  MessageId start() {
    ++in_flight_;
    return waiting_.pop().value;
  }
  void end() { --in_flight_; }

 private:
  PriorityFifo<MessageId> waiting_;
  std::uint32_t next_ticket_ = 0;
  int in_flight_ = 0;
};

}  // namespace factosim
