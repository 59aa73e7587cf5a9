#pragma once

#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace factosim {

/// Returns the number that the whole text is, as "50" or "1e-3"; nothing for other text.
template <class Number>
[[nodiscard]] std::optional<Number> number_in(std::string_view text) {
  Number out{};
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(out) : std::nullopt;
}

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
