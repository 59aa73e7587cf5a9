#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "platforms/platform_json.hpp"
#include "simulator/base/core/json_text.hpp"
#include "simulator/scenario/keys/application_keys.hpp"
#include "simulator/scenario/keys/cluster_keys.hpp"
#include "simulator/scenario/keys/experiment_kinds.hpp"
#include "simulator/scenario/keys/head_keys.hpp"
#include "simulator/scenario/keys/scenario.hpp"
#include "simulator/scenario/keys/settings.hpp"
#include "simulator/scenario/placement/distribution_keys.hpp"

namespace factosim {

namespace {

Key part(char const* name, char const* meaning, KeysFunction keys, char const* otherwise = "all defaults") {
  return stated_key(name, {rule::object(keys)}, meaning, {.default_text = otherwise});
}

std::vector<Key> task_graph_keys(Key platform) {
  return {std::move(platform),
          or_name(part("distribution", "the owner of each tile; an object, or its type", distribution_table,
                       "block-cyclic on the most square grid; a replay: tasks stay where they ran")),
          or_name(part("scheduler", "the policy of each node; an object, or its type",
                       table_of<SchedulerOptions>)),
          part("runtime", "costs and behaviour of the runtime system", table_of<RuntimeOptions>),
          noise_key(),
          network_key()};
}

std::vector<Key> with_detail(std::vector<Key> keys) {
  keys.push_back(or_name(
      part("detail", "how much of the run is simulated; an object, or its type", table_of<DetailOptions>)));
  return keys;
}

ObjectKeys make_scenario_table() {
  Key own_platform = platform_key();
  own_platform.required = false;
  own_platform.meaning =
      "as of other applications, or `trace`: the nodes, workers and links that the trace shows";
  own_platform.default_value = "trace";
  ObjectKeys table{"scenario",
                   "A simulation: what is computed, where and how. `factosim-scenario`, version 1.",
                   joined(file_keys("factosim-scenario"),
                          {stated_key("name", {rule::text()}, "free text", {.default_value = ""}),
                           stated_key("seed", {rule::integer(0, INT64_MAX)},
                                      "decides everything that is drawn", {.default_value = 0}),
                           stated_key("application", {rule::object(application_table)}, "what is computed",
                                      {.required = true}),
                           part("outputs", "files beside the result", table_of<OutputOptions>)})};
  for (ExperimentKind const& kind : experiment_kinds())
    table.variants.push_back({"application/type", kind.name, kind.scenario_keys(), kind.meaning});
  table.variants.push_back({"application/type", "trace", task_graph_keys(std::move(own_platform)),
                            "The replay of a recorded run."});
  table.variants.push_back({"", "", with_detail(task_graph_keys(platform_key())), "A task graph on tiles."});
  return table;
}

/// Returns whether a text or number of the value is a word of the name, in any case: 20 and lu of "LU of 20 x 20 tiles".
bool states(std::string const& name, nlohmann::json const& value) {
  if (value.is_structured())
    return std::ranges::any_of(value, [&](nlohmann::json const& member) { return states(name, member); });
  if (!value.is_string() && !value.is_number()) return false;
  auto const words = [](std::string text) {
    for (char& c : text) {
      auto const byte = static_cast<unsigned char>(c);
      c = std::isalnum(byte) == 0 ? ' ' : static_cast<char>(std::tolower(byte));
    }
    return ' ' + text + ' ';
  };
  return words(name).find(words(value.is_string() ? value.get<std::string>() : value.dump())) != name.npos;
}

/// Returns ", with nt=30" for the settings that changed what the name states; "" if it states nothing of them. Names state
/// machines in words that no key has.
std::string changes_of(nlohmann::json const& before, nlohmann::json const& after,
                       std::vector<std::string> const& settings) {
  std::string out;
  for (std::string const& setting : settings) {
    nlohmann::json::json_pointer const key(setting.substr(0, setting.find('=')));
    constexpr std::array machines{"/platform=", "/platform/file", "/platform/nodes", "/runtime/max_gpus"};
    bool const of_machines =
        std::ranges::any_of(machines, [&](char const* key) { return setting.starts_with(key); });
    if (!after.contains(key) || (before.contains(key) ? before[key] == after[key] : !of_machines)) continue;
    if (of_machines || states(before["name"].get<std::string>(), before[key]))
      out += fmt::format("{}{}={}", out.empty() ? ", with " : ", ", key.back(), json_text(after[key]));
  }
  return out;
}

}  // namespace

std::set<std::string> key_pointers(nlohmann::json const& given) {
  nlohmann::json document = without_bare_names(given);
  nlohmann::json::json_pointer const at("/application/type");
  nlohmann::json const type = document.contains(at) ? document.at(at) : nlohmann::json();
  if (type.is_string() && has_task_graph(type.get<std::string>()))
    for (char const* const part : {"scheduler", "runtime", "noise", "network", "outputs", "detail"})
      if (part != std::string_view("detail") || type != "trace")
        document.emplace(part, nlohmann::json::object());
  return pointers_within(document, {rule::object(scenario_table)});
}

Key or_name(Key key, std::string_view name) {
  ObjectKeys const& table = key.value.front().keys();
  ValueRules names = std::ranges::find(table.keys, name, &Key::name)->value;
  std::erase_if(names.front().words, [&](std::string const& word) {
    auto const* const variant = table.variant_of({{name, word}});
    return variant != nullptr && std::ranges::any_of(variant->keys, &Key::required);
  });
  key.value.insert(key.value.begin(), names.begin(), names.end());
  return key;
}

bool has_task_graph(std::string_view type) { return experiment_kind(type) == nullptr; }

std::vector<std::string> set_keys(nlohmann::json& document, std::vector<std::string> const& settings) {
  bool const named = document.is_object() && document.contains("name") && document["name"].is_string();
  nlohmann::json const before = named ? document : nlohmann::json();
  std::vector<std::string> whole = apply_settings(document, settings, key_pointers);
  if (named && document["name"] == before["name"])
    document["name"] = before["name"].get<std::string>() + changes_of(before, document, whole);
  document = without_bare_names(std::move(document));
  return whole;
}

Key platform_key() {
  return stated_key("platform", platform_rules(), "name or path of the platform, or an object with its nodes",
                    {.required = true});
}

Key noise_key() {
  return stated_key("noise", rules_of<NoiseOptions>(),
                    "how durations differ from their means; an object, or the name of a distribution",
                    {.default_value = "none"});
}

Key network_key() {
  return or_name(
      part("network", "how links are shared, and values that replace the platform's; an object, or its model",
           table_of<NetworkOverrides>),
      "model");
}

ObjectKeys const& scenario_table() {
  static ObjectKeys const table = make_scenario_table();
  return table;
}

}  // namespace factosim
