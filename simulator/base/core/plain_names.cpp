#include "simulator/base/core/plain_names.hpp"
#include "simulator/base/core/parsed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace factosim {

namespace {

/// Returns the character that `name_in_line` has written at this place, if it has.
std::optional<char> written_at(std::string_view text, std::size_t at) {
  if (text[at] != '%' || at + 2 >= text.size()) return std::nullopt;
  auto const value = parsed<unsigned>(text.substr(at + 1, 2), 16);
  if (!value) return std::nullopt;
  char const c = static_cast<char>(*value);
  bool const written = is_control(c) || std::string_view(" \",%=+-@").find(c) != std::string_view::npos;
  return written ? std::optional(c) : std::nullopt;
}

/// Characters beyond ASCII that a terminal obeys: C1 controls, ends of lines and paragraphs, directions of writing.
constexpr bool is_obeyed(char32_t c) {
  return (c >= 0x80 && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

}  // namespace

std::string name_in_line(std::string_view name, std::string_view special) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    bool const at_end = i == 0 || i + 1 == name.size();
    bool const encoded = is_control(name[i]) || (name[i] == ' ' && at_end) || (i == 0 && is_formula(name)) ||
                         written_at(name, i) || special.find(name[i]) != std::string_view::npos;
    out += encoded ? fmt::format("%{:02X}", static_cast<unsigned char>(name[i])) : std::string(1, name[i]);
  }
  return out;
}

std::string name_of_line(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::optional<char> const written = written_at(text, i);
    out += written.value_or(text[i]);
    if (written) i += 2;
  }
  return out;
}

std::string on_one_line(std::string_view text) {
  constexpr std::size_t longest = 4000;  // bytes: keys and literals of files may be as long as the files
  if (text.size() > longest) {
    auto const begin_of_character = [&](std::size_t at) {
      for (int i = 0; i < 3 && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80; ++i) --at;
      return at;
    };
    std::size_t const first = begin_of_character(longest / 2),
                      last = begin_of_character(text.size() - longest / 4);
    return fmt::format("{} [{} bytes left out] {}", on_one_line(text.substr(0, first)), last - first,
                       on_one_line(text.substr(last)));
  }
  std::string out;
  for (std::size_t i = 0, length = 0; i < text.size(); i += length) {
    length = character_length(text, i);
    char32_t const c = length == 0 ? static_cast<unsigned char>(text[i]) : code_point(text, i, length);
    bool const visible = length > 0 && !is_obeyed(c) && !is_control(text[i]);
    length = std::max<std::size_t>(length, 1);
    if (visible)
      out += text.substr(i, length);
    else if (c == '\n' || c == '\t')
      out += c == '\n' ? "\\n" : "\\t";
    else
      out +=
          c < 0x100 ? fmt::format("\\x{:02x}", std::uint32_t{c}) : fmt::format("\\u{:04x}", std::uint32_t{c});
  }
  return out;
}

}  // namespace factosim
