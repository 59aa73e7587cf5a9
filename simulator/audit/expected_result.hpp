#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "simulator/audit/data_flow.hpp"
#include "simulator/audit/run_view.hpp"

namespace factosim::audit {

/// What a result must say, by JSON pointer: exact values, or the range in which a number has to lie.
struct ExpectedValue {
  nlohmann::json value;  // of a range: its lower end
  double upper = 0;
  bool range = false;
};
using ExpectedResult = std::map<std::string, ExpectedValue>;

/// What follows from the scenario alone: counts of tasks and messages, critical paths.
void expect_from_scenario(RunView const& view, DataFlow const& flow, ExpectedResult& out);

/// What follows from the trace: dates, busy times, bytes, memory, energy.
void expect_from_trace(RunView const& view, ExpectedResult& out);

/// What numbers of the result imply about others: sums over nodes, rates, means of replicas. For what nothing
/// else has told yet.
void expect_from_result(RunView const& view, ExpectedResult& out);

}  // namespace factosim::audit
