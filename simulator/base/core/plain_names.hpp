#pragma once

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
/// direction of writing \u202e, and bytes that are not UTF-8 \xff.
[[nodiscard]] std::string on_one_line(std::string_view text);

}  // namespace factosim
