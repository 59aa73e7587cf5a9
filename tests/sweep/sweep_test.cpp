// Sweeps, end to end: expansion of points, refused input, resuming.

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "tests/sweep/sweep_study.hpp"

using namespace factosim;
using testing::Study;

namespace {

namespace fs = std::filesystem;

std::vector<std::string> values_of(std::vector<nlohmann::json> const& rows, std::string const& column) {
  std::vector<std::string> out;
  for (auto const& row : rows) out.push_back(row.contains(column) ? row[column].dump() : "-");
  return out;
}

std::string const two_distributions = R"({"/distribution/type": ["block-cyclic", "1d1d"]})";
std::string const forty_points =
    R"("points": {"product": [)" + two_distributions + R"(, {"/application/nt": {"from": 11, "to": 30}}]})";

/// Starts the program and kills it after a while. Returns whether it was still running.
bool run_and_kill(std::string const& arguments, std::chrono::milliseconds after) {
  pid_t const child = ::fork();
  if (child == 0) {
    std::string const command = "exec '" + testing::program() + "' " + arguments + " >/dev/null 2>&1";
    ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    ::_exit(127);
  }
  std::this_thread::sleep_for(after);
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status);
}

}  // namespace

TEST_SUITE("scenario") {
  TEST_CASE("a product varies its last factor fastest and a zip is pairwise") {
    Study const study(R"("points": {"product": [{"/application/nt": [8, 9]},
        {"zip": [{"/scheduler/type": ["dmda", "lws"]}, {"/runtime/gpu_pipeline": [1, 2]}]}]})");
    REQUIRE(study.run().code == 0);
    CHECK(values_of(study.rows(), "application/nt") == std::vector<std::string>{"8", "8", "9", "9"});
    CHECK(values_of(study.rows(), "scheduler/type") ==
          std::vector<std::string>{"\"dmda\"", "\"lws\"", "\"dmda\"", "\"lws\""});
    CHECK(values_of(study.rows(), "runtime/gpu_pipeline") == std::vector<std::string>{"1", "2", "1", "2"});
  }

  TEST_CASE("a list sets several keys of a point and its labels become columns") {
    Study const study(R"("points": {"chain": [{"list": [{"labels": {"what": "small"}, "/application/nt": 7},
        {"/scheduler": {"type": "dmda"}, "labels": {"what": "greedy"}}]}, {"/application/nt": [9]}]})");
    REQUIRE(study.run().code == 0);
    CHECK(values_of(study.rows(), "what") == std::vector<std::string>{"\"small\"", "\"greedy\"", "-"});
    CHECK(values_of(study.rows(), "application/nt") == std::vector<std::string>{"7", "-", "9"});
    CHECK(values_of(study.rows(), "tasks") == std::vector<std::string>{"140", "650", "285"});
  }

  TEST_CASE("strong scaling is a list of node sets and counts of zero omit a type") {
    Study const study(R"("points": {"strong_scaling": {"nodes": [{"type": "chifflet", "count": [0, 1]},
                                                                 {"type": "chetemi", "count": 2}]}})");
    REQUIRE(study.run().code == 0);
    CHECK(values_of(study.rows(), "platform/nodes") ==
          std::vector<std::string>{"\"2 chetemi\"", "\"1 chifflet + 2 chetemi\""});
    CHECK(values_of(study.rows(), "nodes") == std::vector<std::string>{"2", "3"});
    CHECK(values_of(study.rows(), "nodes_chifflet") == std::vector<std::string>{"0", "1"});
  }

  TEST_CASE("weak scaling keeps the memory or the work per node constant") {
    auto const sides = [](std::string const& constant) {
      Study const study(fmt::format(R"("points": {{"weak_scaling": {{"nt": 10, "constant": "{}",
          "nodes": [{{"type": "chetemi", "count": [1, 4, 8]}}]}}}})",
                                    constant));
      REQUIRE(study.run().code == 0);
      return values_of(study.rows(), "application/nt");
    };
    CHECK(sides("memory") == std::vector<std::string>{"10", "20", "28"});
    CHECK(sides("work") == std::vector<std::string>{"10", "16", "20"});
  }

  TEST_CASE("filters keep the points that satisfy them") {
    Study const once(R"("points": {"/distribution/p": [1, 2, 3], "/distribution/q": [1, 2, 3],
        "/distribution/type": ["block-cyclic"], "/platform/nodes": [[{"type": "chetemi", "count": 6}]]},
        "filters": [["==", ["*", "/distribution/p", "/distribution/q"], ["nodes"]],
                    ["not", ["in", "/distribution/p", [2, 5]]]])");
    REQUIRE(once.run().code == 0);
    CHECK(values_of(once.rows(), "distribution/p") == std::vector<std::string>{"3"});
    CHECK(values_of(once.rows(), "distribution/q") == std::vector<std::string>{"2"});
  }

  TEST_CASE("replicas have the seeds that follow the scenario's") {
    Study const study(R"("points": {"/application/nt": [8]}, "replicas": 3)");
    REQUIRE(study.run("--set /seed=7 --set /scheduler/type=random").code == 0);
    auto const rows = study.rows();
    CHECK(values_of(rows, "seed") == std::vector<std::string>{"7", "8", "9"});
    CHECK(rows[0]["makespan_s"] != rows[1]["makespan_s"]);
  }

  TEST_CASE("a point of a sweep has the result of run for the same scenario") {
    Study const study(R"("points": {"/application/nt": [13]})");
    REQUIRE(study.run().code == 0);
    testing::ProgramRun const run = testing::run_factosim(
        "run '" + (testing::repository() / "scenarios/lu_icpads20/fig13_growing_matrix.json").string() +
        "' --set /application/nt=13 --json");
    CHECK(study.rows().at(0)["makespan_s"] == nlohmann::json::parse(run.out)["makespan_s"]);
  }

  TEST_CASE("invalid sweeps are refused with a count before anything runs") {
    struct Case {
      std::string keys, says;
    };
    for (Case const& c : std::vector<Case>{
             {R"("points": {"/application/nt": []})", "#/points/~1application~1nt: is empty"},
             {R"("points": {"product": []})", "#/points/product: is empty"},
             {R"("points": {"/application/tn": [1, 2]})", "/application/tn = 1 fails in all 1 points"},
             {R"("points": {"/application/nt": [8, 9], "/scheduler/type": ["dmda", "dmdaz"]})",
              "/scheduler/type = dmdaz fails in all 2 points"},
             {R"("points": {"/application/nt": {"from": 1, "to": 1000}, "/seed": {"from": 1, "to": 1000}})",
              "makes 1000000 points x 1 replicas (more than 10000)"},
             {R"("points": {"/application/nt": [8]}, "filters": [[">", "/application/nt", 9]])",
              "has no point left (the filters keep none of 1 combinations)"},
             {R"("points": {"/application/nt": [8]}, "filtres": [])", "#/filtres: unknown key"},
             {R"("points": {"nt": [8]})", "\"nt\" is no way to make points"},
             {R"("points": {"zip": [{"/a": [1]}, {"/b": [1, 2]}]})",
              "has 2 values (the first of the zip has 1"},
             {R"("points": {"/application/nt": [8]}, "filters": [["<=", "/application/x", 9]])",
              "computes with null"},
         }) {
      CAPTURE(c.keys);
      Study const study(c.keys);
      testing::ProgramRun const run = study.run();
      CHECK(run.code == 2);
      CHECK_MESSAGE(testing::contains(run.err, c.says), run.err);
      CHECK_FALSE(fs::exists(study.folder / "out"));
    }
  }

  TEST_CASE("more than 10000 points need an option") {
    Study const study(R"("points": {"/application/nt": [8], "/seed": {"from": 1, "to": 10001}})");
    CHECK(study.run("--count").code == 2);
    testing::ProgramRun const confirmed = study.run("--count --max-points 20000");
    CHECK(confirmed.code == 0);
    CHECK(confirmed.out.starts_with("10001 points"));
  }

  TEST_CASE("failed points are listed and the others go on") {
    Study const study(
        R"("points": {"/distribution": [{"type": "1d1d"}, {"type": "block-cyclic", "p": 5, "q": 5}],
        "/platform/nodes": [[{"type": "chetemi", "count": 2}], [{"type": "chetemi", "count": 25}]]})");
    testing::ProgramRun const run = study.run();
    CHECK(run.code == 2);
    CHECK_MESSAGE(
        testing::contains(run.err,
                          "failed: point 2 (distribution={\"p\":5,\"q\":5,\"type\":\"block-cyclic\"}, "
                          "platform/nodes=[{\"count\":2,\"type\":\"chetemi\"}]): "),
        run.err);
    CHECK(testing::contains(run.err, "1 of 4 points failed"));
    CHECK(values_of(study.rows(), "status") ==
          std::vector<std::string>{"\"done\"", "\"done\"", "\"failed\"", "\"done\""});
    CHECK(testing::contains(study.run("--resume").err, "1 of 4 points failed"));
  }

  TEST_CASE("results are not mixed with those of another run") {
    Study const study(R"("points": {"/application/nt": [8]})");
    REQUIRE(study.run().code == 0);
    auto const before = study.written();
    testing::ProgramRun const again = study.run();
    CHECK(again.code == 2);
    CHECK(testing::contains(again.err, "Give --resume to keep"));
    CHECK(study.written() == before);
    CHECK(study.run("--resume").code == 0);
    CHECK(study.written() == before);
  }

  TEST_CASE("points simulated by different versions of the program are reported") {
    Study const study(R"("points": {"/application/nt": [6, 7, 8]})");
    testing::ProgramRun const first = study.run();
    REQUIRE(first.code == 0);
    CHECK(!testing::contains(first.err, "versions of factosim"));
    std::string const point = "out/points/" + study.written().begin()->first;
    auto older = nlohmann::json::parse(testing::text_of(study.folder / point));
    older["result"]["provenance"]["git"] = "of-another-day";
    older["version"] = 1;  // has no checksum
    older.erase("checksum");
    study.folder.write(point, older.dump());
    testing::ProgramRun const resumed = study.run("--resume");
    CHECK(resumed.code == 0);
    CHECK_MESSAGE(testing::contains(resumed.err, "simulated by 2 versions of factosim"), resumed.err);
    CHECK(testing::contains(resumed.err, "(of-another-day): 1"));
  }

  TEST_CASE("an id changes with the scenario and with the bytes of the files it names") {
    testing::TemporaryFolder const folder;
    for (std::string const name : {"platforms", "models"})
      fs::copy(testing::repository() / name, folder / name, fs::copy_options::recursive);
    folder.write("study/sweep.json",
                 R"({"format": "factosim-sweep", "version": 1, "points": {"/application/nt": [6]},
        "scenario": {"format": "factosim-scenario", "version": 1, "platform": "../platforms/mirage.json",
                     "application": {"type": "lu", "nt": 6, "nb": 960}}})");
    auto id = [&, n = 0](std::string const& options) mutable {
      fs::path const out = folder / fmt::format("out{}", n++);
      REQUIRE(
          testing::run_factosim(fmt::format("sweep '{}' --out '{}' {}",
                                            (folder / "study/sweep.json").string(), out.string(), options))
              .code == 0);
      return nlohmann::json::parse(testing::text_of(out / "sweep.jsonl"))["id"].get<std::string>();
    };
    std::string const first = id("");
    CHECK(id("") == first);
    CHECK(id("--set /seed=1") != first);
    fs::path const timings = folder / "models/kernels/mirage.json";
    folder.write("models/kernels/mirage.json", testing::text_of(timings) + "\n");
    CHECK(id("") != first);
  }

  TEST_CASE("a sweep killed at random moments and resumed gives the same CSV and simulates nothing twice") {
    Study const whole(forty_points);
    auto const begin = std::chrono::steady_clock::now();
    REQUIRE(whole.run().code == 0);
    std::chrono::duration<double, std::milli> const lasted = std::chrono::steady_clock::now() - begin;
    Study const killed(forty_points);
    std::mt19937 random(9);
    std::uniform_int_distribution<int> moment(20, std::max(400, static_cast<int>(lasted.count())));
    int kills = 0;
    while (kills < 12 &&
           run_and_kill(killed.arguments("--resume"), std::chrono::milliseconds(moment(random)))) {
      ++kills;
      if (!fs::exists(killed.folder / "out/points")) continue;
      auto const before = killed.written();
      REQUIRE(killed.run("--collect").code == (before.size() == 40 ? 0 : 2));
      run_and_kill(killed.arguments("--resume"), std::chrono::milliseconds(moment(random)));
      auto const after = killed.written();
      for (auto const& [file, when] : before) CHECK(after.at(file) == when);
    }
    CHECK(kills > 0);
    auto const before = killed.written();
    testing::ProgramRun const end = killed.run("--resume --json");
    REQUIRE(end.code == 0);
    for (auto const& [file, when] : before) CHECK(killed.written().at(file) == when);
    auto const simulation = nlohmann::json::parse(end.out)["simulation"];
    CHECK(simulation["kept"] == before.size());
    CHECK(simulation["simulated"] == 40 - before.size());
    CHECK(killed.csv() == whole.csv());
    CHECK(testing::text_of(killed.folder / "out/sweep.jsonl") ==
          testing::text_of(whole.folder / "out/sweep.jsonl"));
    for (auto const& entry : fs::directory_iterator(killed.folder / "out/points"))
      CHECK(entry.path().extension() != ".part");
  }

  TEST_CASE("a resumed sweep clears away the unfinished tables and plots of a killed one") {
    Study const study(R"("points": {"/application/nt": [5, 6]})");
    REQUIRE(study.run("--report").code == 0);
    std::array<char, 256> host{};
    REQUIRE(::gethostname(host.data(), host.size() - 1) == 0);
    std::string const unfinished = fmt::format("x.{}.2147483646.0123456789abcdef.part", host.data());
    for (fs::path const& folder : {study.folder / "out", study.folder / "out/plots"})
      std::ofstream(folder / unfinished) << "half";
    REQUIRE(study.run("--resume --report").code == 0);
    for (auto const& entry : fs::recursive_directory_iterator(study.folder / "out"))
      CHECK(entry.path().extension() != ".part");
  }

  TEST_CASE("a full disk stops a sweep with a message and keeps the written points") {
    Study const study(forty_points);
    fs::create_directory(study.folder / "out");
    std::string const out = (study.folder / "out").string();
    std::string const limited = fmt::format(
        "unshare -rm sh -c 'mount -t tmpfs -o size=200k none \"{0}\" || exit 99; \"$0\" {1}; echo code $?; "
        "ls {0}/points | grep -c json; mount -o remount,size=64m \"{0}\" || exit 99; \"$0\" {1} --resume; "
        "echo code $?; "
        "cat {0}/sweep.csv' '{2}' >'{3}' 2>&1",
        out, fmt::format("sweep \"{}\" --out \"{}\"", (study.folder / "study.json").string(), out),
        testing::program(), (study.folder / "said").string());
    int const status = std::system(limited.c_str());
    std::string const said = testing::text_of(study.folder / "said");
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      MESSAGE("skipped: no file system of a limited size can be mounted here: ", said);
      return;
    }
    CAPTURE(said);
    CHECK(testing::contains(said, "takes no more results"));
    CHECK(testing::contains(said, "No space left on device"));
    CHECK(!testing::contains(said, "code 2\n0\n"));  // some points were written before
    CHECK(testing::contains(said, "code 0\n"));
    Study const whole(forty_points);
    REQUIRE(whole.run().code == 0);
    CHECK(said.ends_with(whole.csv()));
  }

  TEST_CASE("limited memory reduces the number of concurrent simulations and keeps the results") {
    Study const study(forty_points), narrow(forty_points);
    REQUIRE(study.run("--jobs 4").code == 0);
    REQUIRE(narrow.run("--jobs 4 --memory 40MB").code == 0);
    CHECK(study.csv() == narrow.csv());
  }

  TEST_CASE("listed commands execute the whole sweep and are collected") {
    Study const study(forty_points), whole(forty_points);
    testing::ProgramRun const list = study.run("--engine list --chunk 7");
    REQUIRE(list.code == 0);
    CHECK(std::count(list.out.begin(), list.out.end(), '\n') == 6);
    study.folder.write("commands.sh", list.out);
    REQUIRE(std::system(("sh '" + (study.folder / "commands.sh").string() + "' 2>/dev/null").c_str()) == 0);
    REQUIRE(study.run("--collect").code == 0);
    REQUIRE(whole.run().code == 0);
    CHECK(study.csv() == whole.csv());
  }

  TEST_CASE("comparisons give the crossover points") {
    Study const once(R"("points": {"product": [{"/application/nt": [50]}, {"strong_scaling": {"nodes": [
        {"type": "chetemi", "count": [23, 24]}]}}, {"/distribution": [{"type": "block-cyclic"}, {"type": "1d1d"}]}]},
        "comparisons": [{"of": "distribution", "baseline": "block-cyclic", "x": "nodes"}])");
    auto const comparison = testing::json_of(once.run("--json"))["comparisons"].at(0);
    CHECK(comparison["value"] == "1d1d");
    auto const rows = once.rows();
    CHECK(comparison["ratios"][0][1].get<double>() ==
          doctest::Approx(rows[1]["makespan_s"].get<double>() / rows[0]["makespan_s"].get<double>())
              .epsilon(1e-12));
    CHECK(comparison["words"].get<std::string>().starts_with("1d1d beats block-cyclic"));
  }

  TEST_CASE("a report has the standard plots and error bars for replicas") {
    Study const study(
        R"("replicas": 3, "points": {"product": [{"strong_scaling": {"nodes": [{"type": "chetemi",
        "count": [1, 2, 4]}]}}, {"/distribution": [{"type": "block-cyclic"}, {"type": "1d1d"}]}]})");
    REQUIRE(study.run("--report --set /scheduler/type=random").code == 0);
    for (std::string const name : {"makespan_s", "gflops", "efficiency", "speedup", "tiles_sent"})
      CHECK_MESSAGE(fs::exists(study.folder / ("out/plots/" + name + "_nodes.svg")), name);
    std::string const page = testing::text_of(study.folder / "out/report.html");
    CHECK(testing::contains(page, "id=\"report\""));
    Study const wrong(
        R"("points": {"/application/nt": [6, 7]}, "plots": [{"x": "application/nt", "y": "speed"}])");
    testing::ProgramRun const refused = wrong.run("--report");
    CHECK(refused.code == 2);
    CHECK(testing::contains(refused.err, "#/plots/0: names the column \"speed\""));
    Study const text(R"("points": {"/distribution/type": ["block-cyclic", "1d1d"]},
        "plots": [{"x": "distribution/type", "y": "makespan_s"}])");
    testing::ProgramRun const of_text = text.run("--report");
    CHECK(of_text.code == 2);
    CHECK_MESSAGE(
        testing::contains(of_text.err, "#/plots/0/x: names the column \"distribution/type\" (it holds text"),
        of_text.err);
    CHECK(text.rows().size() == 2);  // no simulated point is lost
    for (std::string const plot :
         {R"({"x": "speedup", "y": "makespan_s"})",
          R"({"x": "application/nt", "y": "makespan_s", "series": "speedup"})",
          R"({"x": "application/nt", "y": "speedup", "series": "point", "kind": "heat-map"})"}) {
      Study const no_column(R"("points": {"/application/nt": [6, 7]}, "plots": [)" + plot + "]");
      testing::ProgramRun const run = no_column.run("--report");
      CHECK(run.code == 2);
      CHECK_MESSAGE(testing::contains(run.err, "#/plots/0: names the column \"speedup\" (there is none"),
                    run.err);
      CHECK(!testing::contains(run.err, ", speedup"));
    }
  }

  TEST_CASE("collecting a sweep without simulated points is refused and writes nothing") {
    Study const study(forty_points);
    testing::ProgramRun const run = study.run("--collect");
    CHECK(run.code == 2);
    CHECK_MESSAGE(testing::contains(run.err, "holds no results (there is no such folder)"), run.err);
    CHECK(!std::filesystem::exists(study.folder / "out"));
  }

  TEST_CASE("a condition on the command line is a filter") {
    Study const study(forty_points);
    testing::ProgramRun const run = study.run("--count --filter '[\"<\", \"/application/nt\", 13]'");
    CHECK(run.out.starts_with("4 points (40 combinations"));
    CHECK(study.run("--count --json").out == "{\"points\":40,\"candidates\":40,\"replicas\":1}\n");
  }
}
