// Small simulations whose every date can be worked out by hand.

#include "simulator/runtime/cluster.hpp"

#include <doctest/doctest.h>

#include <array>

#include "simulator/core/error.hpp"
#include "simulator/engine/network_factory.hpp"
#include "simulator/graph/sequential_task_flow.hpp"
#include "simulator/runtime/energy.hpp"
#include "tests/data/test_files.hpp"

using namespace factosim;

namespace {

constexpr double core_time = 2;   // of the only kernel, on a core
constexpr double gpu_time = 0.5;  // on a GPU
constexpr Bytes tile{1'000'000};

RuntimeOptions no_overheads() {
  RuntimeOptions o;
  for (Seconds RuntimeOptions::*cost :
       {&RuntimeOptions::submission_cost, &RuntimeOptions::push_cost, &RuntimeOptions::fetch_cost,
        &RuntimeOptions::progress_cost, &RuntimeOptions::wont_use_cost, &RuntimeOptions::gpu_queue_cost,
        &RuntimeOptions::gpu_malloc_cost, &RuntimeOptions::gpu_free_cost})
    o.*cost = Seconds{0};
  return o;
}

/// Nodes of `cores` cores and `gpus` GPUs; 1 MB crosses a bus in 1 ms + 10 us, a network in 10 ms + 2 us.
Platform platform_of(int nodes, int cores, int gpus, Bytes gpu_memory = Bytes{1'000'000'000}) {
  NodeType type;
  type.name = "test";
  type.cores = cores + gpus;
  type.nic = {BytesPerSecond{1e8}, Seconds{1e-6}};
  auto const memories = static_cast<std::size_t>(gpus + 1);
  type.bus.routes.resize(memories * memories);
  type.bus.predicted_bandwidth.resize(memories * memories, BytesPerSecond{1e9});
  type.bus.predicted_latency.resize(memories * memories, Seconds{1e-5});
  for (std::size_t g = 1; g < memories; ++g) {
    type.gpus.push_back({"gpu", gpu_memory});
    auto const first = static_cast<std::uint32_t>(type.bus.links.size());
    type.bus.links.push_back({"down" + std::to_string(g), BytesPerSecond{1e9}, Seconds{1e-5}});
    type.bus.links.push_back({"up" + std::to_string(g), BytesPerSecond{1e9}, Seconds{1e-5}});
    type.bus.routes[g] = {first};
    type.bus.routes[g * memories] = {first + 1};
  }
  Platform platform;
  platform.types = {type};
  platform.nodes.assign(static_cast<std::size_t>(nodes), 0);
  return platform;
}

/// One node of `rams` NUMA nodes with one core each, `gpus` GPUs; every memory is joined to the first RAM, 1
/// MB crosses that link in 1 ms + 10 us.
Platform numa_platform(int rams, int gpus, Bytes gpu_memory = Bytes{1'000'000'000}) {
  Platform platform = platform_of(1, rams, rams - 1 + gpus, gpu_memory);  // as if the RAMs were GPUs too
  NodeType& type = platform.types[0];
  type.cores = rams + gpus;
  type.numa_nodes = rams;
  type.gpus.resize(static_cast<std::size_t>(gpus));
  return platform;
}

struct Simulated {
  SimulationOutcome outcome;
  TraceRecords trace;
};

/// Runs a graph whose handle h is owned by `owner[h]`, on the max-min network.
Simulated simulate(TaskGraph graph, std::vector<NodeId> const& owner, Platform const& platform,
                   RuntimeOptions const& options, std::string const& policy = "dmda", bool cpu_can = true) {
  KernelModel model;
  auto timing = [&](std::string worker, double seconds) {
    KernelTiming t;
    t.kernel = graph.kernels.front().name;
    t.worker = std::move(worker);
    t.nb = 10;
    t.mean = Seconds{seconds};
    return t;
  };
  if (cpu_can) model.timings.push_back(timing("cpu", core_time));
  for (std::size_t g = 0; g < platform.types[0].gpus.size(); ++g)
    model.timings.push_back(timing("cuda" + std::to_string(g), gpu_time));
  Machine const machine =
      build_machine(platform, std::vector{model}, graph.kernels, {"", Precision::double_, 10}, options);
  ExecutionPlan const plan = plan_execution(graph, owner, platform.nodes.size());
  SimulationInputs const inputs{graph, plan, machine, platform, options, {.type = policy}};
  Topology const topology(platform);
  Engine engine(make_network({.model = NetworkModel::maxmin}, topology));
  Simulated out;
  ClusterRuntime cluster(inputs, topology, engine, &out.trace, {});
  out.outcome = cluster.run();
  return out;
}

/// A flow of one kernel on handles of one tile each.
struct Flow {
  SequentialTaskFlow flow;
  KernelId kernel = flow.add_kernel({.name = "work", .flops = {1}});
  explicit Flow(int handles) {
    for (int h = 0; h < handles; ++h) flow.add_handle({.size = tile, .m = h, .n = 0});
  }
  void task(std::vector<std::pair<int, Access>> const& accesses, int priority = 0) {
    std::vector<DataAccess> list;
    for (auto const& [handle, mode] : accesses) list.emplace_back(HandleId{handle}, mode);
    flow.submit(kernel, priority, {}, list);
  }
  TaskGraph graph() { return std::move(flow).finish(); }
  [[nodiscard]] TaskGraph graph_copy() const { return Flow(*this).graph(); }
};

std::vector<NodeId> on_nodes(std::vector<int> const& nodes) {
  std::vector<NodeId> out;
  for (int const n : nodes) out.emplace_back(n);
  return out;
}

constexpr auto rw = Access::read_write;
constexpr auto r = Access::read;

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("one task alone lasts its kernel") {
    Flow f(1);
    f.task({{0, rw}});
    CHECK(simulate(f.graph(), on_nodes({0}), platform_of(1, 1, 0), no_overheads()).outcome.makespan.value ==
          doctest::Approx(core_time).epsilon(1e-9));
  }

  TEST_CASE("submission push and fetch costs add up before the kernel") {
    Flow f(1);
    f.task({{0, rw}});
    f.task({{0, rw}});
    RuntimeOptions o = no_overheads();
    o.submission_cost = Seconds{0.25};
    o.push_cost = Seconds{0.5};
    o.fetch_cost = Seconds{0.125};
    // Submitted at 0.25, one operand each; the first task pays for the push of the second.
    CHECK(simulate(f.graph(), on_nodes({0}), platform_of(1, 1, 0), o).outcome.makespan.value ==
          doctest::Approx(0.25 + 2 * (0.125 + core_time) + 0.5).epsilon(1e-9));
  }

  TEST_CASE("a worker that has run a task makes progress before it looks for the next") {
    Flow f(2);
    f.task({{0, rw}});
    f.task({{1, rw}});
    RuntimeOptions o = no_overheads();
    o.progress_cost = Seconds{0.5};
    for (char const* policy : {"eager", "dmda", "ws"})
      CHECK(simulate(f.graph_copy(), on_nodes({0, 0}), platform_of(1, 1, 0), o, policy)
                .outcome.makespan.value == doctest::Approx(2 * (0.5 + core_time)).epsilon(1e-9));
  }

  TEST_CASE("of two idle workers a pushed task wakes the GPU and a second one the core") {
    // A GPU makes progress for two memories before it looks, a core for one.
    Flow f(2);
    f.task({{0, rw}});
    f.task({{1, rw}});
    RuntimeOptions o = no_overheads();
    o.progress_cost = Seconds{1e-3};
    Simulated const s = simulate(f.graph(), on_nodes({0, 0}), platform_of(1, 1, 1), o, "eager");
    REQUIRE(s.trace.tasks.size() == 2);
    CHECK(s.trace.tasks[0].task == TaskId{1});  // the GPU is through first
    CHECK(s.trace.tasks[0].worker.value() == 0);
    CHECK(s.trace.tasks[1].worker.value() == 1);
    CHECK(s.trace.tasks[1].start.value == doctest::Approx(1e-3).epsilon(1e-9));
  }

  TEST_CASE("a node submits no more tasks than it may and goes on when few are left") {
    // Independent tasks on two cores; at most two may be open, and more come when none is.
    Flow f(6);
    for (int h = 0; h < 6; ++h) f.task({{h, rw}});
    RuntimeOptions o = no_overheads();
    o.submission_cost = Seconds{0.25};
    auto makespan = [&](int most, int least) {
      o.max_submitted_tasks = most;
      o.min_submitted_tasks = least;
      return simulate(f.graph_copy(), on_nodes(std::vector<int>(6, 0)), platform_of(1, 2, 0), o, "eager")
          .outcome.makespan.value;
    };
    CHECK(makespan(0, 0) == doctest::Approx(0.25 + 3 * core_time + 0.25).epsilon(1e-9));
    // Submission waits once more than one is open; both of a pair must end before the next pair.
    CHECK(makespan(1, 0) == doctest::Approx(3 * (0.5 + core_time)).epsilon(1e-9));
    // One more whenever one ends: each core waits 0.25 s for its next task.
    CHECK(makespan(1, 1) == doctest::Approx(0.5 + 3 * core_time + 2 * 0.25).epsilon(1e-9));
  }

  TEST_CASE("a task on a GPU waits for its tile to cross the bus") {
    Flow f(1);
    f.task({{0, rw}});
    Simulated const s = simulate(f.graph(), on_nodes({0}), platform_of(1, 1, 1), no_overheads());
    CHECK(s.outcome.makespan.value == doctest::Approx(1e-5 + 1e-3 + gpu_time).epsilon(1e-9));
    CHECK(s.outcome.host_to_device == tile);
    CHECK(s.outcome.device_to_host.value == 0);
  }

  TEST_CASE("a GPU runs queued kernels back to back while the next inputs arrive") {
    Flow f(3);
    for (int h = 0; h < 3; ++h) f.task({{h, rw}});
    Simulated const s =
        simulate(f.graph(), on_nodes({0, 0, 0}), platform_of(1, 0, 1), no_overheads(), "eager");
    CHECK(s.outcome.makespan.value == doctest::Approx(1e-5 + 1e-3 + 3 * gpu_time).epsilon(1e-9));
  }

  TEST_CASE("without a pipeline each task first waits for its inputs") {
    Flow f(3);
    for (int h = 0; h < 3; ++h) f.task({{h, rw}});
    RuntimeOptions o = no_overheads();
    o.gpu_pipeline = 0;
    Simulated const s = simulate(f.graph(), on_nodes({0, 0, 0}), platform_of(1, 0, 1), o, "eager");
    CHECK(s.outcome.makespan.value == doctest::Approx(3 * (1e-5 + 1e-3 + gpu_time)).epsilon(1e-9));
  }

  TEST_CASE("a core reads tiles in the RAM next to it and they are copied there first") {
    Flow f(2);
    f.task({{0, rw}});
    f.task({{1, rw}});
    double const copy = 1e-5 + 1e-3;
    for (char const* policy : {"dmda", "eager"}) {
      Simulated const s =
          simulate(f.graph_copy(), on_nodes({0, 0}), numa_platform(2, 0), no_overheads(), policy);
      CHECK(s.outcome.makespan.value == doctest::Approx(core_time + copy).epsilon(1e-9));
      CHECK(s.outcome.host_to_host == tile);
      CHECK(s.outcome.host_to_device.value == 0);
    }
    // Where a copy takes longer than another task on the core next to the tiles, dmda leaves the other core
    // be.
    Platform slow = numa_platform(2, 0);
    for (LinkSpec& link : slow.types[0].bus.links) link.bandwidth = BytesPerSecond{1e5};
    for (BytesPerSecond& predicted : slow.types[0].bus.predicted_bandwidth) predicted = BytesPerSecond{1e5};
    Simulated const s = simulate(f.graph_copy(), on_nodes({0, 0}), slow, no_overheads());
    CHECK(s.outcome.makespan.value == doctest::Approx(2 * core_time).epsilon(1e-9));
    CHECK(s.outcome.host_to_host.value == 0);
  }

  TEST_CASE("a GPU's driver makes the transfers of every RAM progress") {
    Flow f(1);
    f.task({{0, rw}});
    RuntimeOptions o = no_overheads();
    o.progress_cost = Seconds{1e-3};
    o.gpu_pipeline = 0;
    auto const start = [&](int rams) {
      return simulate(f.graph_copy(), on_nodes({0}), numa_platform(rams, 1), o, "dmda").trace.tasks[0].start;
    };
    double const rounds = 2;  // one to start the copy, which is a prefetch, one to notice its end
    CHECK(start(3).value - start(1).value == doctest::Approx(rounds * 2e-3).epsilon(1e-9));
  }

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

  TEST_CASE("messages leave by priority and the cap holds") {
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

  TEST_CASE("what a GPU wrote goes to RAM before it leaves the node") {
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

  TEST_CASE("a node that has only to send is on until its message has arrived") {
    Flow f(2);
    f.task({{0, rw}});
    f.task({{0, r}, {1, rw}});
    Platform platform = platform_of(2, 1, 0);
    platform.types[0].power = {.core = 10, .idle = 100, .off = 5};
    SimulationOutcome const out = simulate(f.graph(), on_nodes({0, 1}), platform, no_overheads()).outcome;
    Machine::Type type;
    type.workers = {{}};
    double const sent = core_time + 2e-6 + 1e-2;
    double const end = sent + core_time;
    CHECK(out.nodes[0].last_task.value == doctest::Approx(core_time).epsilon(1e-9));
    CHECK(out.nodes[0].last_send.value == doctest::Approx(sent).epsilon(1e-9));
    Energy const first = energy_of(out.nodes[0], type, platform.types[0].power, out.makespan);
    Energy const second = energy_of(out.nodes[1], type, platform.types[0].power, out.makespan);
    CHECK(first.total().value == doctest::Approx(100 * end + 10 * core_time).epsilon(1e-9));
    CHECK(first.total_with_power_off().value ==
          doctest::Approx(100 * sent + 5 * core_time + 10 * core_time).epsilon(1e-9));
    CHECK(second.total_with_power_off() == second.total());
  }

  TEST_CASE("received tiles are freed after their last use and owned ones stay") {
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

  TEST_CASE("a node that receives more than its RAM holds is infeasible unless that is only to be counted") {
    // Node 0 sends its three tiles at once; node 1 has room for its own and two of them.
    Flow f(4);
    for (int h = 0; h < 3; ++h) f.task({{h, rw}});
    for (int h = 0; h < 3; ++h) f.task({{h, r}, {3, rw}});
    Platform platform = platform_of(2, 3, 0);
    platform.types[0].ram = tile * 3;
    RuntimeOptions o = no_overheads();
    auto const run = [&] { return simulate(f.graph_copy(), on_nodes({0, 0, 0, 1}), platform, o).outcome; };
    CHECK_THROWS_AS(run(), InfeasibleError);
    CHECK(
        testing::message_of(run).starts_with("node 1 (test) needs 4000000 bytes at 2.03 s and has a RAM of "
                                             "3000000 (its own tiles and those that it "
                                             "received and still needs). Use more nodes, "));
    o.out_of_core = true;
    SimulationOutcome const out = run();
    CHECK(out.nodes[0].over_memory_bytes == 0);
    CHECK(out.nodes[1].over_memory_bytes == tile.value);
    CHECK(out.nodes[1].peak_memory_bytes == 4 * tile.value);
    platform.types[0].ram = tile * 4;
    o.out_of_core = false;
    CHECK(run().makespan == out.makespan);
    CHECK(run().nodes[1].over_memory_bytes == 0);
  }
}

TEST_SUITE("property") {
  TEST_CASE("NUMA nodes and small GPUs move tiles between each other until all is done") {
    Flow f(100);
    for (int round = 0; round < 3; ++round)
      for (int h = 0; h < 100; ++h) f.task({{(h * 7) % 100, r}, {(h * 3) % 100, r}, {h, rw}});
    for (char const* policy : {"dmdas", "eager", "ws", "heft"}) {
      CAPTURE(policy);
      Simulated const s = simulate(f.graph_copy(), std::vector<NodeId>(100, NodeId{0}),
                                   numa_platform(3, 2, Bytes{40 << 20}), RuntimeOptions{}, policy);
      CHECK(s.outcome.tasks_by_kernel[0] == 300);
      CHECK(s.outcome.host_to_host.value > 0);
      CHECK(s.outcome.host_to_device.value > 0);
    }
  }

  TEST_CASE("a GPU too small for all tiles evicts writes back and still ends") {
    // 100 tiles of 1 MB in chunks of 32 MiB: one chunk only fits, so tiles must come and go.
    Flow f(100);
    for (int round = 0; round < 3; ++round)
      for (int h = 0; h < 100; ++h) f.task({{(h * 7) % 100, r}, {h, rw}});
    for (char const* policy : {"dmdas", "eager"}) {
      CAPTURE(policy);
      Platform const small = platform_of(1, 0, 2, Bytes{40 << 20});
      Flow copy = f;
      Simulated const s =
          simulate(copy.graph(), std::vector<NodeId>(100, NodeId{0}), small, RuntimeOptions{}, policy, false);
      CHECK(s.outcome.tasks_by_kernel[0] == 300);
      CHECK(s.outcome.device_to_host.value > 0);
      Flow again = f;
      Simulated const roomy = simulate(again.graph(), std::vector<NodeId>(100, NodeId{0}),
                                       platform_of(1, 0, 2, Bytes{1 << 30}), RuntimeOptions{}, policy, false);
      CHECK(roomy.outcome.host_to_device < s.outcome.host_to_device);
      CHECK(roomy.outcome.makespan.value <= s.outcome.makespan.value * 1.05);
    }
  }
}
