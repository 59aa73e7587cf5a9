#pragma once

#include <cstdint>

namespace factosim {

/// Something that waits, for a heap: the highest priority first, then what began to wait first.
template <class What>
struct ByUrgency {
  std::int32_t priority = 0;
  std::uint64_t sequence = 0;
  What what{};

  [[nodiscard]] bool operator<(ByUrgency const& other) const {
    return priority != other.priority ? priority < other.priority : sequence > other.sequence;
  }
};

}  // namespace factosim
