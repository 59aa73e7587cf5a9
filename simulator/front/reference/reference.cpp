#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "simulator/base/core/json_reader.hpp"
#include "simulator/base/core/json_text.hpp"
#include "simulator/base/core/quantity_text.hpp"
#include "simulator/front/reference/file_kinds.hpp"

namespace factosim {

namespace {

using Json = nlohmann::ordered_json;
using Kind = ValueRule::Kind;

Json schema_of(ValueRules const& rules);

/// Returns the schema of a number, which may be text with a unit if it has one of these.
Json or_text(Json number, std::string const& unit) {
  if (!may_be_text(unit)) return number;
  return {{"anyOf", {std::move(number), Json{{"type", "string"}, {"pattern", quantity_pattern(unit)}}}}};
}

Json number_schema(ValueRule const& rule) {
  Json out = {{"type", "number"}};
  if (rule.above_zero) out["minimum"] = smallest_quantity;
  if (!rule.above_zero && rule.minimum > -std::numeric_limits<double>::max()) out["minimum"] = rule.minimum;
  if (rule.maximum < std::numeric_limits<double>::max()) out["maximum"] = rule.maximum;
  return or_text(std::move(out), rule.unit);
}

Json array_schema(ValueRule const& rule) {
  Json out = {{"type", "array"}, {"items", schema_of(rule.items)}};
  if (rule.min_items > 0) out["minItems"] = rule.min_items;
  if (rule.max_items != ValueRule::unlimited) out["maxItems"] = rule.max_items;
  return out;
}

Json map_schema(ValueRule const& rule) {
  Json out = {{"type", "object"}, {"properties", {{comment_key, Json::object()}}}};
  if (rule.pattern.empty()) {
    out["additionalProperties"] = schema_of(rule.items);
  } else {
    out["patternProperties"] = {{rule.pattern, schema_of(rule.items)}};
    out["additionalProperties"] = false;
  }
  if (rule.min_items > 0) out["minProperties"] = rule.min_items;
  return out;
}

Json schema_of(ValueRule const& rule) {
  switch (rule.kind) {
    case Kind::boolean:
      return {{"type", "boolean"}};
    case Kind::null:
      return {{"type", "null"}};
    case Kind::integer:
      return or_text({{"type", "integer"}, {"minimum", rule.least}, {"maximum", rule.most}}, rule.unit);
    case Kind::number:
      return number_schema(rule);
    case Kind::text:
      return rule.pattern.empty() ? Json{{"type", "string"}}
                                  : Json{{"type", "string"}, {"pattern", rule.pattern}};
    case Kind::path:
      return {{"type", "string"}, {"minLength", 1}};
    case Kind::word:
      return {{"enum", rule.words}};
    case Kind::array:
      return array_schema(rule);
    case Kind::map:
      return map_schema(rule);
    case Kind::object:
      return {{"$ref", "#/$defs/" + slug(rule.keys())}};
    case Kind::any:
      break;
  }
  return Json::object();
}

Json schema_of(ValueRules const& rules) {
  if (rules.size() == 1) return schema_of(rules.front());
  Json alternatives = Json::array();
  for (ValueRule const& rule : rules) alternatives.push_back(schema_of(rule));
  return {{"anyOf", alternatives}};
}

Json schema_of(Key const& key) {
  Json out = schema_of(key.value);
  std::string description = key.meaning;
  if (std::string const unit = unit_of(key.value); !unit.empty()) description += fmt::format(" [{}]", unit);
  if (!key.default_text.empty()) description += fmt::format(". Default: {}", key.default_text);
  if (!key.source.empty()) description += fmt::format(". Source: {}", key.source);
  out["description"] = description;
  if (!key.default_value.is_null()) out["default"] = key.default_value;
  return out;
}

/// Returns the schema of the objects of a variant; of all objects if it is null.
Json object_schema(ObjectKeys const& table, ObjectKeys::Variant const* variant) {
  Json properties = {{comment_key, Json::object()}};
  Json required = Json::array();
  auto const add = [&](std::vector<Key> const& keys) {
    for (Key const& key : keys) {
      properties[key.name] = schema_of(key);
      if (key.required) required.push_back(key.name);
    }
  };
  add(table.keys);
  if (variant != nullptr) add(variant->keys);
  Json out = {{"type", "object"}, {"properties", properties}};
  if (variant != nullptr && !variant->meaning.empty()) out["description"] = variant->meaning;
  if (!required.empty()) out["required"] = required;
  if (variant != nullptr && !variant->other_names.empty())
    out["patternProperties"] = {{variant->other_names, schema_of(variant->others)}};
  out["additionalProperties"] = false;
  return out;
}

/// Returns the regular expression of words that end so; the ending has no special characters but dots.
std::string pattern_of_ending(std::string_view ending) {
  std::string out;
  for (char const c : ending) out += c == '.' ? std::string("\\.") : std::string(1, c);
  return out + "$";
}

/// Returns the condition under which a variant applies: the path to the selector exists, and leads to its word.
Json condition(std::string_view selector, std::string const& word) {
  std::size_t const end = selector.find('/');
  std::string const key(selector.substr(0, end));
  Json out = {{"type", "object"}, {"required", {key}}};
  if (end != std::string_view::npos)
    out["properties"][key] = condition(selector.substr(end + 1), word);
  else if (word.starts_with('*'))
    out["properties"][key] = {{"type", "string"}, {"pattern", pattern_of_ending(word.substr(1))}};
  else if (!word.empty())
    out["properties"][key] = {{"const", word}};
  return out;
}

Json definition(ObjectKeys const& table) {
  if (table.variants.empty()) {
    Json out = object_schema(table, nullptr);
    out["description"] = table.meaning;
    return out;
  }
  Json rest = false;
  for (auto variant = table.variants.rbegin(); variant != table.variants.rend(); ++variant) {
    Json const own = object_schema(table, &*variant);
    rest = variant->selector.empty()
               ? own
               : Json{{"if", condition(variant->selector, variant->word)}, {"then", own}, {"else", rest}};
  }
  return {{"description", table.meaning}, {"type", "object"}, {"allOf", Json::array({rest})}};
}

void add_definitions(Json& definitions, KeysFunction keys) {
  ObjectKeys const& table = keys();
  if (definitions.contains(slug(table))) return;
  definitions[slug(table)] = definition(table);
  for (KeysFunction const inner : tables_within(table)) add_definitions(definitions, inner);
}

}  // namespace

nlohmann::ordered_json json_schema(FileKind const& kind) {
  Json definitions = Json::object();
  add_definitions(definitions, kind.keys);
  return {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
          {"title", fmt::format("factosim {}", kind.name)},
          {"$ref", "#/$defs/" + slug(kind.keys())},
          {"$defs", definitions}};
}

namespace {

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
      "the folder of the file. A number in s, B, B/s or W may also be text with a unit: `\"20 us\"`, "
      "`\"64 GiB\"`, `\"10 GB/s\"`, `\"80 Gb/s\"` (GB: 10⁹ bytes; GiB: 2³⁰; b: a bit). Conditions between "
      "several values are named with the keys or in the "
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
