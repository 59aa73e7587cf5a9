#pragma once

#include "factosim/result.hpp"

namespace factosim {

/// A makespan that was not simulated, and how it was found.
struct MakespanEstimate {
  Seconds makespan;
  Result::Detail detail;
};

}  // namespace factosim
