#pragma once

#include <algorithm>

#include "factosim/error.hpp"
#include "factosim/quantity.hpp"

namespace factosim {

/// A resource that serves one caller at a time, first come, first served.
class SerialServer {
 public:
  /// Returns how long a caller that arrives at `now` waits until its service, which takes `duration`, ends.
  Seconds serve(Seconds duration, Seconds now) {
    FACTOSIM_EXPECT(duration.value >= 0, "a service ends before it begins");
    free_at_ = std::max(free_at_, now) + duration;
    return free_at_ - now;
  }
  /// Returns the remaining time of a service in progress; 0 without one.
  [[nodiscard]] Seconds busy_for(Seconds now) const { return now < free_at_ ? free_at_ - now : Seconds{0}; }

 private:
  Seconds free_at_{0};
};

}  // namespace factosim
