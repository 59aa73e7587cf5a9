// Messages of one pair of nodes on one connection: one after the other, or all at once.

#include "tests/engine/network_harness.hpp"
#include "tests/runtime/small_cluster.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

constexpr double route_latency = 2e-6;  // of platform_of
constexpr double alone = 1e-2;          // a tile at the full rate of a card

/// Node 0 has `messages.size()` cores whose tasks all end at `core_time`; the output of the i-th goes to node
/// messages[i].first, whose reader has priority messages[i].second. Returns the dates of the arrivals after the
/// tasks' end, in the order of the tasks.
std::vector<double> arrivals(std::vector<std::pair<int, int>> const& messages, Wire wire,
                             RuntimeOptions const& options, NetworkOptions const& network) {
  auto const count = static_cast<int>(messages.size());
  Flow flow(2 * count);
  std::vector<int> owners(static_cast<std::size_t>(count), 0);
  int nodes = 2;
  for (int i = 0; i < count; ++i) flow.task({{i, rw}});
  for (int i = 0; i < count; ++i) {
    auto const [node, priority] = messages[static_cast<std::size_t>(i)];
    flow.task({{i, r}, {count + i, rw}}, priority);
    owners.push_back(node);
    nodes = std::max(nodes, node + 1);
  }
  Platform platform = platform_of(nodes, count, 0);
  platform.network.wire = wire;
  TaskGraph const graph = flow.graph();
  Simulated const s =
      simulate(graph, {on_nodes(owners)}, platform, options, "eager", timings_of(graph, platform), network);
  std::vector<double> out(messages.size(), 0);
  for (TransferRecord const& t : s.trace.transfers)
    out.at(static_cast<std::size_t>(s.graph.handles[t.handle.index()].m)) = t.end.value - core_time;
  return out;
}

/// The same in a process of its own, for SimGrid.
std::vector<double> arrivals_in_child(std::vector<std::pair<int, int>> const& messages, Wire wire,
                                      RuntimeOptions const& options, NetworkOptions const& network) {
  return in_child([&] { return arrivals(messages, wire, options, network); });
}

void check_dates(std::vector<double> const& dates, std::vector<double> const& expected) {
  REQUIRE(dates.size() == expected.size());
  for (std::size_t i = 0; i < dates.size(); ++i) {
    CAPTURE(i);
    CHECK(dates[i] == doctest::Approx(expected[i]).epsilon(1e-6));
  }
}

RuntimeOptions at_most(int sends) {
  RuntimeOptions options = no_overheads();
  options.max_sends_per_node = sends;
  return options;
}

/// The same, where messages become ready in turn, within a time that does not count.
RuntimeOptions one_after_the_other(int sends) {
  RuntimeOptions options = at_most(sends);
  options.submission_cost = Seconds{1e-9};
  return options;
}

/// Ten messages from node 0 to node 1.
std::vector<std::pair<int, int>> const ten{10, {1, 0}};

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("on a FIFO wire ten messages posted at once end one after the other on every network") {
    std::vector<double> expected;
    for (int i = 1; i <= 10; ++i) expected.push_back(route_latency + i * alone);
    for (NamedNetwork const& network : every_network) {
      CAPTURE(network.name);
      check_dates(arrivals_in_child(ten, Wire::fifo, at_most(10), network.options), expected);
    }
  }

  TEST_CASE("on a shared wire ten messages posted at once all end when the last byte is there") {
    for (NamedNetwork const& network : sharing_networks) {
      CAPTURE(network.name);
      check_dates(arrivals_in_child(ten, Wire::shared, at_most(10), network.options),
                  std::vector<double>(10, route_latency + 10 * alone));
    }
    check_dates(arrivals(ten, Wire::shared, at_most(10), constant_network.options),
                std::vector<double>(10, route_latency + alone));  // shares nothing
  }

  TEST_CASE("the number of sends at once does not change when messages on a FIFO wire arrive") {
    auto const one = arrivals(ten, Wire::fifo, at_most(10), maxmin_network.options);
    for (int const sends : {2, 4, 6})
      check_dates(arrivals(ten, Wire::fifo, at_most(sends), maxmin_network.options), one);
  }

  TEST_CASE("on a FIFO wire the rendezvous of a message overlaps the messages before it") {
    RuntimeOptions options = at_most(10);
    options.rendezvous = {};
    std::vector<double> expected;
    for (int i = 1; i <= 10; ++i) expected.push_back(3 * route_latency + i * alone);
    check_dates(arrivals(ten, Wire::fifo, options, maxmin_network.options), expected);
  }

  TEST_CASE("messages to two nodes share the sender's card on a FIFO wire") {
    for (NamedNetwork const& network : sharing_networks) {
      CAPTURE(network.name);
      check_dates(
          arrivals_in_child({{1, 0}, {2, 0}, {1, 0}, {2, 0}}, Wire::fifo, at_most(10), network.options),
          {route_latency + 2 * alone, route_latency + 2 * alone, route_latency + 4 * alone,
           route_latency + 4 * alone});
    }
  }

  TEST_CASE("the limit of sends counts posted messages to all nodes, also those that wait for the wire") {
    // The third message, to an idle node, is posted when the first one has arrived.
    check_dates(arrivals({{1, 0}, {1, 0}, {2, 0}}, Wire::fifo, at_most(2), maxmin_network.options),
                {route_latency + alone, 3 * alone, route_latency + 3 * alone});
    check_dates(arrivals({{1, 0}, {1, 0}, {2, 0}}, Wire::fifo, at_most(3), maxmin_network.options),
                {route_latency + 2 * alone, route_latency + 3 * alone, route_latency + 2 * alone});
  }

  TEST_CASE("an urgent message overtakes those that are not posted and none that is") {
    check_dates(arrivals({{1, 0}, {1, 1}, {1, 2}, {1, 3}}, Wire::fifo, one_after_the_other(2),
                         maxmin_network.options),
                {route_latency + alone, route_latency + 2 * alone, route_latency + 4 * alone,
                 route_latency + 3 * alone});
  }

  TEST_CASE("on a wire by priority an urgent message overtakes all but the one that is on its way") {
    for (NamedNetwork const& network : every_network) {
      CAPTURE(network.name);
      check_dates(arrivals_in_child({{1, 0}, {1, 1}, {1, 2}, {1, 3}}, Wire::priority,
                                    one_after_the_other(unlimited_sends), network.options),
                  {route_latency + alone, route_latency + 4 * alone, route_latency + 3 * alone,
                   route_latency + 2 * alone});
    }
  }

  TEST_CASE("both directions between two nodes are connections of their own") {
    Flow flow(4);
    flow.task({{0, rw}});
    flow.task({{1, rw}});
    flow.task({{0, r}, {2, rw}});
    flow.task({{1, r}, {3, rw}});
    Platform platform = platform_of(2, 1, 0);
    platform.network.wire = Wire::fifo;
    Simulated const s = simulate(flow.graph(), on_nodes({0, 1, 1, 0}), platform, no_overheads());
    REQUIRE(s.trace.transfers.size() == 2);
    for (TransferRecord const& t : s.trace.transfers)
      CHECK(t.end.value - core_time == doctest::Approx(route_latency + alone).epsilon(1e-6));
  }
}
