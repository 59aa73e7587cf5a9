#include <fmt/format.h>

#include <optional>

#include "distributions/map_file.hpp"
#include "distributions/tiles_sent.hpp"
#include "factosim/error.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/core/json_text.hpp"
#include "simulator/front/cli/command_line.hpp"
#include "simulator/report/figures/figures.hpp"
#include "simulator/report/text/progress_bar.hpp"
#include "simulator/scenario/placement/distribution_json.hpp"
#include "simulator/scenario/simulation/place.hpp"
#include "simulator/studies/search/distribution_search.hpp"

namespace factosim {

namespace {

struct DistributeArguments : ScenarioArguments {
  std::optional<std::filesystem::path> chameleon, svg;
  bool force = false;
  bool steps = false;
  std::optional<double> improve;
  SearchOptions search;

  [[nodiscard]] bool searches() const { return improve || search.limits.evaluations; }
};

nlohmann::ordered_json owner_json(TileMap const& map, bool lower_only) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (int m = 0; m < map.mt; ++m) {
    nlohmann::ordered_json& row = rows.emplace_back(nlohmann::ordered_json::array());
    for (int n = 0; n < map.nt; ++n)
      row.push_back(lower_only && n > m ? -1 : static_cast<std::int64_t>(map.at(m, n).value()));
  }
  return rows;
}

void print_table(Placement const& p, std::vector<std::uint64_t> const& tiles) {
  Distribution const& d = p.distribution;
  fmt::print("{}: {} x {} tiles on {} nodes\n", d.description, d.map.mt, d.map.nt, tiles.size());
  fmt::print("{} tiles are sent between nodes by {}\n", tiles_sent(p), p.application->name);
  std::optional<PartitionDetails> const& cut = d.partition;
  if (cut)
    fmt::print("partition: cost {:.4f}, no less than {:.4f}\n", cut->partition.cost(), cut->lower_bound);
  if (d.grid) fmt::print("{}", format_grid(*d.grid));
  if (cut) {
    for (Section const& s : cut->sections)
      fmt::print("iterations {:>4} to {:>4}: {} nodes\n", s.first_k, s.last_k, s.nodes.size());
    if (!cut->moves.empty()) fmt::print("{} tiles moved\n", cut->moves.size());
  }
  if (d.redistributed) fmt::print("{} tiles move between generation and factorization\n", *d.redistributed);
  if (std::optional<PhaseLoads> const& loads = d.loads)
    fmt::print("linear program: generation until {:.4g} s, all until {:.4g} s\n", loads->generation_end_s,
               loads->makespan_s);
  auto const generated = d.generation ? lower_tiles_per_node(*d.generation, tiles.size()) : tiles;
  for (std::size_t n = 0; n < tiles.size(); ++n) {
    fmt::print("node {:>4}  {:<12} {:>8} tiles", n, p.node_types.empty() ? "" : p.node_types[n], tiles[n]);
    if (d.generation) fmt::print(", {:>8} generated", generated[n]);
    fmt::print("\n");
  }
}

MapPicture picture(Placement const& p, std::vector<std::uint64_t> const& tiles) {
  MapPicture picture{.map = p.distribution.map,
                     .lower_only = p.application->lower_only,
                     .title = fmt::format("{} for {}", p.distribution.description, p.application->name),
                     .node_types = p.node_types,
                     .tiles_per_node = tiles};
  std::optional<PartitionDetails> const& cut = p.distribution.partition;
  if (!cut) return picture;
  for (Section const& s : cut->sections)  // from the last rows to the first
    picture.section_first_k.insert(picture.section_first_k.begin(), s.last_k - 1);
  picture.partition = cut->partition.rectangles;
  return picture;
}

void refuse_to_overwrite_files(DistributeArguments const& arguments) {
  for (auto const& file : {arguments.chameleon, arguments.svg})
    if (file) refuse_to_overwrite(*file, arguments.force);
  if (arguments.chameleon == standard_stream && (arguments.svg == standard_stream || arguments.json))
    throw InputError("--chameleon#", "standard output takes one file. Name the others");
  if (arguments.svg == standard_stream && arguments.json)
    throw InputError("--svg#", "standard output takes one file (--json prints there). Name a file");
  if (arguments.svg) check_figure_name(*arguments.svg);
}

void write_files(DistributeArguments const& arguments, Placement const& p,
                 std::vector<std::uint64_t> const& tiles) {
  if (arguments.chameleon) write_output(*arguments.chameleon, map_text(p.distribution.map));
  if (arguments.svg) write_figure(*arguments.svg, map_figure(picture(p, tiles)));
}

void print_progress(std::uint64_t evaluations, Seconds best) {
  show_status(fmt::format("{} maps simulated, best {:.4g} s", evaluations, best.value));
}

/// Throws InputError if the map does not come from the heuristic for grids.
ArrangedGrid const& grid_with_steps(Distribution const& distribution) {
  std::optional<GridDetails> const& details = distribution.grid;
  if (!details || details->grid.steps.empty())
    throw InputError("--steps#",
                     "the distribution has no steps (only het-grid with \"method\": \"heuristic\" has). "
                     "Choose that one, or leave out --steps");
  return details->grid;
}

struct Answer {
  Placement placement;
  std::optional<FoundDistribution> found;
};

Answer search(DistributeArguments const& arguments) {
  Scenario scenario = read_scenario(arguments.file, arguments.settings);
  SizeLimit const limit{.forced = arguments.force_large};
  check_size(scenario, limit);
  if (arguments.search.limits.evaluations && !arguments.improve)
    check_work(
        repetitions_of(simulation_work(scenario), static_cast<double>(*arguments.search.limits.evaluations)),
        max_simulations_s, limit, "--evaluations", "Use fewer of them, or --improve");
  PlacedScenario placed = place(std::move(scenario), limit);
  SearchOptions options = arguments.search;
  if (arguments.improve) options.limits.time = Seconds{*arguments.improve};
  FoundDistribution found = search_distribution(placed, options, print_progress);
  show_status("");
  placed.distribution = found.distribution;
  return {placement_of(placed, "--search"), std::move(found)};
}

nlohmann::ordered_json search_json(FoundDistribution const& found) {
  nlohmann::ordered_json history = nlohmann::ordered_json::array();
  for (auto const& [evaluation, makespan] : found.history) history.push_back({evaluation, makespan.value});
  nlohmann::ordered_json out = {
      {"evaluations", found.evaluations},
      {"start", {{"type", found.start}, {"makespan_s", found.start_makespan.value}}},
      {"makespan_s", found.makespan.value},
      {"history", history}};
  if (found.json) out["distribution"] = *found.json;
  return out;
}

void print_search(FoundDistribution const& found) {
  fmt::print("start: {}, {:.4g} s\nfound: {:.4g} s, {:.1f} % less, with {} evaluations\n", found.start,
             found.start_makespan.value, found.makespan.value,
             100 * (1 - found.makespan.value / found.start_makespan.value), found.evaluations);
  if (found.json) fmt::print("\"distribution\": {}\n", found.json->dump());
}

void distribute(DistributeArguments const& arguments) {
  InputFiles::add(arguments.file);
  refuse_to_overwrite_files(arguments);  // before a long search
  Answer const answer =
      arguments.searches()
          ? search(arguments)
          : Answer{read_placement(arguments.file, arguments.settings, {.forced = arguments.force_large}), {}};
  Placement const& p = answer.placement;
  ArrangedGrid const* const stepped = arguments.steps ? &grid_with_steps(p.distribution) : nullptr;
  std::vector<std::uint64_t> const tiles = tiles_per_node(p);
  write_files(arguments, p, tiles);
  if (arguments.chameleon == standard_stream || arguments.svg == standard_stream) return;
  if (!arguments.json) {
    print_table(p, tiles);
    if (stepped != nullptr) fmt::print("{}", format_grid_steps(*stepped));
    if (answer.found) print_search(*answer.found);
    return;
  }
  nlohmann::ordered_json json = {{"owner", owner_json(p.distribution.map, p.application->lower_only)},
                                 {"tiles_per_node", tiles},
                                 {"tiles_sent", tiles_sent(p)}};
  if (auto const& generation = p.distribution.generation) {
    json["generation_owner"] = owner_json(*generation, p.application->lower_only);
    json["generation_tiles_per_node"] = lower_tiles_per_node(*generation, tiles.size());
  }
  json.update(distribution_json(p.distribution));
  if (stepped != nullptr) json["grid"]["steps"] = grid_steps_json(*stepped);
  if (answer.found) json["search"] = search_json(*answer.found);
  fmt::print("{}\n", json_text(json));
}

}  // namespace

void add_distribute_command(CLI::App& program) {
  auto [options, a] = add_command(
      program, "distribute", "Which node owns which tile, and what that makes them send", distribute,
      "Example: factosim distribute scenarios/lille/block_cyclic_2x11.json --chameleon map.txt");
  options.scenario(a);
  options.force_large(a.force_large);
  options.path("--chameleon", a.chameleon, "Also write the map as the plain text that Chameleon reads");
  options.path(
      "--svg", a.svg,
      "Also draw the map (.svg, .pdf, .png; its owners: .csv): hues for types of nodes, shades for nodes");
  options.force(a.force, "Replace a map or a picture that is there already");
  options.more();
  options.flag("--steps", a.steps,
               "Also print each step of het-grid's heuristic: arrangement, shares, workloads");
  options.positive("--improve", a.improve,
                   "Search, for so many seconds, for a map that is simulated to be done sooner");
  options.positive("--evaluations", a.search.limits.evaluations,
                   "Search with at most so many simulations: the same map on every machine");
  options
      .add("--starts", a.search.starts,
           "Distributions to start the search from, separated by commas, where they exist for these nodes, "
           "beside that of the scenario")
      ->delimiter(',')
      ->check(one_of(std::vector<std::string>(search_starts.begin(), search_starts.end())));
}

}  // namespace factosim
