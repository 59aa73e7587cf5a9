#pragma once

#include <optional>
#include <type_traits>
#include <vector>

/// Types of the object and of the value of a pointer to member; access to that value in an object (for fields.hpp).
namespace factosim::fields {

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};

/// What a member holds: itself, or the value of an optional one.
template <class V>
struct Held {
  using Value = V;
};
template <class V>
struct Held<std::optional<V>> {
  using Value = V;
};

template <class>
struct Member;
template <class T, class V>
struct Member<V T::*> {
  using Object = T;
  using Value = V;
};
template <auto member>
using ObjectOf = typename Member<decltype(member)>::Object;
template <auto member>
using ValueOf = typename Member<decltype(member)>::Value;

template <auto member>
using HeldBy = typename Held<ValueOf<member>>::Value;

/// Returns what a member holds; makes it if it is optional and not there.
template <auto member>
[[nodiscard]] void* made(void* object) {
  auto& value = static_cast<ObjectOf<member>*>(object)->*member;
  if constexpr (IsOptional<ValueOf<member>>::value)
    return value ? &*value : &value.emplace();
  else
    return &value;
}
/// Returns what a member holds; null without.
template <auto member>
[[nodiscard]] void const* held(void const* object) {
  auto const& value = static_cast<ObjectOf<member> const*>(object)->*member;
  if constexpr (IsOptional<ValueOf<member>>::value)
    return value ? &*value : nullptr;
  else
    return &value;
}

template <class T>
[[nodiscard]] T const& defaults() {
  static T const object{};
  return object;
}

template <class>
constexpr bool unknown = false;

}  // namespace factosim::fields
