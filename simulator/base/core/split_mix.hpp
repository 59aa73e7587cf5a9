#pragma once

#include <cstdint>

namespace factosim {

/// A step of SplitMix64 (Steele, Lea, Flood, 2014): increments the counter and mixes its bits.
[[nodiscard]] constexpr std::uint64_t split_mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

}  // namespace factosim
