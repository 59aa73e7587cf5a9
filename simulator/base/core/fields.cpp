#include "simulator/base/core/fields.hpp"

#include <algorithm>

#include "factosim/error.hpp"

namespace factosim {

AnyField completed(AnyField field, void const* defaults) {
  Key& key = field.key;
  FACTOSIM_EXPECT(!key.name.empty() && !key.value.empty(), "a key has a name and a rule");
  key.required = key.required || !key.missing.empty();
  if (defaults == nullptr || !field.write) return field;
  bool const stated = key.required || !key.default_text.empty() || !key.default_value.is_null();
  if (!stated || field.echo == Echo::if_changed) field.unchanged = field.write(defaults);
  if (!stated) key.default_value = field.unchanged;
  return field;
}

std::vector<Key> keys_of(std::span<AnyField const> fields) {
  std::vector<Key> out;
  out.reserve(fields.size());
  for (AnyField const& field : fields) out.push_back(field.key);
  return out;
}

void read_fields(JsonReader const& json, std::span<AnyField const> fields, void* object) {
  for (AnyField const& field : fields) {
    Key const& key = field.key;
    auto const value = key.required
                           ? std::optional(json.at(key.name, key.missing.empty() ? key.meaning : key.missing))
                           : json.find(key.name);
    if (!value) continue;
    if (field.read) field.read(*value, object);
    if (field.check) field.check(*value, object);
  }
}

void write_fields(nlohmann::ordered_json& out, std::span<AnyField const> fields, void const* object) {
  std::vector<AnyField const*> echoed;
  for (AnyField const& field : fields)
    if (field.write && field.echo != Echo::never && (!field.applies || field.applies(object)))
      echoed.push_back(&field);
  std::ranges::stable_sort(echoed, {}, &AnyField::rank);
  for (AnyField const* const field : echoed) {
    nlohmann::ordered_json value = field->write(object);
    bool const left_out = value.is_null() || (field->echo == Echo::if_changed && value == field->unchanged);
    if (!left_out) out[field->key.name] = std::move(value);
  }
}

AnyField const* AnyObject::field_of_short_form() const {
  auto const found =
      std::ranges::find_if(fields, [&](AnyField const& field) { return field.key.name == short_form; });
  return found == fields.end() ? nullptr : &*found;
}

void read_object(JsonReader const& json, AnyObject const& fields, void* object) {
  if (AnyField const* const field = fields.field_of_short_form(); field != nullptr && json.is_string())
    return field->read(json, object);
  read_fields(json, fields.fields, object);
  if (auto const* const variant = fields.keys.variant_of(json.value()))
    read_fields(json,
                fields.fields_of_variants[static_cast<std::size_t>(variant - fields.keys.variants.data())],
                object);
  json.finish();
}

nlohmann::ordered_json write_object(AnyObject const& fields, void const* object) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  write_fields(out, fields.fields, object);
  if (fields.keys.variants.empty()) return out;
  nlohmann::json const common = out;  // by which the variants are told apart
  if (auto const* const variant = fields.keys.variant_of(common))
    write_fields(out,
                 fields.fields_of_variants[static_cast<std::size_t>(variant - fields.keys.variants.data())],
                 object);
  return out;
}

}  // namespace factosim
