#include "simulator/base/plugin/plugin_keys.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace factosim {

namespace {

double read_number(JsonReader const& json, factosim_key const& key) {
  double const x = json.number();
  bool const limited = key.minimum != 0 || key.maximum != 0;
  if (limited && !(x >= key.minimum && x <= key.maximum))
    json.fail(fmt::format("is {} (it must lie between {} and {}). Give a value in that range", x, key.minimum,
                          key.maximum));
  return x;
}

std::int64_t read_integer(JsonReader const& json, factosim_key const& key) {
  constexpr double largest = 1LL << 53;  // every integer up to there is a double
  bool const limited = key.minimum != 0 || key.maximum != 0;
  return json.integer(static_cast<std::int64_t>(limited ? std::max(key.minimum, -largest) : -largest),
                      static_cast<std::int64_t>(limited ? std::min(key.maximum, largest) : largest));
}

OptionValue default_of(factosim_key const& key) {
  switch (key.kind) {
    case FACTOSIM_BOOLEAN:
      return key.default_number != 0;
    case FACTOSIM_INTEGER:
      return static_cast<std::int64_t>(key.default_number);
    case FACTOSIM_NUMBER:
      return key.default_number;
    case FACTOSIM_TEXT:
      return std::string(key.default_text == nullptr ? "" : key.default_text);
    case FACTOSIM_NUMBERS:
      break;
  }
  return std::vector<double>{};
}

OptionValue read_value(JsonReader const& json, factosim_key const& key) {
  switch (key.kind) {
    case FACTOSIM_BOOLEAN:
      return json.boolean();
    case FACTOSIM_INTEGER:
      return read_integer(json, key);
    case FACTOSIM_NUMBER:
      return read_number(json, key);
    case FACTOSIM_TEXT:
      return json.string();
    case FACTOSIM_NUMBERS:
      break;
  }
  std::vector<double> numbers;
  for (JsonReader const& element : json.elements()) numbers.push_back(read_number(element, key));
  return numbers;
}

}  // namespace

ValueRule plugin_rule() { return rule::text("\\.so$"); }

ObjectKeys::Variant plugin_variant(std::string meaning) {
  return {"type", "*.so",
          {},     std::move(meaning),
          ".",    {rule::boolean(), rule::any_number(), rule::text(), rule::array({rule::any_number()})}};
}

std::optional<PluginFile> plugin_file(JsonReader const& object) {
  auto const type = object.find("type");
  if (!type || !type->is_string() || !is_plugin(type->string())) return {};
  return PluginFile{.where = type->where(), .name = type->string(), .path = type->path()};
}

std::vector<OptionValue> read_plugin_values(JsonReader const& object, std::span<factosim_key const> keys) {
  std::vector<OptionValue> values;
  for (factosim_key const& key : keys) {
    auto const given = object.find(key.name);
    values.push_back(given ? read_value(*given, key) : default_of(key));
  }
  return values;
}

nlohmann::ordered_json json_of(OptionValue const& value) {
  return std::visit([](auto const& x) { return nlohmann::ordered_json(x); }, value);
}

}  // namespace factosim
