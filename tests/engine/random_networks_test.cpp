// Properties on random platforms: the network models agree with each other and with the definition of
// max-min.

#include "platforms/topology.hpp"
#include "tests/engine/random_plan.hpp"
#include "tests/engine/without_simgrid.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

constexpr int cases = 24;

NodeType random_node(Dice& dice, std::vector<Subnet> const& subnets) {
  int const gpus = dice.between(0, 3);
  int const place = dice.between(0, static_cast<int>(subnets.size()));  // the last: on the core switch
  NodeType type =
      node_type(gpus, {BytesPerSecond{dice.magnitude(1e8, 1e10)}, Seconds{dice.magnitude(1e-7, 1e-4)}},
                place == static_cast<int>(subnets.size()) ? "" : subnets[place].name);
  if (gpus == 0) return type;
  int const links = dice.between(1, 6);
  for (int l = 0; l < links; ++l)
    type.bus.links.push_back({"link" + std::to_string(l), BytesPerSecond{dice.magnitude(1e9, 3e10)},
                              Seconds{dice.magnitude(1e-6, 1e-4)}});
  for (std::size_t from = 0; from <= type.gpus.size(); ++from)
    for (std::size_t to = 0; to <= type.gpus.size(); ++to) {
      bool const between_gpus = from > 0 && to > 0;
      if (from == to || (between_gpus && dice.chance(50))) continue;
      int const crossings = dice.between(1, 4);  // a link may well be drawn twice
      for (int c = 0; c < crossings; ++c)
        route_between(type, from, to).push_back(static_cast<std::uint32_t>(dice.between(0, links - 1)));
    }
  return type;
}

Platform random_platform(Dice& dice) {
  NetworkSpec network;
  int const subnets = dice.between(0, 3);
  auto const rate = [&] {
    return LinkRate{BytesPerSecond{dice.magnitude(1e8, 1e10)}, Seconds{dice.magnitude(1e-7, 1e-4)}};
  };
  auto const count_to = [&](int most) { return static_cast<std::uint32_t>(dice.between(1, most)); };
  if (subnets == 0 && dice.chance(50)) {
    FatTree tree;
    int const levels = dice.between(1, 3);
    for (int l = 0; l < levels; ++l) tree.levels.push_back({count_to(4), count_to(3), count_to(2), rate()});
    network.fabric = tree;
  } else if (subnets == 0 && dice.chance(50)) {
    network.fabric = DragonflyPlus{.leaves = count_to(3),
                                   .spines = count_to(3),
                                   .nodes_per_leaf = count_to(2),
                                   .local = rate(),
                                   .global_links = count_to(3),
                                   .global = rate(),
                                   .routing = dice.chance(50) ? Routing::minimal : Routing::valiant};
  } else if (subnets == 0) {
    network.fabric = Dragonfly{.switches = count_to(3),
                               .nodes_per_switch = count_to(2),
                               .local = rate(),
                               .global_links = count_to(3),
                               .global = rate(),
                               .routing = dice.chance(50) ? Routing::minimal : Routing::valiant};
  }
  for (int s = 0; s < subnets; ++s)
    network.subnets.push_back({"subnet" + std::to_string(s), BytesPerSecond{dice.magnitude(1e8, 1e10)},
                               Seconds{dice.magnitude(1e-7, 1e-4)}});
  if (dice.chance(60)) network.backbone.bandwidth = BytesPerSecond{dice.magnitude(1e8, 1e11)};
  network.backbone.latency = Seconds{dice.magnitude(1e-7, 1e-4)};
  std::vector<NodeType> types;
  int const count = dice.between(1, 4);
  for (int t = 0; t < count; ++t) types.push_back(random_node(dice, network.subnets));
  types.push_back(node_type(0, {BytesPerSecond{1e9}, Seconds{1e-6}}));
  Platform platform = platform_with(std::move(types), network);
  int const more = dice.between(1, 8);
  for (int n = 0; n < more; ++n) platform.nodes.push_back(static_cast<std::uint32_t>(dice.between(0, count)));
  return platform;
}

struct RandomCase {
  Platform platform;
  Plan plan;
};

RandomCase random_case(int seed) {
  Dice dice(static_cast<std::uint64_t>(seed));
  Platform platform = random_platform(dice);
  Plan plan = random_plan(dice, Topology(platform));
  return {std::move(platform), std::move(plan)};
}

double start_of(Plan const& plan, std::vector<double> const& ends, std::size_t t) {
  PlannedTransfer const& transfer = plan.transfers[t];
  return transfer.after == nothing ? transfer.start : ends[static_cast<std::size_t>(transfer.after)];
}

}  // namespace

TEST_SUITE("property") {
  TEST_CASE("SimGrid and the own max-min agree on random platforms") {
    if (testing::without_simgrid()) return;
    for (int seed = 1; seed <= cases; ++seed) {
      CAPTURE(seed);
      auto const [platform, plan] = random_case(seed);
      auto const expected = ends_of(maxmin_network, platform, plan);
      for (NamedNetwork const& network : simgrid_networks) {
        CAPTURE(network.name);
        CHECK(distance(ends_of(network, platform, plan), expected) < simgrid_rounding);
      }
      NamedNetwork own = maxmin_network, other = simgrid_network;
      own.options.crosstraffic = other.options.crosstraffic = true;
      CHECK(distance(ends_of(own, platform, plan), ends_of(other, platform, plan)) < simgrid_rounding);
    }
  }

  TEST_CASE(
      "everything is delivered once, at the same dates again, in their order and no earlier than alone") {
    for (int seed = 101; seed <= 112; ++seed) {
      CAPTURE(seed);
      auto const [platform, plan] = random_case(seed);
      Topology const topology(platform);
      for (NamedNetwork const& network : every_network) {
        CAPTURE(network.name);
        Log const log = run(network, platform, plan), again = run(network, platform, plan);
        CHECK(std::equal(log.begin(), log.end(), again.begin(), again.end(),
                         [](Delivery const& a, Delivery const& b) {
                           return a.date == b.date && a.kind == b.kind && a.subject == b.subject;
                         }));
        CHECK(log.size() == plan.transfers.size() + plan.events.size());
        CHECK(std::is_sorted(log.begin(), log.end(),
                             [](auto const& a, auto const& b) { return a.date < b.date; }));
        for (Delivery const& delivery : log)
          if (delivery.kind == Delivery::Kind::event)
            CHECK(delivery.date == TimeGrid{}.rounded(Seconds{plan.events[delivery.subject]}).value);
        auto const ends = ends_in(log, plan.transfers.size());
        for (std::size_t t = 0; t < ends.size(); ++t) {
          CAPTURE(t);
          auto const& [from, to, size, start, after] = plan.transfers[t];
          double const alone =
              unshared_time(topology, MemoryNodeId{from}, MemoryNodeId{to}, Bytes{size}).value;
          CHECK(ends[t] >= (start_of(plan, ends, t) + alone) * (1 - simgrid_rounding));
        }
      }
    }
  }
}
