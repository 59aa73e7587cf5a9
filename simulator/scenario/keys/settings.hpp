#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "simulator/base/core/value_rules.hpp"

namespace factosim {

/// Sets the value at a JSON pointer and creates what is missing on the way; null removes it. Where the way leads through the short form
/// of an object ("platform": "mirage" for {"file": "mirage"}), this becomes the object first. Throws
/// std::runtime_error if the place cannot exist in the document.
void set_at(nlohmann::json& document, std::string const& pointer, nlohmann::json value);

/// Parts of a scenario that may be the name of their type alone: "scheduler": "lws" for {"type": "lws"}.
[[nodiscard]] bool has_bare_names(nlohmann::json const& document);
/// Returns the document with objects in the place of these names.
[[nodiscard]] nlohmann::json without_bare_names(nlohmann::json document);

/// Returns the JSON pointers of all keys that objects within a value may have, which follows one of the rules.
[[nodiscard]] std::set<std::string> pointers_within(nlohmann::json const& value, ValueRules const& rules);

/// Returns the JSON pointers of all keys that a document may have.
using KeyFinder = std::function<std::set<std::string>(nlohmann::json const&)>;

/// Applies settings KEY=VALUE, in order: each sets a key to a value, JSON or text. KEY is a JSON pointer, such as
/// /application/nt, or the end of one, such as nt or scheduler/type, which `find_keys` completes: one of the document's
/// own keys, or else the end of exactly one pointer. Returns the settings with whole pointers. Throws InputError.
std::vector<std::string> apply_settings(nlohmann::json& document, std::vector<std::string> const& settings,
                                        KeyFinder const& find_keys = {});

}  // namespace factosim
