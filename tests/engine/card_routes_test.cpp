// Messages between memories and network cards: routes, affinity, sharing with copies.

#include "platforms/fabric.hpp"
#include "simulator/audit/rules/routes.hpp"
#include "tests/engine/random_plan.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

constexpr LinkRate nic{BytesPerSecond{1e9}, Seconds{1e-6}};
constexpr std::int64_t size = 100'000'000;

/// Two nodes of 2 GPUs and 2 cards. A card is beside each GPU: 4 GB/s; the RAM is behind a link of 2 GB/s and 5 us, each way.
Platform beside_gpus(GpuDirect direct) {
  NodeType type = node_type(2, nic);
  type.nics = 2;
  auto const link = [&](std::string name, double bandwidth, double latency) {
    type.bus.links.push_back({std::move(name), {BytesPerSecond{bandwidth}, Seconds{latency}}});
    return static_cast<std::uint32_t>(type.bus.links.size() - 1);
  };
  type.bus.links.clear();
  type.bus.routes.assign(9, {});
  type.bus.card_routes.assign(2, std::vector<Bus::CardRoute>(3));
  for (std::uint32_t g = 0; g < 2; ++g) {
    std::uint32_t const to = link("to", 2e9, 5e-6), from = link("from", 2e9, 5e-6);
    std::uint32_t const out = link("out", 4e9, 1e-6), in = link("in", 4e9, 1e-6);
    type.bus.routes[1 + g] = {to};
    type.bus.routes[(1 + g) * 3] = {from};
    type.bus.card_routes[g][1 + g] = {{out}, {in}};
    type.bus.card_routes[g][0] = {{to, out}, {in, from}};
  }
  for (std::uint32_t g = 0; g < 2; ++g)  // over the RAM to the other GPU's card
    type.bus.card_routes[1 - g][1 + g] = {
        {type.bus.routes[(1 + g) * 3][0], type.bus.card_routes[1 - g][0].out[0]},
        {type.bus.card_routes[1 - g][0].in[0], type.bus.routes[1 + g][0]}};
  Platform platform = platform_with({type});
  platform.nodes.assign(2, 0);
  platform.network.gpu_direct = direct;
  return platform;
}

double end_of(NamedNetwork const& network, Platform const& platform, Plan const& plan) {
  return std::ranges::max(ends_of(network, platform, plan)) - 1;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("a message takes the card nearest to its memory and the links to it, which add no latency") {
    Topology const topology(beside_gpus(GpuDirect::both));
    Topology::RouteBuffer buffer;
    auto const names = [&](std::uint32_t from, std::uint32_t to) {
      std::vector<std::string> out;
      for (std::uint32_t const link : topology.route(MemoryNodeId{from}, MemoryNodeId{to}, buffer).links)
        out.push_back(topology.links()[link].name);
      return out;
    };
    // Memory nodes 0 to 2 of node 0, 3 to 5 of node 1.
    CHECK(names(1, 4) == std::vector<std::string>{"0:out", "0:up", "1:down", "1:in"});
    CHECK(names(2, 4) == std::vector<std::string>{"0:out", "0.1:up", "1:down", "1:in"});
    CHECK(names(0, 3) == std::vector<std::string>{"0:to", "0:out", "0.1:up", "1.1:down", "1:in", "1:from"});
    CHECK(topology.route(MemoryNodeId{1}, MemoryNodeId{4}, buffer).latency == 2 * nic.latency);
    CHECK(topology.route(MemoryNodeId{0}, MemoryNodeId{3}, buffer).latency == 2 * nic.latency);
    // A message arrives at the card of the number of that which it left, and at the GPU beside it.
    CHECK(topology.arrival(MemoryNodeId{1}, NodeId{1}) == LocalMemory{1});
    CHECK(topology.arrival(MemoryNodeId{2}, NodeId{1}) == LocalMemory{2});
    CHECK(topology.arrival(MemoryNodeId{0}, NodeId{1}) == LocalMemory{2});
    CHECK(Topology(beside_gpus(GpuDirect::send)).arrival(MemoryNodeId{2}, NodeId{1}) == LocalMemory{0});
    CHECK(receives_on_gpus(beside_gpus(GpuDirect::both).network, beside_gpus(GpuDirect::both).types[0]));
    // No card is certain, and its links are in no bound.
    CHECK(topology.certain_route(NodeId{0}, NodeId{1}, buffer).links.empty());
    CHECK(topology.least_time(NodeId{0}, NodeId{1}, Bytes{size}) ==
          2 * nic.latency + Bytes{size} / nic.bandwidth);
  }

  TEST_CASE("without a described route messages of a GPU cross its links to the RAM, and any card serves") {
    Platform platform = beside_gpus(GpuDirect::send);
    platform.types[0].bus.card_routes.clear();
    Topology const topology(platform);
    Topology::RouteBuffer buffer;
    auto const route = topology.route(MemoryNodeId{2}, MemoryNodeId{3}, buffer);
    CHECK(route.links.size() == 3);  // from the GPU, up, down
    CHECK(topology.links()[route.links[0]].name == "0:from");
    CHECK(route.between_cards().empty());
    CHECK(topology.certain_route(NodeId{0}, NodeId{1}, buffer).links.size() == 2);
    platform.network.gpu_direct = GpuDirect::none;
    CHECK(Topology(platform).message_weight() == 1);
  }

  TEST_CASE("messages last as long as the narrowest link says, and share links with copies") {
    Platform const platform = beside_gpus(GpuDirect::both);
    for (NamedNetwork const& network : sharing_networks) {
      CAPTURE(network.name);
      CHECK(end_of(network, platform, {{{1, 4, size, 1}}}) == close_to(2e-6 + size / 1e9, 1e-6));
      // Both GPUs at once, each over its own card.
      CHECK(end_of(network, platform, {{{1, 4, size, 1}, {2, 5, size, 1}}}) ==
            close_to(2e-6 + size / 1e9, 1e-6));
      // A copy to the RAM, and a message from the other GPU to that RAM's node: no link in common.
      CHECK(end_of(network, platform, {{{1, 0, size, 1}, {2, 5, size, 1}}}) ==
            close_to(2e-6 + size / 1e9, 1e-6));
    }
    // A copy and a message that share a link of 2 GB/s with the same latency of copies have half of it each.
    Platform narrow = platform;
    narrow.types[0].nic.bandwidth.value = 1e10;
    CHECK(end_of(maxmin_network, narrow, {{{0, 2, size, 1}, {0, 5, size, 1}}}) ==
          close_to(5e-6 + 2 * size / 2e9, 1e-3));
  }

  TEST_CASE("the auditor's routes of messages have the same bandwidth and latency") {
    for (GpuDirect const direct : {GpuDirect::none, GpuDirect::send, GpuDirect::both}) {
      Platform const platform = beside_gpus(direct);
      Topology const topology(platform);
      audit::Routes const routes(platform);
      Topology::RouteBuffer buffer;
      CHECK(routes.message_weight() == close_to(topology.message_weight()));
      for (std::uint32_t a = 0; a < 3; ++a)
        for (std::uint32_t b = 0; b < 3; ++b) {
          auto const route = topology.route(MemoryNodeId{a}, MemoryNodeId{3 + b}, buffer);
          auto const expected = routes.between(NodeId{0}, NodeId{1}, a, b);
          CHECK(route.links.size() == expected.links.size());
          CHECK(route.latency.value == close_to(expected.latency_s));
          double narrowest = 1e300;
          for (std::uint32_t const link : route.links)
            narrowest = std::min(narrowest, topology.links()[link].rate.bandwidth.value);
          CHECK(narrowest == close_to(expected.bandwidth_Bps));
          CHECK(routes.arrival(NodeId{0}, NodeId{1}, a) ==
                topology.arrival(MemoryNodeId{a}, NodeId{1}).value());
        }
    }
  }
}
