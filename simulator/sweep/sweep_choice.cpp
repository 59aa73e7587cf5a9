#include "simulator/sweep/sweep_choice.hpp"

#include <cmath>
#include <cstdint>

#include "simulator/core/json_text.hpp"

namespace factosim {

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
  double const by = step ? step->positive() : factor ? factor->positive() : 1;
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
  if (values.size() > maximum)
    json.fail("has more than a million values (nobody wants so many). Give a larger step");
  if (values.empty()) to.fail("lies before \"from\" (there would be no value). Exchange them");
  return values;
}

nlohmann::json shown_in_table(nlohmann::json const& value) {
  if (value.is_object() && value.size() == 1 && value.contains("type") && value["type"].is_string())
    return value["type"];
  if (value.is_structured()) return json_text(value);
  return value;
}

}  // namespace factosim
