#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "simulator/scenario/simulation/placed_scenario.hpp"
#include "simulator/traces/trace/trace.hpp"

namespace factosim {

/// Returns the scenario that a result names in its provenance, with the recorded settings and its own seed. `result` is the
/// file, `document` its content. Throws InputError if it is not a result of `run`, or if the scenario has changed since.
[[nodiscard]] PlacedScenario named_scenario(std::filesystem::path const& result,
                                            nlohmann::json const& document);

/// Returns the scenario of a run that was a dict of Python; null if it was a file.
[[nodiscard]] nlohmann::json python_scenario(nlohmann::json const& result);

/// Returns the name of the class if the run had a policy of Python, which the scenario then lacks; else an empty text.
[[nodiscard]] std::string python_policy(nlohmann::json const& result);

/// The same with the recorded seed. Throws InputError if the policy was a class of Python.
[[nodiscard]] PlacedScenario scenario_of_result(std::filesystem::path const& result,
                                                nlohmann::json const& document);

/// Returns the result.json of a simulated run whose folder, result.json or trace `path` is; else nothing.
[[nodiscard]] std::optional<std::filesystem::path> result_of(std::filesystem::path const& path);

/// Reads the trace of a run, simulated or real. Returns nothing if a simulated run kept no trace. Throws
/// InputError if there is no run.
[[nodiscard]] std::optional<Trace> trace_of_run(std::filesystem::path const& path);

}  // namespace factosim
