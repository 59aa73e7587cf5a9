#pragma once

#include <cstdint>
#include <string>

#include "factosim/quantity.hpp"

namespace factosim {

/// A number of seconds with a fitting unit and four digits: "5.825 s".
[[nodiscard]] std::string format_duration(Seconds s);
/// The same of a difference, with its sign.
[[nodiscard]] std::string format_difference(Seconds s);
/// "3.21 GB".
[[nodiscard]] std::string format_bytes(Bytes b);
/// Digits in groups of three: "2 870".
[[nodiscard]] std::string grouped(std::uint64_t n);

}  // namespace factosim
