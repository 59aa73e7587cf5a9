#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "factosim/kernel_model.hpp"
#include "factosim/platform.hpp"
#include "factosim/scheduler.hpp"
#include "models/applications/application.hpp"
#include "simulator/engine/network_factory.hpp"
#include "simulator/plan/options.hpp"
#include "simulator/runtime/noise.hpp"
#include "simulator/scenario/distribution.hpp"
#include "simulator/scenario/output_options.hpp"
#include "simulator/scenario/trace_application.hpp"

namespace factosim {

/// All that one simulation is asked to do, checked: nothing in it can fail for a reason that the user could
/// have been told.
struct Scenario {
  std::string file;
  std::vector<std::string> settings;  // that override it, as given
  std::string name;
  std::uint64_t seed = 0;
  Platform platform;
  std::vector<KernelModel> models;           // [platform types]
  Application const* application = nullptr;  // null: a trace is replayed
  ApplicationParameters parameters;
  Distribution distribution;
  SchedulerOptions scheduler;
  RuntimeOptions runtime;
  NoiseOptions noise;
  NetworkOptions network;
  OutputOptions outputs;
  std::optional<TraceApplication> trace;     // where the application is one
  nlohmann::ordered_json effective_options;  // every option with its value, defaults included
};

/// What a distribution of the scenario is made for; keeps a reference to the scenario.
[[nodiscard]] DistributionRequest distribution_request(Scenario const& scenario);

/// Throws InputError where the application is a trace: `command` needs a factorization.
void require_factorization(Scenario const& scenario, std::string_view command);

/// Reads a scenario; `settings` are "/json/pointer=value" that override the file. Throws InputError.
Scenario read_scenario(std::filesystem::path const& file, std::vector<std::string> const& settings);

/// The same of a document; relative paths start from the folder of `file`, which messages name.
Scenario scenario_of(nlohmann::json const& document, std::string const& file);

}  // namespace factosim
