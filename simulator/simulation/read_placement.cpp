#include "simulator/simulation/read_placement.hpp"

#include <tuple>

#include "simulator/bounds/factorization_costs.hpp"
#include "simulator/scenario/application_keys.hpp"
#include "simulator/scenario/distribution_keys.hpp"
#include "simulator/scenario/settings.hpp"
#include "simulator/simulation/placed_scenario.hpp"

namespace factosim {

namespace {

/// Reads a scenario without a platform.
Placement placement_without_platform(JsonReader const& json) {
  json.check_format("factosim-scenario", 1);
  for (char const* key : {"name", "seed", "scheduler", "runtime", "noise", "network", "outputs"})
    (void)json.find(key);  // without effect on the map
  auto const application_key = json.at("application", "what is computed");
  auto const distribution = json.at("distribution", "with \"speeds\", since there is no platform");
  json.finish();
  Placement out;
  std::tie(out.application, out.parameters) = read_application(application_key);
  Application const& app = *out.application;
  int const nodes = count_nodes(distribution);
  out.nodes = static_cast<std::size_t>(nodes);
  bool const generates = app.phase_steps != nullptr;
  out.distribution = make_distribution(read_distribution(distribution, {.nt = out.parameters.nt,
                                                                        .nodes = nodes,
                                                                        .is_product = app.is_product,
                                                                        .has_generation = generates}),
                                       {.nt = out.parameters.nt,
                                        .nodes = nodes,
                                        .factorization = app.factorization(),
                                        .update_flops = app.update_flops(out.parameters),
                                        .has_generation = generates});
  return out;
}

}  // namespace

Placement read_placement(std::filesystem::path const& file, std::vector<std::string> const& settings,
                         SizeLimit const& limit) {
  nlohmann::json document = parse_json_file(file);
  apply_settings(document, settings);
  Placement out = document.is_object() && !document.contains("platform")
                      ? placement_without_platform(JsonReader(document, file.string()))
                      : placement_of(place(scenario_of(document, file.string())), "this command");
  if (out.counts_in_graph()) check_size(*out.application, out.parameters, limit, file.string());
  return out;
}

}  // namespace factosim
