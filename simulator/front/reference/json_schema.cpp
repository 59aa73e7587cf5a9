#include "simulator/front/reference/file_kinds.hpp"

#include <fmt/format.h>

#include <limits>

#include "simulator/base/core/json_reader.hpp"

namespace factosim {

namespace {

using Json = nlohmann::ordered_json;
using Kind = ValueRule::Kind;

Json schema_of(ValueRules const& rules);

Json number_schema(ValueRule const& rule) {
  Json out = {{"type", "number"}};
  if (rule.above_zero) out["minimum"] = smallest_quantity;
  if (!rule.above_zero && rule.minimum > -std::numeric_limits<double>::max()) out["minimum"] = rule.minimum;
  if (rule.maximum < std::numeric_limits<double>::max()) out["maximum"] = rule.maximum;
  return out;
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
      return {{"type", "integer"}, {"minimum", rule.least}, {"maximum", rule.most}};
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

}  // namespace factosim
