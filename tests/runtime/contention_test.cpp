// What prolongs kernels: other cores of the socket, and the communication thread.

#include "simulator/tasks/bounds/task_figures.hpp"
#include "tests/prelude.hpp"
#include "tests/runtime/small_cluster.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

/// Runs independent tasks, one on each handle, on one node whose kernel has that slow-down. Returns the
/// durations, the shortest first.
std::vector<double> durations(int tasks, NodeType const& type, Slowdown const& slowdown) {
  Platform platform = platform_of(1, type.cores, 0);
  platform.types[0].numa_nodes = type.numa_nodes;
  platform.types[0].sockets = type.sockets;
  Flow flow(tasks);
  for (int h = 0; h < tasks; ++h) flow.task({{h, rw}});
  TaskGraph const graph = flow.graph();
  KernelModel model = timings_of(graph, platform);
  for (KernelTiming& t : model.timings) t.slowdown = slowdown;
  Simulated const s = simulate(graph, {std::vector<NodeId>(static_cast<std::size_t>(tasks), NodeId{0})},
                               platform, no_overheads(), "eager", model, {.model = NetworkModel::maxmin});
  std::vector<double> out;
  for (TaskRecord const& t : s.trace.tasks) out.push_back(t.end.value - t.start.value);
  std::sort(out.begin(), out.end());
  return out;
}

void check_equal(std::vector<double> const& found, std::vector<double> const& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-9));
}

Slowdown const curve{{{1, 1.0}, {3, 1.2}, {4, 1.6}}};

NodeType cores(int count) {
  NodeType type;
  type.cores = count;
  return type;
}

/// Two nodes of one core each, which handles messages beside the worker if `shared`.
Platform two_nodes(CommunicationThread const& thread, RuntimeOptions& options, bool shared) {
  options = no_overheads();
  options.communication_cores = shared ? 0 : 1;
  Platform platform = platform_of(2, shared ? 1 : 2, 0);
  platform.types[0].communication = thread;
  return platform;
}

constexpr double one_message_time = 2e-6 + 1e-2;
constexpr CommunicationThread thread{.per_message = Seconds{3e-3}, .seconds_per_byte = 2e-9};
constexpr double handling = 3e-3 + 2e-9 * 1e6;

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("a slow-down is linear between its points and constant outside") {
    CHECK(Slowdown{}.at(7) == 1);
    CHECK(curve.at(1) == 1);
    CHECK(curve.at(2) == doctest::Approx(1.1));
    CHECK(curve.at(4) == 1.6);
    CHECK(curve.at(40) == 1.6);
    CHECK(Slowdown{{{4, 1.5}}}.at(1) == 1.5);
  }

  TEST_CASE("a kernel is slowed down by the cores that are busy when it starts") {
    check_equal(durations(4, cores(4), curve), {2.0, 2.2, 2.4, 3.2});
    check_equal(durations(2, cores(4), curve), {2.0, 2.2});
    check_equal(durations(4, cores(1), curve), {2, 2, 2, 2});
    check_equal(durations(4, cores(4), {}), {2, 2, 2, 2});
  }

  TEST_CASE("cores slow down those of their own socket only") {
    NodeType two_sockets = cores(4);
    two_sockets.sockets = 2;
    check_equal(durations(4, two_sockets, curve), {2.0, 2.0, 2.2, 2.2});
  }

  TEST_CASE("the sockets are the NUMA nodes unless they are given") {
    NodeType type;
    type.numa_nodes = 2;
    CHECK(type.socket_count() == 2);
    type.sockets = 1;
    CHECK(type.socket_count() == 1);
  }

  TEST_CASE("bounds take the duration with the least contention") {
    Platform const platform = platform_of(1, 2, 0);
    Flow flow(2);
    for (int h = 0; h < 2; ++h) flow.task({{h, rw}});
    TaskGraph graph = flow.graph();
    KernelModel model = timings_of(graph, platform);
    model.timings[0].slowdown = {{{1, 0.5}, {2, 0.75}}};
    RuntimeOptions const options = no_overheads();
    Machine const machine =
        build_machine(platform, std::vector{model}, graph.kernels, {"", Precision::double_, 10}, options);
    ExecutionPlan const plan = plan_execution(graph, OwnersByPlacement{on_nodes({0, 0})}, 1);
    Bounds const bounds = task_figures(graph, plan, machine, Topology(platform), {}).bounds;
    CHECK(bounds.critical_path.value == doctest::Approx(0.5 * core_time));
    CHECK(bounds.abe.value == doctest::Approx(0.5 * core_time));
  }

  TEST_CASE("a message takes time of the threads that send and receive it") {
    Flow f(2);
    f.task({{0, rw}});
    f.task({{0, r}, {1, rw}});
    RuntimeOptions options;
    Platform const platform = two_nodes(thread, options, /*shared=*/false);
    CHECK(simulate(f.graph(), on_nodes({0, 1}), platform, options).outcome.makespan.value ==
          doctest::Approx(2 * core_time + one_message_time + 2 * handling).epsilon(1e-9));
  }

  TEST_CASE("a thread handles one message at a time") {
    Flow f(6);
    for (int h = 0; h < 3; ++h) f.task({{h, rw}});
    for (int h = 0; h < 3; ++h) f.task({{h, r}, {3 + h, rw}});
    RuntimeOptions options;
    Platform platform = two_nodes(thread, options, /*shared=*/false);
    platform.types[0].cores = 4;
    Simulated const s = simulate(f.graph(), on_nodes({0, 0, 0, 1, 1, 1}), platform, options, "eager");
    REQUIRE(s.trace.transfers.size() == 3);
    std::vector<double> posted;
    for (TransferRecord const& t : s.trace.transfers) posted.push_back(t.start.value - core_time);
    std::sort(posted.begin(), posted.end());
    check_equal(posted, {handling, 2 * handling, 3 * handling});
  }

  TEST_CASE("a worker whose core polls for messages gets its share of the core") {
    Flow f(2);
    f.task({{0, rw}});
    f.task({{0, r}, {1, rw}});
    RuntimeOptions options;
    Platform const own = two_nodes({.worker_share = 0.5}, options, /*shared=*/false);
    CHECK(simulate(f.graph_copy(), on_nodes({0, 1}), own, options).outcome.makespan.value ==
          doctest::Approx(2 * core_time + one_message_time).epsilon(1e-9));
    Platform const shared = two_nodes({.worker_share = 0.5}, options, /*shared=*/true);
    CHECK(simulate(f.graph_copy(), on_nodes({0, 1}), shared, options).outcome.makespan.value ==
          doctest::Approx(4 * core_time + one_message_time).epsilon(1e-9));
  }

  TEST_CASE("a message that is handled beside a kernel prolongs it and takes twice its time") {
    // Node 1 computes while the first tile arrives, and reads it then.
    Flow f(2);
    f.task({{0, rw}});
    f.task({{1, rw}});
    f.task({{1, rw}});
    f.task({{0, r}, {1, rw}});
    RuntimeOptions options;
    Platform const platform = two_nodes(thread, options, /*shared=*/true);
    Simulated const s = simulate(f.graph_copy(), on_nodes({0, 1}), platform, options);
    CHECK(s.outcome.makespan.value == doctest::Approx(3 * core_time + handling).epsilon(1e-9));

    Platform shared = platform;
    shared.types[0].communication.worker_share = 0.8;
    CHECK(simulate(f.graph_copy(), on_nodes({0, 1}), shared, options).outcome.makespan.value ==
          doctest::Approx((3 * core_time + (2 * 0.8 - 1) * handling) / 0.8).epsilon(1e-9));
  }

  TEST_CASE("one node has no communication thread") {
    Flow f(1);
    f.task({{0, rw}});
    RuntimeOptions options = no_overheads();
    Platform platform = platform_of(1, 1, 0);
    platform.types[0].communication = {.per_message = Seconds{1}, .worker_share = 0.5};
    CHECK(simulate(f.graph(), on_nodes({0}), platform, options).outcome.makespan.value == core_time);
  }
}
