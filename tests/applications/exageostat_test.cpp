#include "distributions/block_cyclic.hpp"
#include "simulator/tasks/plan/plan_execution.hpp"
#include "tests/applications/graph_tasks.hpp"

using namespace factosim;
using testing::Counts;
using testing::priority;
using testing::tasks_by_kernel;

namespace {

TaskGraph on_four_nodes(ApplicationParameters const& p) {
  return application("exageostat").graph(p, block_cyclic(p.nt, p.nt, {.p = 2, .q = 2}));
}

/// Messages on 2 x 2 nodes: "factorization>solve tile".
struct MessageTotals {
  Counts count, bytes;
};

MessageTotals messages(ApplicationParameters const& p) {
  TileMap const map = block_cyclic(p.nt, p.nt, {.p = 2, .q = 2});
  TaskGraph graph = application("exageostat").graph(p, map);
  std::vector<NodeId> owner;
  for (HandleInfo const& h : graph.handles) owner.push_back(h.owner.valid() ? h.owner : map.at(h.m, h.n));
  ExecutionPlan const plan = plan_execution(graph, OwnersByPlacement{owner, owner}, 4);
  MessageTotals out;
  for (MessageCount const& c : count_messages_by_phase(graph, plan)) {
    std::string const name =
        graph.phases[c.from].name + ">" + graph.phases[c.to].name + " " + name_of(c.data);
    out.count[name] = c.messages;
    out.bytes[name] = static_cast<std::uint64_t>(c.bytes.value);
  }
  return out;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("operations are those of the matrix and not of the tiles that it fills in part") {
    ApplicationParameters p{.nt = 3, .nb = 10};
    CHECK(application("exageostat").total_flops(p).value == doctest::Approx(9000));
    p.n = 24;
    p.own_values["iterations"] = 2;
    CHECK(application("exageostat").total_flops(p).value == doctest::Approx(2 * 4608));
  }

  TEST_CASE("the timing of generation depends on whether nu is half an odd number") {
    ApplicationParameters p{.nt = 2, .nb = 10};
    for (auto const& [nu, name] :
         {std::pair{0.5, "dcmg"}, {1.5, "dcmg"}, {1.0, "dcmg_bessel"}, {0.7, "dcmg_bessel"}}) {
      p.own_values["nu"] = nu;
      CHECK(timing_name(application("exageostat").kernels(p).front()) == name);
    }
  }
}

TEST_SUITE("published") {
  TEST_CASE("ICPP21 IV-A: the solve moves 2500 tiles of workload 101 on four nodes and the local one none") {
    ApplicationParameters p{.nt = 101, .nb = 960, .n = 96'600};
    MessageTotals const local = messages(p);
    CHECK(local.count.at("factorization>factorization tile") == 10'100);
    CHECK(local.count.at("factorization>solve tile") == 50);  // diagonal tiles to the owners of z
    CHECK(local.count.at("solve>solve accumulator") == 99);
    p.own_values["solve"] = "chameleon";
    MessageTotals const chameleon = messages(p);
    CHECK(chameleon.count.at("factorization>factorization tile") == 10'100);
    CHECK(chameleon.count.at("factorization>solve tile") == 2550);
    // Printed: 11044 MB and 8886 MB, which are these volumes in MiB divided by 8.
    auto const volume = [](MessageTotals const& m) {
      std::uint64_t bytes = 0;
      for (auto const& [name, count] : m.bytes) bytes += count;
      return static_cast<double>(bytes) / (8 << 20);
    };
    CHECK(volume(chameleon) == doctest::Approx(11'068.8).epsilon(1e-5));
    CHECK(volume(local) == doctest::Approx(8888.2).epsilon(1e-5));
  }
}
