// Messages between nodes, date by date.

#include "tests/prelude.hpp"

#include "simulator/tasks/plan/options.hpp"
#include "tests/runtime/small_cluster.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

using ForwardingTree = std::vector<std::optional<std::size_t>>;
constexpr std::nullopt_t by_owner = std::nullopt;

/// Returns the number of rounds until the last receiver has the data, if a node sends one message per round.
std::uint32_t rounds(ForwardingTree const& parent) {
  std::vector<std::uint32_t> has_it_after(parent.size(), 0), sent(parent.size() + 1, 0);
  std::uint32_t last = 0;
  for (std::size_t i = 0; i < parent.size(); ++i) {
    std::uint32_t& by_sender = sent[parent[i].value_or(parent.size())];
    std::uint32_t const start = (parent[i] ? has_it_after[*parent[i]] : 0) + by_sender++;
    has_it_after[i] = start + 1;
    last = std::max(last, has_it_after[i]);
  }
  return last;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("a version of a tile goes once to each node however many tasks read it") {
    Flow f(4);
    f.task({{0, rw}});
    for (int h = 1; h < 4; ++h) f.task({{0, r}, {h, rw}});
    for (int h = 1; h < 4; ++h) f.task({{0, r}, {h, rw}});
    Simulated const s = simulate(f.graph(), on_nodes({0, 1, 1, 2}), platform_of(3, 2, 0), no_overheads());
    CHECK(s.outcome.tiles_sent == 2);
    CHECK(s.outcome.bytes_sent == tile * 2);
    CHECK(s.outcome.nodes[0].tiles_sent == 2);
    CHECK(s.outcome.nodes[1].tiles_received == 1);
  }

  TEST_CASE("a task on another node starts when the message has arrived") {
    Flow f(2);
    f.task({{0, rw}});
    f.task({{0, r}, {1, rw}});
    Simulated const s = simulate(f.graph(), on_nodes({0, 1}), platform_of(2, 1, 0), no_overheads());
    CHECK(s.outcome.makespan.value == doctest::Approx(2 * core_time + 2e-6 + 1e-2).epsilon(1e-9));
  }

  TEST_CASE("messages are sent by priority and at most as many at once as allowed") {
    Flow f(5);
    f.task({{0, rw}});
    for (int h = 1; h < 5; ++h) f.task({{0, r}, {h, rw}}, /*priority=*/h);
    RuntimeOptions o = no_overheads();
    o.max_sends_per_node = 1;
    Simulated const s = simulate(f.graph(), on_nodes({0, 1, 2, 3, 4}), platform_of(5, 1, 0), o);
    REQUIRE(s.trace.transfers.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) {  // the most urgent reader is on node 4
      CHECK(s.trace.transfers[i].to.value() == 4 - i);
      CHECK(s.trace.transfers[i].end.value ==
            doctest::Approx(core_time + static_cast<double>(i + 1) * (2e-6 + 1e-2)).epsilon(1e-9));
    }
  }

  TEST_CASE("messages are sent in the order of the flow if priorities are ignored") {
    Flow f(5);
    f.task({{0, rw}});
    for (int h = 1; h < 5; ++h) f.task({{0, r}, {h, rw}}, /*priority=*/h);
    RuntimeOptions o = no_overheads();
    o.max_sends_per_node = 1;
    o.sends_by_priority = false;
    Simulated const s = simulate(f.graph(), on_nodes({0, 1, 2, 3, 4}), platform_of(5, 1, 0), o);
    for (std::size_t i = 0; i < 4; ++i) CHECK(s.trace.transfers[i].to.value() == i + 1);
  }

  TEST_CASE("a rendezvous message waits for the answer of its receiver") {
    Flow f(2);
    f.task({{0, rw}});
    f.task({{0, r}, {1, rw}});
    RuntimeOptions o = no_overheads();
    for (Rendezvous const rendezvous : {Rendezvous{}, Rendezvous{0.25, 0}}) {
      o.rendezvous = rendezvous;
      double const asked = (rendezvous.question + rendezvous.answer) * 2e-6;
      CHECK(simulate(f.graph_copy(), on_nodes({0, 1}), platform_of(2, 1, 0), o).outcome.makespan.value ==
            doctest::Approx(2 * core_time + asked + 2e-6 + 1e-2).epsilon(1e-9));
    }
  }

  TEST_CASE("of messages that become ready at one date the most urgent is sent first") {
    Flow f(4);
    for (int h = 0; h < 2; ++h) f.task({{h, rw}});
    for (int h = 0; h < 2; ++h) f.task({{h, r}, {2 + h, rw}}, /*priority=*/h);
    RuntimeOptions o = no_overheads();
    o.max_sends_per_node = 1;
    Simulated const s = simulate(f.graph(), on_nodes({0, 0, 1, 2}), platform_of(3, 2, 0), o);
    REQUIRE(s.trace.transfers.size() == 2);
    CHECK(s.trace.transfers[0].to.value() == 2);
  }

  TEST_CASE("each of several nodes reserves a core for communication") {
    Flow f(4);
    for (int h = 0; h < 4; ++h) f.task({{h, rw}});
    RuntimeOptions o = no_overheads();
    o.communication_cores = 1;
    CHECK(simulate(f.graph_copy(), on_nodes({0, 0, 0, 0}), platform_of(1, 2, 0), o).outcome.makespan.value ==
          doctest::Approx(2 * core_time));
    CHECK(simulate(f.graph_copy(), on_nodes({0, 0, 1, 1}), platform_of(2, 2, 0), o).outcome.makespan.value ==
          doctest::Approx(2 * core_time));
  }

  TEST_CASE("a tile that each reader flushes is sent to the next reader once the previous one has run") {
    Flow f(3);
    f.task({{0, rw}});
    for (int i = 0; i < 3; ++i) {
      std::vector<DataAccess> const accesses{{HandleId{0}, r}, {HandleId{1 + i % 2}, rw}};
      f.flow.flush_inputs(f.flow.submit(f.kernel, 0, {}, accesses));
    }
    Simulated const s = simulate(f.graph(), on_nodes({0, 1, 1}), platform_of(2, 3, 0), no_overheads());
    CHECK(s.outcome.tiles_sent == 3);
    REQUIRE(s.trace.tasks.size() == 4);
    for (std::size_t i = 2; i < 4; ++i) CHECK(s.trace.tasks[i].start.value >= s.trace.tasks[i - 1].end.value);
    CHECK(s.outcome.nodes[1].peak_memory_bytes == 3 * tile.value);
  }

  TEST_CASE("a broadcast sends tiles again after a flush from the owner") {
    Flow f(4);
    f.task({{0, rw}});
    for (int h : {1, 2, 1, 3}) {
      std::vector<DataAccess> const accesses{{HandleId{0}, r}, {HandleId{static_cast<std::uint32_t>(h)}, rw}};
      f.flow.flush_inputs(f.flow.submit(f.kernel, 0, {}, accesses));
    }
    for (Broadcast const broadcast : {Broadcast::ring, Broadcast::binomial, Broadcast::cooperative}) {
      RuntimeOptions o = no_overheads();
      o.broadcast = broadcast;
      Simulated const s = simulate(f.graph_copy(), on_nodes({0, 1, 1, 2}), platform_of(3, 2, 0), o);
      CHECK(s.outcome.tiles_sent == 4);
      CHECK(s.outcome.nodes[1].tiles_received == 3);
      CHECK(s.outcome.nodes[0].tiles_sent >= 3);
    }
  }

  TEST_CASE("broadcasts reach all receivers which forward messages") {
    Flow f(8);
    f.task({{0, rw}});
    for (int h = 1; h < 8; ++h) f.task({{0, r}, {h, rw}});
    double const hop = 2e-6 + 1e-2;
    auto const arrival = [&](Broadcast broadcast) {
      RuntimeOptions o = no_overheads();
      o.max_sends_per_node = 1;
      o.broadcast = broadcast;
      Simulated const s =
          simulate(f.graph_copy(), on_nodes({0, 1, 2, 3, 4, 5, 6, 7}), platform_of(8, 1, 0), o);
      CHECK(s.outcome.tiles_sent == 7);
      double last = 0;
      for (auto const& t : s.trace.transfers) last = std::max(last, t.end.value);
      return (last - core_time) / hop;
    };
    CHECK(arrival(Broadcast::point_to_point) == doctest::Approx(7).epsilon(1e-6));
    CHECK(arrival(Broadcast::ring) == doctest::Approx(7).epsilon(1e-6));
    CHECK(arrival(Broadcast::binomial) == doctest::Approx(3).epsilon(1e-6));
    CHECK(arrival(Broadcast::cooperative) == doctest::Approx(3).epsilon(1e-6));
  }

  TEST_CASE("outputs of a GPU are copied to RAM before they are sent") {
    Flow f(2);
    f.task({{0, rw}});
    f.task({{0, r}, {1, rw}});
    Simulated const s = simulate(f.graph(), on_nodes({0, 1}), platform_of(2, 0, 1), no_overheads(), "dmda",
                                 /*cpu_can=*/false);
    double const bus = 1e-5 + 1e-3;
    // Tile 1 is on its way to the second GPU only once tile 0 has arrived there and made the task ready.
    CHECK(s.outcome.makespan.value ==
          doctest::Approx(bus + gpu_time + bus + 2e-6 + 1e-2 + 2 * bus - 1e-5 + gpu_time).epsilon(1e-4));
    CHECK(s.outcome.device_to_host == tile);
  }

  TEST_CASE("received tiles are freed after their last use and owned ones are kept") {
    // A tile leaves node 0 every 2 s; node 1 reads it for 2 s into its own tile: two of them at most are
    // there at once.
    Flow f(7);
    for (int h = 0; h < 6; ++h) f.task({{h, rw}});
    for (int h = 0; h < 6; ++h) f.task({{h, r}, {6, rw}});
    Simulated const s =
        simulate(f.graph(), on_nodes({0, 0, 0, 0, 0, 0, 1}), platform_of(2, 1, 0), no_overheads());
    CHECK(s.outcome.nodes[0].peak_memory_bytes == 6 * tile.value);
    CHECK(s.outcome.nodes[1].peak_memory_bytes >= 2 * tile.value);
    CHECK(s.outcome.nodes[1].peak_memory_bytes <= 3 * tile.value);
  }

  TEST_CASE("the owner sends to all point to point and in a ring to the first only") {
    CHECK(forwarding_tree(Broadcast::point_to_point, 3) == ForwardingTree{by_owner, by_owner, by_owner});
    CHECK(forwarding_tree(Broadcast::ring, 3) == ForwardingTree{by_owner, 0, 1});
  }

  TEST_CASE("a binomial tree needs as many rounds as doubling does") {
    CHECK(forwarding_tree(Broadcast::binomial, 7) ==
          ForwardingTree{by_owner, by_owner, 0, by_owner, 0, 1, 2});
    for (std::uint32_t receivers = 1; receivers < 200; ++receivers) {
      std::uint32_t doublings = 0;
      while ((1U << doublings) < receivers + 1) ++doublings;
      CHECK(rounds(forwarding_tree(Broadcast::binomial, receivers)) == doublings);
    }
  }

  TEST_CASE("names of broadcasts are read back") {
    auto const names = names_of(Broadcast{});
    for (std::string const& name : names.names()) CHECK(name_of(names.named(name)) == name);
    CHECK_THROWS((void)names.named("multicast"));
  }
}
