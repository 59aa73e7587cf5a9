#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "simulator/audit/rules/run_view.hpp"

namespace factosim::audit {

constexpr double sum_round_off = 1e-9;  // relative, of sums in a different order

/// Expected values of a result, by JSON pointer: exact values, or a range for a number.
struct ExpectedValue {
  nlohmann::json value;  // exact, or the lower end of a range
  double upper = 0;
  bool range = false;
  double tolerance = sum_round_off;  // relative; 0: a number that is copied
  double slack = 1e-11;              // absolute, with a tolerance: of terms that are whole ticks
};
using ExpectedResult = std::map<std::string, ExpectedValue>;

/// Values that follow from the scenario alone: counts of tasks and messages, critical paths.
void expect_from_scenario(RunView const& view, DataFlow const& flow, ExpectedResult& out);

/// The area bounds of the cluster and of each node, by a linear program of its own over all kernels and workers.
void expect_area_bounds(RunView const& view, ExpectedResult& out);

/// Values that follow from the trace: dates, busy times, bytes, memory, energy.
void expect_from_trace(RunView const& view, ExpectedResult& out);

}  // namespace factosim::audit
