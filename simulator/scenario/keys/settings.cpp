#include "simulator/scenario/keys/settings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "factosim/error.hpp"
#include "simulator/base/core/input_limits.hpp"
#include "simulator/base/core/json_reader.hpp"
#include "simulator/base/core/json_text.hpp"
#include "simulator/base/core/suggestion.hpp"

namespace factosim {

namespace {

bool is_number(std::string const& token) {
  return !token.empty() && token.find_first_not_of("0123456789") == std::string::npos;
}

/// Checks the pointer's way through arrays and through values that do not exist yet. A number makes an array
/// there.
void check_indices(nlohmann::json const& document, nlohmann::json::json_pointer place) {
  std::uint64_t depth = 0;
  for (; !place.empty(); place = place.parent_pointer()) {
    if (++depth > input_limit(InputLimit::nesting))
      throw std::runtime_error(fmt::format("more than {} deep", input_limit(InputLimit::nesting)));
    std::string const& token = place.back();
    if (!is_number(token)) continue;
    auto const parent = place.parent_pointer();
    bool const exists = document.contains(parent);
    if (exists && document[parent].is_object()) continue;
    std::size_t const size = exists && document[parent].is_array() ? document[parent].size() : 0;
    if (token.size() > 9 || std::stoul(token) > size)
      throw std::runtime_error(fmt::format("there is no element {}, the array has {}", token, size));
  }
}

/// A key of a scenario that may be text instead of an object, and the object's key that the text is.
struct ShortForm {
  std::string key, inner;
  bool read_as_it_is = false;  // by the reader of the key
};
std::array<ShortForm, 6> const short_forms{{{"platform", "file", true},
                                            {"noise", "distribution", true},
                                            {"scheduler", "type"},
                                            {"distribution", "type"},
                                            {"network", "model"},
                                            {"detail", "type"}}};

bool is_bare_name(nlohmann::json const& document, ShortForm const& form) {
  return !form.read_as_it_is && document.contains(form.key) && document[form.key].is_string();
}

/// Makes an object of a short form on the way to `place`. Throws if there is another value that is no container.
void open_way(nlohmann::json& document, nlohmann::json::json_pointer const& place) {
  for (auto parent = place; !parent.empty();) {
    parent.pop_back();
    if (!document.contains(parent)) continue;
    nlohmann::json& value = document[parent];
    for (ShortForm const& form : short_forms)
      if (value.is_string() && parent.to_string() == "/" + form.key) value = {{form.inner, value}};
    if (!value.is_structured() && !value.is_null())
      throw std::runtime_error(
          fmt::format("{} is {}, which has no keys", parent.to_string(), json_text(value)));
  }
}

using Pointer = nlohmann::json::json_pointer;

void add_pointers(nlohmann::json const& value, ValueRules const& rules, Pointer const& at,
                  std::set<std::string>& out);

/// Adds the keys of an object, and those within their values.
void add_keys(nlohmann::json const& object, std::vector<Key> const& keys, Pointer const& at,
              std::set<std::string>& out) {
  for (Key const& key : keys) {
    out.insert((at / key.name).to_string());
    if (auto const member = object.find(key.name); member != object.end())
      add_pointers(*member, key.value, at / key.name, out);
  }
}

void add_pointers(nlohmann::json const& value, ValueRules const& rules, Pointer const& at,
                  std::set<std::string>& out) {
  for (ValueRule const& rule : rules) {
    if (rule.kind == ValueRule::Kind::object && value.is_object()) {
      add_keys(value, rule.keys().keys, at, out);
      if (auto const* const variant = rule.keys().variant_of(value)) add_keys(value, variant->keys, at, out);
    } else if (rule.kind == ValueRule::Kind::array && value.is_array()) {
      for (std::size_t i = 0; i < value.size(); ++i) add_pointers(value[i], rule.items, at / i, out);
    } else if (rule.kind == ValueRule::Kind::map && value.is_object()) {
      for (auto const& [name, member] : value.items()) add_pointers(member, rule.items, at / name, out);
    }
  }
}

[[noreturn]] void refuse(std::string const& setting, std::string const& why) {
  throw InputError("--set", fmt::format("\"{}\" {}", setting, why));
}

/// Returns the pointer that a setting names by its end.
std::string completed(std::string const& setting, std::string const& key, nlohmann::json const& document,
                      KeyFinder const& find_keys) {
  std::set<std::string> const known = find_keys(document);
  if (known.contains("/" + key)) return "/" + key;
  std::vector<std::string> found, last_words;
  for (std::string const& pointer : known) {
    if (pointer.ends_with("/" + key)) found.push_back(pointer);
    last_words.push_back(pointer.substr(pointer.rfind('/') + 1));
  }
  if (found.size() == 1) return found.front();
  std::string slashes = key, hint;
  std::ranges::replace(slashes, '.', '/');
  if (slashes != key && known.contains("/" + slashes)) hint = fmt::format("Did you mean \"{}\"? ", slashes);
  std::string const value = setting.substr(key.size());
  if (found.empty())
    refuse(setting, fmt::format("is not a setting (this scenario has no key \"{}\"). {}Write the whole JSON "
                                "pointer, such as --set /application/nt=50",
                                key, hint.empty() ? did_you_mean(key, last_words) : hint));
  refuse(setting, fmt::format("could set {} keys ({}). Write one of them, such as --set {}{}", found.size(),
                              fmt::join(found, ", "), found.front(), value));
}

}  // namespace

bool has_bare_names(nlohmann::json const& document) {
  return std::ranges::any_of(short_forms,
                             [&](ShortForm const& form) { return is_bare_name(document, form); });
}

nlohmann::json without_bare_names(nlohmann::json document) {
  for (ShortForm const& form : short_forms)
    if (is_bare_name(document, form)) document[form.key] = {{form.inner, document[form.key]}};
  return document;
}

std::set<std::string> pointers_within(nlohmann::json const& value, ValueRules const& rules) {
  std::set<std::string> out;
  add_pointers(value, rules, Pointer(), out);
  return out;
}

void set_at(nlohmann::json& document, std::string const& pointer, nlohmann::json value) {
  try {
    nlohmann::json::json_pointer const place(pointer);
    if (value.is_null()) {
      if (document.contains(place)) document[place.parent_pointer()].erase(place.back());
      return;
    }
    open_way(document, place);
    check_indices(document, place);
    if (too_deep(value))
      throw std::runtime_error(
          fmt::format("the value is more than {} deep", input_limit(InputLimit::nesting)));
    document[place] = std::move(value);
  } catch (nlohmann::json::exception const& error) {
    throw std::runtime_error(plain_text(error));
  }
}

std::vector<std::string> apply_settings(nlohmann::json& document, std::vector<std::string> const& settings,
                                        KeyFinder const& find_keys) {
  std::vector<std::string> out;
  for (std::string const& setting : settings) {
    auto const equal = setting.find('=');
    bool const whole = setting.starts_with('/');
    if (equal == std::string::npos || equal == 0 || (!whole && !find_keys))
      refuse(setting,
             "is not a setting (a key and a value are expected). Write --set nt=50, or --set "
             "/application/nt=50");
    std::string const key = setting.substr(0, equal), text = setting.substr(equal + 1);
    std::string const pointer = whole ? key : completed(setting, key, document, find_keys);
    nlohmann::json value = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (value.is_discarded()) value = text;
    try {
      set_at(document, pointer, std::move(value));
    } catch (std::exception const& error) {
      refuse(setting,
             fmt::format("cannot be set ({}). Check the pointer against the scenario", error.what()));
    }
    out.push_back(pointer + "=" + text);
  }
  return out;
}

}  // namespace factosim
