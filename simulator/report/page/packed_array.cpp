#include "simulator/report/page/packed_array.hpp"

#include <zlib.h>

#include <array>
#include <bit>
#include <string_view>

#include "factosim/error.hpp"

namespace factosim {

namespace {

static_assert(std::endian::native == std::endian::little, "numbers are taken as they lie in memory");

constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string base64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::size_t const left = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t b = 0; b < 3; ++b)
      group = group << 8U | (b < left ? static_cast<std::uint8_t>(bytes[i + b]) : 0U);
    for (std::size_t d = 0; d < 4; ++d)
      out += d <= left ? digits[group >> (18U - 6U * static_cast<unsigned>(d)) & 63U] : '=';
  }
  return out;
}

std::string from_base64(std::string_view text) {
  std::array<int, 256> value{};
  value.fill(-1);
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

std::string deflated(std::string_view bytes) {
  constexpr int level = 6;
  uLongf size = compressBound(bytes.size());
  std::string out(size, '\0');
  int const status = compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                               reinterpret_cast<Bytef const*>(bytes.data()), bytes.size(), level);
  FACTOSIM_ALWAYS(status == Z_OK, "zlib compresses what lies in memory");
  out.resize(size);
  return out;
}

/// Returns all first bytes of elements of `size` bytes, then all second bytes, and so on.
std::string planes(std::string_view bytes, std::size_t size) {
  std::string out;
  out.reserve(bytes.size());
  for (std::size_t plane = 0; plane < size; ++plane)
    for (std::size_t i = plane; i < bytes.size(); i += size) out += bytes[i];
  return out;
}

template <class Element>
std::string packed_elements(std::span<Element const> values) {
  std::string_view const bytes{reinterpret_cast<char const*>(values.data()), values.size_bytes()};
  return base64(deflated(planes(bytes, sizeof(Element))));
}

}  // namespace

std::string packed(std::span<std::uint8_t const> values) { return packed_elements(values); }
std::string packed(std::span<std::uint16_t const> values) { return packed_elements(values); }
std::string packed(std::span<std::uint32_t const> values) { return packed_elements(values); }
std::string packed(std::span<float const> values) { return packed_elements(values); }
std::string packed(std::span<double const> values) { return packed_elements(values); }

std::string unpacked(std::string_view text, std::size_t size) {
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
  return planes(out, out.size() / size);  // back: the elements are the planes of the planes
}

}  // namespace factosim
