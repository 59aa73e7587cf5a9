#pragma once

#include <string>
#include <string_view>

namespace factosim {

/// What a text says of a quantity.
struct StatedQuantity {
  double value = 0;
  std::string mistake{};  // `problem (why). what to do`, to follow the text; empty: none
};

/// Returns whether numbers of that unit may be written as text with a unit: "s", "B", "B/s" and "W" may.
[[nodiscard]] bool may_be_text(std::string_view unit);

/// Reads "10 GB/s" or "80Gb/s" as a number of `unit`, which may be text: GB are 10^9 bytes, GiB 2^30, and b is a bit. Of
/// powers of ten the value is that of the number written in `unit`, to the last digit.
[[nodiscard]] StatedQuantity stated_quantity(std::string_view text, std::string_view unit);

/// Returns what to write for a number of `unit`, which may be text: `Write "20 us", or the number in s`.
[[nodiscard]] std::string quantity_remedy(std::string_view unit);

/// Returns a regular expression of the texts that state a number of `unit`, which may be text.
[[nodiscard]] std::string quantity_pattern(std::string_view unit);

}  // namespace factosim
