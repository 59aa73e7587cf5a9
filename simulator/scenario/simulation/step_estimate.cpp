#include "simulator/scenario/simulation/step_estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "factosim/error.hpp"
#include "platforms/fabric.hpp"
#include "simulator/runtime/engine/constant_network.hpp"
#include "simulator/runtime/steps/step_run.hpp"

namespace factosim {

namespace {

// Relative errors, measured on the scenarios of tests/estimates: of nodes without and with GPUs, whose buses and memories
// groups do not have.
constexpr double least_step_error = 0.03, least_step_error_with_gpus = 0.06;

/// Estimates were within 4 % with 0.2 copies per kernel, and 43 % too short with 1.4 (tests/estimates).
constexpr double most_copies_per_kernel = 0.5;

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
  if (o.workers_per_gpu > 1) refuse(s, "/runtime/workers_per_gpu", "lets kernels share GPUs");
  if (o.max_sends > 0) refuse(s, "/runtime/max_sends", "limits the messages of all nodes together");
  if (o.broadcast != Broadcast::point_to_point)
    refuse(s, "/network/broadcast", "makes receivers forward messages");
  if (std::ranges::any_of(s.platform.types, &NodeType::out_of_core))
    refuse(s, "/platform", "has nodes that compute out of core");
  if (s.platform.network.gpu_direct != GpuDirect::none)
    refuse(s, "/network/gpu_direct", "lets messages leave memories that depend on the schedule");
  if (std::ranges::any_of(s.platform.types, &NodeType::unified_memory))
    refuse(s, "/platform", "has nodes whose GPUs compute in the RAM");
  if (is_adaptive(s.platform.network.fabric))
    refuse(s, "/platform",
           "has a network with adaptive routing, in which groups of tiles would choose one route");
  if (s.platform.network.efficiency != MessageEfficiency{})
    refuse(s, "/platform", "has a network whose bandwidth depends on the size of messages");
}

/// Time of a copy of one tile to the GPU over that of the longest kernel there, the largest of all GPUs: with copies that take
/// about as long as kernels, the buses decide.
double copies_per_kernel(TaskPlan const& p, Bytes tile) {
  double largest = 0;
  for (std::uint32_t n = 0; n < p.machine.node_count(); ++n) {
    Machine::Type const& type = p.machine.type(NodeId{n});
    if (n > 0 && p.machine.type_of[n] == p.machine.type_of[n - 1]) continue;
    std::uint32_t const ram = p.topology.ram_of(NodeId{n}).value();
    for (std::size_t w = 0; w < type.workers.size(); ++w) {
      if (!type.workers[w].gpu) continue;
      double longest = 0;
      for (std::size_t i = w; i < type.durations.size(); i += type.workers.size())
        if (std::isfinite(type.durations[i])) longest = std::max(longest, type.durations[i]);
      MemoryNodeId const memory{ram + type.workers[w].memory.value()};
      Seconds const copy = unshared_time(p.topology, MemoryNodeId{ram}, memory, tile);
      if (longest > 0) largest = std::max(largest, copy.value / longest);
    }
  }
  return largest;
}

}  // namespace

MakespanEstimate estimate_by_steps(TaskPlan const& whole, Bounds const& bounds) {
  PlacedScenario const& s = whole.scenario;
  PolicyOfSteps const policy = policy_of(s);
  refuse_others(s);
  auto const& [definition, parameters] = std::get<TiledApplication>(s.application);
  auto const formulas = definition->formulas(parameters, s.distribution.map);
  if (!formulas)
    refuse(s, "/application/variant",
           fmt::format("is \"{}\", of which there are no formulas", parameters.variant));
  if (double const copies = copies_per_kernel(whole, tile_bytes(parameters)); copies > most_copies_per_kernel)
    refuse(
        s, "/platform",
        fmt::format("has GPUs to which a tile takes {:.2g} times as long as their longest kernel", copies));
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
  // A group waits for what its last tile reads: too long by a time of the order of its width, the inverse of the resolution.
  double const moved = std::max(0.0, coarse.makespan.value / fine.makespan.value - 1);
  Seconds const makespan = std::max(Seconds{fine.makespan.value * (1 - moved)}, bounds.distribution());
  bool const has_gpus =
      std::ranges::any_of(whole.machine.types, [](Machine::Type const& t) { return t.gpus > 0; });
  return {makespan,
          {.type = std::string(name_of(s.detail.type)),
           .error_relative = std::max(has_gpus ? least_step_error_with_gpus : least_step_error, moved),
           .error_text = "from the makespan with groups of twice the width, and measured",
           .tasks_simulated = fine.groups + coarse.groups}};
}

}  // namespace factosim
