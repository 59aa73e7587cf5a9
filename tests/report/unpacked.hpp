// The inverse of `packed`, as the browser does it.

#pragma once

#include <zlib.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "factosim/error.hpp"

namespace factosim::testing {

inline std::string from_base64(std::string_view text) {
  std::array<int, 256> value{};
  value.fill(-1);
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t d = 0; d < digits.size(); ++d)
    value[static_cast<std::uint8_t>(digits[d])] = static_cast<int>(d);
  std::string out;
  std::uint32_t group = 0;
  int bits = 0;
  for (char const c : text) {
    if (c == '=') break;
    int const digit = value[static_cast<std::uint8_t>(c)];
    FACTOSIM_ALWAYS(digit >= 0, "a digit of base 64");
    group = group << 6U | static_cast<std::uint32_t>(digit);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out += static_cast<char>(group >> static_cast<unsigned>(bits) & 255U);
  }
  return out;
}

/// Returns the bytes of an array packed by `packed`, with elements of `size` bytes.
inline std::string unpacked(std::string_view text, std::size_t size) {
  std::string const bytes = from_base64(text);
  std::string out;
  z_stream stream{};
  FACTOSIM_ALWAYS(inflateInit(&stream) == Z_OK, "zlib starts");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::array<char, 1U << 16U> part{};
  int status = Z_OK;
  while (status == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = static_cast<uInt>(part.size());
    status = inflate(&stream, Z_NO_FLUSH);
    out.append(part.data(), part.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  FACTOSIM_ALWAYS(status == Z_STREAM_END && out.size() % size == 0, "a whole stream of whole elements");
  // The first bytes of all elements came first.
  std::size_t const count = out.size() / size;
  std::string elements;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t b = 0; b < size; ++b) elements += out[b * count + i];
  return elements;
}

}  // namespace factosim::testing
