#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "factosim/id.hpp"

namespace factosim {

/// Messages that one node can send, the most urgent first, first in first out among equals; and the number of
/// those that it is sending.
class SendQueue {
 public:
  void push(std::int32_t priority, MessageId message) {
    waiting_.push_back({priority, next_sequence_++, message});
    std::push_heap(waiting_.begin(), waiting_.end(), later);
  }
  /// Returns whether a message waits and fewer than `limit` are being sent.
  [[nodiscard]] bool can_start(int limit) const { return in_flight_ < limit && !waiting_.empty(); }
  /// Returns the most urgent message, which is being sent from now on.
  MessageId start() {
    std::pop_heap(waiting_.begin(), waiting_.end(), later);
    MessageId const message = waiting_.back().message;
    waiting_.pop_back();
    ++in_flight_;
    return message;
  }
  void end() { --in_flight_; }

 private:
  struct Entry {
    std::int32_t priority;
    std::uint32_t sequence;
    MessageId message;
  };
  static bool later(Entry const& a, Entry const& b) {
    return a.priority != b.priority ? a.priority < b.priority : a.sequence > b.sequence;
  }
  std::vector<Entry> waiting_;  // heap
  std::uint32_t next_sequence_ = 0;
  int in_flight_ = 0;
};

}  // namespace factosim
