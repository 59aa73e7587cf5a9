// Every network model on transfers whose dates follow from a formula.

#include "simulator/runtime/engine/network.hpp"

#include <csignal>

#include "platforms/topology.hpp"
#include "simulator/runtime/engine/network_factory.hpp"
#include "tests/engine/network_harness.hpp"
#include "tests/engine/without_simgrid.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

constexpr double nic_bandwidth = 1e9;
constexpr double nic_latency = 3e-6;
constexpr LinkRate nic{BytesPerSecond{nic_bandwidth}, Seconds{nic_latency}};

constexpr double root_bandwidth = 8e9;
constexpr double root_latency = 2e-6;
constexpr double near_latency = 5e-6;  // of the route to the first GPU
constexpr double far_latency = 9e-6;   // to the second
constexpr double back_bandwidth = 5e9;
constexpr double back_latency = 4e-6;

/// RAM -> root -> two GPUs by links that do not limit; the way back from the first GPU crosses a link twice.
NodeType bus_node() {
  NodeType type = node_type(2, nic);
  type.bus.links = {{"root", BytesPerSecond{root_bandwidth}, Seconds{root_latency}},
                    {"near", BytesPerSecond{20e9}, Seconds{near_latency - root_latency}},
                    {"far", BytesPerSecond{20e9}, Seconds{far_latency - root_latency}},
                    {"back", BytesPerSecond{back_bandwidth}, Seconds{back_latency}}};
  route_between(type, 0, 1) = {0, 1};
  route_between(type, 0, 2) = {0, 2};
  route_between(type, 1, 0) = {3, 3};
  route_between(type, 2, 0) = {3};
  return type;
}

Platform cluster(std::size_t nodes, NetworkSpec network = {}) {
  Platform platform = platform_with({node_type(0, nic)}, std::move(network));
  platform.nodes.assign(nodes, 0);
  return platform;
}

/// Nodes 0 and 1 behind the switch "a", 2 and 3 behind "b", 4 and 5 on the core switch.
Platform with_subnets(double uplink_bandwidth, double uplink_latency, double backbone_latency) {
  NetworkSpec network;
  network.subnets = {{"a", BytesPerSecond{uplink_bandwidth}, Seconds{uplink_latency}},
                     {"b", BytesPerSecond{uplink_bandwidth}, Seconds{uplink_latency}}};
  network.backbone.latency = Seconds{backbone_latency};
  Platform platform =
      platform_with({node_type(0, nic, "a"), node_type(0, nic, "b"), node_type(0, nic)}, network);
  platform.nodes = {0, 0, 1, 1, 2, 2};
  return platform;
}

/// Every date is a binary fraction: a transfer of n * dyadic_unit bytes lasts 1/4 + n seconds exactly.
constexpr std::int64_t dyadic_unit = 1 << 20;
Platform dyadic_cluster() {
  Platform platform = platform_with({node_type(0, {BytesPerSecond{1 << 20}, Seconds{0.125}})});
  platform.nodes.assign(6, 0);
  return platform;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("an empty run ends") {
    for (NamedNetwork const& network : every_network) {
      CAPTURE(network.name);
      CHECK(run(network, cluster(2), {}).empty());
      CHECK(run(network, platform_with({bus_node()}), {}).empty());
    }
  }

  TEST_CASE("one event alone comes at its date") {
    for (NamedNetwork const& network : every_network) {
      CAPTURE(network.name);
      Log const log = run(network, cluster(2), {.transfers = {}, .events = {0.1}});
      REQUIRE(log.size() == 1);
      CHECK(log[0].date == TimeGrid{}.rounded(Seconds{0.1}).value);
      CHECK(log[0].kind == Delivery::Kind::event);
    }
  }

  TEST_CASE("events without transfers come in the order of date and then of scheduling") {
    for (NamedNetwork const& network : every_network) {
      CAPTURE(network.name);
      Log const log = run(network, cluster(2), {.transfers = {}, .events = {3, 1, 2, 1, 0, 3}});
      std::vector<std::uint32_t> order;
      for (Delivery const& delivery : log) order.push_back(delivery.subject);
      CHECK(order == std::vector<std::uint32_t>{4, 1, 3, 2, 0, 5});
    }
  }

  TEST_CASE("one transfer alone on a bus lasts latency plus size over bandwidth") {
    for (NamedNetwork const& network : every_network)
      for (std::int64_t const size : {1LL, 1'000'000LL, 3'000'000'000LL}) {
        CAPTURE_ALL(network.name, size);
        auto const bytes = static_cast<double>(size);
        Platform const platform = platform_with({node_type(0, nic), bus_node()});
        CHECK(ends_of(network, platform, {{{1, 2, size}}})[0] ==
              close_to(near_latency + bytes / root_bandwidth));
        CHECK(ends_of(network, platform, {{{1, 3, size, 0.5}}})[0] ==
              close_to(0.5 + far_latency + bytes / root_bandwidth));
      }
  }

  TEST_CASE("one transfer alone between nodes lasts latency plus size over bandwidth") {
    for (NamedNetwork const& network : every_network)
      for (std::int64_t const size : {1LL, 1'000'000LL, 3'000'000'000LL}) {
        CAPTURE_ALL(network.name, size);
        double const duration = 2 * nic_latency + static_cast<double>(size) / nic_bandwidth;
        CHECK(ends_of(network, cluster(3), {{{0, 2, size}}})[0] == close_to(duration));
        CHECK(ends_of(network, cluster(3), {{{2, 1, size, 0.25}}})[0] == close_to(0.25 + duration));
      }
  }

  TEST_CASE("one transfer alone across subnets lasts latency plus size over the least bandwidth") {
    Platform const platform = with_subnets(4e8, 7e-6, 1e-5);
    for (NamedNetwork const& network : every_network) {
      CAPTURE(network.name);
      auto const end = [&](std::uint32_t from, std::uint32_t to) {
        return ends_of(network, platform, {{{from, to, 1'000'000}}})[0];
      };
      CHECK(end(0, 2) == close_to(2 * nic_latency + 2 * 7e-6 + 1e-5 + 1e6 / 4e8));
      CHECK(end(3, 4) == close_to(2 * nic_latency + 7e-6 + 1e-5 + 1e6 / 4e8));
      CHECK(end(5, 1) == close_to(2 * nic_latency + 7e-6 + 1e-5 + 1e6 / 4e8));
      CHECK(end(4, 5) == close_to(2 * nic_latency + 1e-5 + 1e6 / 1e9));
      CHECK(end(0, 1) == close_to(2 * nic_latency + 1e6 / 1e9));
    }
  }

  TEST_CASE("a transfer of 0 bytes lasts the latency of its route") {
    Platform const platform = platform_with({bus_node(), node_type(0, nic), node_type(0, nic)});
    for (NamedNetwork const& network : every_network) {
      CAPTURE(network.name);
      // beside a long transfer on the same links, which it must not slow
      auto const ends =
          ends_of(network, platform, {{{0, 2, 0}, {3, 4, 0, 0.5}, {0, 2, 800'000'000}, {3, 4, 900'000'000}}});
      CHECK(ends[0] == close_to(far_latency));
      CHECK(ends[1] == close_to(0.5 + 2 * nic_latency));
      CHECK(ends[2] == close_to(far_latency + 8e8 / root_bandwidth));
      CHECK(ends[3] == close_to(2 * nic_latency + 9e8 / nic_bandwidth));
    }
  }

  TEST_CASE("the constant network gives every transfer its unshared time") {
    Platform const platform = platform_with({bus_node(), node_type(0, nic), node_type(0, nic)});
    Topology const topology(platform);
    Plan const plan{
        {{0, 1, 1'000'000}, {0, 2, 2'000'000}, {1, 0, 3'000'000}, {3, 4, 4'000'000}, {0, 4, 5'000'000}}};
    auto const ends = ends_of(constant_network, platform, plan);
    for (std::size_t t = 0; t < ends.size(); ++t) {
      CAPTURE(t);
      auto const& [from, to, size, start, after] = plan.transfers[t];
      CHECK(ends[t] ==
            doctest::Approx(unshared_time(topology, MemoryNodeId{from}, MemoryNodeId{to}, Bytes{size}).value)
                .epsilon(1e-13));
    }
  }

  TEST_CASE("two transfers from one node share its link up and the longer one gets all of it afterwards") {
    double const latency = 2 * nic_latency;
    for (NamedNetwork const& network : sharing_networks) {
      CAPTURE(network.name);
      auto const ends = ends_of(network, cluster(3), {{{0, 1, 10'000'000}, {0, 2, 30'000'000}}});
      CHECK(ends[0] == close_to(latency + 2 * 1e7 / nic_bandwidth));
      CHECK(ends[1] == close_to(latency + 4e7 / nic_bandwidth));
    }
  }

  TEST_CASE("two transfers to one node share its link down from the start of the second") {
    double const latency = 2 * nic_latency;
    double const second_start = 0.004;
    for (NamedNetwork const& network : sharing_networks) {
      CAPTURE(network.name);
      auto const ends =
          ends_of(network, cluster(3), {{{0, 2, 10'000'000}, {1, 2, 30'000'000, second_start}}});
      double const left = 1e7 - second_start * nic_bandwidth;
      CHECK(ends[0] == close_to(second_start + latency + 2 * left / nic_bandwidth));
      CHECK(ends[1] == close_to(latency + 4e7 / nic_bandwidth));
    }
  }

  TEST_CASE("transfers that share no link do not slow each other") {
    for (NamedNetwork const& network : every_network) {
      CAPTURE(network.name);
      auto const ends = ends_of(network, cluster(2), {{{0, 1, 10'000'000}, {1, 0, 20'000'000}}});
      CHECK(ends[0] == close_to(2 * nic_latency + 1e7 / nic_bandwidth));
      CHECK(ends[1] == close_to(2 * nic_latency + 2e7 / nic_bandwidth));
    }
  }

  TEST_CASE("a transfer takes what others that are held elsewhere leave") {
    // 0 -> 3 and 1 -> 3 and 2 -> 3 get a third each of the link down; 0 -> 4 gets the two thirds left of the
    // link up.
    double const latency = 2 * nic_latency;
    for (NamedNetwork const& network : sharing_networks) {
      CAPTURE(network.name);
      Plan const plan{{{0, 3, 30'000'000}, {1, 3, 30'000'000}, {2, 3, 30'000'000}, {0, 4, 60'000'000}}};
      for (double const end : ends_of(network, cluster(5), plan))
        CHECK(end == close_to(latency + 9e7 / nic_bandwidth));
    }
  }

  TEST_CASE("transfers on a bus share a link by the inverse of the latency of their routes") {
    constexpr double near_size = 1e7, far_size = 3e7;
    // until the far one starts the near one has the link alone
    double const near_left = near_size - (far_latency - near_latency) * root_bandwidth;
    double const near_share = (1 / near_latency) / (1 / near_latency + 1 / far_latency);
    double const near_end = far_latency + near_left / (near_share * root_bandwidth);
    double const far_end = near_latency + (near_size + far_size) / root_bandwidth;
    for (NamedNetwork const& network : sharing_networks) {
      CAPTURE(network.name);
      auto const ends =
          ends_of(network, platform_with({bus_node()}), {{{0, 1, 10'000'000}, {0, 2, 30'000'000}}});
      CHECK(ends[0] == close_to(near_end));
      CHECK(ends[1] == close_to(far_end));
    }
  }

  TEST_CASE("a transfer that crosses a link twice takes two shares of it") {
    // Its latency is twice that of the other, so its weight is half: both get a rate of r and 2r, and 2r + 2r
    // = all.
    double const both_flow = 2 * back_latency;
    double const alone = back_latency * back_bandwidth;  // what the other one gets before
    for (NamedNetwork const& network : sharing_networks) {
      CAPTURE(network.name);
      auto const ends =
          ends_of(network, platform_with({bus_node()}), {{{1, 0, 10'000'000}, {2, 0, 10'000'000}}});
      double const other_end = both_flow + (1e7 - alone) / (back_bandwidth / 2);
      double const left = 1e7 - (other_end - both_flow) * back_bandwidth / 4;
      CHECK(ends[1] == close_to(other_end));
      CHECK(ends[0] == close_to(other_end + left / (back_bandwidth / 2)));
    }
  }

  TEST_CASE("transfers that start when another ends follow it without a gap") {
    double const latency = 2 * nic_latency;
    double const one = latency + 1e7 / nic_bandwidth;
    for (NamedNetwork const& network : every_network) {
      CAPTURE(network.name);
      auto const ends = ends_of(network, cluster(4),
                                {{{0, 1, 10'000'000},
                                  {1, 2, 10'000'000, 0, 0},
                                  {3, 0, 20'000'000, 0, 0},
                                  {2, 3, 10'000'000, 0, 1},
                                  {2, 3, 0, 0, 3}}});
      CHECK(ends[0] == close_to(one));
      CHECK(ends[1] == close_to(2 * one));
      CHECK(ends[2] == close_to(one + latency + 2e7 / nic_bandwidth));
      CHECK(ends[3] == close_to(3 * one));
      CHECK(ends[4] == close_to(3 * one + latency));
    }
  }

  TEST_CASE("events and ends of transfers come in the order of date and events first at equal dates") {
    Plan const plan{.transfers = {{0, 1, 2 * dyadic_unit}, {2, 3, 0}, {4, 5, dyadic_unit, 0.5}},
                    .events = {2.25, 0.25, 3, 1.75, 2, 2.25, 0}};
    using enum Delivery::Kind;
    struct Expected {
      double date;
      Delivery::Kind kind;
      std::uint32_t subject;
    };
    std::vector<Expected> const expected{
        {0, event, 6},    {0.25, event, 1},           {0.25, end_of_transfer, 1},
        {1.75, event, 3}, {1.75, end_of_transfer, 2}, {2, event, 4},
        {2.25, event, 0}, {2.25, event, 5},           {2.25, end_of_transfer, 0},
        {3, event, 2}};
    for (NamedNetwork const& network : every_network) {
      CAPTURE(network.name);
      Log const log = run(network, dyadic_cluster(), plan);
      REQUIRE(log.size() == expected.size());
      for (std::size_t i = 0; i < log.size(); ++i) {
        CAPTURE(i);
        CHECK(log[i].date == expected[i].date);
        CHECK(log[i].kind == expected[i].kind);
        CHECK(log[i].subject == expected[i].subject);
      }
    }
  }

  TEST_CASE("transfers that end together come in the order in which they were started") {
    Plan const plan{{{4, 5, dyadic_unit, 0.5}, {2, 3, 3 * dyadic_unit / 2}, {0, 1, 3 * dyadic_unit / 2}}};
    for (NamedNetwork const& network : every_network) {
      CAPTURE(network.name);
      std::vector<std::uint32_t> order;
      for (Delivery const& delivery : run(network, dyadic_cluster(), plan)) {
        CHECK(delivery.date == 1.75);
        order.push_back(delivery.subject);
      }
      CHECK(order == std::vector<std::uint32_t>{1, 2, 0});
    }
  }

  TEST_CASE("a backbone limits all messages of the core switch together") {
    constexpr double backbone = 1.2e9, backbone_latency = 1e-5;
    Platform const platform =
        cluster(4, {.subnets = {}, .backbone = {BytesPerSecond{backbone}, Seconds{backbone_latency}}});
    double const latency = 2 * nic_latency + backbone_latency;
    for (NamedNetwork const& network : sharing_networks) {
      CAPTURE(network.name);
      auto const ends = ends_of(network, platform, {{{0, 1, 10'000'000}, {2, 3, 20'000'000}}});
      double const first = 2 * 1e7 / backbone;
      CHECK(ends[0] == close_to(latency + first));
      CHECK(ends[1] == close_to(latency + first + 1e7 / nic_bandwidth));
    }
  }

  TEST_CASE("a backbone that carries all NICs costs its latency and no time besides") {
    Platform const platform =
        cluster(4, {.subnets = {}, .backbone = {BytesPerSecond{4 * nic_bandwidth}, Seconds{1e-5}}});
    for (NamedNetwork const& network : every_network) {
      CAPTURE(network.name);
      auto const ends = ends_of(network, platform, {{{0, 1, 10'000'000}, {2, 3, 20'000'000}, {3, 0, 0}}});
      CHECK(ends[0] == close_to(2 * nic_latency + 1e-5 + 1e7 / nic_bandwidth));
      CHECK(ends[1] == close_to(2 * nic_latency + 1e-5 + 2e7 / nic_bandwidth));
      CHECK(ends[2] == close_to(2 * nic_latency + 1e-5));
    }
  }

  TEST_CASE("the uplink of a subnet limits what leaves it and what enters it and nothing inside") {
    constexpr double uplink = 1.4e9, uplink_latency = 7e-6;
    Platform const platform = with_subnets(uplink, uplink_latency, 0);
    double const latency = 2 * nic_latency + uplink_latency;
    for (NamedNetwork const& network : sharing_networks) {
      CAPTURE(network.name);
      auto const out = ends_of(network, platform, {{{0, 4, 10'000'000}, {1, 5, 10'000'000}}});
      for (double const end : out) CHECK(end == close_to(latency + 2 * 1e7 / uplink));
      auto const in = ends_of(network, platform, {{{4, 2, 10'000'000}, {5, 3, 10'000'000}}});
      for (double const end : in) CHECK(end == close_to(latency + 2 * 1e7 / uplink));
      auto const both_ways = ends_of(network, platform, {{{0, 4, 10'000'000}, {5, 1, 10'000'000}}});
      for (double const end : both_ways) CHECK(end == close_to(latency + 1e7 / nic_bandwidth));
      auto const inside = ends_of(network, platform, {{{0, 1, 10'000'000}, {1, 0, 10'000'000}}});
      for (double const end : inside) CHECK(end == close_to(2 * nic_latency + 1e7 / nic_bandwidth));
    }
  }

  TEST_CASE("a second SimGrid network in one process is a contract error") {
    if (testing::without_simgrid()) return;
    auto const outcome = in_child([] {
      Topology const topology(cluster(2));
      auto const first = make_network({.model = NetworkModel::simgrid}, topology);
      try {
        auto const second = make_network({.model = NetworkModel::simgrid}, topology);
      } catch (ContractError const&) {
        return std::vector{1};
      }
      return std::vector{0};
    });
    CHECK(outcome == std::vector{1});
  }

  TEST_CASE("what a program does on signals stays as it was before SimGrid") {
    if (testing::without_simgrid()) return;
    auto const changed = in_child([] {
      struct sigaction mine {};
      mine.sa_handler = [](int) {};
      for (int signal = 1; signal < NSIG; ++signal) ::sigaction(signal, &mine, nullptr);
      Topology const topology(cluster(2));
      auto const network = make_network({.model = NetworkModel::simgrid}, topology);
      std::vector<int> signals;
      for (int signal = 1; signal < NSIG; ++signal) {
        struct sigaction now {};
        bool const can_be_set =
            ::sigaction(signal, nullptr, &now) == 0 && signal != SIGKILL && signal != SIGSTOP;
        if (can_be_set && now.sa_handler != mine.sa_handler) signals.push_back(signal);
      }
      return signals;
    });
    CHECK(changed.empty());
  }

  TEST_CASE("network models are known by the names that are listed") {
    for (std::string const& name : network_model_names()) {
      CAPTURE(name);
      CHECK(name_of(network_model(name)) == name);
    }
    CHECK(network_model_names().size() == 3);
    CHECK_THROWS_AS(static_cast<void>(network_model("fluid")), std::out_of_range);
  }
}
