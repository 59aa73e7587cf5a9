#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "factosim/id.hpp"

namespace factosim {

enum class Urgency : std::uint8_t { fetch, prefetch, idle };

/// Who is told when a request is done.
struct Waiter {
  enum class Kind : std::uint8_t { nobody, worker, message };
  Kind kind = Kind::nobody;
  std::uint32_t id = 0;  // worker of the node, or message
};

/// The wish to have a replica on a memory node. Lives in a pool; named by its index there.
struct TransferRequest {
  static constexpr std::uint32_t none = 0xffffffffU;

  std::uint32_t replica = 0;
  TaskId task{};  // the task it is for, if any
  std::int32_t priority = 0;
  std::uint8_t from = 0, to = 0;  // memory nodes of the node; equal: only memory is wanted
  Urgency urgency = Urgency::fetch;
  bool writes = false;    // the task will write the copy: all others become invalid
  bool promises = false;  // what it brings is kept for the task
  bool canceled = false;
  bool queued = false;     // in its driver's list
  bool under_way = false;  // handed to the bus
  Waiter waiter{};
  std::uint32_t ticket = 0;              // changes whenever it is queued anew
  std::uint32_t next_on_copy = none;     // list of the requests for the same copy
  std::uint32_t first_dependent = none;  // requests for the same copy that end with this one
  std::uint32_t next_dependent = none;
  std::uint32_t second_hop = none;  // to queue when this one has ended
};

/// Requests of one kind waiting for one driver: by priority, first in first out among equals.
class RequestQueue {
 public:
  struct Item {
    std::int32_t priority;
    std::uint32_t ticket;
    std::uint32_t request;
  };
  void push(Item item) {
    items_.push_back(item);
    std::push_heap(items_.begin(), items_.end(), later);
  }
  [[nodiscard]] bool empty() const { return items_.empty(); }
  [[nodiscard]] Item const& top() const { return items_.front(); }
  void pop() {
    std::pop_heap(items_.begin(), items_.end(), later);
    items_.pop_back();
  }

 private:
  static bool later(Item const& a, Item const& b) {
    return a.priority != b.priority ? a.priority < b.priority : a.ticket > b.ticket;
  }
  std::vector<Item> items_;
};

}  // namespace factosim
