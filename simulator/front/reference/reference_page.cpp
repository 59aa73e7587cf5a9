#include "simulator/front/reference/file_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "simulator/base/core/json_text.hpp"

namespace factosim {

namespace {

using Kind = ValueRule::Kind;

std::string described(ValueRules const& rules);

std::string described_number(ValueRule const& rule) {
  bool const unlimited = rule.maximum >= largest_quantity;
  if (rule.minimum < 0) return "number";
  if (rule.above_zero) return unlimited ? "number > 0" : fmt::format("number in ]0, {}]", rule.maximum);
  return unlimited ? fmt::format("number ≥ {}", rule.minimum)
                   : fmt::format("number {} to {}", rule.minimum, rule.maximum);
}

std::string described_integer(ValueRule const& rule) {
  if (rule.most >= std::numeric_limits<std::int32_t>::max()) return fmt::format("integer ≥ {}", rule.least);
  return fmt::format("integer {} to {}", rule.least, rule.most);
}

std::string described_words(ValueRule const& rule) {
  std::string out;
  for (std::string const& word : rule.words) out += fmt::format("{}`{}`", out.empty() ? "" : ", ", word);
  return out;
}

std::string described(ValueRule const& rule) {
  switch (rule.kind) {
    case Kind::boolean:
      return "`true`, `false`";
    case Kind::null:
      return "`null`";
    case Kind::integer:
      return described_integer(rule);
    case Kind::number:
      return described_number(rule);
    case Kind::text:
      return "text";
    case Kind::path:
      return "path";
    case Kind::word:
      return described_words(rule);
    case Kind::array:
      return fmt::format("list of: {}", described(rule.items));
    case Kind::map:
      return fmt::format("by name: {}", described(rule.items));
    case Kind::object:
      return fmt::format("[{}](#{})", rule.keys().title, slug(rule.keys()));
    case Kind::any:
      break;
  }
  return "any value";
}

std::string described(ValueRules const& rules) {
  std::string out;
  for (ValueRule const& rule : rules) out += (out.empty() ? "" : "; or ") + described(rule);
  return out;
}

std::string default_of(Key const& key) {
  if (key.required) return "required";
  if (key.default_value.is_null()) return key.default_text;
  if (key.default_value == "") return "empty";
  return fmt::format("`{}`", key.default_value.is_string() ? key.default_value.get<std::string>()
                                                           : json_text(key.default_value));
}

/// Returns the rows of the keys; the columns of units and sources only where a key has any.
std::string rows(std::vector<Key> const& keys) {
  bool const units = std::ranges::any_of(keys, [](Key const& key) { return !unit_of(key.value).empty(); });
  bool const sources = std::ranges::any_of(keys, [](Key const& key) { return !key.source.empty(); });
  auto const row = [&](std::string const& key, std::string const& values, std::string const& unit,
                       std::string const& otherwise, std::string const& meaning, std::string const& source) {
    std::string out = fmt::format("| {} | {} |", key, values);
    if (units) out += fmt::format(" {} |", unit);
    out += fmt::format(" {} | {} |", otherwise, meaning);
    if (sources) out += fmt::format(" {} |", source);
    return out + "\n";
  };
  std::string out = row("key", "values", "unit", "default", "meaning", "source");
  out += row("---", "---", "---", "---", "---", "---");
  for (Key const& key : keys)
    out += row(fmt::format("`{}`", key.name), described(key.value), unit_of(key.value), default_of(key),
               key.meaning, key.source);
  return out + "\n";
}

std::string heading_of(ObjectKeys::Variant const& variant) {
  std::string out = variant.selector.empty() ? std::string("Otherwise")
                    : variant.word.empty()   ? fmt::format("With `{}`", variant.selector)
                                             : fmt::format("`{}`: `{}`", variant.selector, variant.word);
  return variant.meaning.empty() ? fmt::format("**{}**", out)
                                 : fmt::format("**{}.** {}", out, variant.meaning);
}

std::string section(ObjectKeys const& table, std::string_view level) {
  std::string out = fmt::format("{} {}\n\n{}\n\n", level, table.title, table.meaning);
  if (!table.keys.empty()) out += rows(table.keys);
  for (ObjectKeys::Variant const& variant : table.variants) {
    out += heading_of(variant) + "\n\n";
    if (!variant.keys.empty()) out += rows(variant.keys);
    if (!variant.other_names.empty())
      out +=
          fmt::format("Any key that matches `{}`: {}.\n\n", variant.other_names, described(variant.others));
  }
  return out;
}

void add_sections(std::string& out, std::vector<KeysFunction>& done, KeysFunction keys,
                  std::string_view level) {
  if (std::ranges::find(done, keys) != done.end()) return;
  done.push_back(keys);
  out += section(keys(), level);
  for (KeysFunction const inner : tables_within(keys())) add_sections(out, done, inner, "###");
}

}  // namespace

std::string reference_page() {
  std::string out =
      "# Keys\n\n"
      "All keys of the files that users write. `factosim reference` prints this page from the tables by "
      "which the program reads them; `factosim reference --schema KIND` prints the same as JSON Schema. An "
      "unknown key is an error, except `$comment`, which every object may have. Relative paths start from "
      "the folder of the file. Conditions between several values are named with the keys or in the "
      "messages.\n\n";
  for (FileKind const& kind : file_kinds())
    out += fmt::format("- [{}](#{}): {}\n", kind.name, slug(kind.keys()), kind.keys().meaning);
  out += "\n";
  std::vector<KeysFunction> done;
  for (FileKind const& kind : file_kinds()) add_sections(out, done, kind.keys, "##");
  out.pop_back();
  return out;
}

}  // namespace factosim
