// What a program may ask of a run: the folder of its files, and a series.

#include "factosim/graph_simulation.hpp"
#include "factosim/report.hpp"
#include "factosim/run_control.hpp"
#include "factosim/scenario_document.hpp"
#include "factosim/sequential_task_flow.hpp"
#include "tests/prelude.hpp"

using namespace factosim;

namespace {

/// A chain of tasks of a second on the first of two nodes, each with two workers: one of its three cores is for messages.
GraphSimulation chain(int tasks) {
  SequentialTaskFlow flow;
  KernelId const step = flow.add_kernel({.name = "step", .flops = {1}});
  HandleId const data = flow.add_handle({.size = {8}});
  for (int i = 0; i < tasks; ++i) flow.submit(step, 0, {}, {{data, Access::read_write}});
  GraphSimulation out;
  out.graph = std::move(flow).finish();
  out.owners = {NodeId{0}};
  NodeType type;
  type.name = "node";
  type.cores = 3;
  type.nic = {BytesPerSecond{1e9}, Seconds{1e-6}};
  out.platform.types = {type};
  out.platform.nodes = {0, 0};
  KernelTiming timing{.kernel = "step", .worker = "cpu"};
  timing.nb = out.nb = 1;
  timing.mean = Seconds{1};
  out.kernels.emplace_back().timings = {timing};
  out.network = NetworkModel::maxmin;
  return out;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("a program writes the folder of a run once and draws its page and figures") {
    testing::TemporaryFolder const folder;
    RunControl control;
    control.out = folder.path() / "run";
    control.series_points = 10;
    (void)simulate(chain(5), control);
    for (char const* file : {"result.json", "run.trace", "series.json"})
      CHECK(std::filesystem::exists(control.out / file));
    CHECK_THROWS_AS((void)simulate(chain(5), control), InputError);
    write_report_page({control.out}, folder.path() / "page.html");
    CHECK(std::filesystem::file_size(folder.path() / "page.html") > 10000);
    CHECK(testing::contains(figure_json({control.out}, {"workers", "nodes"}), "\"kind\":\"time\""));
    CHECK_THROWS_AS((void)figure_json({control.out}, {"no panel"}), InputError);
    CHECK_THROWS_AS((void)figure_json({}, {"nodes"}), InputError);
    control.force = true;
    control.trace = false;
    std::filesystem::remove_all(control.out);
    (void)simulate(chain(5), control);
    CHECK(!std::filesystem::exists(control.out / "run.trace"));
  }

  TEST_CASE("a series that a program asks for is known when the tasks are planned") {
    auto const file = testing::repository() / "scenarios/lille/block_cyclic_2x11.json";
    testing::TemporaryFolder const folder;
    RunControl control;
    control.series_points = 10;
    ScenarioDocument document = read_scenario_document(
        file, {"nt=6", "/network/model=\"maxmin\"", "/application/task_graph=\"formulas\""});
    CHECK_NOTHROW((void)simulate(document, control));  // writes nothing
    control.out = folder.path() / "run";
    std::string const message = testing::message_of([&] { (void)simulate(document, control); });
    CHECK(testing::contains(message, "#/application/task_graph"));
    CHECK(testing::contains(message, "a series is recorded"));
    change(document, {"/application/task_graph=\"automatic\""});
    CHECK_NOTHROW((void)simulate(document, control));
    CHECK(std::filesystem::exists(control.out / "series.json"));
  }
}
