#pragma once

#include <cstdint>
#include <string>

namespace factosim {

/// A colour of the sRGB space.
struct Color {
  std::uint8_t red = 0, green = 0, blue = 0;
  bool operator==(Color const&) const = default;
};

/// Returns true if white text is easier to read on the colour than black text.
[[nodiscard]] bool is_dark(Color color);

/// Returns the colour in CSS notation: "#0072b2".
[[nodiscard]] std::string hex_of(Color color);

}  // namespace factosim
