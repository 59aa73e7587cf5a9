#include "simulator/studies/sweep/sweep_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "factosim/error.hpp"
#include "simulator/base/core/json_text.hpp"
#include "simulator/base/core/suggestion.hpp"

namespace factosim {

namespace {

/// Reads a list of values, or {"from", "to", "step"} or {"from", "to", "factor"}.
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
      std::int64_t const count = value.is_number_integer() ? value.get<std::int64_t>() : -1;
      if (count < 0 || count > max_nodes)
        json.fail(fmt::format("gives {} nodes (nodes are counted). Use whole numbers", json_text(value)));
      counts.push_back(count);
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

/// Returns a short form of a value: text and numbers unchanged, {"type": X} as X, anything else as JSON.
nlohmann::json shown_in_table(nlohmann::json const& value) {
  if (value.is_object() && value.size() == 1 && value.contains("type") && value["type"].is_string())
    return value["type"];
  if (value.is_structured()) return json_text(value);
  return value;
}

/// Reads {"nodes": [{"type", "count"}, ...]}: sets of nodes. A count is a number or a list. Lists go pairwise and have
/// the same length, or with "combine": "product" all their values are combined, without the set of no node; the sets
/// become "/platform/nodes", and a count of 0 omits a type. Throws InputError.
std::vector<SweepChoice> read_strong_scaling(JsonReader const& json) {
  std::vector<SweepChoice> choices;
  for (NodeSet const& set : read_node_sets(json)) choices.push_back({{set.setting}});
  json.finish();
  return choices;
}

/// Strong scaling with a matrix that grows with the number of nodes, from "nt" tiles per side for the first
/// set. "constant" is "memory" (nt^2 per node, the default) or "work" (nt^3 per node). Throws InputError.
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

constexpr std::uint64_t too_many = std::numeric_limits<std::uint64_t>::max();

std::uint64_t sum(std::uint64_t a, std::uint64_t b) { return a > too_many - b ? too_many : a + b; }
std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > too_many / b ? too_many : a * b;
}

void append(SweepChoice& to, SweepChoice from) {
  std::move(from.settings.begin(), from.settings.end(), std::back_inserter(to.settings));
  std::move(from.labels.begin(), from.labels.end(), std::back_inserter(to.labels));
}

void check_pointer(JsonReader const& json, std::string const& pointer) {
  try {
    (void)nlohmann::json::json_pointer(pointer);
  } catch (nlohmann::json::exception const& error) {
    json.fail(
        fmt::format("\"{}\" is no JSON pointer ({}). Write /application/nt", pointer, plain_text(error)));
  }
}

/// A value, or {"label", "value"}.
SweepSetting read_setting(std::string const& pointer, JsonReader const& json) {
  nlohmann::json const& value = json.value();
  if (value.is_object() && value.size() == 2 && value.contains("label") && value.contains("value"))
    return {pointer, value["value"], json.at("label").string()};
  return {pointer, value, shown_in_table(value)};
}

/// A range, or a list whose entries may have labels.
SweepSpace read_axis(std::string const& pointer, JsonReader const& json) {
  check_pointer(json, pointer);
  std::vector<SweepChoice> choices;
  if (json.is_array()) {
    for (JsonReader const& entry : json.elements()) choices.push_back({{read_setting(pointer, entry)}});
  } else {
    for (nlohmann::json const& value : read_sweep_values(json))
      choices.push_back({{{pointer, value, shown_in_table(value)}}});
  }
  if (choices.empty()) json.fail("is empty (there would be no point). Give a value");
  return SweepSpace(std::move(choices));
}

/// {"/json/pointer": value, ..., "labels": {...}}
SweepChoice read_choice(JsonReader const& json) {
  SweepChoice choice;
  for (auto const& [key, member] : json.members()) {
    if (key == "labels") {
      for (auto const& [name, label] : member.members()) {
        if (label.is_object() || label.is_array())
          label.fail("is no label (a column holds one value). Give text or a number");
        choice.labels.emplace_back(name, label.value());
      }
      continue;
    }
    if (!key.starts_with('/'))
      member.fail(fmt::format(
          "\"{}\" is not a JSON pointer to a key (pointers start with a slash). Write \"/{}\", or "
          "put it into \"labels\"",
          key, key));
    check_pointer(member, key);
    choice.settings.push_back(read_setting(key, member));
  }
  return choice;
}

SweepSpace read_list(JsonReader const& json) {
  std::vector<SweepChoice> choices;
  for (JsonReader const& entry : json.elements()) choices.push_back(read_choice(entry));
  if (choices.empty()) json.fail("is empty (there would be no point). List a point");
  return SweepSpace(std::move(choices));
}

std::vector<SweepSpace> read_parts(JsonReader const& json) {
  std::vector<SweepSpace> parts;
  for (JsonReader const& entry : json.elements()) parts.push_back(read_sweep_space(entry));
  if (parts.empty()) json.fail("is empty (there would be no point). Give something to combine");
  return parts;
}

SweepSpace read_zip(JsonReader const& json) {
  std::vector<SweepSpace> parts = read_parts(json);
  for (std::size_t i = 1; i < parts.size(); ++i)
    if (parts[i].count() != parts.front().count())
      json.elements()[i].fail(fmt::format(
          "has {} values (the first of the zip has {}, and they go pairwise). Give as many, or use a product",
          parts[i].count(), parts.front().count()));
  return {SweepSpace::Kind::zip, std::move(parts)};
}

/// All keys are axes: returns their product, in the order of the keys.
SweepSpace read_axes(JsonReader const& json) {
  std::vector<SweepSpace> axes;
  for (auto const& [key, member] : json.members()) {
    static std::vector<std::string> const ways{"product",        "zip",         "list", "chain",
                                               "strong_scaling", "weak_scaling"};
    if (!key.starts_with('/'))
      member.fail(fmt::format(
          "\"{}\" is no way to make points (beside other keys, or unknown). {}, or JSON pointers with lists",
          key, use_one_of(key, ways)));
    axes.push_back(read_axis(key, member));
  }
  if (axes.empty()) json.fail("is empty (there would be no point). Give a key and its values");
  return {SweepSpace::Kind::product, std::move(axes)};
}

}  // namespace

std::uint64_t SweepSpace::count() const {
  switch (kind_) {
    case Kind::choices:
      return choices_.size();
    case Kind::zip:
      return parts_.front().count();
    case Kind::product: {
      std::uint64_t n = 1;
      for (SweepSpace const& part : parts_) n = product(n, part.count());
      return n;
    }
    case Kind::chain: {
      std::uint64_t n = 0;
      for (SweepSpace const& part : parts_) n = sum(n, part.count());
      return n;
    }
  }
  return 0;
}

std::uint64_t SweepSpace::values() const {
  if (kind_ == Kind::choices || kind_ == Kind::zip) return count();
  std::uint64_t n = 0;
  for (SweepSpace const& part : parts_) n = sum(n, part.values());
  return n;
}

SweepChoice SweepSpace::at(std::uint64_t index) const {
  FACTOSIM_EXPECT(index < count(), "the point exists");
  SweepChoice out;
  switch (kind_) {
    case Kind::choices:
      return choices_[index];
    case Kind::zip:
      for (SweepSpace const& part : parts_) append(out, part.at(index));
      return out;
    case Kind::product: {
      std::vector<std::uint64_t> place(parts_.size());
      for (std::size_t i = parts_.size(); i-- > 0; index /= parts_[i].count())
        place[i] = index % parts_[i].count();
      for (std::size_t i = 0; i < parts_.size(); ++i) append(out, parts_[i].at(place[i]));
      return out;
    }
    case Kind::chain:
      for (SweepSpace const& part : parts_) {
        if (index < part.count()) return part.at(index);
        index -= part.count();
      }
  }
  return out;
}

SweepSpace read_sweep_space(JsonReader const& json) {
  if (!json.is_object())
    json.fail("is no way to make points (an object is expected). Write {\"/application/nt\": [...]}");
  if (json.value().size() == 1) {
    if (auto const parts = json.find("product")) return {SweepSpace::Kind::product, read_parts(*parts)};
    if (auto const parts = json.find("chain")) return {SweepSpace::Kind::chain, read_parts(*parts)};
    if (auto const parts = json.find("zip")) return read_zip(*parts);
    if (auto const entries = json.find("list")) return read_list(*entries);
    if (auto const recipe = json.find("strong_scaling")) return SweepSpace(read_strong_scaling(*recipe));
    if (auto const recipe = json.find("weak_scaling")) return SweepSpace(read_weak_scaling(*recipe));
  }
  return read_axes(json);
}

}  // namespace factosim
