#include <doctest/doctest.h>

#include <map>
#include <string>

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
  TEST_CASE("ExaGeoStat has the tasks of its closed forms") {
    for (std::uint64_t const nt : {1U, 2U, 3U, 10U, 41U})
      for (bool const local : {false, true}) {
        CAPTURE(nt);
        ApplicationParameters p{.nt = static_cast<int>(nt), .nb = 10};
        p.own_values["solve"] = local ? "local" : "chameleon";
        Counts expected{{"dcmg", nt * (nt + 1) / 2}, {"potrf", nt}, {"mdet", nt}, {"trsv", nt}, {"dot", nt}};
        std::uint64_t const pairs = nt * (nt - 1) / 2;
        if (pairs > 0) expected["trsm"] = expected["syrk"] = expected["gemv"] = pairs;
        if (nt > 2) expected["gemm"] = nt * (nt - 1) * (nt - 2) / 6;
        // On 2 x 2 nodes row 1 has one owner left of the diagonal, each further row two.
        if (local && nt > 1) expected["geadd"] = 1 + 2 * (nt - 2);
        Counts counts = tasks_by_kernel(on_four_nodes(p));
        std::erase_if(counts, [](auto const& kernel) { return kernel.second == 0; });
        CHECK(counts == expected);
      }
  }

  TEST_CASE("operations are those of the matrix and not of the tiles that it fills in part") {
    ApplicationParameters p{.nt = 3, .nb = 10};
    CHECK(application("exageostat").total_flops(p).value == doctest::Approx(9000));
    p.n = 24;
    p.own_values["iterations"] = 2;
    CHECK(application("exageostat").total_flops(p).value == doctest::Approx(2 * 4608));
  }

  TEST_CASE("iterations repeat all tasks behind a barrier") {
    ApplicationParameters p{.nt = 6, .nb = 10};
    TaskGraph const once = on_four_nodes(p);
    CHECK(once.barriers.empty());
    p.own_values["iterations"] = 3;
    TaskGraph const thrice = on_four_nodes(p);
    CHECK(thrice.task_count() == 3 * once.task_count());
    auto const n = static_cast<std::uint32_t>(once.task_count());
    CHECK(thrice.barriers == std::vector<std::uint32_t>{n, 2 * n});
    CHECK(thrice.phases.size() == 5);
  }

  TEST_CASE("the synchronous version waits between all phases and the public one twice") {
    ApplicationParameters p{.nt = 4, .nb = 10};
    auto const barriers = [&](char const* asynchronous) {
      p.own_values["asynchronous"] = asynchronous;
      return on_four_nodes(p).barriers;
    };
    // 10 dcmg; 4 potrf, 6 trsm, 6 syrk, 4 gemm; 4 mdet; 4 trsv, 6 gemv, 5 geadd; 4 dot.
    CHECK(barriers("none") == std::vector<std::uint32_t>{10, 30, 34, 49});
    CHECK(barriers("partial") == std::vector<std::uint32_t>{10, 34});
    CHECK(barriers("full").empty());
  }

  TEST_CASE("priorities are those of equations 2 to 11 or Chameleon's") {
    ApplicationParameters p{.nt = 10, .nb = 10};
    TaskGraph const all = on_four_nodes(p);
    CHECK(priority(all, "dcmg", 0, 7, 4) == 30 - 5);  // (m + n) / 2 in whole numbers
    CHECK(priority(all, "potrf", 2, 2, 2) == 24);
    CHECK(priority(all, "trsm", 2, 7, 2) == 24 - 5);
    CHECK(priority(all, "syrk", 2, 4, 4) == 24 - 4);
    CHECK(priority(all, "gemm", 2, 7, 4) == 24 - 2 - 5);
    CHECK(priority(all, "trsv", 10, 3, 3) == 14);
    CHECK(priority(all, "gemv", 10, 7, 3) == 14 - 7);
    CHECK(priority(all, "geadd", 10, 4, 3) == 14);
    CHECK(priority(all, "mdet", 10, 3, 3) == 0);
    CHECK(priority(all, "dot", 10, 3, 3) == 0);
    p.own_values["priorities"] = "factorization";
    TaskGraph const original = on_four_nodes(p);
    CHECK(priority(original, "dcmg", 0, 7, 4) == 0);
    CHECK(priority(original, "potrf", 2, 2, 2) == 16);
    CHECK(priority(original, "gemm", 2, 7, 4) == 16 - 11);
    CHECK(priority(original, "gemv", 10, 7, 3) == 0);
  }

  TEST_CASE("ordered generation goes along antidiagonals and the original column by column") {
    ApplicationParameters p{.nt = 20, .nb = 10};
    TaskGraph const ordered = on_four_nodes(p);
    for (std::uint32_t t = 1; t < 210; ++t) CHECK(ordered.priority[t] <= ordered.priority[t - 1]);
    p.own_values["generation_order"] = "columns";
    TaskGraph const columns = on_four_nodes(p);
    for (std::uint32_t t = 1; t < 210; ++t) CHECK(columns.indices[t].n >= columns.indices[t - 1].n);
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
