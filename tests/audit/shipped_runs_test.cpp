// Runs and audits every shipped scenario; large ones with fewer tiles. tests/audit/audit_all.sh audits the
// full sizes.

#include "tests/audit/recorded_runs.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

constexpr int max_tiles = 10;  // per row

std::vector<std::filesystem::path> graph_scenarios() {
  std::vector<std::filesystem::path> files;
  for (auto const& entry : std::filesystem::recursive_directory_iterator(repository() / "scenarios")) {
    if (entry.path().extension() != ".json") continue;
    nlohmann::json const json = nlohmann::json::parse(text_of(entry.path()));
    if (json.value("format", "") == "factosim-scenario" && json.contains("application"))
      files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Returns the `--set` that makes it small.
std::string smaller(nlohmann::json const& scenario) {
  nlohmann::json const& application = scenario["application"];
  if (application.value("nt", 0) <= max_tiles) return "";
  std::string out = fmt::format("--set /application/nt={} ", max_tiles);
  if (application.contains("n"))
    out += fmt::format("--set /application/n={} ", max_tiles * application["nb"].get<int>());
  return out;
}

}  // namespace

TEST_SUITE("scenario") {
  TEST_CASE("every shipped scenario passes its audit") {
    for (auto const& file : graph_scenarios()) {
      CAPTURE(file.string());
      TemporaryFolder const folder;
      std::string const out = (folder / "run").string();
      std::string const options = smaller(nlohmann::json::parse(text_of(file)));
      REQUIRE(run_factosim("run '" + file.string() + "' " + options + "--out '" + out + "'").code == 0);
      ProgramRun const check = run_factosim("check '" + out + "' --json");
      if (check.code == 2) {  // no task graph: reported as skipped
        CHECK(contains(check.err, "check works on graphs of tasks"));
        continue;
      }
      CHECK_MESSAGE(check.code == 0, check.out);
      nlohmann::json const report = nlohmann::json::parse(check.out);
      CHECK(report["findings"] == 0);
      std::size_t skipped = 0;
      for (auto const& c : report["checks"]) skipped += c.contains("skipped") ? 1 : 0;
      // A recorded program brings its own tasks and placement, and a recorded run its dates too.
      std::string const type = nlohmann::json::parse(text_of(file))["application"]["type"];
      CHECK_MESSAGE(skipped <= (type == "trace" ? 11 : type == "graph" ? 2 : 0), check.out);
    }
  }

  TEST_CASE("check reports findings with exit code 5 and unreadable input with 2") {
    TemporaryFolder const folder;
    std::string const scenario = (repository() / "scenarios/first/lu_mirage.json").string();
    std::string const out = (folder / "run").string();
    REQUIRE(run_factosim("run '" + scenario + "' --set /application/nt=3 --out '" + out + "'").code == 0);
    CHECK(run_factosim("check '" + out + "'").code == 0);
    CHECK(run_factosim("check '" + (folder / "none").string() + "'").code == 2);

    std::string const result = text_of(folder / "run/result.json");
    nlohmann::json changed = nlohmann::json::parse(result);
    changed["tasks"] = changed["tasks"].get<int>() + 1;
    folder.write("run/result.json", changed.dump());
    ProgramRun const found = run_factosim("check '" + out + "'");
    CHECK(found.code == 5);
    CHECK(contains(found.out, "/tasks"));
    changed["provenance"]["options"]["seed"] = "another";
    folder.write("run/result.json", changed.dump());
    CHECK(run_factosim("check '" + out + "'").code == 2);

    folder.write("run/result.json", result);
    std::filesystem::resize_file(folder / "run/run.trace", 1000);
    CHECK(run_factosim("check '" + out + "'").code == 2);
    std::filesystem::remove(folder / "run/run.trace");
    ProgramRun const without = run_factosim("check '" + out + "' --json");
    CHECK(without.code == 0);
    nlohmann::json const report = nlohmann::json::parse(without.out);
    for (auto const& c : report["checks"])
      // every check is made or reported as skipped
      CHECK_MESSAGE((c["cases"] > 0 || c.contains("skipped")), c["name"]);
  }
}
