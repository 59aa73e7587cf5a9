#include <fmt/format.h>

#include <algorithm>

#include "simulator/audit/rules/checks.hpp"

namespace factosim::audit {

namespace {

/// Findings of a map against one of the alternatives that its definition permits.
Check against(TileRule const& rule, AuditedMap const& map) {
  Check out{.name = "map", .rule = {}, .skipped = {}};
  for (int m = 0; m < map.main.mt; ++m)
    for (int n = 0; n < (map.description.lower_only ? m + 1 : map.main.nt); ++n) {
      ++out.cases;
      NodeId const owner = map.main.at(m, n);
      if (std::string const expected = rule(m, n, owner); !expected.empty())
        out.add({owner.valid() ? fmt::format("belongs to node {}", owner.value()) : "has no owner",
                 fmt::format("tile ({}, {}) of \"{}\"", m, n, map.description.text), expected});
    }
  return out;
}

void check_rules(AuditedMap const& map, Check& check);

/// Each layer's map follows its own rules, with the nodes counted in the layer.
void check_layers(AuditedMap const& map, Check& check) {
  for (std::string const& fault : layer_faults(map.description, map.main))
    check.add({fault, fmt::format("\"{}\"", map.description.text), "iterations and tiles by their layers"});
  auto const& layers = map.description.details.at("layers");
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    auto const nodes = layers[layer].at("nodes").get<std::vector<std::uint32_t>>();
    TileMap own{.mt = map.main.mt, .nt = map.main.nt, .owner = map.main.layers.owner.at(layer)};
    for (NodeId& owner : own.owner) {
      if (!owner.valid()) continue;
      auto const place = std::ranges::find(nodes, owner.value());
      owner = place == nodes.end() ? NodeId{} : NodeId{place - nodes.begin()};
    }
    check_rules({.main = own,
                 .description = {.text = layers[layer].at("distribution"),
                                 .details = layers[layer],
                                 .nodes = nodes.size(),
                                 .lower_only = map.description.lower_only}},
                check);
  }
}

void check_rules(AuditedMap const& map, Check& check) {
  if (map.main.has_layers()) return check_layers(map, check);
  MapRules const rules = map_rules(map.description, map.main.nt);
  for (std::string const& fault : rules.faults)
    check.add({fault, fmt::format("\"{}\"", map.description.text), "a map by its definition"});
  if (rules.alternatives.empty())
    return check.skip(fmt::format("\"{}\" has no formula: only owners are checked", map.description.text));
  std::vector<Check> found;
  for (TileRule const& rule : rules.alternatives) {
    found.push_back(against(rule, map));
    if (found.back().broken == 0) break;
  }
  Check const& best = *std::ranges::min_element(found, {}, &Check::broken);
  check.cases += best.cases;
  check.broken += best.broken;
  check.findings.insert(check.findings.end(), best.findings.begin(), best.findings.end());
}

/// Each datum belongs to the owner of its tile, or to the one that it names.
void check_owners(RunView const& view, AuditedMap const& map, Check& check) {
  TaskGraph const& graph = view.run.graph;
  for (std::size_t p = 0; p < view.run.owners.size(); ++p) {
    TileMap const& tiles = p == 1 && map.generation != nullptr ? *map.generation : map.main;
    for (std::size_t h = 0; h < graph.handles.size(); ++h) {
      HandleInfo const& handle = graph.handles[h];
      ++check.cases;
      NodeId const expected = handle.owner.valid() ? handle.owner : tiles.at(handle.m, handle.n);
      NodeId const owner = view.run.owners[p][h];
      if (owner != expected || !owner.valid() || owner.index() >= view.run.platform.nodes.size())
        check.add({fmt::format("belongs to node {}", owner.valid() ? static_cast<int>(owner.value()) : -1),
                   view.name_of_handle(HandleId{h}),
                   fmt::format("node {}", expected.valid() ? static_cast<int>(expected.value()) : -1)});
    }
  }
}

}  // namespace

void check_map(RunView const& view, AuditReport& report) {
  Check& check = report.check("map");
  if (!view.run.map) return check.skip("tasks of a file run where it, its map or its policy says");
  AuditedMap const& map = *view.run.map;
  check_owners(view, map, check);
  if (map.generation != nullptr)
    for (std::string const& fault : generation_faults(map.description, map.main, *map.generation))
      check.add({fault, "the map of generation", "as few moves as the shares permit"});
  check_rules(map, check);
}

}  // namespace factosim::audit
