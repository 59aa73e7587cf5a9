#include "platforms/topology.hpp"

#include "tests/engine/network_harness.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

constexpr LinkRate nic{BytesPerSecond{1e9}, Seconds{1e-6}};

using Names = std::vector<std::string>;

/// The links of a route by name, in the order in which it crosses them.
Names names_on_route(Topology const& topology, std::uint32_t from, std::uint32_t to) {
  Topology::RouteBuffer scratch;
  Names names;
  for (std::uint32_t const link : topology.route(MemoryNodeId{from}, MemoryNodeId{to}, scratch).links)
    names.push_back(topology.links()[link].name);
  return names;
}

double latency(Topology const& topology, std::uint32_t from, std::uint32_t to) {
  Topology::RouteBuffer scratch;
  return topology.route(MemoryNodeId{from}, MemoryNodeId{to}, scratch).latency.value;
}

/// Two GPUs that only meet in the RAM; the way to the second crosses the root twice.
NodeType two_gpus() {
  NodeType type = node_type(2, nic);
  type.bus.links = {{"root", BytesPerSecond{1e10}, Seconds{1e-5}},
                    {"gpu0", BytesPerSecond{2e10}, Seconds{2e-5}},
                    {"gpu1", BytesPerSecond{3e10}, Seconds{3e-5}}};
  route_between(type, 0, 1) = {0, 1};
  route_between(type, 1, 0) = {1, 0};
  route_between(type, 0, 2) = {0, 2, 0};
  route_between(type, 2, 0) = {2};
  return type;
}

/// Seven nodes under leaves of three, with two uplinks each.
Platform with_fat_tree(BytesPerSecond backbone = {}) {
  NetworkSpec network;
  network.fabric = leaves_of(3, 2, {BytesPerSecond{4e9}, Seconds{1e-5}});
  network.backbone.bandwidth = backbone;
  network.backbone.latency = Seconds{backbone.value > 0 ? 1e-3 : 0};
  Platform platform = platform_with({node_type(0, nic)}, network);
  platform.nodes.assign(7, 0);
  return platform;
}

/// Nodes 0 and 1 behind the switch "a", 2 behind "b", 3 and 4 on the core switch.
Platform with_subnets(BytesPerSecond backbone, Seconds backbone_latency) {
  NetworkSpec network;
  network.subnets = {{"a", BytesPerSecond{5e9}, Seconds{1e-5}}, {"b", BytesPerSecond{6e9}, Seconds{2e-5}}};
  network.backbone.bandwidth = backbone;
  network.backbone.latency = backbone_latency;
  Platform platform =
      platform_with({node_type(0, nic, "a"), node_type(0, nic, "b"), node_type(0, nic)}, network);
  platform.nodes = {0, 0, 1, 2, 2};
  return platform;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("memory nodes are numbered node after node and the RAM first") {
    Topology const topology(platform_with({two_gpus(), node_type(0, nic), two_gpus()}));
    CHECK(topology.node_count() == 3);
    CHECK(topology.memory_node_count() == 7);
    CHECK(topology.memory_nodes_of(NodeId{0}) == 3);
    CHECK(topology.memory_nodes_of(NodeId{1}) == 1);
    CHECK(topology.ram_of(NodeId{0}) == MemoryNodeId{0});
    CHECK(topology.ram_of(NodeId{1}) == MemoryNodeId{3});
    CHECK(topology.ram_of(NodeId{2}) == MemoryNodeId{4});
    CHECK(topology.node_of(MemoryNodeId{2}) == NodeId{0});
    CHECK(topology.node_of(MemoryNodeId{3}) == NodeId{1});
    CHECK(topology.node_of(MemoryNodeId{6}) == NodeId{2});
    CHECK(topology.same_node(MemoryNodeId{4}, MemoryNodeId{6}));
    CHECK_FALSE(topology.same_node(MemoryNodeId{2}, MemoryNodeId{3}));
  }

  TEST_CASE("memory nodes have the name of their node and their place in it") {
    Topology const topology(platform_with({two_gpus(), node_type(0, nic), two_gpus()}));
    Names names;
    for (std::uint32_t m = 0; m < topology.memory_node_count(); ++m)
      names.push_back(topology.name_of(MemoryNodeId{m}));
    CHECK(names == Names{"0:ram", "0:cuda0", "0:cuda1", "1:ram", "2:ram", "2:cuda0", "2:cuda1"});
  }

  TEST_CASE("a bus route crosses the links of its own node in the order of the platform") {
    Topology const topology(platform_with({two_gpus(), two_gpus()}));
    CHECK(names_on_route(topology, 0, 1) == Names{"0:root", "0:gpu0"});
    CHECK(names_on_route(topology, 1, 0) == Names{"0:gpu0", "0:root"});
    CHECK(names_on_route(topology, 2, 0) == Names{"0:gpu1"});
    CHECK(names_on_route(topology, 3, 4) == Names{"1:root", "1:gpu0"});
    CHECK(latency(topology, 3, 4) == close_to(3e-5));
  }

  TEST_CASE("a link listed twice is on the route twice and pays its latency twice") {
    Topology const topology(platform_with({two_gpus(), two_gpus()}));
    CHECK(names_on_route(topology, 3, 5) == Names{"1:root", "1:gpu1", "1:root"});
    CHECK(latency(topology, 3, 5) == close_to(5e-5));
  }

  TEST_CASE("a pair of memories without a route is a contract error") {
    Topology const topology(platform_with({two_gpus(), node_type(0, nic)}));
    Topology::RouteBuffer scratch;
    CHECK(topology.bus_route(MemoryNodeId{1}, MemoryNodeId{2}).empty());
    CHECK_THROWS_AS(static_cast<void>(topology.route(MemoryNodeId{1}, MemoryNodeId{2}, scratch)),
                    ContractError);
    CHECK_THROWS_AS(static_cast<void>(topology.route(MemoryNodeId{1}, MemoryNodeId{1}, scratch)),
                    ContractError);
    CHECK_THROWS_AS(static_cast<void>(topology.route(MemoryNodeId{3}, MemoryNodeId{3}, scratch)),
                    ContractError);
  }

  TEST_CASE("without subnets and backbone a message crosses the link up and the link down") {
    Topology const topology(platform_with({node_type(0, nic), two_gpus(), node_type(0, nic)}));
    CHECK(names_on_route(topology, 0, 4) == Names{"0:up", "2:down"});
    CHECK(names_on_route(topology, 1, 0) == Names{"1:up", "0:down"});
    CHECK(latency(topology, 0, 4) == close_to(2e-6));
    CHECK_FALSE(topology.backbone());
    CHECK_FALSE(topology.port(NodeId{0}).subnet);
  }

  TEST_CASE("a message inside a subnet crosses neither uplink nor backbone and pays no latency of them") {
    Topology const topology(with_subnets(BytesPerSecond{1e9}, Seconds{1e-3}));
    CHECK(names_on_route(topology, 0, 1) == Names{"0:up", "1:down"});
    CHECK(latency(topology, 0, 1) == close_to(2e-6));
  }

  TEST_CASE("a message between subnets crosses the uplink of one and the downlink of the other") {
    Topology const topology(with_subnets(BytesPerSecond{0}, Seconds{0}));
    CHECK(names_on_route(topology, 0, 2) == Names{"0:up", "a:up", "b:down", "2:down"});
    CHECK(names_on_route(topology, 2, 1) == Names{"2:up", "b:up", "a:down", "1:down"});
    CHECK(latency(topology, 0, 2) == close_to(3.2e-5));
  }

  TEST_CASE("a message between a subnet and the core switch crosses the links of that subnet only") {
    Topology const topology(with_subnets(BytesPerSecond{0}, Seconds{0}));
    CHECK(names_on_route(topology, 1, 3) == Names{"1:up", "a:up", "3:down"});
    CHECK(names_on_route(topology, 3, 2) == Names{"3:up", "b:down", "2:down"});
    CHECK(names_on_route(topology, 3, 4) == Names{"3:up", "4:down"});
    CHECK(latency(topology, 1, 3) == close_to(1.2e-5));
    CHECK(latency(topology, 3, 4) == close_to(2e-6));
  }

  TEST_CASE("a backbone that can limit is crossed once by every message of the core switch") {
    Topology const topology(with_subnets(BytesPerSecond{4.9e9}, Seconds{1e-3}));
    REQUIRE(topology.backbone());
    CHECK(topology.links()[*topology.backbone()].rate.bandwidth.value == 4.9e9);
    CHECK(names_on_route(topology, 0, 2) == Names{"0:up", "a:up", "backbone", "b:down", "2:down"});
    CHECK(names_on_route(topology, 1, 3) == Names{"1:up", "a:up", "backbone", "3:down"});
    CHECK(names_on_route(topology, 3, 2) == Names{"3:up", "backbone", "b:down", "2:down"});
    CHECK(names_on_route(topology, 3, 4) == Names{"3:up", "backbone", "4:down"});
    CHECK(latency(topology, 0, 2) == close_to(1.032e-3));
    CHECK(latency(topology, 3, 4) == close_to(1.002e-3));
  }

  TEST_CASE("a backbone that carries all NICs at once is left out but its latency is paid") {
    for (double const bandwidth : {0.0, 5e9, 1e12}) {  // five NICs of 1e9
      CAPTURE(bandwidth);
      Topology const topology(with_subnets(BytesPerSecond{bandwidth}, Seconds{1e-3}));
      CHECK_FALSE(topology.backbone());
      CHECK(names_on_route(topology, 3, 4) == Names{"3:up", "4:down"});
      CHECK(latency(topology, 3, 4) == close_to(1.002e-3));
      CHECK(latency(topology, 0, 2) == close_to(1.032e-3));
      CHECK(latency(topology, 0, 1) == close_to(2e-6));
    }
  }

  TEST_CASE("a message between leaves takes the uplinks that its destination chooses") {
    Topology const topology(with_fat_tree());
    CHECK(names_on_route(topology, 0, 3) == Names{"0:up", "leaf0:up1", "leaf1:down1", "3:down"});
    CHECK(names_on_route(topology, 0, 4) == Names{"0:up", "leaf0:up0", "leaf1:down0", "4:down"});
    CHECK(names_on_route(topology, 2, 4) == Names{"2:up", "leaf0:up0", "leaf1:down0", "4:down"});
    CHECK(names_on_route(topology, 4, 2) == Names{"4:up", "leaf1:up0", "leaf0:down0", "2:down"});
    CHECK(names_on_route(topology, 6, 5) == Names{"6:up", "leaf2:up1", "leaf1:down1", "5:down"});
    CHECK(latency(topology, 0, 3) == close_to(2.2e-5));
  }

  TEST_CASE("a message inside a leaf takes no uplink") {
    Topology const topology(with_fat_tree(BytesPerSecond{1e9}));
    CHECK(names_on_route(topology, 3, 5) == Names{"3:up", "5:down"});
    CHECK(latency(topology, 3, 5) == close_to(2e-6));
  }

  TEST_CASE("a backbone of a fat tree lies in its spine") {
    Topology const topology(with_fat_tree(BytesPerSecond{1e9}));
    CHECK(names_on_route(topology, 0, 3) == Names{"0:up", "leaf0:up1", "backbone", "leaf1:down1", "3:down"});
    CHECK(latency(topology, 0, 3) == close_to(1.022e-3));
  }

  TEST_CASE("a table of routes takes the place of all links between nodes and no bus") {
    auto table = std::make_shared<RouteTable>();
    table->hosts = {"a", "b"};
    table->links = {{"out", BytesPerSecond{1e9}}, {"pipe", BytesPerSecond{2e9}, false}};
    table->first = {0, 2, 3};
    table->crossed = {0, 1, 0};
    table->latency = {Seconds{5e-6}, Seconds{7e-6}};
    table->route = {0, 0, 1, 0};
    NetworkSpec network;
    network.routes = table;
    Topology const topology(platform_with({two_gpus(), two_gpus()}, network));
    CHECK(names_on_route(topology, 0, 3) == Names{"out", "pipe"});
    CHECK(names_on_route(topology, 3, 0) == Names{"out"});
    CHECK(latency(topology, 0, 3) == close_to(5e-6));
    CHECK(latency(topology, 3, 0) == close_to(7e-6));
    CHECK(names_on_route(topology, 3, 5) == Names{"1:root", "1:gpu1", "1:root"});
    CHECK(topology.links().size() == 2 + 2 * 3);
    CHECK(topology.is_shared(0));
    CHECK_FALSE(topology.is_shared(1));
    CHECK(topology.is_shared(2));
    CHECK(topology.longest_route() == 3);
  }

  TEST_CASE("links keep the bandwidth and latency of the platform") {
    Topology const topology(with_subnets(BytesPerSecond{0}, Seconds{0}));
    auto const rate_of = [&](std::string_view name) {
      return std::ranges::find(topology.links(), name, &LinkSpec::name)->rate;
    };
    CHECK(rate_of("b:up").bandwidth.value == 6e9);
    CHECK(rate_of("b:down").latency.value == 2e-5);
    Topology::Port const& port = topology.port(NodeId{2});
    CHECK(port.subnet == 1u);
    CHECK(topology.links()[port.up].rate.bandwidth.value == 1e9);
    CHECK(topology.links()[port.down].rate.latency.value == 1e-6);
    CHECK_FALSE(topology.port(NodeId{3}).subnet);
  }
}
