#include "simulator/base/core/value_rules.hpp"

#include <algorithm>

namespace factosim {

namespace {

/// Returns the value at a path of keys, "application/type"; null without one.
nlohmann::json const* value_at(nlohmann::json const& object, std::string_view path) {
  nlohmann::json const* value = &object;
  while (!path.empty()) {
    std::string const key(path.substr(0, path.find('/')));
    path.remove_prefix(std::min(path.size(), key.size() + 1));
    if (!value->is_object()) return nullptr;
    auto const member = value->find(key);
    if (member == value->end()) return nullptr;
    value = &*member;
  }
  return value;
}

bool applies(ObjectKeys::Variant const& variant, nlohmann::json const& object) {
  if (variant.selector.empty()) return true;
  nlohmann::json const* const value = value_at(object, variant.selector);
  if (value == nullptr || variant.word.empty()) return value != nullptr;
  if (!value->is_string()) return false;
  std::string_view const word = variant.word, text = value->get_ref<std::string const&>();
  return word.starts_with('*') ? text.ends_with(word.substr(1)) : text == word;
}

Key const* find_in(std::vector<Key> const& keys, std::string_view name) {
  auto const key = std::ranges::find(keys, name, &Key::name);
  return key == keys.end() ? nullptr : &*key;
}

}  // namespace

ObjectKeys::Variant const* ObjectKeys::variant_of(nlohmann::json const& object) const {
  auto const variant = std::ranges::find_if(variants, [&](Variant const& v) { return applies(v, object); });
  return variant == variants.end() ? nullptr : &*variant;
}

Key const* ObjectKeys::find(std::string_view name, nlohmann::json const& object) const {
  if (Key const* const key = find_in(keys, name)) return key;
  if (Variant const* const variant = variant_of(object))
    if (Key const* const key = find_in(variant->keys, name)) return key;
  for (Variant const& variant : variants)
    if (Key const* const key = find_in(variant.keys, name)) return key;
  return nullptr;
}

Key stated_key(std::string name, ValueRules value, std::string meaning, KeyOptions options) {
  return {std::move(name),
          std::move(value),
          std::move(meaning),
          options.required || !options.missing.empty(),
          std::move(options.missing),
          std::move(options.default_value),
          std::move(options.default_text),
          std::move(options.source)};
}

std::vector<Key> file_keys(std::string_view format) {
  return {{"$schema", {rule::text()}, "JSON Schema of the file, for editors"},
          stated_key("format", {rule::word({std::string(format)})}, "kind of the file",
                     {.default_value = format}),
          stated_key("version", {rule::integer(1, 1)}, "version of the format", {.default_value = 1})};
}

std::vector<Key> joined(std::vector<Key> first, std::vector<Key> const& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace factosim
