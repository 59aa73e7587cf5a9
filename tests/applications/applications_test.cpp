#include <stdexcept>

#include "distributions/block_cyclic.hpp"
#include "distributions/tiles_sent.hpp"
#include "models/applications/application.hpp"
#include "models/applications/estimated_timings.hpp"
#include "simulator/tasks/graph/graph_order.hpp"
#include "simulator/tasks/plan/plan_execution.hpp"
#include "tests/applications/graph_tasks.hpp"

using namespace factosim;
using testing::Counts;
using testing::tasks_by_kernel;

namespace {

std::vector<int> sizes() {
  std::vector<int> all;
  for (int n = 1; n <= 40; ++n) all.push_back(n);
  all.push_back(100);
  return all;
}

ApplicationParameters parameters(int nt, std::string const& tree) {
  ApplicationParameters p{.nt = nt, .nb = 10};
  p.own_values["tree"] = tree;
  return p;
}

/// In thirds of nb^3, the unit of the literature.
double critical_path_units(TaskGraph const& graph) {
  std::vector<Seconds> durations;
  for (std::uint16_t const kernel : graph.kernel)
    durations.push_back(Seconds{graph.kernels[kernel].flops.value / (1000.0 / 3)});
  return critical_path(graph, durations, {}).length.value;
}

std::uint64_t messages(int nt, std::string const& tree, Grid grid) {
  TileMap const map = block_cyclic(nt, nt, grid);
  TaskGraph graph = application("qr").graph(parameters(nt, tree), map);
  std::vector<NodeId> owner;
  for (HandleInfo const& handle : graph.handles) owner.push_back(map.at(handle.m, handle.n));
  ExecutionPlan const plan = plan_execution(graph, owner, static_cast<std::size_t>(grid.p * grid.q));
  return count_messages(graph, plan);
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
  TEST_CASE("the registry lists the applications with their variants") {
    CHECK(application_names() ==
          std::vector<std::string>{"lu", "cholesky", "qr", "gemm", "syrk", "exageostat"});
    for (std::string const& name : application_names()) {
      CAPTURE(name);
      CHECK(application(name).name == name);
    }
    CHECK(application("lu").variants == std::vector<std::string>{"starpu", "chameleon"});
    CHECK(application("cholesky").variants == std::vector<std::string>{"starpu", "chameleon", "starpu-mpi"});
    CHECK_THROWS_WITH_AS(application("svd"), "unknown application svd", std::out_of_range);
  }

  TEST_CASE("handles are the stored tiles in row order") {
    TaskGraph const lu = testing::graph_on_one_node("lu", {.nt = 3, .nb = 10});
    REQUIRE(lu.handles.size() == 9);
    CHECK(lu.handles[5].m == 1);
    CHECK(lu.handles[5].n == 2);
    CHECK(lu.handles[5].size == Bytes{800});
    TaskGraph const cholesky = testing::graph_on_one_node("cholesky", {.nt = 3, .nb = 10});
    REQUIRE(cholesky.handles.size() == 6);
    CHECK(cholesky.handles[4].m == 2);
    CHECK(cholesky.handles[4].n == 1);
  }

  TEST_CASE("only the factorization of the diagonal tile holds the GPU driver") {
    for (std::string const& name : application_names())
      for (Kernel const& kernel : testing::graph_on_one_node(name, {.nt = 2, .nb = 10}).kernels) {
        CAPTURE(kernel.name);
        CHECK(kernel.asynchronous_on_gpu ==
              (kernel.name != "getrf" && kernel.name != "potrf" && kernel.name != "geqrt"));
      }
  }

  TEST_CASE("a product updates every tile of C once a step with a column of A and a row of B") {
    TaskGraph const graph = testing::graph_on_one_node("gemm", {.nt = 3, .nb = 10});
    REQUIRE(graph.handles.size() == 27);
    TaskId const first{18};  // behind nine loads of A and nine of B
    REQUIRE(graph.kernel_of(first).name == "gemm");
    CHECK(graph.accesses_of(first)[0].handle() == HandleId{9});   // A(0,0)
    CHECK(graph.accesses_of(first)[1].handle() == HandleId{18});  // B(0,0)
    CHECK(graph.accesses_of(first)[2].handle() == HandleId{0});   // C(0,0)
    CHECK(graph.written_by(first) == HandleId{0});
    CHECK(graph.successors_of(first).size() == 1);  // the next update of C(0,0)
  }

  TEST_CASE("by its cycle-time a node takes that long for an update and as counted for the rest") {
    ApplicationParameters const p{.nt = 2, .nb = 100};
    std::vector<Kernel> const kernels = application("lu").kernels(p);
    KernelModel const model = cycle_time_model("slow", Seconds{3}, kernels, p);
    CHECK(model.estimate);
    for (Kernel const& kernel : kernels)
      CHECK(model.duration(kernel.name, "lu", p.precision, "cpu", 100, kernel.flops)->value ==
            doctest::Approx(3 * kernel.flops.value / 2e6).epsilon(1e-12));
    CHECK(model.duration("gemm", "lu", p.precision, "cpu", 100, kernels[3].flops)->value ==
          doctest::Approx(3).epsilon(1e-12));
    CHECK_FALSE(model.timing("gemm", "lu", p.precision, "cuda0", 100));
  }

  TEST_CASE("a tree by nodes is flat on one node and joins triangles between nodes") {
    CHECK(tasks_by_kernel(testing::graph_on_one_node("qr", parameters(6, "nodes")))["ttqrt"] == 0);
    Counts const counts =
        tasks_by_kernel(application("qr").graph(parameters(6, "nodes"), block_cyclic(6, 6, {2, 1})));
    CHECK(counts.at("geqrt") == 11);  // two rows in each iteration, one in the last
    CHECK(counts.at("ttqrt") == 5);
    CHECK(counts.at("tsqrt") == 10);
  }

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

TEST_SUITE("property") {
  TEST_CASE("the operations of the tasks add up to those of the factorization") {
    // The terms below n^3 of the kernels cancel: equal for every N. 1e-12: rounding of up to 338350
    // additions.
    for (std::string const name : {"lu", "cholesky"})
      for (int const size : sizes()) {
        CAPTURE_ALL(name, size);
        ApplicationParameters const parameters{.nt = size, .nb = 960};
        double sum = 0;
        for (auto const& graph = testing::graph_on_one_node(name, parameters);
             std::uint16_t const kernel : graph.kernel)
          sum += graph.kernels[kernel].flops.value;
        CHECK(sum == doctest::Approx(application(name).total_flops(parameters).value).epsilon(1e-12));
      }
  }

  TEST_CASE("a product has nt cubed updates and sends columns of A and rows of B") {
    for (int const nt : {1, 2, 5, 9})
      for (Grid const grid : {Grid{1, 1}, Grid{2, 1}, Grid{2, 3}, Grid{3, 3}}) {
        CAPTURE_ALL(nt, grid.p, grid.q);
        ApplicationParameters const p{.nt = nt, .nb = 10};
        TileMap const map = block_cyclic(nt, nt, grid);
        TaskGraph graph = testing::graph_on_one_node("gemm", p);
        auto const n = static_cast<std::uint64_t>(nt);
        CHECK(graph.task_count() == n * n * n + 2 * n * n);
        double sum = 0;
        for (std::uint16_t const kernel : graph.kernel) sum += graph.kernels[kernel].flops.value;
        CHECK(sum == doctest::Approx(application("gemm").total_flops(p).value).epsilon(1e-12));
        std::vector<NodeId> owner;
        for (HandleInfo const& handle : graph.handles) owner.push_back(map.at(handle.m, handle.n));
        ExecutionPlan const plan = plan_execution(graph, owner, static_cast<std::size_t>(grid.p * grid.q));
        std::uint64_t const receivers =
            static_cast<std::uint64_t>(std::min(nt, grid.p) + std::min(nt, grid.q)) - 2;
        CHECK(count_messages(graph, plan) == n * n * receivers);
        CHECK(product_tiles_sent(map) == n * n * receivers);
      }
  }

  TEST_CASE("the operations of every tree add up to those of the factorization") {
    for (std::string const& tree : application("qr").keys.front().choices)
      for (int size = 1; size <= 20; ++size) {
        CAPTURE_ALL(tree, size);
        ApplicationParameters const p = parameters(size, tree);
        double sum = 0;
        for (auto const& graph = application("qr").graph(p, block_cyclic(size, size, {3, 2}));
             std::uint16_t const kernel : graph.kernel)
          sum += graph.kernels[kernel].flops.value;
        CHECK(sum == doctest::Approx(application("qr").total_flops(p).value).epsilon(1e-12));
      }
  }

  TEST_CASE("messages of QR are those of its closed forms") {
    for (Grid const grid : {Grid{1, 1}, Grid{1, 3}, Grid{2, 1}, Grid{2, 2}, Grid{3, 4}})
      for (int const nt : {1, 2, 5, 12}) {
        CAPTURE_ALL(grid.p, grid.q, nt);
        std::uint64_t flat = 0, nodes = 0;
        for (int m = 1; m < nt; ++m) {
          auto const rows = static_cast<std::uint64_t>(std::min(m, grid.p - 1));
          auto const columns = static_cast<std::uint64_t>(std::min(m, grid.q - 1));
          auto const tiles = static_cast<std::uint64_t>(m);
          flat += (1 + tiles) * columns + (grid.p > 1 ? (1 + tiles) * tiles : 0);
          nodes += (1 + tiles) * (rows + columns) + rows * columns;
        }
        CHECK(messages(nt, "flat", grid) == flat);
        CHECK(messages(nt, "nodes", grid) == nodes);
      }
  }
}

TEST_SUITE("published") {
  TEST_CASE("SC11 tiled QR: the critical path of the flat tree is 30 nt - 34") {
    CHECK(critical_path_units(testing::graph_on_one_node("qr", parameters(1, "flat"))) == doctest::Approx(4));
    for (int nt = 2; nt <= 12; ++nt)
      CHECK(critical_path_units(testing::graph_on_one_node("qr", parameters(nt, "flat"))) ==
            doctest::Approx(30 * nt - 34));
    CHECK(critical_path_units(testing::graph_on_one_node("qr", parameters(2, "binary"))) ==
          doctest::Approx(20));
  }

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
