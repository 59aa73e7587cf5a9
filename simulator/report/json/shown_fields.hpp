#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "simulator/base/core/fields.hpp"

// Keys of files that the program writes and does not read.
namespace factosim::shown_fields {

using Json = nlohmann::ordered_json;

/// Whether every object has a key, and its place in the file, where that is not its place in the reference.
struct Presence {
  bool required = true;
  int rank = 0;
};
inline constexpr Presence some{.required = false}, last{.rank = 1}, some_last{.required = false, .rank = 1};

inline ValueRules counted(std::string unit) { return {rule::integer(0, INT64_MAX, std::move(unit))}; }
/// The field of `value_of(object)`, which is left out if it is null.
template <class T, class Value>
Field<T> computed(char const* name, char const* meaning, ValueRules rules, Value value_of, Presence p = {}) {
  return field<T>(
      {.name = name,
       .value = std::move(rules),
       .meaning = meaning,
       .required = p.required,
       .default_text = p.required ? "" : "absent"},
      {.rank = p.rank, .write = [=](T const& t) -> Json { return written(std::invoke(value_of, t)); }});
}
/// A field that is written elsewhere.
template <class T>
Field<T> foreign(char const* name, char const* meaning, ValueRules rules, Presence p = {}) {
  return computed<T>(
      name, meaning, std::move(rules), [](T const& /*t*/) { return Json(); }, p);
}
/// The field of a member. Its rule follows from its type, or is given.
template <auto member>
auto shown(char const* name, char const* meaning, ValueRules rules = {}, Presence p = {}) {
  using T = fields::ObjectOf<member>;
  if (rules.empty()) rules = usual_rules<fields::ValueOf<member>>();
  return computed<T>(
      name, meaning, std::move(rules), [](T const& t) -> auto const& { return t.*member; }, p);
}
/// The field of a member of an optional member.
template <auto member, auto inner>
auto part(char const* name, char const* meaning, ValueRules rules, Presence p) {
  using T = fields::ObjectOf<member>;
  return computed<T>(
      name, meaning, std::move(rules),
      [](T const& t) { return t.*member ? written(*(t.*member).*inner) : Json(); }, p);
}
/// A list that is left out if it is empty.
template <auto member>
auto list(char const* name, char const* meaning, std::size_t min_items = 0) {
  using T = fields::ObjectOf<member>;
  using Element = typename fields::ValueOf<member>::value_type;
  return computed<T>(
      name, meaning, {rule::array(usual_rules<Element>(), min_items)},
      [](T const& t) { return (t.*member).empty() ? Json() : written(t.*member); }, some);
}
/// Numbers of tasks by name.
template <auto member>
auto tasks_by_name(char const* name, char const* meaning) {
  using T = fields::ObjectOf<member>;
  return computed<T>(name, meaning, {rule::map(counted("tasks"))}, [](T const& t) {
    Json out = nlohmann::ordered_json::object();
    for (auto const& [key, count] : t.*member) out[key] = count;
    return out;
  });
}
/// Some members as an object of their own.
template <class T, Object<T> const& (*object)()>
Field<T> inner(char const* name, char const* meaning) {
  return computed<T>(name, meaning, {rule::object([]() -> ObjectKeys const& { return object().keys; })},
                     [](T const& t) { return write_object(object(), &t); });
}

template <class T>
Object<T> object(char const* title, char const* meaning, Fields<T> fields) {
  return Object<T>(title, meaning, std::move(fields));
}

}  // namespace factosim::shown_fields
