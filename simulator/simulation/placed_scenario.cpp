#include "simulator/simulation/placed_scenario.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "factosim/error.hpp"
#include "models/applications/registry.hpp"
#include "platforms/gpu_subset.hpp"
#include "simulator/bounds/factorization_costs.hpp"
#include "simulator/replay/trace_platform.hpp"

namespace factosim {

namespace {

/// The trace's platform with fitted links and the overrides of the scenario. Adds what is assumed to
/// `findings`.
Platform fitted_platform(ReplayScenario const& s, std::vector<Finding>& findings) {
  Platform platform = trace_platform(*s.application.trace, s.cluster.runtime, findings);
  for (NodeType& type : platform.types) keep_gpus(type, static_cast<std::size_t>(s.cluster.runtime.max_gpus));
  return with_overrides(std::move(platform), s.overrides);
}

/// Places the description of an application.
class Placer {
 public:
  explicit Placer(ScenarioHead const& head) { static_cast<ScenarioHead&>(out_) = head; }

  PlacedScenario operator()(TiledScenario&& s) && {
    static_cast<ClusterOptions&>(out_) = std::move(s.cluster);
    out_.application = std::move(s.application);
    out_.distribution = make_distribution(s.distribution, distribution_request(out_));
    return std::move(out_);
  }

  PlacedScenario operator()(ReplayScenario&& s) && {
    if (s.application.own_platform) s.cluster.platform = fitted_platform(s, out_.findings);
    static_cast<ClusterOptions&>(out_) = std::move(s.cluster);
    out_.application = s.application;
    if (s.distribution) out_.distribution = make_distribution(*s.distribution, distribution_request(out_));
    return std::move(out_);
  }

  PlacedScenario operator()(RingScenario const& /*s*/) && { refuse_experiment(out_, "ring"); }
  PlacedScenario operator()(DataParallelScenario const& /*s*/) && {
    refuse_experiment(out_, "data-parallel");
  }

 private:
  PlacedScenario out_;
};

}  // namespace

PlacedScenario place(Scenario scenario) {
  return std::visit(Placer(scenario), std::move(scenario.application));
}

void refuse_experiment(ScenarioHead const& head, std::string_view type) {
  throw InputError(
      head.file + "#/application/type",
      fmt::format("is \"{}\" (this command works on a graph of tasks). Use `factosim run` or a sweep, or {}",
                  type, fmt::join(application_names(), ", ")));
}

TiledApplication const& tiled_application(PlacedScenario const& s, std::string_view command) {
  if (auto const* const tiled = std::get_if<TiledApplication>(&s.application)) return *tiled;
  throw InputError(s.file + "#/application/type",
                   fmt::format("is \"trace\" ({} works on the tiles of a factorization). Use {}", command,
                               "\"lu\" or \"cholesky\", or `factosim run`"));
}

TimedApplication timed_application(PlacedScenario const& s) {
  auto const& tiled = std::get<TiledApplication>(s.application);
  return {.platform = s.platform,
          .models = s.models,
          .application = *tiled.definition,
          .parameters = tiled.parameters,
          .runtime = s.runtime};
}

DistributionRequest distribution_request(PlacedScenario const& s) {
  auto const nodes = static_cast<int>(s.platform.nodes.size());
  if (auto const* const replay = std::get_if<TraceApplication>(&s.application))
    return {.nt = matrix_tiles(*replay->trace), .nodes = nodes, .update_flops = Flops{1}};
  TimedApplication const timed = timed_application(s);
  return {.nt = timed.parameters.nt,
          .nodes = nodes,
          .factorization = timed.application.factorization(),
          .update_flops = timed.application.update_flops(timed.parameters),
          .has_generation = timed.application.phase_steps != nullptr,
          .timed = timed};
}

Placement placement_of(PlacedScenario const& s, std::string_view command) {
  TiledApplication const& app = tiled_application(s, command);
  Placement out{.application = app.definition,
                .parameters = app.parameters,
                .nodes = s.platform.nodes.size(),
                .distribution = s.distribution};
  for (std::uint32_t const type : s.platform.nodes) out.node_types.push_back(s.platform.types[type].name);
  return out;
}

}  // namespace factosim
