#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <type_traits>

namespace factosim {

/// Returns the number that the whole text is, as std::from_chars reads it; nothing if it is none, or beyond the type. `base`:
/// of whole numbers.
template <class Number>
[[nodiscard]] std::optional<Number> parsed(std::string_view text, [[maybe_unused]] int base = 10) {
  char const* const last = text.data() + text.size();
  Number value{};
  std::from_chars_result read{};
  if constexpr (std::is_floating_point_v<Number>)
    read = std::from_chars(text.data(), last, value);
  else
    read = std::from_chars(text.data(), last, value, base);
  return read.ec == std::errc{} && read.ptr == last ? std::optional(value) : std::nullopt;
}

}  // namespace factosim
