#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "factosim/quantity.hpp"

namespace factosim {

/// Formats a duration with a suitable unit and four digits: "5.825 s".
[[nodiscard]] std::string format_duration(Seconds s);
/// Formats a difference of durations, with its sign.
[[nodiscard]] std::string format_difference(Seconds s);
/// Formats a rate of operations, given in GFlop/s: "810.0 GFlop/s", "39.19 TFlop/s".
[[nodiscard]] std::string format_gflops(double gflops);
/// Formats a size: "3.21 GB".
[[nodiscard]] std::string format_bytes(Bytes b);
/// Formats an integer with digits in groups of three: "2 870".
[[nodiscard]] std::string grouped(std::uint64_t n);
/// Returns the parts of a text that lines of at most so many characters hold, broken at spaces; a longer word has its own line.
[[nodiscard]] std::vector<std::string_view> broken_lines(std::string_view text, std::size_t width);

}  // namespace factosim
