#include <fmt/format.h>

#include <memory>
#include <optional>

#include "distributions/map_file.hpp"
#include "distributions/tiles_sent.hpp"
#include "simulator/app/command_line.hpp"
#include "simulator/app/scenario.hpp"
#include "simulator/core/atomic_file.hpp"
#include "simulator/report/map_picture.hpp"

namespace factosim {

namespace {

struct DistributeArguments : ScenarioArguments {
  std::optional<std::filesystem::path> chameleon, svg;
  bool force = false;
};

std::vector<std::uint64_t> tiles_per_node(Scenario const& s) {
  std::vector<std::uint64_t> tiles(s.platform.nodes.size(), 0);
  bool const lower_only = s.application == "cholesky";
  for (int m = 0; m < s.map.mt; ++m)
    for (int n = 0; n < (lower_only ? m + 1 : s.map.nt); ++n) ++tiles[s.map.at(m, n).index()];
  return tiles;
}

std::uint64_t tiles_sent(Scenario const& s) {
  return s.application == "cholesky" ? cholesky_tiles_sent(s.map) : lu_tiles_sent(s.map);
}

nlohmann::ordered_json owner_json(TileMap const& map, bool lower_only) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (int m = 0; m < map.mt; ++m) {
    nlohmann::ordered_json row = nlohmann::ordered_json::array();
    for (int n = 0; n < map.nt; ++n)
      row.push_back(lower_only && n > m ? -1 : static_cast<std::int64_t>(map.at(m, n).value()));
    rows.push_back(row);
  }
  return rows;
}

MapPicture picture(Scenario const& s, std::vector<std::uint64_t> const& tiles) {
  MapPicture picture{.map = s.map,
                     .lower_only = s.application == "cholesky",
                     .title = fmt::format("{} for {}", s.distribution, s.application),
                     .node_types = {},
                     .tiles_per_node = tiles};
  for (std::size_t n = 0; n < tiles.size(); ++n)
    picture.node_types.push_back(s.platform.type_of(NodeId{n}).name);
  return picture;
}

void distribute(DistributeArguments const& arguments) {
  Scenario const s = read_scenario(arguments.file, arguments.settings);
  std::vector<std::uint64_t> const tiles = tiles_per_node(s);
  for (auto const& file : {arguments.chameleon, arguments.svg})
    if (file) refuse_to_overwrite(*file, arguments.force);
  if (arguments.chameleon) write_file_atomically(*arguments.chameleon, map_text(s.map));
  if (arguments.svg) write_file_atomically(*arguments.svg, map_svg(picture(s, tiles)));
  if (arguments.json) {
    nlohmann::ordered_json const json = {{"owner", owner_json(s.map, s.application == "cholesky")},
                                         {"tiles_per_node", tiles},
                                         {"tiles_sent", tiles_sent(s)}};
    fmt::print("{}\n", json.dump());
    return;
  }
  fmt::print("{}: {} x {} tiles on {} nodes\n", s.distribution, s.map.mt, s.map.nt, tiles.size());
  fmt::print("{} tiles are sent between nodes by {}\n", tiles_sent(s), s.application);
  for (std::size_t n = 0; n < tiles.size(); ++n)
    fmt::print("node {:>4}  {:<12} {:>8} tiles\n", n, s.platform.type_of(NodeId{n}).name, tiles[n]);
}

}  // namespace

void add_distribute_command(CLI::App& program) {
  auto const arguments = std::make_shared<DistributeArguments>();
  CLI::App* const command = program.add_subcommand(
      "distribute", "Which node owns which tile, and what that makes them send, without simulating");
  add_scenario_arguments(*command, *arguments);
  command->add_option("--chameleon", arguments->chameleon,
                      "Also write the map as the plain text that Chameleon reads");
  command->add_option("--svg", arguments->svg,
                      "Also draw the map: hues for types of nodes, shades for nodes");
  command->add_flag("--force", arguments->force, "Replace a map or a picture that is there already");
  command->footer("Example: factosim distribute scenarios/lille/block_cyclic_2x11.json --chameleon map.txt");
  command->callback([arguments] { distribute(*arguments); });
}

}  // namespace factosim
