#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "simulator/audit/rules/checks.hpp"
#include "simulator/audit/rules/expected_result.hpp"
#include "simulator/base/core/json_text.hpp"

namespace factosim::audit {

namespace {

using Json = nlohmann::json;

double number(Json const& json, std::string const& pointer) {
  Json::json_pointer const at(pointer);
  return json.contains(at) && json.at(at).is_number() ? json.at(at).get<double>() : std::nan("");
}

bool agrees(Json const& found, ExpectedValue const& expected) {
  if (expected.range) {
    if (!found.is_number()) return false;
    double const value = found.get<double>();
    return value >= expected.value.get<double>() && value <= expected.upper;
  }
  if (!expected.value.is_number() || !found.is_number()) return found == expected.value;
  if (expected.value.is_number_integer() && found.is_number_integer()) return found == expected.value;
  double const a = found.get<double>(), b = expected.value.get<double>();
  if (expected.tolerance == 0) return a == b;
  return std::abs(a - b) <= expected.tolerance * std::max(std::abs(a), std::abs(b)) + expected.slack;
}

std::string description(ExpectedValue const& expected) {
  return expected.range ? fmt::format("between {} and {}", json_text(expected.value), expected.upper)
                        : json_text(expected.value);
}

void compare(Json const& result, ExpectedResult const& expected, Check& check) {
  for (auto const& [pointer, value] : expected) {
    Json::json_pointer const at(pointer);
    ++check.cases;
    if (!result.contains(at))
      check.add({"is missing", pointer, description(value)});
    else if (!agrees(result.at(at), value))
      check.add({fmt::format("says {}", json_text(result.at(at))), pointer, description(value)});
  }
}

/// Checks that the makespan is at least each bound, without tolerance: bounds are rounded down.
void check_bounds(RunView const& view, AuditReport& report) {
  Check& check = report.check("bounds");
  auto const& noise = view.run.noise;
  if (noise.kind != NoiseModel::Kind::none || noise.first_execution_factor != 1 || noise.speed_factors ||
      noise.precision > 0)
    return check.skip("bounds are those of the mean durations, and durations are drawn");
  if (view.run.runtime.rounded_means) return check.skip("a replay: durations are the recorded run's");
  Json const& result = view.run.result;
  if (!result.contains("bounds") || !result.contains("makespan_s")) return;
  double const makespan = result["makespan_s"].get<double>();
  auto const hold = [&](std::string const& pointer) {
    Json::json_pointer const at(pointer);
    ++check.cases;
    if (!result.contains(at) || !result.at(at).is_number())
      return check.add({"is missing", pointer, "a bound"});
    double const bound = result.at(at).get<double>();
    if (bound < 0 || makespan < bound)
      check.add({fmt::format("is {:.9g} s", bound), pointer,
                 fmt::format("between 0 and the makespan, {:.9g} s", makespan)});
  };
  for (char const* const p :
       {"/bounds/abe_s", "/bounds/critical_path_s", "/bounds/critical_path_with_comm_s"})
    hold(p);
  for (std::size_t n = 0; n < view.run.platform.nodes.size(); ++n)
    hold(fmt::format("/bounds/abe_per_node_s/{}", n));
  // The bound of the problem is the largest of its parts; that of the distribution, of these and its own. Results of older
  // versions have none.
  double largest = 0;
  for (std::string const& group : {std::string("/bounds/problem"), std::string("/bounds/distribution")}) {
    Json const parts = result.value(Json::json_pointer(group), Json::object());
    for (auto const& [name, value] : parts.items()) {
      if (!value.is_number()) continue;
      hold((Json::json_pointer(group) / name).to_string());
      largest = std::max(largest, value.get<double>());
    }
    if (parts.empty()) continue;
    hold(group + "_s");
    ++check.cases;
    if (number(result, group + "_s") != largest)
      check.add({"is not the largest of its parts", group + "_s", fmt::format("{:.9g} s", largest)});
  }
}

/// Checks that the limit that a result names can exist in this run, and that its share fits the name: a limit takes
/// at least a tenth of the makespan. Results of older versions have no diagnosis.
void check_diagnosis(RunView const& view, Check& check) {
  Json const& result = view.run.result;
  if (!result.contains("diagnosis")) return;
  ++check.cases;
  Json const named = result.value(Json::json_pointer("/diagnosis/limit"), Json()),
             given = result.value(Json::json_pointer("/diagnosis/share"), Json());
  std::string const limit = named.is_string() ? named.get<std::string>() : "";
  double const share = given.is_number() ? given.get<double>() : -1;
  bool const several_nodes = view.run.platform.nodes.size() > 1;
  bool several_memories = false;
  for (std::uint32_t const type : view.run.platform.nodes)
    several_memories = several_memories || view.run.platform.types[type].memory_node_count() > 1;
  bool possible = limit == "balance-within-node" || limit == "critical-path" || limit == "submission" ||
                  limit == "scheduling" || limit == "too-few-tasks" || limit == "none" || limit == "unknown";
  if (limit == "network" || limit == "balance-between-nodes") possible = several_nodes;
  if (limit == "bus" || limit == "gpu-memory") possible = several_memories;
  if (!possible) check.add({"names " + limit, "/diagnosis/limit", "a limit that these nodes can have"});
  if (share < 0 || share > 1 || (limit == "none" || limit == "unknown") != (share < 0.1))
    check.add({fmt::format("says {:.9g} for {}", share, limit), "/diagnosis/share",
               limit == "none" || limit == "unknown" ? "less than 0.1" : "between 0.1 and 1"});
}

}  // namespace

void check_summary(RunView const& view, DataFlow const& flow, AuditReport& report) {
  Check& check = report.check("summary");
  ExpectedResult expected;
  expect_from_scenario(view, flow, expected);
  if (view.aligned) expect_from_trace(view, expected);
  compare(view.run.result, expected, check);
  check_bounds(view, report);
  check_diagnosis(view, check);
}

}  // namespace factosim::audit
