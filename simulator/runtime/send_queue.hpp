#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace factosim {

/// The messages that one node has ready to send: at most `limit` under way, the most urgent first, first in
/// first out among equals.
class SendQueue {
 public:
  void push(std::int32_t priority, std::uint32_t message) {
    waiting_.push_back({priority, next_sequence_++, message});
    std::push_heap(waiting_.begin(), waiting_.end(), later);
  }
  [[nodiscard]] bool can_start(int limit) const { return under_way_ < limit && !waiting_.empty(); }
  std::uint32_t start() {
    std::pop_heap(waiting_.begin(), waiting_.end(), later);
    std::uint32_t const message = waiting_.back().message;
    waiting_.pop_back();
    ++under_way_;
    return message;
  }
  void end() { --under_way_; }

 private:
  struct Entry {
    std::int32_t priority;
    std::uint32_t sequence;
    std::uint32_t message;
  };
  static bool later(Entry const& a, Entry const& b) {
    return a.priority != b.priority ? a.priority < b.priority : a.sequence > b.sequence;
  }
  std::vector<Entry> waiting_;
  std::uint32_t next_sequence_ = 0;
  int under_way_ = 0;
};

}  // namespace factosim
