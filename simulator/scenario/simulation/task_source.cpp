#include "simulator/scenario/simulation/task_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "factosim/error.hpp"
#include "models/applications/task_formulas.hpp"

namespace factosim {

namespace {

/// With fewer tasks, the stored graph fits any computer, and a run that has it says what limits it.
constexpr std::uint64_t min_automatic_tasks = 4'000'000;

/// Returns what makes the run need the stored graph, to stand after "needs all tasks beforehand:"; empty if nothing does.
std::string need_of_graph(ApplicationParameters const& p, ClusterOptions const& s, ScenarioHead const& head,
                          TaskFormulas const* formulas) {
  RuntimeOptions const& o = s.runtime;
  if (p.is_nested()) return "tasks are split (application/nested)";
  if (p.formats) return "tiles have several formats (application/tile_formats)";
  if (formulas == nullptr) return fmt::format("there are no formulas for the variant \"{}\"", p.variant);
  if (formulas->task_count() > std::numeric_limits<std::uint32_t>::max())
    return fmt::format("{} tasks cannot be numbered", formulas->task_count());
  if (s.schedule) return "tasks follow a schedule (scheduler/file)";
  if (s.scheduler.own) return "the policy is of a plug-in or a program (scheduler/type)";
  if (s.scheduler.type == "heft" || s.scheduler.type == "darts")
    return fmt::format("the policy {} plans ahead (scheduler/type)", s.scheduler.type);
  if (o.max_submitted_tasks > 0) return "submission is limited (runtime/max_submitted_tasks)";
  if (o.unrolling != Unrolling::whole)
    return fmt::format("nodes unroll parts of the task flow (runtime/unrolling is \"{}\")",
                       name_of(o.unrolling));
  if (head.outputs.series_points > 0) return "a series is recorded (outputs/series)";
  if (std::ranges::any_of(s.platform.nodes,
                          [&](std::uint32_t type) { return s.platform.types[type].out_of_core; }))
    return "a node computes out of core";
  if (o.allocate_at_submission) return "RAM is page-locked at submission (runtime/allocate_at_submission)";
  return {};
}

}  // namespace

std::unique_ptr<TaskFormulas const> formulas_of_run(TiledApplication const& application,
                                                    ClusterOptions const& cluster, ScenarioHead const& head,
                                                    bool has_layers) {
  auto const& [definition, p] = application;
  if (!definition->has_formulas || p.task_graph == TaskGraphForm::stored) return nullptr;
  std::unique_ptr<TaskFormulas const> formulas = definition->formulas(p);
  bool const automatic = p.task_graph == TaskGraphForm::automatic;
  if (automatic && (!formulas || formulas->task_count() < min_automatic_tasks)) return nullptr;
  std::string const need = has_layers ? "tiles are on layers (distribution/type)"
                                      : need_of_graph(p, cluster, head, formulas.get());
  if (need.empty()) return formulas;
  if (automatic) return nullptr;
  throw InputError(
      head.file + "#/application/task_graph",
      fmt::format(
          "is \"formulas\", and the run needs the stored graph ({}). Use \"automatic\", or change that",
          need));
}

}  // namespace factosim
