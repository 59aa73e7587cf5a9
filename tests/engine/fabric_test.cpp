// Fat trees, dragonflies and dragonflies+: closed forms of their routes, bandwidths and adaptive choices.

#include "platforms/fabric.hpp"
#include "tests/engine/random_plan.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

constexpr LinkRate nic{BytesPerSecond{1e9}, Seconds{1e-6}};
constexpr LinkRate local{BytesPerSecond{1e9}, Seconds{2e-6}};
constexpr LinkRate global{BytesPerSecond{1e9}, Seconds{5e-6}};
constexpr std::int64_t size = 100'000'000;

Platform joined_by(Fabric const& fabric, std::size_t nodes, std::uint32_t cards = 1) {
  Platform platform = platform_with({node_type(0, nic)});
  platform.types[0].nics = cards;
  platform.nodes.assign(nodes, 0);
  platform.network.fabric = fabric;
  return platform;
}

Topology::Route route(Topology const& topology, std::uint32_t from, std::uint32_t to,
                      Topology::RouteBuffer& buffer) {
  return topology.route(MemoryNodeId{from}, MemoryNodeId{to}, buffer);
}

/// The largest number of links of a route.
std::size_t diameter(Topology const& topology) {
  std::size_t most = 0;
  Topology::RouteBuffer buffer;
  for (std::uint32_t a = 0; a < topology.node_count(); ++a)
    for (std::uint32_t b = 0; b < topology.node_count(); ++b)
      if (a != b) most = std::max(most, route(topology, a, b, buffer).links.size());
  return most;
}

/// Every node sends to the node `by` places behind it.
Plan shift(std::uint32_t nodes, std::uint32_t by) {
  Plan plan;
  for (std::uint32_t n = 0; n < nodes; ++n) plan.transfers.push_back({n, (n + by) % nodes, size, 1});
  return plan;
}

double last_of(NamedNetwork const& network, Platform const& platform, Plan const& plan) {
  return std::ranges::max(ends_of(network, platform, plan)) - 1;
}

/// A dragonfly of 9 groups of 4 switches of 2 nodes, with one link between groups.
Dragonfly nine_groups(Routing routing) {
  return {.switches = 4, .nodes_per_switch = 2, .local = local, .global = global, .routing = routing};
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("adaptive routing chooses among all shortest paths, each once, that of the destination first") {
    constexpr std::uint32_t links = 3;
    Dragonfly adaptive = nine_groups(Routing::adaptive);
    adaptive.global_links = links;
    Topology const topology(joined_by(adaptive, 72));
    for (std::uint32_t to = 0; to < 64; ++to) {  // in another group than node 71
      std::vector<Topology::Path> paths;
      topology.candidates(MemoryNodeId{71}, MemoryNodeId{to}, 1, paths);
      REQUIRE(paths.size() >= links);
      CHECK(paths[0] == Topology::Path{to % links});
      CHECK(std::set(paths.begin(), paths.begin() + links) == std::set<Topology::Path>{0, 1, 2});
    }
    // The others pass a third group: two global links, in all groups but the two.
    std::set<Topology::Path> detours;
    Topology::RouteBuffer buffer;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      std::vector<Topology::Path> paths;
      topology.candidates(MemoryNodeId{8}, MemoryNodeId{16}, seed, paths);
      detours.insert(paths.begin() + links, paths.end());
    }
    CHECK(detours.size() == 7 * links);
    for (Topology::Path const path : detours) {
      auto const route = topology.route(MemoryNodeId{8}, MemoryNodeId{16}, buffer, path).links;
      CHECK(std::ranges::count_if(route, [&](std::uint32_t link) {
              return topology.links()[link].rate.latency == global.latency;
            }) == 2);
    }
  }

  TEST_CASE("the longest routes of fat trees and dragonflies follow from their levels") {
    Dice dice(7);
    for (int i = 0; i < 30; ++i) {
      FatTree tree;
      std::size_t nodes = 1;
      for (int l = dice.between(1, 3); l-- > 0;) {
        tree.levels.push_back({.down = static_cast<std::uint32_t>(dice.between(1, 4)),
                               .up = static_cast<std::uint32_t>(dice.between(1, 3)),
                               .parallel = static_cast<std::uint32_t>(dice.between(1, 3)),
                               .uplink = local});
        nodes *= tree.levels.back().down;
      }
      CHECK(diameter(Topology(joined_by(tree, 2 * nodes))) == 2 + 2 * tree.levels.size());
      auto const groups = static_cast<std::size_t>(dice.between(2, 6));
      Dragonfly d = nine_groups(Routing::minimal);
      d.global_links = static_cast<std::uint32_t>(dice.between(1, 4));
      CHECK(diameter(Topology(joined_by(d, groups * 8))) <= 5);
      d.routing = Routing::valiant;
      CHECK(diameter(Topology(joined_by(d, groups * 8))) <= 7);
    }
    CHECK(diameter(Topology(joined_by(nine_groups(Routing::minimal), 72))) == 5);
    CHECK(diameter(Topology(joined_by(nine_groups(Routing::valiant), 72))) == 7);
  }

  TEST_CASE("a fat tree with as many links up as down blocks no shift permutation") {  // Zahavi, 2010
    FatTree const tree{.levels = {{.down = 3, .up = 3, .uplink = nic}, {.down = 3, .up = 3, .uplink = nic}}};
    Platform const full = joined_by(tree, 27);
    for (std::uint32_t const by : {1u, 2u, 3u, 5u, 9u, 13u, 26u})
      CHECK(last_of(maxmin_network, full, shift(27, by)) < 1.001 * size / nic.bandwidth.value);
    FatTree const parallel{.levels = {{.down = 4, .up = 2, .parallel = 2, .uplink = nic}}};
    for (std::uint32_t const by : {1u, 4u, 7u})
      CHECK(last_of(maxmin_network, joined_by(parallel, 16), shift(16, by)) <
            1.001 * size / nic.bandwidth.value);
  }

  TEST_CASE("half of a fat tree sends to the other half at the bandwidth of its links up") {
    // 8 leaves of 4 nodes with 2 uplinks; pairs of leaves under 2 switches of the next level with 2 uplinks each.
    FatTree const tree{.levels = {{.down = 4, .up = 2, .uplink = nic}, {.down = 2, .up = 2, .uplink = nic}}};
    Platform const platform = joined_by(tree, 32);
    double const bisection =
        2 * 2 * 2 * nic.bandwidth.value;  // of the 2 subtrees in a half: 2 switches of 2 links
    double const bytes = 16.0 * size;
    CHECK(last_of(maxmin_network, platform, shift(32, 16)) == close_to(bytes / bisection, 1e-3));
  }

  TEST_CASE("all nodes of a group send to another group over the links between the two") {
    for (std::uint32_t const links : {1u, 2u, 4u}) {
      Dragonfly d = nine_groups(Routing::minimal);
      d.global_links = links;
      d.local.bandwidth.value = 1e11;
      Plan plan;
      for (std::uint32_t n = 0; n < 8; ++n) plan.transfers.push_back({n, 8 + n, size, 1});
      CHECK(last_of(maxmin_network, joined_by(d, 72), plan) ==
            close_to(8.0 * size / (links * global.bandwidth.value), 1e-3));
    }
  }

  TEST_CASE("valiant and adaptive routing spread the traffic between two groups over others") {
    Plan plan;
    for (std::uint32_t n = 0; n < 72; ++n) plan.transfers.push_back({n, (n + 8) % 72, size, 1});
    double const minimal = last_of(maxmin_network, joined_by(nine_groups(Routing::minimal), 72), plan);
    double const valiant = last_of(maxmin_network, joined_by(nine_groups(Routing::valiant), 72), plan);
    double const adaptive = last_of(maxmin_network, joined_by(nine_groups(Routing::adaptive), 72), plan);
    CHECK(minimal == close_to(8.0 * size / global.bandwidth.value, 1e-3));
    CHECK(valiant < 0.95 * minimal);
    CHECK(adaptive < 0.8 * minimal);
    // Inside a group, too: eight messages from one switch to another; a detour counts twice.
    Dragonfly one_group{.switches = 6, .nodes_per_switch = 8, .local = local, .global = global};
    Plan inside;
    for (std::uint32_t n = 0; n < 8; ++n) inside.transfers.push_back({n, 8 + n, size, 1});
    CHECK(last_of(maxmin_network, joined_by(one_group, 48), inside) ==
          close_to(8.0 * size / local.bandwidth.value, 1e-3));
    one_group.routing = Routing::adaptive;
    CHECK(last_of(maxmin_network, joined_by(one_group, 48), inside) < 4.1 * size / local.bandwidth.value);
    // A lone message takes the minimal route.
    Plan const lone{{{0, 8, size, 1}}};
    CHECK(last_of(maxmin_network, joined_by(nine_groups(Routing::adaptive), 72), lone) ==
          close_to(last_of(maxmin_network, joined_by(nine_groups(Routing::minimal), 72), lone)));
  }

  TEST_CASE("adaptive routing of a fat tree resolves a conflict of D-mod-k") {
    FatTree tree{.levels = {{.down = 4, .up = 4, .uplink = nic}}};
    Plan const plan{{{0, 4, size, 1}, {1, 8, size, 1}, {2, 12, size, 1}}};  // all over link 0
    CHECK(last_of(maxmin_network, joined_by(tree, 16), plan) == close_to(3.0 * size / 1e9, 1e-3));
    tree.routing = Routing::adaptive;
    CHECK(last_of(maxmin_network, joined_by(tree, 16), plan) < 2.1 * size / 1e9);
  }

  TEST_CASE(
      "routes of a dragonfly+ cross a leaf, two spines and a leaf, and on a detour up to three links more") {
    Dice dice(11);
    Topology::RouteBuffer buffer;
    for (int i = 0; i < 30; ++i) {
      DragonflyPlus d{.leaves = static_cast<std::uint32_t>(dice.between(2, 4)),
                      .spines = static_cast<std::uint32_t>(dice.between(1, 4)),
                      .nodes_per_leaf = static_cast<std::uint32_t>(dice.between(1, 3)),
                      .local = local,
                      .global_links = static_cast<std::uint32_t>(dice.between(1, 4)),
                      .global = global};
      std::uint32_t const group = d.leaves * d.nodes_per_leaf;
      auto const groups = static_cast<std::uint32_t>(dice.between(3, 5));
      Topology const minimal(joined_by(d, groups * group));
      CHECK(minimal.links().size() ==
            2 * groups * group + 2 * groups * d.leaves * d.spines + groups * (groups - 1) * d.global_links);
      CHECK(diameter(minimal) == 5);
      auto const last = group - 1;  // at another leaf of the first group
      CHECK(route(minimal, 0, last, buffer).latency.value ==
            close_to((2 * nic.latency + 2 * local.latency).value));
      CHECK(route(minimal, 0, group, buffer).latency.value ==
            close_to((2 * nic.latency + 2 * local.latency + global.latency).value));
      d.routing = Routing::valiant;
      Topology const valiant(joined_by(d, groups * group));
      CHECK(diameter(valiant) >= 6);
      CHECK(diameter(valiant) <= 8);
      CHECK(route(valiant, 0, last, buffer).links.size() == 4);
    }
  }

  TEST_CASE("groups of a dragonfly+ with as many spines as nodes at a leaf block no shift inside") {
    DragonflyPlus const d{.leaves = 4, .spines = 3, .nodes_per_leaf = 3, .local = nic, .global = global};
    for (std::uint32_t const by : {1u, 3u, 5u, 11u})
      CHECK(last_of(maxmin_network, joined_by(d, 12), shift(12, by)) < 1.001 * size / nic.bandwidth.value);
  }

  TEST_CASE("a group of a dragonfly+ sends to another one over the links between the two") {
    for (std::uint32_t const links : {1u, 2u, 4u})
      for (Routing const routing : {Routing::minimal, Routing::adaptive}) {
        DragonflyPlus const d{.groups = routing == Routing::adaptive ? 2u : 5u,
                              .leaves = 4,
                              .spines = 4,
                              .nodes_per_leaf = 2,
                              .local = {BytesPerSecond{1e11}, Seconds{0}},
                              .global_links = links,
                              .global = global,
                              .routing = routing};
        Plan plan;
        for (std::uint32_t n = 0; n < 8; ++n) plan.transfers.push_back({n, 8 + n, size, 1});
        CHECK(last_of(maxmin_network, joined_by(d, 16), plan) ==
              close_to(8.0 * size / (links * global.bandwidth.value), 1e-3));
      }
  }

  TEST_CASE("half of a dragonfly+ sends to the other half over all links between the halves") {
    // 4 groups; the links between 2 x 2 pairs of groups: 4 x 2 each way.
    DragonflyPlus const d{.leaves = 2,
                          .spines = 2,
                          .nodes_per_leaf = 2,
                          .local = {BytesPerSecond{1e11}, Seconds{0}},
                          .global_links = 2,
                          .global = {BytesPerSecond{1e8}, Seconds{0}}};
    Plan plan;
    for (std::uint32_t a = 0; a < 8; ++a)
      for (std::uint32_t b = 8; b < 16; ++b) plan.transfers.push_back({a, b, size / 8, 1});
    CHECK(last_of(maxmin_network, joined_by(d, 16), plan) == close_to(8.0 * size / (8 * 1e8), 1e-3));
  }

  TEST_CASE("a network of nine thousand nodes keeps no table of pairs") {
    Dragonfly const d{.groups = 77,
                      .switches = 32,
                      .nodes_per_switch = 4,
                      .local = local,
                      .global_links = 7,
                      .global = global};
    Topology const topology(joined_by(d, 77 * 128));
    CHECK(topology.links().size() == 2 * 77 * 128 + 77 * 32 * 31 + 77 * 76 * 7);
    Topology::RouteBuffer buffer;
    CHECK(route(topology, 0, 77 * 128 - 1, buffer).links.size() <= 5);
  }

  TEST_CASE("each card of a node is at another switch of a dragonfly") {
    // 4 nodes with 2 cards, 2 nodes at a switch: first cards of 0 and 1 at switch 0, second ones at switch 1.
    Dragonfly const d{.switches = 2, .nodes_per_switch = 2, .local = local, .global = global};
    Platform const platform = joined_by(d, 4, 2);
    CHECK(position_of(platform, NodeId{1}, 0) == 1);
    CHECK(position_of(platform, NodeId{0}, 1) == 2);
    CHECK(position_of(platform, NodeId{2}, 0) == 4);
    CHECK(positions_of(platform) == 8);
    Topology const topology(platform);
    Topology::RouteBuffer buffer;
    auto const names = [&](std::uint32_t from, std::uint32_t to) {
      std::vector<std::string> out;
      for (std::uint32_t const link : route(topology, from, to, buffer).links)
        out.push_back(topology.links()[link].name);
      return out;
    };
    CHECK(names(0, 1) == std::vector<std::string>{"0.1:up", "group0:1-0", "1:down"});
    CHECK(names(0, 2) == std::vector<std::string>{"0:up", "group0:0-1", "groups:0-1.0", "2:down"});
    // Messages of one node to two others use both cards at once.
    Plan const plan{{{0, 1, size, 1}, {0, 2, size, 1}}};
    CHECK(last_of(maxmin_network, platform, plan) < 1.001 * size / nic.bandwidth.value);
  }

  TEST_CASE("the bandwidth of messages by size is that of a measured curve") {
    // GitHub, EESSI/software-layer, issue 716: osu_bw between two A100 with four NVLinks, GB/s by KiB.
    std::vector<std::pair<int, double>> const measured = {
        {128, 27.8}, {256, 44.4}, {512, 61.1}, {1024, 73.7}, {2048, 82.9}, {4096, 87.5}, {32768, 93.1}};
    Platform platform = platform_with({node_type(0, {BytesPerSecond{93.1e9}, Seconds{0}})});
    platform.nodes.assign(2, 0);
    auto const rate = [&](int kib) {
      Plan const plan{{{0, 1, std::int64_t{kib} * 1024, 1}}};
      return kib * 1024 / last_of(maxmin_network, platform, plan) / 1e9;
    };
    platform.network.efficiency.half_bandwidth_bytes = 0.28e6;
    for (auto const& [kib, expected] : measured) {
      CAPTURE(kib);
      CHECK(std::abs(rate(kib) - expected) / 93.1 < 0.03);
    }
    platform.network.efficiency = {};
    for (auto const& [kib, expected] : measured)
      platform.network.efficiency.measured.emplace_back(Bytes{std::int64_t{kib} * 1024},
                                                        BytesPerSecond{expected * 1e9});
    for (auto const& [kib, expected] : measured) CHECK(rate(kib) == close_to(expected, 1e-4));
    for (NamedNetwork const& network : every_network)
      CHECK(last_of(network, platform, {{{0, 1, 300'000, 1}}}) ==
            close_to(last_of(maxmin_network, platform, {{{0, 1, 300'000, 1}}}), 1e-5));
  }
}

TEST_SUITE("property") {
  TEST_CASE("SimGrid and the own max-min agree on adaptive routes") {
    for (int seed = 1; seed <= 10; ++seed) {
      CAPTURE(seed);
      Dice dice(static_cast<std::uint64_t>(seed));
      Dragonfly d = nine_groups(Routing::adaptive);
      d.global_links = static_cast<std::uint32_t>(dice.between(1, 3));
      FatTree tree{.levels = {{.down = 3, .up = 2, .uplink = nic}, {.down = 2, .up = 2, .uplink = nic}},
                   .routing = Routing::adaptive};
      Platform const platform = joined_by(seed % 2 == 0 ? Fabric(d) : Fabric(tree), 20);
      Plan const plan = random_plan(dice, Topology(platform));
      auto const expected = ends_of(maxmin_network, platform, plan);
      for (NamedNetwork const& network : simgrid_networks)
        CHECK(distance(ends_of(network, platform, plan), expected) < simgrid_rounding);
    }
  }
}
