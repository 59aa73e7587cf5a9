#pragma once

#include <array>
#include <charconv>

namespace factosim {

/// Rounds to 12 significant digits. Removes the rounding error of a change of units (microseconds to seconds) of
/// a number with few digits.
inline double rounded_to_12_digits(double value) {
  std::array<char, 32> text{};
  char* const begin = text.data();
  char* const end = std::to_chars(begin, begin + text.size(), value, std::chars_format::scientific, 11).ptr;
  double rounded = 0;
  std::from_chars(begin, end, rounded);
  return rounded;
}

}  // namespace factosim
