#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/base/core/json_text.hpp"
#include "simulator/front/cli/command_line.hpp"
#include "simulator/report/json/result_json.hpp"
#include "simulator/scenario/placement/distribution.hpp"
#include "simulator/scenario/placement/distribution_json.hpp"
#include "simulator/scenario/simulation/run.hpp"
#include "simulator/scenario/simulation/simulate.hpp"
#include "simulator/tasks/bounds/iteration_bounds.hpp"
#include "simulator/tasks/bounds/words_moved.hpp"

namespace factosim {

FACTOSIM_JSON_MEMBERS(NodeWords, sent, received, tiles, sums, least, least_in_memory)

namespace {

/// Returns the bounds of the iterations of a factorization in one precision; nothing for other applications.
nlohmann::ordered_json iterations_json(PlacedScenario const& s) {
  auto const* const tiled = std::get_if<TiledApplication>(&s.application);
  if (tiled == nullptr || tiled->definition->is_product || tiled->parameters.formats)
    return nlohmann::ordered_json::object();
  TimedApplication const timed = timed_application(s);
  Application const& app = timed.application;
  auto const [kernels, kinds] = app.factorization_kernels(timed.parameters);
  auto const has = [own = app.plain_kernels(timed.parameters)](Kernel const& kernel) {
    return std::ranges::find(own, kernel.name, &Kernel::name) != own.end();
  };
  if (!std::ranges::all_of(kernels, has)) return nlohmann::ordered_json::object();  // QR by a binary tree
  Machine const machine = machine_of(timed, kernels);
  std::optional<PartitionDetails> const& partition = s.distribution.partition;
  return iteration_bounds_json(
      iteration_bounds(s.distribution.map, app.factorization(), machine, kinds, costs_of(timed)),
      partition ? partition->sections : std::vector<Section>{});
}

struct BoundsArguments : ScenarioArguments {
  bool words = false;
};

/// Returns the words that nodes move. Throws InputError if the tasks are not those of a factorization.
std::vector<NodeWords> words_of(TaskPlan const& p) {
  TiledApplication const& app = tiled_application(p.scenario, "--words");
  return words_moved(p.stored().graph, p.stored().plan, *app.definition, app.parameters);
}

void print_words(std::vector<NodeWords> const& words) {
  fmt::print(
      "\nmillions of words: a node moves (sends and receives) at least `least` of them; in a memory for "
      "`kept`,\n"
      "its tiles and partial sums, at least `least in it`\n");
  fmt::print("{:>5} {:>10} {:>10} {:>10} {:>10} {:>10} {:>12}\n", "node", "sent", "received", "moved",
             "least", "kept", "least in it");
  NodeWords all;
  auto const row = [](std::string const& name, NodeWords const& w) {
    fmt::print("{:>5} {:>10.4g} {:>10.4g} {:>10.4g} {:>10.4g} {:>10.4g} {:>12.4g}\n", name, w.sent / 1e6,
               w.received / 1e6, (w.sent + w.received) / 1e6, w.least / 1e6, (w.tiles + w.sums) / 1e6,
               w.least_in_memory / 1e6);
  };
  for (std::size_t n = 0; n < words.size(); ++n) {
    NodeWords const& w = words[n];
    row(std::to_string(n), w);
    all = {all.sent + w.sent, all.received + w.received, all.tiles + w.tiles,
           all.sums + w.sums, all.least + w.least,       all.least_in_memory + w.least_in_memory};
  }
  row("all", all);
}

void bounds(BoundsArguments const& arguments) {
  SimulationPlan const simulation =
      plan_simulation(read_scenario(arguments.file, arguments.settings), {.forced = arguments.force_large},
                      arguments.words ? TaskStorage::always : TaskStorage::where_needed);
  TaskPlan const& p = task_plan(simulation);
  Distribution const& distribution = p.scenario.distribution;
  Bounds const b = bounds_of(p);
  if (arguments.json) {
    nlohmann::ordered_json json = bounds_json(b);
    json.update(iterations_json(p.scenario));
    json.update(phases_json(distribution));
    if (arguments.words) json["words_by_node"] = words_of(p);
    print_json(json);
    return;
  }
  auto const row = [](std::string_view name, Seconds bound) {
    fmt::print("{:<37}{:.6g} s\n", name, bound.value);
  };
  row("problem on these nodes", b.problem());
  row("  area bound, all workers", b.abe);
  row("  longest chain, fastest workers", b.problem_path);
  row("  chain, area, chain", b.problem_area_and_path);
  row("this distribution", b.distribution());
  row("  area bound, most loaded node", b.most_loaded_node());
  row("  critical path", b.critical_path);
  row("  critical path with messages", b.critical_path_with_comm);
  row("  chain, node, chain, with messages", b.load_and_path);
  if (!b.link_name.empty()) row("  messages of link " + b.link_name, b.link);
  if (std::optional<PhaseLoads> const& loads = distribution.loads)
    fmt::print("linear program of the phases      {:.6g} s (no bound; generation until {:.6g} s)\n",
               loads->makespan_s, loads->generation_end_s);
  if (arguments.words) print_words(words_of(p));
}

}  // namespace

void add_bounds_command(CLI::App& program) {
  auto [options, a] =
      add_command(program, "bounds", "What no schedule of a scenario can beat, without simulating it", bounds,
                  "Example: factosim bounds scenarios/lille/block_cyclic_2x11.json --json");
  options.scenario(a);
  options.force_large(a.force_large);
  options.flag("--words", a.words, "Words that each node sends and receives, and lower bounds of them");
}

}  // namespace factosim
