#include "simulator/studies/sweep/sweep_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "factosim/error.hpp"

namespace factosim {

namespace {

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
      member.fail(
          fmt::format("\"{}\" is no key of a scenario (JSON pointers start with a slash). Write "
                      "\"/{}\", or put it into \"labels\"",
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
      json.elements()[i].fail(
          fmt::format("has {} values (the first of the zip has {}, and they go pairwise). Give as many, or "
                      "use a product",
                      parts[i].count(), parts.front().count()));
  return {SweepSpace::Kind::zip, std::move(parts)};
}

/// All keys are axes: returns their product, in the order of the keys.
SweepSpace read_axes(JsonReader const& json) {
  std::vector<SweepSpace> axes;
  for (auto const& [key, member] : json.members()) {
    if (!key.starts_with('/'))
      member.fail(
          fmt::format("\"{}\" is no way to make points (beside other keys, or unknown). Use JSON "
                      "pointers with lists, or one of: product, zip, list, chain, strong_scaling, "
                      "weak_scaling",
                      key));
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
