#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace factosim {

/// Returns true for bytes below 32, and 127.
[[nodiscard]] constexpr bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) == 0x7f;
}

/// Returns a name as a part of a line of a text format. Control characters, spaces at the ends, a first = + - or @,
/// which spreadsheets take for a formula, and the characters of `special` become %XX, their bytes in hexadecimal,
/// and so does a percent sign that `name_of_line` would take for the begin of such a byte. `special` may contain
/// spaces, quotation marks and commas.
[[nodiscard]] std::string name_in_line(std::string_view name, std::string_view special = {});

/// Returns the name that `name_in_line` has written. Other text stays as it is.
[[nodiscard]] std::string name_of_line(std::string_view text);

/// Returns true if a spreadsheet takes the text of a cell for a formula: it begins with = + - @, or a tab or the
/// end of a line, after which one may follow.
[[nodiscard]] constexpr bool is_formula(std::string_view cell) {
  return !cell.empty() && std::string_view("=+-@\t\r\n").find(cell.front()) != std::string_view::npos;
}

/// Returns text on one line, for a terminal: control characters become \n, \t or \x1b, marks of lines and of the
/// direction of writing \u202e, and bytes that are not UTF-8 \xff. Of a long text the middle is left out.
[[nodiscard]] std::string on_one_line(std::string_view text);

/// Returns the code point of the UTF-8 character of so many bytes (1 to 4) at `at`.
[[nodiscard]] constexpr char32_t code_point(std::string_view text, std::size_t at, std::size_t length) {
  auto const byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (length == 1) return byte(at);
  char32_t point = byte(at) & (0xffU >> (length + 1));
  for (std::size_t i = at + 1; i < at + length; ++i) point = (point << 6U) | (byte(i) & 0x3fU);
  return point;
}

/// Returns the number of bytes of the UTF-8 character that begins at `at`, 0 if none does (RFC 3629: surrogates,
/// code points above U+10FFFF and those in more bytes than needed are none).
[[nodiscard]] constexpr std::size_t character_length(std::string_view text, std::size_t at) {
  auto const first = static_cast<unsigned char>(text[at]);
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  std::size_t const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (at + length > text.size()) return 0;
  for (std::size_t i = at + 1; i < at + length; ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xc0U) != 0x80) return 0;
  char32_t const point = code_point(text, at, length);
  bool const surrogate = point >= 0xd800 && point < 0xe000;
  bool const shortest = length == 2 || point >= (length == 3 ? 0x800 : 0x10000);
  return shortest && !surrogate && point <= 0x10ffff ? length : 0;
}

}  // namespace factosim
