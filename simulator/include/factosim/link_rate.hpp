#pragma once

#include "factosim/quantity.hpp"

namespace factosim {

/// Speed of a link: a lone transfer over it takes latency + size / bandwidth.
struct LinkRate {
  BytesPerSecond bandwidth{};
  Seconds latency{};
  bool operator==(LinkRate const&) const = default;
};

}  // namespace factosim
