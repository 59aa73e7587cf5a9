#include "simulator/simulation/step_estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "factosim/error.hpp"
#include "simulator/steps/step_run.hpp"

namespace factosim {

namespace {

constexpr double least_step_error = 0.02;  // relative; measured on the scenarios of tests/estimates

/// How workers of the policy get their tasks, as far as groups of tasks know it.
struct PolicyOfSteps {
  char const* name;
  bool knows_priorities, workers_have_queues;
};

constexpr std::array policies{PolicyOfSteps{"eager", false, false}, PolicyOfSteps{"prio", true, false},
                              PolicyOfSteps{"ws", true, false},     PolicyOfSteps{"lws", true, false},
                              PolicyOfSteps{"dm", false, true},     PolicyOfSteps{"dmda", false, true},
                              PolicyOfSteps{"dmdar", false, true},  PolicyOfSteps{"dmdap", true, true},
                              PolicyOfSteps{"dmdas", true, true},   PolicyOfSteps{"dmdasd", true, true}};

[[noreturn]] void refuse(PlacedScenario const& s, std::string const& key, std::string const& why) {
  throw InputError(s.file + "#" + key,
                   fmt::format("{} (groups of tasks have none of it: detail/type is \"steps\"). Use "
                               "the detail \"tasks\" or \"sampled\"",
                               why));
}

PolicyOfSteps policy_of(PlacedScenario const& s) {
  auto const* const known = std::ranges::find(policies, s.scheduler.type, &PolicyOfSteps::name);
  if (known == policies.end() || s.scheduler.own)
    refuse(s, "/scheduler/type", fmt::format("is {}", s.scheduler.type));
  return *known;
}

void refuse_others(PlacedScenario const& s) {
  RuntimeOptions const& o = s.runtime;
  if (s.noise.on()) refuse(s, "/noise", "makes durations vary");
  if (o.max_submitted_tasks > 0) refuse(s, "/runtime/max_submitted_tasks", "limits the submission");
  if (o.max_sends > 0) refuse(s, "/runtime/max_sends", "limits the messages of all nodes together");
  if (o.broadcast != Broadcast::point_to_point)
    refuse(s, "/network/broadcast", "makes receivers forward messages");
  if (std::ranges::any_of(s.platform.types, &NodeType::out_of_core))
    refuse(s, "/platform", "has nodes that compute out of core");
}

}  // namespace

MakespanEstimate estimate_by_steps(TaskPlan const& whole, Bounds const& bounds) {
  PlacedScenario const& s = whole.scenario;
  PolicyOfSteps const policy = policy_of(s);
  refuse_others(s);
  auto const& [definition, parameters] = std::get<TiledApplication>(s.application);
  auto const formulas = definition->formulas(parameters);
  if (!formulas)
    refuse(s, "/application/variant",
           fmt::format("is \"{}\", of which there are no formulas", parameters.variant));
  StepProblem problem{.formulas = *formulas,
                      .map = s.distribution.map,
                      .machine = whole.machine,
                      .topology = whole.topology,
                      .options = s.runtime,
                      .tile = tile_bytes(parameters),
                      .wire = s.platform.network.wire,
                      .links_are_shared = s.network.model != NetworkModel::constant,
                      .policy_knows_priorities = policy.knows_priorities,
                      .workers_have_queues = policy.workers_have_queues,
                      .resolution = static_cast<std::uint32_t>(s.detail.resolution)};
  StepOutcome const fine = run_steps(problem);
  problem.resolution /= 2;
  StepOutcome const coarse = run_steps(problem);
  Seconds const makespan = std::max(fine.makespan, bounds.distribution());
  double const moved = std::abs(coarse.makespan.value / fine.makespan.value - 1);
  return {makespan,
          {.type = std::string(name_of(s.detail.type)),
           .error_relative = std::max(least_step_error, moved),
           .error_text = "from the makespan with groups of twice the width",
           .tasks_simulated = fine.groups + coarse.groups}};
}

}  // namespace factosim
