#include "simulator/app/scenario.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "models/applications/cycle_time.hpp"
#include "models/kernel_model_json.hpp"
#include "platforms/gpu_subset.hpp"
#include "platforms/platform_json.hpp"
#include "simulator/app/exageostat_reader.hpp"
#include "simulator/app/factorization_costs.hpp"
#include "simulator/app/multiphase.hpp"
#include "simulator/app/option_readers.hpp"
#include "simulator/app/settings.hpp"
#include "simulator/core/error.hpp"
#include "simulator/core/json_reader.hpp"

namespace factosim {

namespace {

Platform read_platform_key(JsonReader const& json) {
  if (json.is_string()) return read_platform(json.path());
  auto const file = json.at("file", "the platform's file").path();
  auto const nodes = json.find("nodes");
  json.finish();
  return nodes ? read_platform(file, *nodes) : read_platform(file);
}

std::vector<KernelModel> read_models(Scenario const& s) {
  std::vector<Kernel> const kernels = application(s.application).kernels(s.parameters);
  std::vector<KernelModel> models;
  for (NodeType const& type : s.platform.types)
    models.push_back(type.cycle_time.value > 0
                         ? cycle_time_model(type.name, type.cycle_time, kernels, s.parameters)
                         : read_kernel_model(type.kernels_file));
  return models;
}

nlohmann::ordered_json platform_in_force(Platform const& platform) {
  nlohmann::ordered_json nodes = nlohmann::ordered_json::array();
  for (std::uint32_t const type : platform.nodes) {  // runs of one type as one entry
    if (nodes.empty() || nodes.back()["type"] != platform.types[type].name)
      nodes.push_back({{"type", platform.types[type].name}, {"count", 0}});
    nodes.back()["count"] = nodes.back()["count"].get<int>() + 1;
  }
  return {{"nodes", nodes}};
}

/// `true`, or an object with the number of points.
std::size_t read_series(JsonReader const& json) {
  constexpr std::size_t default_points = 1000;
  if (!json.is_object()) return json.boolean() ? default_points : 0;
  auto const points = json.find("points");
  json.finish();
  return points ? static_cast<std::size_t>(points->integer(2, 100'000)) : default_points;
}

OutputOptions read_outputs(JsonReader const& json) {
  OutputOptions out;
  if (auto const paje = json.find("paje")) out.paje = paje->boolean();
  if (auto const series = json.find("series")) out.series_points = read_series(*series);
  json.finish();
  return out;
}

nlohmann::ordered_json outputs_in_force(OutputOptions const& outputs) {
  nlohmann::ordered_json out = {{"paje", outputs.paje}, {"series", false}};
  if (outputs.series_points > 0) out["series"] = {{"points", outputs.series_points}};
  return out;
}

nlohmann::ordered_json application_in_force(Scenario const& s) {
  nlohmann::ordered_json out = {{"type", s.application},
                                {"nt", s.parameters.nt},
                                {"nb", s.parameters.nb},
                                {"precision", name_of(s.parameters.precision)},
                                {"variant", s.parameters.variant}};
  if (s.application == "qr") out["tree"] = s.parameters.tree;
  if (s.application == "exageostat") out.update(exageostat_in_force(s.parameters));
  return out;
}

nlohmann::ordered_json options_in_force(Scenario const& s) {
  return {{"platform", platform_in_force(s.platform)},
          {"application", application_in_force(s)},
          {"distribution", s.distribution.words},
          {"scheduler", scheduler_in_force(s.scheduler)},
          {"runtime", runtime_in_force(s.runtime)},
          {"noise", noise_in_force(s.noise)},
          {"network", network_in_force(s.network, s.platform, s.runtime)},
          {"outputs", outputs_in_force(s.outputs)}};
}

}  // namespace

DistributionRequest distribution_request(Scenario const& s) {
  Application const& app = application(s.application);
  return {.nt = s.parameters.nt,
          .nodes = static_cast<int>(s.platform.nodes.size()),
          .factorization = factorization_of(app),
          .update_flops = update_flops(app, s.parameters),
          .is_product = app.is_product,
          .has_generation = s.application == "exageostat",
          .phase_groups = [&] { return phase_groups(s.platform, s.models, app, s.parameters, s.runtime); },
          .costs = [&] { return factorization_costs(s.platform, s.models, app, s.parameters, s.runtime); }};
}

Scenario read_scenario(std::filesystem::path const& file, std::vector<std::string> const& settings) {
  nlohmann::json document = parse_json_file(file);
  apply_settings(document, settings);
  return scenario_of(document, file.string());
}

Scenario scenario_of(nlohmann::json const& document, std::string const& file) {
  JsonReader const json(document, file);
  json.check_format("factosim-scenario", 1);

  Scenario s;
  s.file = file;
  if (auto const name = json.find("name")) s.name = name->string();
  if (auto const seed = json.find("seed")) s.seed = static_cast<std::uint64_t>(seed->integer(0, INT64_MAX));
  auto const platform = json.at("platform", "a path, or an object with \"file\" and \"nodes\"");
  auto const application_key = json.at("application", "what is computed");
  auto const distribution = json.find("distribution");
  auto const scheduler = json.find("scheduler");
  auto const runtime = json.find("runtime");
  auto const noise = json.find("noise");
  auto const network = json.find("network");
  auto const outputs = json.find("outputs");
  json.finish();

  s.platform = read_platform_key(platform);
  std::tie(s.application, s.parameters) = read_application(application_key);
  s.models = read_models(s);
  if (scheduler) s.scheduler = read_scheduler(*scheduler);
  s.scheduler.seed = s.seed;
  if (s.application == "exageostat") s.runtime = runtime_defaults(s.parameters.exageostat);
  if (runtime) s.runtime = read_runtime(*runtime, s.runtime);
  if (noise) s.noise = read_noise(*noise);
  s.noise.seed = s.seed;
  for (NodeType& type : s.platform.types) keep_gpus(type, static_cast<std::size_t>(s.runtime.max_gpus));
  NetworkOverrides const overrides = network ? read_network(*network) : NetworkOverrides{};
  apply(overrides, s.platform, s.runtime);
  s.distribution = read_distribution(distribution, distribution_request(s));
  s.network = {.model = overrides.model, .lazy = overrides.lazy};
  if (outputs) s.outputs = read_outputs(*outputs);
  s.in_force = options_in_force(s);
  return s;
}

}  // namespace factosim
