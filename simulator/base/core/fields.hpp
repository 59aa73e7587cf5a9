#pragma once

#include <filesystem>
#include <functional>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "factosim/quantity.hpp"
#include "simulator/base/core/json_reader.hpp"
#include "simulator/base/core/member_types.hpp"
#include "simulator/base/core/named_values.hpp"

namespace factosim {

// The keys of files, each stated once, beside the member that holds its value. The reader, the effective options of a
// result, JSON Schema, the reference of keys and the completion of settings follow from this statement:
//
//   enum class Cache { none, write_back };
//   constexpr NamedValues<Cache, 2> names_of(Cache) {           // the words of an enumeration
//     return {"cache", {{{Cache::none, "none"}, {Cache::write_back, "write-back"}}}};
//   }
//   struct Disk {
//     std::string model;
//     Seconds latency{1e-4};
//     Cache cache = Cache::none;
//   };
//   Object<Disk> const& object_of(Disk const* /*any*/) {        // found by the type of a member, or of read_object
//     static Object<Disk> const object("disk", "A disk of a node.",
//                                      {field<&Disk::model>("model", "free text", {.required = true}),
//                                       field<&Disk::latency>("latency_s", "time before the first byte"),
//                                       field<&Disk::cache>("cache", "what is kept", {.echo = Echo::if_changed})});
//     return object;
//   }
//
//   Disk const disk = read_object<Disk>(json);                  // refuses unknown keys
//   nlohmann::ordered_json const options = written(disk);       // {"model": "...", "latency_s": 0.0001}
//   ObjectKeys const& table = table_of<Disk>();                 // for rules, schema and reference
//
// What a key leaves open follows from the member: its rule (but for numbers without a unit in their type) and its
// default. A member may be a boolean, a number, a quantity, text, a path, an enumeration, an object with fields of its
// own, a vector of these (an array), or optional (null is not written). `within` adds the fields of a member to those
// of its object, FieldRules has what is odd, FieldVariant the keys that depend on others, the short form of an object is the
// key that may stand for all.

/// Whether effective options have a key.
enum class Echo : std::uint8_t { always, if_changed, never };

/// A field of an object whose type is erased.
struct AnyField {
  Key key;
  std::function<void(JsonReader const&, void*)> read;        // the value, into the object
  std::function<nlohmann::ordered_json(void const*)> write;  // null: the object has no value
  Echo echo = Echo::always;
  int rank = 0;
  std::function<bool(void const*)> applies{};                   // empty: always
  std::function<void(JsonReader const&, void const*)> check{};  // empty: nothing to check
  nlohmann::ordered_json unchanged{};                           // value of a default object
};

/// What is odd about a key of a T. What is empty follows from the member.
template <class T>
struct FieldRules {
  // Of the key.
  bool required = false;
  std::string missing{};
  nlohmann::json default_value{};
  std::string default_text{}, source{};
  // Of the field.
  Echo echo = Echo::always;
  int rank = 0;                             // effective options are sorted by it, equal ones as listed
  std::function<bool(T const&)> applies{};  // whether effective options have the key
  /// Throws InputError, by `fail` of the value, if the value that was read does not suit the object, whose keys up to
  /// this one have been read.
  std::function<void(JsonReader const&, T const&)> check{};
  std::function<void(JsonReader const&, T&)> read{};
  std::function<nlohmann::ordered_json(T const&)> write{};
};

/// A key of a T and where its value is.
template <class T>
struct Field : AnyField {};

/// Some keys of a T, in the order in which they are read and listed.
template <class T>
class Fields : public std::vector<AnyField> {
 public:
  Fields() = default;
  Fields(std::initializer_list<Field<T>> fields) : std::vector<AnyField>(fields.begin(), fields.end()) {}

  Fields& operator+=(Fields const& others) {
    insert(end(), others.begin(), others.end());
    return *this;
  }
  friend Fields operator+(Fields first, Fields const& second) { return std::move(first += second); }
};

/// Keys of some objects only: as ObjectKeys::Variant. GCC 12 fails where a variant without keys leaves `fields` out.
template <class T>
struct FieldVariant {
  std::string selector, word, meaning;
  Fields<T> fields{};
  std::string other_names{};
  ValueRules others{};
};

/// An object of a file whose type is erased.
struct AnyObject {
  ObjectKeys keys;
  std::vector<AnyField> fields;
  std::vector<std::vector<AnyField>> fields_of_variants;  // [variants of keys]
  std::string short_form;                                 // as of Object

  [[nodiscard]] AnyField const* field_of_short_form() const;  // null: none
};

/// An object of a file that describes a T.
template <class T>
struct Object : AnyObject {
  /// `common`: the fields of all variants. `short_key`: a field, of text or words, whose value alone may stand in place of the
  /// object; empty: none.
  Object(std::string title, std::string meaning, Fields<T> common, std::vector<FieldVariant<T>> variants = {},
         std::string short_key = {});
};

[[nodiscard]] std::vector<Key> keys_of(std::span<AnyField const> fields);

/// Reads the values of all fields from `json` into `object`; what is not there keeps its value.
void read_fields(JsonReader const& json, std::span<AnyField const> fields, void* object);
/// Adds the values that effective options have.
void write_fields(nlohmann::ordered_json& out, std::span<AnyField const> fields, void const* object);
/// Reads all fields of the object and of its variant, or the one of its short form; refuses unknown keys.
void read_object(JsonReader const& json, AnyObject const& fields, void* object);
[[nodiscard]] nlohmann::ordered_json write_object(AnyObject const& fields, void const* object);

template <class T>
void read_fields(JsonReader const& json, Fields<T> const& fields, T& object) {
  read_fields(json, std::span<AnyField const>(fields), static_cast<void*>(&object));
}
template <class T>
void write_fields(nlohmann::ordered_json& out, Fields<T> const& fields, T const& object) {
  write_fields(out, std::span<AnyField const>(fields), static_cast<void const*>(&object));
}

/// A type that `object_of` describes.
template <class T>
concept Described = std::is_class_v<T> && requires(T const* any) {
  object_of(any).fields;
};

template <class T>
concept Measured = std::is_class_v<T> && requires(T x) {
  Quantity(x);
};

template <Described T>
[[nodiscard]] ObjectKeys const& table_of() {
  return object_of(static_cast<T const*>(nullptr)).keys;
}

/// Returns what a file may have in the place of a T.
template <Described T>
[[nodiscard]] ValueRules rules_of() {
  auto const* const short_form = object_of(static_cast<T const*>(nullptr)).field_of_short_form();
  ValueRules out = short_form == nullptr ? ValueRules{} : short_form->key.value;
  out.push_back(rule::object(table_of<T>));
  return out;
}

/// Reads a T from an object over the values that it has.
template <Described T>
void read_object(JsonReader const& json, T& object) {
  read_object(json.by(rules_of<T>), object_of(static_cast<T const*>(nullptr)), static_cast<void*>(&object));
}
template <Described T>
[[nodiscard]] T read_object(JsonReader const& json) {
  T object{};
  read_object(json, object);
  return object;
}

template <class V>
void read_value(JsonReader const& json, V& out) {
  if constexpr (fields::IsOptional<V>::value) {
    read_value(json, out.emplace());
  } else if constexpr (fields::IsVector<V>::value) {
    out.clear();
    for (JsonReader const& element : json.elements()) read_value(element, out.emplace_back());
  } else if constexpr (std::is_same_v<V, bool>) {
    out = json.boolean();
  } else if constexpr (HasNames<V>) {
    out = names_of(out).named(json.one_of());
  } else if constexpr (std::is_integral_v<V>) {
    out = static_cast<V>(json.integer());
  } else if constexpr (std::is_floating_point_v<V>) {
    out = json.quantity();
  } else if constexpr (Measured<V>) {
    read_value(json, out.value);
  } else if constexpr (std::is_same_v<V, std::string>) {
    out = json.text();
  } else if constexpr (std::is_same_v<V, std::filesystem::path>) {
    out = json.path();
  } else if constexpr (Described<V>) {
    read_object(json, out);
  } else {
    static_assert(fields::unknown<V>, "a file may have such a value: give the field `read` and `write`");
  }
}

template <class V>
[[nodiscard]] nlohmann::ordered_json written(V const& value) {
  if constexpr (fields::IsOptional<V>::value) {
    return value ? written(*value) : nlohmann::ordered_json();
  } else if constexpr (fields::IsVector<V>::value) {
    nlohmann::ordered_json out = nlohmann::ordered_json::array();
    for (auto const& element : value) out.push_back(written(element));
    return out;
  } else if constexpr (HasNames<V>) {
    return names_of(value).name_of(value);
  } else if constexpr (Measured<V>) {
    return value.value;
  } else if constexpr (std::is_same_v<V, std::filesystem::path>) {
    return value.string();
  } else if constexpr (Described<V>) {
    return write_object(object_of(&value), &value);
  } else {
    return value;
  }
}

/// Returns what a file may have in the place of a V; nothing for a number without a unit.
template <class V>
[[nodiscard]] ValueRules usual_rules() {
  if constexpr (fields::IsOptional<V>::value) return usual_rules<typename V::value_type>();
  if constexpr (fields::IsVector<V>::value) return {rule::array(usual_rules<typename V::value_type>())};
  if constexpr (std::is_same_v<V, bool>) return {rule::boolean()};
  if constexpr (HasNames<V>) return {rule::word(names_of(V{}).names())};
  if constexpr (std::is_same_v<V, Seconds>) return {rule::non_negative("s")};
  if constexpr (std::is_same_v<V, BytesPerSecond>) return {rule::positive("B/s")};
  if constexpr (std::is_same_v<V, std::string>) return {rule::text()};
  if constexpr (std::is_same_v<V, std::filesystem::path>) return {rule::path()};
  if constexpr (Described<V>) return rules_of<V>();
  return {};
}

/// Returns the field with these rules; `defaults` is an object as it is without the key, null if there is none.
[[nodiscard]] AnyField completed(AnyField field, void const* defaults);

template <class T>
[[nodiscard]] Field<T> with_rules(AnyField field, FieldRules<T> rules) {
  Key& key = field.key;
  key.required = key.required || rules.required;
  if (!rules.missing.empty()) key.missing = std::move(rules.missing);
  if (!rules.default_value.is_null()) key.default_value = std::move(rules.default_value);
  if (!rules.default_text.empty()) key.default_text = std::move(rules.default_text);
  if (!rules.source.empty()) key.source = std::move(rules.source);
  field.echo = rules.echo;
  field.rank = rules.rank;
  if (rules.applies)
    field.applies = [f = std::move(rules.applies)](void const* t) { return f(*static_cast<T const*>(t)); };
  if (rules.check)
    field.check = [f = std::move(rules.check)](JsonReader const& json, void const* t) {
      f(json, *static_cast<T const*>(t));
    };
  if (rules.read)
    field.read = [f = std::move(rules.read)](JsonReader const& json, void* t) {
      f(json, *static_cast<T*>(t));
    };
  if (rules.write)
    field.write = [f = std::move(rules.write)](void const* t) { return f(*static_cast<T const*>(t)); };
  if constexpr (std::is_default_constructible_v<T>)
    return {completed(std::move(field), &fields::defaults<T>())};
  else
    return {completed(std::move(field), nullptr)};
}

namespace fields {
// Functions instead of lambdas: all fields then share one type of std::function's content, which is compiled once.
template <auto member>
void read_member(JsonReader const& json, void* object) {
  read_value(json, static_cast<ObjectOf<member>*>(object)->*member);
}
template <auto member>
nlohmann::ordered_json written_member(void const* object) {
  return written(static_cast<ObjectOf<member> const*>(object)->*member);
}
template <auto member, auto const& names>
void read_member_by(JsonReader const& json, void* object) {
  static_cast<ObjectOf<member>*>(object)->*member = names.named(json.one_of());
}
template <auto member, auto const& names>
nlohmann::ordered_json written_member_by(void const* object) {
  auto const& value = static_cast<ObjectOf<member> const*>(object)->*member;
  if constexpr (IsOptional<ValueOf<member>>::value)
    return value ? nlohmann::ordered_json(names.name_of(*value)) : nlohmann::ordered_json();
  else
    return names.name_of(value);
}
}  // namespace fields

/// Returns the field of a member.
template <auto member>
[[nodiscard]] auto field(Key key, FieldRules<fields::ObjectOf<member>> rules = {}) {
  using T = fields::ObjectOf<member>;
  using V = fields::ValueOf<member>;
  if (key.value.empty()) key.value = usual_rules<V>();
  return with_rules<T>(
      {.key = std::move(key), .read = &fields::read_member<member>, .write = &fields::written_member<member>},
      std::move(rules));
}

template <auto member>
[[nodiscard]] auto field(std::string name, ValueRules value, std::string meaning,
                         FieldRules<fields::ObjectOf<member>> rules = {}) {
  return field<member>(Key{std::move(name), std::move(value), std::move(meaning)}, std::move(rules));
}
template <auto member>
[[nodiscard]] auto field(std::string name, std::string meaning,
                         FieldRules<fields::ObjectOf<member>> rules = {}) {
  return field<member>(std::move(name), ValueRules{}, std::move(meaning), std::move(rules));
}

/// Returns the field of a member whose words are `names`, a NamedValues; it may be optional.
template <auto member, auto const& names>
[[nodiscard]] auto field(std::string name, ValueRules value, std::string meaning,
                         FieldRules<fields::ObjectOf<member>> rules = {}) {
  using T = fields::ObjectOf<member>;
  return with_rules<T>({.key = {std::move(name), std::move(value), std::move(meaning)},
                        .read = &fields::read_member_by<member, names>,
                        .write = &fields::written_member_by<member, names>},
                       std::move(rules));
}
template <auto member, auto const& names>
[[nodiscard]] auto field(std::string name, std::string meaning,
                         FieldRules<fields::ObjectOf<member>> rules = {}) {
  return field<member, names>(std::move(name), {rule::word(names.names())}, std::move(meaning),
                              std::move(rules));
}

/// Returns a field that only `rules` read and write; without `read` it is not read, without `write` not written.
template <class T>
[[nodiscard]] Field<T> field(Key key, FieldRules<T> rules = {}) {
  return with_rules<T>({.key = std::move(key), .read = {}, .write = {}}, std::move(rules));
}
template <class T>
[[nodiscard]] Field<T> field(std::string name, ValueRules value, std::string meaning,
                             FieldRules<T> rules = {}) {
  return field<T>(Key{std::move(name), std::move(value), std::move(meaning)}, std::move(rules));
}

/// Returns the keys with which a file of a format that users write names its kind; `check_own_format` reads them.
template <class T>
[[nodiscard]] Fields<T> fields_of_file(std::string_view format) {
  Fields<T> out;
  for (Key& key : file_keys(format)) out.push_back({.key = std::move(key), .read = {}, .write = {}});
  return out;
}

/// Returns the fields of a member as fields of the object that it belongs to. An optional member is there once one of them is
/// read; nothing is written without it.
template <auto member>
[[nodiscard]] auto within(Fields<fields::HeldBy<member>> const& inner) {
  Fields<fields::ObjectOf<member>> out;
  constexpr auto at = fields::held<member>;
  for (AnyField const& f : inner) {
    AnyField& outer = out.emplace_back(f);
    if (f.read) outer.read = [f](JsonReader const& json, void* t) { f.read(json, fields::made<member>(t)); };
    if (f.write)
      outer.write = [f](void const* t) {
        return at(t) == nullptr ? nlohmann::ordered_json() : f.write(at(t));
      };
    if (f.applies) outer.applies = [f](void const* t) { return at(t) != nullptr && f.applies(at(t)); };
    if (f.check) outer.check = [f](JsonReader const& json, void const* t) { f.check(json, at(t)); };
  }
  return out;
}

template <class T>
Object<T>::Object(std::string title, std::string meaning, Fields<T> common,
                  std::vector<FieldVariant<T>> variants, std::string short_key) {
  keys = {.title = std::move(title), .meaning = std::move(meaning), .keys = keys_of(common)};
  fields = std::move(common);
  short_form = std::move(short_key);
  for (FieldVariant<T>& variant : variants) {
    keys.variants.push_back({.selector = std::move(variant.selector),
                             .word = std::move(variant.word),
                             .keys = keys_of(variant.fields),
                             .meaning = std::move(variant.meaning),
                             .other_names = std::move(variant.other_names),
                             .others = std::move(variant.others)});
    fields_of_variants.push_back(std::move(variant.fields));
  }
}

}  // namespace factosim
