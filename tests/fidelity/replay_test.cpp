// Recorded runs as applications: with mean durations, exactly as recorded, on other platforms, and with other
// policies.

#include "tests/cli/program.hpp"

using namespace factosim;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// Returns the result of a scenario with that application and further keys.
testing::ProgramRun replay(fs::path const& trace, json application = json::object(),
                           json more = json::object()) {
  testing::TemporaryFolder const folder;
  application.update({{"type", "trace"}, {"file", fs::absolute(trace).string()}});
  json scenario = {{"format", "factosim-scenario"}, {"version", 1}, {"application", application}};
  scenario.update(more);
  return testing::run_factosim("run '" + folder.write("scenario.json", scenario.dump()).string() +
                               "' --json");
}

/// Relative error against the makespan of the trace.
double error_of(json const& result) {
  return result["makespan_s"].get<double>() /
             result["provenance"]["options"]["application"]["recorded_makespan_s"].get<double>() -
         1;
}

std::optional<fs::path> data(std::string const& name) {
  auto const root = testing::real_data();
  if (root && fs::exists(*root / name)) return *root / name;
  MESSAGE("skipped: FACTOSIM_DATA names no folder with " << name);
  return std::nullopt;
}

std::vector<fs::path> runs_with_tasks(fs::path const& folder) {
  std::vector<fs::path> out;
  for (auto const& run : fs::directory_iterator(folder))
    if (fs::exists(run.path() / "tasks.rec.gz")) out.push_back(run.path());
  std::sort(out.begin(), out.end());
  return out;
}

/// Fork and join on two workers: a, then b and c concurrently, then d. In ms: 10, 20 and 30, 5.
std::string fork_join() {
  std::string out;
  auto const task = [&](char const* name, int job, char const* before, int worker, double start, double end) {
    out += std::string("Name: ") + name + "\nJobId: " + std::to_string(job) +
           "\nSubmitOrder: " + std::to_string(job) + "\n" +
           (*before != 0 ? std::string("DependsOn: ") + before + "\n" : "") +
           "WorkerId: " + std::to_string(worker) +
           "\nMemoryNode: 0\nSubmitTime: 0.5\nStartTime: " + std::to_string(start) +
           "\nEndTime: " + std::to_string(end) + "\nFootprint: 1\nHandles: " + std::to_string(10 + job) +
           "\nModes: RW\nSizes: 800\n\n";
  };
  task("a", 1, "", 0, 1, 11);
  task("b", 2, "1", 0, 12, 32);
  task("c", 3, "1", 1, 13, 43);
  task("d", 4, "2 3", 1, 44, 49);
  return out;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("a replay of the recording ends when the run ended") {
    testing::TemporaryFolder const folder;
    folder.write("tasks.rec", fork_join());
    json const result =
        testing::json_of(replay(folder.path(), {{"timings", "recorded"}, {"mapping", "workers"}}));
    CHECK(result["makespan_s"].get<double>() == doctest::Approx(0.048).epsilon(1e-9));
    CHECK(result["tasks"] == 4);
    CHECK(result["provenance"]["options"]["scheduler"]["type"] == "recorded");
  }

  TEST_CASE("without the recorded pauses the critical path remains") {
    testing::TemporaryFolder const folder;
    folder.write("tasks.rec", fork_join());
    json const runtime = {
        {"submission_cost_s", 0}, {"push_cost_s", 0}, {"fetch_cost_s", 0}, {"progress_cost_s", 0}};
    json const result = testing::json_of(
        replay(folder.path(), {{"pauses", "runtime"}, {"submission", "runtime"}}, {{"runtime", runtime}}));
    CHECK(result["makespan_s"].get<double>() == doctest::Approx(0.045).epsilon(1e-9));  // a, c, d
    json const eager =
        testing::json_of(replay(folder.path(), {{"pauses", "runtime"}, {"submission", "runtime"}},
                                {{"runtime", runtime}, {"scheduler", {{"type", "eager"}}}}));
    CHECK(eager["makespan_s"].get<double>() == doctest::Approx(0.045).epsilon(1e-9));
  }

  TEST_CASE("replay with means: two tasks of a kernel last their mean") {
    testing::TemporaryFolder const folder;
    auto const file = folder.write(
        "t.csv", "task,worker,start_ms,end_ms,id,depends_on\nk,cpu0,0,10,1,\nk,cpu0,10,40,2,1\n");
    json const result = testing::json_of(replay(file));
    CHECK(result["makespan_s"].get<double>() == doctest::Approx(0.040).epsilon(1e-9));
    CHECK(result["tasks_by_kernel"]["k"] == 2);
  }

  TEST_CASE("what another node wrote is waited for even if the trace names no dependency on it") {
    testing::TemporaryFolder const folder;
    auto const file = folder.write(
        "t.csv",
        "task,node,worker,start_ms,end_ms,id,depends_on,handles,modes,sizes,tiles,owners\n"
        "k,0,cpu0,0,10,1,,1,W,800,-1/-1,-1\nk,1,cpu0,12,22,2,,1 2,R RW,800 800,-1/-1 -1/-1,-1 -1\n"
        "k,0,cpu0,10,20,3,1,1 3,R W,800 800,-1/-1 -1/-1,-1 -1\n");
    for (char const* mapping : {"devices", "workers", "nodes"}) {
      json const result = testing::json_of(replay(file, {{"mapping", mapping}, {"submission", "runtime"}}));
      CHECK(result["tiles_sent"] == 1);
      CHECK(result["makespan_s"].get<double>() >= 0.020);
      CHECK(testing::contains(result["findings"].dump(), "1 tasks read what another node wrote"));
    }
  }

  TEST_CASE("a trace that cannot be replayed is reported with the key that requires it") {
    testing::TemporaryFolder const folder;
    folder.write("tasks.rec", fork_join());
    auto const refused = [&](json const& application, json const& more, std::string const& said) {
      testing::ProgramRun const run = replay(folder.path(), application, more);
      CHECK(run.code == 2);
      CHECK_MESSAGE(testing::contains(run.err, said), run.err);
    };
    refused({{"timings", "platform"}}, json::object(), "#/application/timings: are the platform's");
    refused({{"timings", "guessed"}}, json::object(), "#/application/timings");
    refused({{"mapping", "distribution"}}, json::object(), "the scenario has none");
    refused(json::object(), {{"distribution", {{"type", "block-cyclic"}}}}, "have no coordinates");
    refused({{"nt", 3}}, json::object(), "nt");
    json const spr = (testing::repository() / "platforms/spr2c.json").string();
    refused({{"timings", "platform"}}, {{"platform", spr}}, "cannot run on spr2c");
    testing::ProgramRun const distribute =
        testing::run_factosim("distribute '" +
                              folder
                                  .write("s.json", json{{"format", "factosim-scenario"},
                                                        {"version", 1},
                                                        {"application", {{"type", "trace"}, {"file", "."}}}}
                                                       .dump())
                                  .string() +
                              "'");
    CHECK(distribute.code == 2);
  }
}

TEST_SUITE("published") {
  TEST_CASE("real runs of at least 200 tasks with their means: 1 percent on average and 2.5 at worst") {
    auto const folder = data("local_runs");
    if (!folder) return;
    double sum = 0, worst = 0;
    int runs = 0;
    for (fs::path const& run : runs_with_tasks(*folder)) {
      json const meta = json::parse(testing::text_of(run / "meta.json"));
      if (meta["trace"]["n_tasks"] < 200) continue;
      json const result = testing::json_of(replay(run));
      double const error =
          1e3 * result["makespan_s"].get<double>() / meta["trace"]["makespan_trace_ms"].get<double>() - 1;
      MESSAGE(meta["name"].get<std::string>() << ": error % " << 100 * error);
      sum += std::abs(error);
      worst = std::max(worst, std::abs(error));
      ++runs;
    }
    CHECK(runs == 9);
    MESSAGE("mean error % " << 100 * sum / runs << ", worst " << 100 * worst);
    CHECK(worst < 0.025);
    CHECK(sum / runs < 0.01);
  }

  TEST_CASE("every real run as recorded: the same makespan to a thousandth") {
    auto const folder = data("local_runs");
    if (!folder) return;
    for (fs::path const& run : runs_with_tasks(*folder)) {
      CAPTURE(run.string());
      CHECK(std::abs(error_of(
                testing::json_of(replay(run, {{"timings", "recorded"}, {"mapping", "workers"}})))) < 1e-3);
    }
  }

  TEST_CASE("qr_mumps on 10 cores with its means: within 5 percent of 15778.5 ms") {
    auto const folder = data("traces");
    if (!folder) return;
    double const makespan = testing::json_of(replay(*folder / "qr_trace"))["makespan_s"];
    MESSAGE("error % " << 100 * (makespan / 15.7785 - 1));
    CHECK(std::abs(makespan / 15.7785 - 1) < 0.05);
    json const lws =
        testing::json_of(replay(*folder / "qr_trace", json::object(), {{"scheduler", {{"type", "lws"}}}}));
    CHECK(std::abs(lws["makespan_s"].get<double>() / 15.7785 - 1) < 0.05);
  }

  TEST_CASE("two processes: as many messages as the run sent and also on a platform with its own timings") {
    auto const folder = data("local_runs");
    if (!folder) return;
    fs::path const run = *folder / "mpi_lu_b320_nb10_lws_p2_r0";
    json const result = testing::json_of(replay(run));
    CHECK(result["tiles_sent"] == 54);
    CHECK(std::abs(error_of(result)) < 0.02);
    json const platform = {{"file", (testing::repository() / "platforms/spr2c.json").string()},
                           {"nodes", {{{"type", "spr2c"}, {"count", 2}}}}};
    json const elsewhere = testing::json_of(
        replay(run, {{"timings", "platform"}, {"mapping", "nodes"}}, {{"platform", platform}}));
    CHECK(elsewhere["tiles_sent"] == 54);
    // Distribution by rows of tiles instead of columns: each of 10 diagonal tiles and each panel tile goes to
    // the other node.
    json const rows = testing::json_of(
        replay(run, {{"timings", "platform"}},
               {{"platform", platform}, {"distribution", {{"type", "block-cyclic"}, {"p", 2}, {"q", 1}}}}));
    CHECK(rows["tiles_sent"] == 54);
    json const one = {{"file", (testing::repository() / "platforms/spr2c.json").string()}};
    json const alone = testing::json_of(replay(
        run, {{"timings", "platform"}}, {{"platform", one}, {"distribution", {{"type", "block-cyclic"}}}}));
    CHECK(alone["tiles_sent"] == 0);
  }
}
