#include "simulator/scenario/simulation/provenance.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "factosim/version.hpp"
#include "simulator/runtime/engine/simgrid.hpp"
#include "simulator/scenario/keys/application_keys.hpp"
#include "simulator/scenario/keys/cluster_keys.hpp"
#include "simulator/scenario/keys/network_keys.hpp"

namespace factosim {

namespace {

nlohmann::ordered_json effective_application(TiledApplication const& app) {
  return effective_application(*app.definition, app.parameters);
}

nlohmann::ordered_json effective_application(TraceApplication const& app) {
  return effective_trace_application(app);
}

nlohmann::ordered_json effective_application(GraphApplication const& app) {
  return effective_graph_application(app);
}

nlohmann::ordered_json effective_policy(PlacedScenario const& s) {
  auto const* const replay = std::get_if<TraceApplication>(&s.application);
  if (replay != nullptr && replay->options.prescribes_workers()) return {{"type", "recorded"}};
  return effective_scheduler(s.scheduler, s.schedule.get());
}

}  // namespace

nlohmann::ordered_json effective_options(PlacedScenario const& s) {
  nlohmann::ordered_json out = {
      {"platform", effective_platform(s.platform)},
      {"application", std::visit([](auto const& app) { return effective_application(app); }, s.application)},
      {"distribution", s.distribution.description},
      {"scheduler", effective_policy(s)},
      {"runtime", written(s.runtime)},
      {"noise", written(s.noise)},
      {"network", effective_network(s.network, s.platform, s.runtime)},
      {"outputs", written(s.outputs)}};
  if (s.detail.type != Detail::tasks) out["detail"] = written(s.detail);
  return out;
}

Result::Provenance provenance_head(ScenarioHead const& s) {
  return {.program = version(),
          .revision = git_revision(),
          .simgrid = std::string(simgrid_version()),
          .scenario = s.file,
          .settings = s.settings,
          .seed = s.seed,
          .platform = s.platform_file.empty() ? std::nullopt : std::optional(s.platform_file)};
}

Result::Provenance provenance(PlacedScenario const& s) {
  if (auto const* const graph = std::get_if<GraphApplication>(&s.application); graph && !graph->program)
    return {
        .program = version(), .revision = git_revision(), .seed = s.seed};  // of a graph that a program made
  nlohmann::ordered_json timings = nlohmann::ordered_json::array();
  for (std::size_t t = 0; t < s.platform.types.size(); ++t) {
    if (std::find(s.platform.nodes.begin(), s.platform.nodes.end(), t) == s.platform.nodes.end()) continue;
    timings.push_back({{"machine", s.models[t].machine},
                       {"file", s.models[t].file},
                       {"estimate", s.models[t].estimate || s.platform.types[t].estimate},
                       {"kernels", s.models[t].provenance},
                       {"machine_description", s.platform.types[t].provenance}});
  }
  nlohmann::ordered_json settings = nlohmann::ordered_json::object();
  for (auto const& [name, value] : network_settings(s.network)) settings[name] = value;
  Result::Provenance out = provenance_head(s);
  out.options = effective_options(s);
  out.network_settings = std::move(settings);
  out.timings = std::move(timings);
  if (NetworkSpec const& network = s.platform.network; network.estimate && s.platform.nodes.size() > 1)
    out.network = {{"estimate", true}, {"description", network.provenance}};
  return out;
}

}  // namespace factosim
