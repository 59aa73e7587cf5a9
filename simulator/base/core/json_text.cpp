#include "simulator/base/core/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace factosim {

namespace {

using Json = nlohmann::ordered_json;

/// A place in a document, on a line of its own.
struct Place {
  std::string_view parent, key;
  std::string indent;
};

/// `place` is null for a value inside of one line.
std::string text_of(Json const& value, InLines in_lines, Place const* place) {
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  if (!value.is_structured()) return json_text(value);
  bool const lines = place != nullptr && !value.empty() && in_lines(place->parent, place->key);
  std::string const indent = lines ? place->indent + "  " : "";
  std::vector<std::string> parts;
  for (auto const& [key, member] : value.items()) {
    Place const inside{place == nullptr ? "" : place->key, key, indent};
    bool const is_member = value.is_object();
    parts.push_back((is_member ? json_text(std::string_view(key)) + ": " : "") +
                    text_of(member, in_lines, lines && is_member ? &inside : nullptr));
  }
  std::string const all =
      lines ? fmt::format("\n{0}{1}\n{2}", indent, fmt::join(parts, ",\n" + indent), place->indent)
            : fmt::format("{}", fmt::join(parts, ", "));
  return value.is_object() ? "{" + all + "}" : "[" + all + "]";
}

}  // namespace

std::string json_file_text(Json const& document, InLines in_lines) {
  Place const whole{};
  return text_of(document, in_lines, &whole) + "\n";
}

}  // namespace factosim
