#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "factosim/quantity.hpp"

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

/// Formats a duration with a suitable unit and four digits: "5.825 s".
[[nodiscard]] std::string format_duration(Seconds s);
/// Formats a difference of durations, with its sign.
[[nodiscard]] std::string format_difference(Seconds s);
/// Formats a relative difference in percent, with its sign: "+1.3 %". What is rounded to 0 is "+0.0 %".
[[nodiscard]] std::string format_change(double relative, int digits = 1);
/// Formats a rate of operations, given in GFlop/s: "810.0 GFlop/s", "39.19 TFlop/s".
[[nodiscard]] std::string format_gflops(double gflops);
/// Formats a size: "3.21 GB".
[[nodiscard]] std::string format_bytes(Bytes b);
/// Formats an integer with digits in groups of three: "2 870".
[[nodiscard]] std::string grouped(std::uint64_t n);
/// Returns the parts of a text that lines of at most so many characters hold, broken at spaces; a longer word has its own line.
[[nodiscard]] std::vector<std::string_view> broken_lines(std::string_view text, std::size_t width);

}  // namespace factosim
