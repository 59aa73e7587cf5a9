#include "simulator/core/plain_names.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

namespace factosim {

namespace {

/// Returns the character that `name_in_line` has written at this place, if it has.
std::optional<char> written_at(std::string_view text, std::size_t at) {
  if (text[at] != '%' || at + 2 >= text.size()) return std::nullopt;
  unsigned value = 0;
  char const* const last = text.data() + at + 3;
  if (auto const [end, error] = std::from_chars(text.data() + at + 1, last, value, 16);
      error != std::errc{} || end != last)
    return std::nullopt;
  char const c = static_cast<char>(value);
  bool const written = is_control(c) || std::string_view(" \",%=+-@").find(c) != std::string_view::npos;
  return written ? std::optional(c) : std::nullopt;
}

/// The characters U+0080 to U+009F, which some terminals obey: two bytes of UTF-8, the first of them 0xc2.
bool is_wide_control(std::string_view text, std::size_t at) {
  return text[at] == '\xc2' && at + 1 < text.size() &&
         (static_cast<unsigned char>(text[at + 1]) & 0xe0U) == 0x80;
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
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n')
      out += "\\n";
    else if (text[i] == '\t')
      out += "\\t";
    else if (is_wide_control(text, i))
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[++i]));
    else if (is_control(text[i]))
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[i]));
    else
      out += text[i];
  }
  return out;
}

}  // namespace factosim
