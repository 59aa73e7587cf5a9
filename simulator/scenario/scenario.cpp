#include "simulator/scenario/scenario.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>

#include <optional>

#include "factosim/error.hpp"
#include "models/applications/cycle_time.hpp"
#include "models/kernel_model_json.hpp"
#include "platforms/gpu_subset.hpp"
#include "simulator/bounds/factorization_costs.hpp"
#include "simulator/core/json_reader.hpp"
#include "simulator/replay/trace_platform.hpp"
#include "simulator/scenario/application_keys.hpp"
#include "simulator/scenario/multiphase.hpp"
#include "simulator/scenario/network_keys.hpp"
#include "simulator/scenario/option_readers.hpp"
#include "simulator/scenario/platform_key.hpp"
#include "simulator/scenario/settings.hpp"
#include "simulator/scenario/study.hpp"

namespace factosim {

namespace {

/// A replay with the timings of its trace needs no kernel files, nor do nodes with a cycle-time.
std::vector<KernelModel> read_models(Scenario const& s) {
  std::vector<Kernel> const kernels = s.trace ? std::vector<Kernel>{} : s.application->kernels(s.parameters);
  std::vector<KernelModel> models;
  for (NodeType const& type : s.platform.types)
    if (s.trace && s.trace->options.timings != ReplayOptions::Timings::platform)
      models.push_back({.machine = type.name,
                        .provenance = fmt::format("{} of the trace", name_of(s.trace->options.timings)),
                        .file = s.trace->trace->source,
                        .timings = {}});
    else if (type.cycle_time.value > 0)
      models.push_back(cycle_time_model(type.name, type.cycle_time, kernels, s.parameters));
    else if (type.kernels_file.empty())
      throw InputError(
          s.file + "#/platform",
          fmt::format("the node type \"{}\" has neither \"kernels\" nor \"cycle_time_s\" (nobody knows how "
                      "long its kernels last). Give it one of them, or use another platform",
                      type.name));
    else
      models.push_back(read_kernel_model(type.kernels_file));
  return models;
}

/// Messages take what they took in the trace, whatever else is under way: that is in the times.
void use_own_platform(Scenario& s) {
  s.trace->own_platform = true;
  s.platform = trace_platform(*s.trace->trace, s.runtime, s.trace->findings);
  if (s.trace->options.timings == ReplayOptions::Timings::platform)
    throw InputError(
        s.file + "#/application/timings",
        "are the platform's, and the platform is the one that the trace shows (which has no kernel "
        "files). Give a platform, or use own-means");
}

/// A distribution of the tiles that the trace's data are.
Distribution read_trace_distribution(JsonReader const& json, JsonReader const& application,
                                     Scenario const& s) {
  int const nt = matrix_tiles(*s.trace->trace);
  if (nt == 0)
    application.fail(
        "is a trace whose data have no coordinates (data.rec or rec.data_handles.csv tell them), so that "
        "no distribution can place them. Leave \"distribution\" out");
  constexpr int maximum = 5000;  // as of other applications
  if (nt > maximum)
    application.fail(
        fmt::format("is a trace with tiles of {} rows (a distribution is made of {} at most). Leave "
                    "\"distribution\" out",
                    nt, maximum));
  return read_distribution(
      json,
      {.nt = nt, .nodes = static_cast<int>(s.platform.nodes.size()), .update_flops = Flops{1}, .costs = {}});
}

nlohmann::ordered_json effective_scheduler_or_recorded(Scenario const& s) {
  bool const recorded = s.trace && s.trace->options.mapping <= ReplayOptions::Mapping::workers;
  return recorded ? nlohmann::ordered_json{{"type", "recorded"}} : effective_scheduler(s.scheduler);
}

nlohmann::ordered_json effective_options(Scenario const& s) {
  return {{"platform", effective_platform(s.platform)},
          {"application", s.trace ? effective_trace_application(*s.trace)
                                  : effective_application(*s.application, s.parameters)},
          {"distribution", s.distribution.description},
          {"scheduler", effective_scheduler_or_recorded(s)},
          {"runtime", effective_runtime(s.runtime)},
          {"noise", effective_noise(s.noise)},
          {"network", effective_network(s.network, s.platform, s.runtime)},
          {"outputs", effective_outputs(s.outputs)}};
}

}  // namespace

DistributionRequest distribution_request(Scenario const& s) {
  Application const& app = *s.application;
  return {.nt = s.parameters.nt,
          .nodes = static_cast<int>(s.platform.nodes.size()),
          .factorization = app.factorization(),
          .update_flops = app.update_flops(s.parameters),
          .is_product = app.is_product,
          .phase_steps = app.phase_steps,
          .phase_groups = [&] { return phase_groups(s.platform, s.models, app, s.parameters, s.runtime); },
          .costs = [&] { return factorization_costs(s.platform, s.models, app, s.parameters, s.runtime); }};
}

void require_factorization(Scenario const& s, std::string_view command) {
  if (s.trace)
    throw InputError(s.file + "#/application/type",
                     fmt::format("is \"trace\" ({} works on the tiles of a factorization). Use {}", command,
                                 "\"lu\" or \"cholesky\", or `factosim run`"));
}

Scenario read_scenario(std::filesystem::path const& file, std::vector<std::string> const& settings) {
  nlohmann::json document = parse_json_file(file);
  apply_settings(document, settings);
  Scenario scenario = scenario_of(document, file.string());
  scenario.settings = settings;
  return scenario;
}

Scenario scenario_of(nlohmann::json const& document, std::string const& file) {
  JsonReader const json(document, file);
  json.check_format("factosim-scenario", 1);

  Scenario s;
  s.file = file;
  if (auto const name = json.find("name")) s.name = name->string();
  if (auto const seed = json.find("seed")) s.seed = static_cast<std::uint64_t>(seed->integer(0, INT64_MAX));
  auto const application = json.at("application", "what is computed");
  refuse_study(application);
  bool const replays = is_trace_application(application);
  auto const platform = replays ? json.find("platform")
                                : json.at("platform", "a path, or an object with \"file\" and \"nodes\"");
  auto const distribution = json.find("distribution");
  auto const scheduler = json.find("scheduler");
  auto const runtime = json.find("runtime");
  auto const noise = json.find("noise");
  auto const network = json.find("network");
  auto const outputs = json.find("outputs");
  json.finish();

  if (replays)
    s.trace = read_trace_application(application, distribution.has_value(), scheduler.has_value());
  else
    std::tie(s.application, s.parameters) = read_application(application);
  bool const own_platform =
      replays && (!platform || (platform->is_string() && platform->string() == "trace"));
  if (own_platform) replay_messages(s.runtime);
  if (own_platform && s.trace->options.recorded_pauses) replay_pauses(s.runtime);
  if (!own_platform) s.platform = read_platform_key(*platform);
  if (scheduler) s.scheduler = read_scheduler(*scheduler);
  s.scheduler.seed = s.seed;
  if (s.application != nullptr && s.application->set_runtime_defaults != nullptr)
    s.application->set_runtime_defaults(s.parameters, s.runtime);
  if (runtime) s.runtime = read_runtime(*runtime, s.runtime);
  if (noise) s.noise = read_noise(*noise);
  s.noise.seed = s.seed;
  if (own_platform) use_own_platform(s);
  s.models = read_models(s);
  for (NodeType& type : s.platform.types) keep_gpus(type, static_cast<std::size_t>(s.runtime.max_gpus));
  NetworkOverrides const overrides = network ? read_network(*network) : NetworkOverrides{};
  apply(overrides, s.platform, s.runtime);
  if (!s.trace)
    s.distribution = read_distribution(distribution, distribution_request(s));
  else if (distribution)
    s.distribution = read_trace_distribution(*distribution, application, s);
  s.network = {.model = overrides.model, .lazy = overrides.lazy};
  if (own_platform && !(network && network->find("model"))) s.network.model = NetworkModel::constant;
  if (outputs) s.outputs = read_outputs(*outputs);
  s.effective_options = effective_options(s);
  return s;
}

}  // namespace factosim
