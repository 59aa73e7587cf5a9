#include "simulator/studies/sweep/sweep_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "simulator/base/core/json_text.hpp"

namespace factosim {

namespace {

constexpr std::int64_t max_nodes = 1'000'000;

struct NodeCounts {
  std::string type;
  std::vector<std::int64_t> counts;
};

std::vector<std::int64_t> read_counts(JsonReader const& json) {
  if (json.is_number()) return {json.integer()};
  std::vector<std::int64_t> counts;
  if (json.is_array()) {
    for (JsonReader const& entry : json.elements()) counts.push_back(entry.integer());
  } else {
    for (nlohmann::json const& value : read_sweep_values(json)) {
      if (!value.is_number_integer() || value < 0 || value > max_nodes)
        json.fail(fmt::format("gives {} nodes (nodes are counted). Use whole numbers", json_text(value)));
      counts.push_back(value.get<std::int64_t>());
    }
  }
  if (counts.empty()) json.fail("is empty (there would be no point). Give a count");
  return counts;
}

/// Repeats the counts so that all combinations stand in one row each, the last type changing first.
void combine_all(std::vector<NodeCounts>& types) {
  constexpr std::size_t maximum = 1'000'000;
  std::size_t sets = 1;
  for (NodeCounts const& of_type : types) sets = std::min(maximum, sets * of_type.counts.size());
  std::size_t repeated = sets;
  for (NodeCounts& of_type : types) {
    std::vector<std::int64_t> const counts = std::move(of_type.counts);
    repeated /= counts.size();
    of_type.counts.clear();
    for (std::size_t i = 0; i < sets; ++i)
      of_type.counts.push_back(counts[i / std::max<std::size_t>(1, repeated) % counts.size()]);
  }
}

/// Reads the counts of each type. `grid`: all of them are combined; otherwise they go pairwise.
std::vector<NodeCounts> read_sets(JsonReader const& json, bool grid) {
  std::vector<NodeCounts> out;
  std::size_t sets = 1;
  for (JsonReader const& entry : json.elements()) {
    JsonReader const type = entry.at("type", "the name of a node type");
    JsonReader const count = entry.at("count", "one number, or several");
    entry.finish();
    out.push_back({type.string(), read_counts(count)});
    std::size_t const here = out.back().counts.size();
    if (!grid && here > 1 && sets > 1 && here != sets)
      count.fail(
          fmt::format("has {} values (another type has {}, and they go pairwise). Give as many, or one, or "
                      "\"combine\": \"product\"",
                      here, sets));
    sets = std::max(sets, here);
  }
  if (out.empty()) json.fail("is empty (there would be no node). List a type of nodes");
  if (grid)
    combine_all(out);
  else
    for (NodeCounts& of_type : out) of_type.counts.resize(sets, of_type.counts.back());
  return out;
}

struct NodeSet {
  SweepSetting setting;
  std::int64_t nodes = 0;
};

NodeSet node_set(std::vector<NodeCounts> const& types, std::size_t index) {
  NodeSet out{{"/platform/nodes", nlohmann::json::array(), nullptr}};
  std::string description;
  for (auto const& [type, counts] : types) {
    if (counts[index] == 0) continue;
    out.setting.value.push_back({{"type", type}, {"count", counts[index]}});
    out.nodes += counts[index];
    description += fmt::format("{}{} {}", description.empty() ? "" : " + ", counts[index], type);
  }
  out.setting.shown = description;
  return out;
}

std::vector<NodeSet> read_node_sets(JsonReader const& json) {
  JsonReader const nodes = json.at("nodes", "a list of {\"type\", \"count\"}");
  auto const combine = json.find("combine");
  bool const grid = combine && combine->one_of() == "product";
  auto const types = read_sets(nodes, grid);
  std::vector<NodeSet> sets;
  for (std::size_t i = 0; i < types.front().counts.size(); ++i) {
    NodeSet set = node_set(types, i);
    if (set.nodes == 0 && !grid)
      nodes.fail(fmt::format("set {} has no node (all counts are 0). Start from one node", i));
    if (set.nodes > 0) sets.push_back(std::move(set));  // a grid may begin at 0 in every direction
  }
  if (sets.empty()) nodes.fail("has no node in any set (all counts are 0). Give a count");
  return sets;
}

}  // namespace

std::vector<nlohmann::json> read_sweep_values(JsonReader const& json) {
  std::vector<nlohmann::json> values;
  if (json.is_array()) {
    for (JsonReader const& entry : json.elements()) values.push_back(entry.value());
    return values;
  }
  if (!json.is_object())
    json.fail("is no list of values (a sweep gives a key several). Write [...], or {\"from\", \"to\"}");
  JsonReader const from = json.at("from", "the first value");
  JsonReader const to = json.at("to", "the last value");
  auto const step = json.find("step");
  auto const factor = json.find("factor");
  json.finish();
  if (step && factor) json.fail("has \"step\" and \"factor\" (one of them is followed). Give one");
  double const first = from.number(), last = to.number();
  double const by = step ? step->quantity() : factor ? factor->quantity() : 1;
  if (factor && (by <= 1 || first <= 0))
    json.fail("does not grow (a factor above 1 and a start above 0 are needed). Change one of them");
  constexpr std::size_t maximum = 1'000'000;
  for (std::size_t i = 0; values.size() <= maximum; ++i) {
    double const value =
        factor ? first * std::pow(by, static_cast<double>(i)) : first + static_cast<double>(i) * by;
    if (value > last + 1e-9 * std::abs(last)) break;
    if (value == std::floor(value) && std::abs(value) < 9e15)
      values.emplace_back(static_cast<std::int64_t>(value));
    else
      values.emplace_back(value);
  }
  if (values.size() > maximum) json.fail("has more than a million values (the limit). Give a larger step");
  if (values.empty()) to.fail("lies before \"from\" (there would be no value). Exchange them");
  return values;
}

nlohmann::json shown_in_table(nlohmann::json const& value) {
  if (value.is_object() && value.size() == 1 && value.contains("type") && value["type"].is_string())
    return value["type"];
  if (value.is_structured()) return json_text(value);
  return value;
}

std::vector<SweepChoice> read_strong_scaling(JsonReader const& json) {
  std::vector<SweepChoice> choices;
  for (NodeSet const& set : read_node_sets(json)) choices.push_back({{set.setting}});
  json.finish();
  return choices;
}

std::vector<SweepChoice> read_weak_scaling(JsonReader const& json) {
  std::vector<NodeSet> const sets = read_node_sets(json);
  auto const nt = static_cast<double>(json.at("nt", "tiles a side with the first set").integer());
  auto const constant = json.find("constant");
  bool const memory = !constant || constant->one_of() == "memory";
  json.finish();
  std::vector<SweepChoice> choices;
  for (NodeSet const& set : sets) {
    double const growth = static_cast<double>(set.nodes) / static_cast<double>(sets.front().nodes);
    auto const side =
        static_cast<std::int64_t>(std::llround(nt * (memory ? std::sqrt(growth) : std::cbrt(growth))));
    choices.push_back({{set.setting, {"/application/nt", side, side}}});
  }
  return choices;
}

}  // namespace factosim
