#include "simulator/traces/trace/series.hpp"

#include "simulator/scenario/simulation/place.hpp"
#include "simulator/scenario/simulation/simulate.hpp"
#include "tests/cli/program.hpp"

using namespace factosim;
using nlohmann::json;
using testing::quoted;
using testing::run_factosim;
using testing::TemporaryFolder;

namespace {

constexpr double step = 1.0 / (1 << 20);  // of a series, before it doubles
constexpr NodeId node{0};

/// One task per entry, of that iteration.
TaskGraph graph_of(std::vector<std::int32_t> const& iterations) {
  TaskGraph graph;
  for (std::int32_t const k : iterations) graph.indices.push_back({.k = k});
  graph.kernel.resize(iterations.size());
  return graph;
}

/// Returns the integral over time of the averages.
double integral(Series const& series, std::vector<double> const& averages) {
  double sum = 0;
  for (std::size_t i = 0; i < averages.size(); ++i) {
    double const start = series.interval().value * static_cast<double>(i);
    sum += averages[i] * std::min(series.interval().value, series.end().value - start);
  }
  return sum;
}

std::int64_t total(std::vector<Bytes> const& bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), Bytes{0}, std::plus<>()).value;
}

/// A small run on nodes with and without GPUs, with its trace and its series.
struct SmallRun {
  std::unique_ptr<TaskPlan> plan;  // the series refers to it
  TraceRecords trace;
  Series series;
  Result result;
};

SmallRun small_run(std::vector<std::string> settings, std::size_t points) {
  settings.insert(settings.end(), {"/application/nt=12", "/network/model=maxmin"});
  auto plan =
      std::make_unique<TaskPlan>(plan_tasks(place(read_scenario(testing::lille_scenario(), settings))));
  TraceRecords trace;
  Series series(plan->stored().graph, plan->machine.node_count(), points);
  Result result = simulate(*plan, &trace, {}, &series);
  return {std::move(plan), std::move(trace), std::move(series), std::move(result)};
}

/// Integrals and totals of one node, from the records of the run.
struct FromTrace {
  double running = 0, sent = 0, received = 0;
  std::int64_t out = 0, in = 0, h2d = 0, d2h = 0, d2d = 0;
};

FromTrace of_node(TraceRecords const& trace, NodeId id) {
  FromTrace sum;
  for (TaskRecord const& t : trace.tasks)
    if (trace.workers[t.worker.index()].node == id) sum.running += (t.end - t.start).value;
  auto const is_ram = [&](MemoryNodeId m) { return trace.memory_nodes[m.index()].name == "ram"; };
  for (TransferRecord const& t : trace.transfers) {
    NodeId const from = trace.memory_nodes[t.from.index()].node, to = trace.memory_nodes[t.to.index()].node;
    if (from != to) {
      sum.sent += from == id ? (t.end - t.start).value : 0;
      sum.received += to == id ? (t.end - t.start).value : 0;
      sum.out += from == id ? t.size.value : 0;
      sum.in += to == id ? t.size.value : 0;
    } else if (from == id) {
      (is_ram(t.from) ? sum.h2d : is_ram(t.to) ? sum.d2h : sum.d2d) += t.size.value;
    }
  }
  return sum;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("a series has averages over intervals and its last interval ends with the run") {
    TaskGraph const graph = graph_of({0});
    Series s(graph, 1, 4);
    s.change(node, Level::ready, Seconds{0}, 1);
    s.task_ran(TaskId{0}, node, Seconds{0.5 * step}, Seconds{2.5 * step});
    CHECK(s.interval().value == step);
    CHECK(s.end().value == 2.5 * step);
    CHECK(s.averages(node, Level::ready) == std::vector<double>{0.5, 0, 0});
    CHECK(s.averages(node, Level::running) == std::vector<double>{0.5, 1, 1});
  }

  TEST_CASE("beyond its last interval a series merges neighbours and keeps integrals and bytes") {
    TaskGraph const graph = graph_of({0});
    for (std::size_t const points : {4U, 5U}) {
      CAPTURE(points);
      Series s(graph, 1, points);
      s.change(node, Level::ram, Seconds{0}, 8);
      s.change(node, Level::ram, Seconds{1.5 * step}, 4);
      s.change(node, Level::ram, Seconds{3 * step}, -8);
      s.carry(node, Carried::nic_in, Seconds{0.25 * step}, Bytes{1});
      s.carry(node, Carried::nic_in, Seconds{1.5 * step}, Bytes{2});
      s.carry(node, Carried::nic_in, Seconds{8 * step}, Bytes{4});  // 0..2, 2..4, 4..6, 6..8
      if (points == 5) {
        CHECK(s.interval().value == 2 * step);
        CHECK(s.averages(node, Level::ram) == std::vector<double>{9, 8, 4, 4});
      } else {
        CHECK(s.interval().value == 4 * step);
        CHECK(s.averages(node, Level::ram) == std::vector<double>{8.5, 4});
        CHECK(s.bytes(node, Carried::nic_in) == std::vector<Bytes>{{3}, {4}});
      }
      CHECK(total(s.bytes(node, Carried::nic_in)) == 7);
      CHECK(integral(s, s.averages(node, Level::ram)) == doctest::Approx(50 * step).epsilon(1e-12));
    }
  }

  TEST_CASE("changes may be recorded in any order") {
    TaskGraph const graph = graph_of({0});
    Series a(graph, 1, 8), b(graph, 1, 8);
    std::vector<std::pair<double, double>> changes{{0, 3}, {0.7, -1}, {1e-5, 2}, {0.2, 4}, {0.25, -8}};
    for (auto const& [date, by] : changes) a.change(node, Level::running, Seconds{date}, by);
    std::reverse(changes.begin(), changes.end());
    for (auto const& [date, by] : changes) b.change(node, Level::running, Seconds{date}, by);
    CHECK(a.interval() == b.interval());
    auto const in_a = a.averages(node, Level::running), in_b = b.averages(node, Level::running);
    REQUIRE(in_a.size() == in_b.size());
    for (std::size_t i = 0; i < in_a.size(); ++i) CHECK(in_a[i] == doctest::Approx(in_b[i]).epsilon(1e-12));
  }

  TEST_CASE("an iteration has a first a median and a last end") {
    TaskGraph const graph = graph_of({0, 1, 0, 0, 1, 3});
    Series s(graph, 1, 8);
    double end = 1;
    for (std::uint32_t const t : {3U, 0U, 1U, 2U, 4U, 5U}) s.task_ran(TaskId{t}, node, {0}, {end++});
    auto const iterations = s.iterations();
    REQUIRE(iterations.size() == 3);
    CHECK(iterations[0].tasks == 3);
    CHECK(iterations[0].first.value == 1);
    CHECK(iterations[0].median.value == 2);
    CHECK(iterations[0].last.value == 4);
    CHECK(iterations[1].median.value == 4);  // ends 3 and 5
    CHECK(iterations[2].k == 3);
  }

  TEST_CASE("the JSON of a series has buses only if there are several memories") {
    TaskGraph const graph = graph_of({0});
    Series s(graph, 2, 4);
    s.task_ran(TaskId{0}, node, Seconds{0}, Seconds{1.5 * step});
    s.copy_carried(node, true, false, Seconds{step}, Bytes{7});
    s.message_carried(node, NodeId{1}, Seconds{0}, Seconds{step}, Bytes{9});
    json const out = json::parse(series_json(s, {{"big", true}, {"small", false}}));
    CHECK(out["format"] == "factosim-series");
    CHECK(out["interval_s"] == step);
    CHECK(out["end_s"] == 1.5 * step);
    CHECK(out["nodes"][0]["running_tasks"] == json{1.0, 1.0});
    CHECK(out["nodes"][0]["h2d_bytes"] == json{0, 7});
    CHECK(out["nodes"][0]["messages_sent"] == json{1.0, 0.0});
    CHECK(out["nodes"][1]["nic_in_bytes"] == json{0, 9});
    CHECK(out["nodes"][1]["type"] == "small");
    CHECK_FALSE(out["nodes"][1].contains("h2d_bytes"));
    CHECK(out["iterations"][0]["median_end_s"] == 1.5 * step);
  }
}

TEST_SUITE("property") {
  TEST_CASE("integrals and totals of a series are those of the trace whatever the number of points") {
    for (std::size_t const points : {2U, 7U, 100U, 1000U}) {
      CAPTURE(points);
      SmallRun const run = small_run({}, points);
      Series const& s = run.series;
      CHECK(s.interval_count() <= points);
      CHECK(s.end() >= run.result.makespan);
      for (std::uint32_t n = 0; n < run.result.nodes.size(); ++n) {
        CAPTURE(n);
        NodeId const id{n};
        FromTrace const expected = of_node(run.trace, id);
        auto const over_time = [&](Level level) { return integral(s, s.averages(id, level)); };
        // Sums of many differences of dates round.
        CHECK(over_time(Level::running) == doctest::Approx(expected.running).epsilon(1e-9));
        CHECK(over_time(Level::running) == doctest::Approx(run.result.nodes[n].busy.value).epsilon(1e-9));
        CHECK(over_time(Level::messages_sent) == doctest::Approx(expected.sent).epsilon(1e-9));
        CHECK(over_time(Level::messages_received) == doctest::Approx(expected.received).epsilon(1e-9));
        CHECK(total(s.bytes(id, Carried::nic_out)) == expected.out);
        CHECK(total(s.bytes(id, Carried::nic_in)) == expected.in);
        CHECK(total(s.bytes(id, Carried::h2d)) == expected.h2d);
        CHECK(total(s.bytes(id, Carried::d2h)) == expected.d2h);
        CHECK(total(s.bytes(id, Carried::d2d)) == expected.d2d);
        CHECK(over_time(Level::submitted) >= over_time(Level::ready) + over_time(Level::running) - 1e-9);
      }
    }
  }

  TEST_CASE("levels are between 0 and the maximum of the result and start with owned tiles only") {
    // One fine interval after another: averages come close to the levels themselves.
    for (std::string const window : {"0", "20"}) {
      CAPTURE(window);
      SmallRun const run = small_run({"/runtime/max_submitted_tasks=" + window}, 20'000);
      double owned = 0;
      for (std::uint32_t n = 0; n < run.result.nodes.size(); ++n) {
        CAPTURE(n);
        Result::Node const& of_node = run.result.nodes[n];
        auto const averages = [&](Level level) { return run.series.averages(NodeId{n}, level); };
        auto const maximum = [&](Level level) {
          auto const a = averages(level);
          return *std::max_element(a.begin(), a.end());
        };
        for (Level const level : {Level::submitted, Level::ready, Level::running, Level::ram,
                                  Level::messages_sent, Level::messages_received})
          for (double const a : averages(level)) REQUIRE(a >= -1e-6);
        CHECK(maximum(Level::running) <= static_cast<double>(of_node.workers) + 1e-6);
        CHECK(maximum(Level::submitted) <= (window == "0" ? static_cast<double>(of_node.tasks) : 21) + 1e-6);
        CHECK(maximum(Level::ram) <= static_cast<double>(of_node.peak_memory_bytes) + 1);
        owned += averages(Level::ram).front();
      }
      CHECK(owned == doctest::Approx(144.0 * 960 * 960 * 8).epsilon(1e-9));
    }
  }

  TEST_CASE("iterations end as in the trace") {
    SmallRun const run = small_run({}, 10);
    auto const iterations = run.series.iterations();
    REQUIRE(iterations.size() == 12);
    std::size_t tasks = 0;
    double last = 0;
    for (std::size_t k = 0; k < iterations.size(); ++k) {
      std::size_t const left = 11 - k;  // tiles beyond the panel
      CHECK(iterations[k].tasks == 1 + 2 * left + left * left);
      CHECK(iterations[k].first <= iterations[k].median);
      CHECK(iterations[k].median <= iterations[k].last);
      tasks += iterations[k].tasks;
      last = std::max(last, iterations[k].last.value);
    }
    CHECK(tasks == run.trace.tasks.size());
    CHECK(last == run.result.makespan.value);
  }
}

TEST_SUITE("scenario") {
  TEST_CASE("a series does not change other results and is reproducible") {
    TemporaryFolder const folder;
    auto const run = [&](std::string const& name, std::string const& options) {
      auto const out =
          run_factosim("run " + quoted(testing::lille_scenario()) + " --set /application/nt=12 " + options +
                       " --out '" + (folder / name).string() + "'");
      CHECK_MESSAGE(out.code == 0, out.err);
    };
    run("without", "--set /outputs/paje=true");
    run("with", "--set /outputs/paje=true --set /outputs/series=true");
    run("again", "--set /outputs/series=true --replicas 2");
    run("points", "--set '/outputs/series={\"points\": 50}'");
    auto const result = [&](std::string const& name) {
      json out = json::parse(testing::text_of(folder / name / "result.json"));
      out.erase("simulation");
      out["provenance"]["options"].erase("outputs");
      out["provenance"].erase("settings");
      return out.dump();
    };
    CHECK(result("with") == result("without"));
    CHECK(testing::text_of(folder / "with" / "trace.paje") ==
          testing::text_of(folder / "without" / "trace.paje"));
    CHECK_FALSE(std::filesystem::exists(folder / "without" / "series.json"));
    std::string const series = testing::text_of(folder / "with" / "series.json");
    CHECK(series == testing::text_of(folder / "again" / "series.json"));
    json const written = json::parse(series);
    CHECK(written["nodes"].size() == 22);
    CHECK(written["nodes"][0]["ram_bytes"].size() > 500);
    CHECK(written["nodes"][0].contains("d2d_bytes"));
    CHECK_FALSE(written["nodes"][21].contains("d2d_bytes"));
    json const few = json::parse(testing::text_of(folder / "points" / "series.json"));
    CHECK(few["nodes"][0]["ram_bytes"].size() <= 50);
    CHECK(few["iterations"] == written["iterations"]);
  }

  TEST_CASE("invalid series options end with exit code 2 and an existing file is kept") {
    for (auto const& [setting, says] : std::vector<std::pair<std::string, std::string>>{
             {"/outputs/series=1", "#/outputs/series: 1 is not a boolean"},
             {"/outputs/series/points=1", "#/outputs/series/points: is 1 (it must lie between 2 and 100000)"},
             {"/outputs/series/steps=9", "#/outputs/series/steps: unknown key"}}) {
      auto const run = run_factosim("run " + quoted(testing::lille_scenario()) + " --set '" + setting + "'");
      CHECK(run.code == 2);
      CHECK_MESSAGE(testing::contains(run.err, says), run.err);
    }
    TemporaryFolder const folder;
    auto const kept = folder.write("r/series.json", "mine");
    auto const run = run_factosim("run " + quoted(testing::lille_scenario()) +
                                  " --set /outputs/series=true --out '" + (folder / "r").string() + "'");
    CHECK(run.code == 2);
    CHECK(testing::text_of(kept) == "mine");
  }
}
