// The part of JsonReader that knows tables of keys.
#include <fmt/format.h>

#include <algorithm>

#include "factosim/error.hpp"
#include "simulator/base/core/json_reader.hpp"

namespace factosim {

using Kind = ValueRule::Kind;

JsonReader::JsonReader(nlohmann::json const& value, std::string file, std::string pointer,
                       ValueRules const* rules)
    : JsonReader(value, std::move(file), std::move(pointer)) {
  rules_ = rules;
}

/// Returns the alternative of that kind; null without rules. A value of any kind has no rule.
ValueRule const* JsonReader::rule_of_kind(Kind kind) const {
  if (rules_ == nullptr) return nullptr;
  auto const found = std::ranges::find(*rules_, kind, &ValueRule::kind);
  return found == rules_->end() ? nullptr : &*found;
}

JsonReader JsonReader::by(ValueRules (*rules)()) const {
  if (rules_ != nullptr) return *this;
  JsonReader out = *this;
  out.own_rules_ = std::make_shared<ValueRules const>(rules());
  out.rules_ = out.own_rules_.get();
  return out;
}

/// Returns the rules of a member that is there; null if no table knows it.
ValueRules const* JsonReader::rules_of_member(std::string const& key) const {
  if (ValueRule const* const map = rule_of_kind(Kind::map)) return &map->items;
  ValueRule const* const object = rule_of_kind(Kind::object);
  if (object == nullptr) return nullptr;
  if (Key const* const found = object->keys().find(key, *value_)) return &found->value;
  auto const* const variant = object->keys().variant_of(*value_);
  return variant == nullptr || variant->other_names.empty() ? nullptr : &variant->others;
}

ValueRules const* JsonReader::rules_of_key(std::string const& key) const {
  ValueRules const* const rules = rules_of_member(key);
  FACTOSIM_EXPECT(rules != nullptr || rule_of_kind(Kind::object) == nullptr,
                  "the table has each key that is asked for");
  return rules;
}

ValueRules const* JsonReader::rules_of_elements() const {
  ValueRule const* const array = rule_of_kind(Kind::array);
  return array == nullptr ? nullptr : &array->items;
}

void JsonReader::expect_all_asked() const {
#if FACTOSIM_CONTRACTS
  ValueRule const* const object = rule_of_kind(Kind::object);
  if (object == nullptr) return;
  auto const asked = [&](std::vector<Key> const& keys) {
    return std::ranges::all_of(keys, [&](Key const& key) { return asked_->contains(key.name); });
  };
  ObjectKeys const& keys = object->keys();
  FACTOSIM_EXPECT(asked(keys.keys), "the reader has asked for all keys of its table");
  if (auto const* const variant = keys.variant_of(*value_))
    FACTOSIM_EXPECT(asked(variant->keys), "the reader has asked for all keys of the variant");
#endif
}

double JsonReader::quantity() const {
  ValueRule const* const rule = rule_of_kind(Kind::number);
  FACTOSIM_ALWAYS(rule != nullptr, "the table says that the value is a number");
  if (rule->above_zero) {
    double const value = positive();
    if (value <= rule->maximum) return value;
    report(fmt::format("is {} (it must be above 0 and at most {}). Give a value in that range", value,
                       rule->maximum));
    return rule->maximum;
  }
  if (rule->minimum == 0 && rule->maximum == largest_quantity) return non_negative();
  double const value = number();
  if (value >= rule->minimum && value <= rule->maximum) return value;
  report(fmt::format("is {} (it must lie between {} and {}). Give a value in that range", value,
                     rule->minimum, rule->maximum));
  return rule->minimum;
}

std::int64_t JsonReader::integer() const {
  ValueRule const* const rule = rule_of_kind(Kind::integer);
  FACTOSIM_ALWAYS(rule != nullptr, "the table says that the value is an integer");
  return integer(rule->least, rule->most);
}

std::string JsonReader::one_of() const {
  ValueRule const* const rule = rule_of_kind(Kind::word);
  FACTOSIM_ALWAYS(rule != nullptr, "the table says that the value is a word");
  return one_of(rule->words);
}

std::string JsonReader::text() const {
  ValueRule const* const rule = rule_of_kind(Kind::word);
  return rule == nullptr ? string() : one_of(rule->words);
}

}  // namespace factosim
