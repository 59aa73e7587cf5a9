// The files of a run carry checksums.

#include "simulator/scenario/simulation/known_differences.hpp"
#include "tests/cli/program.hpp"

using namespace factosim;
using testing::quoted;
using testing::run_factosim;

namespace {

struct Runs {
  testing::TemporaryFolder folder;
  std::string result;

  Runs() {
    for (int const nt : {3, 4})
      REQUIRE(run_factosim(fmt::format("run {} --set /application/nt={} --set /outputs/series=true --out {}",
                                       quoted(testing::first_scenario()), nt,
                                       quoted(folder / fmt::format("nt{}", nt))))
                  .code == 0);
    result = testing::text_of(folder / "nt3/result.json");
  }
  [[nodiscard]] testing::ProgramRun check() const { return run_factosim("check " + quoted(folder / "nt3")); }
  [[nodiscard]] std::string reported() const {
    auto const compared =
        run_factosim("compare --no-simulation " + quoted(folder / "nt4") + " " + quoted(folder / "nt3"));
    auto const report =
        run_factosim("report " + quoted(folder / "nt3") + " --force -o " + quoted(folder / "report.html"));
    CHECK(compared.code == 0);
    CHECK(report.code == 0);
    return compared.out + report.err;
  }
};

}  // namespace

TEST_SUITE("scenario") {
  TEST_CASE("check and compare and report name an altered result") {
    Runs const runs;
    auto const sound = runs.check();
    CHECK(sound.code == 0);
    for (auto const& check : testing::json_of("check --json " + quoted(runs.folder / "nt3"))["checks"])
      if (check["name"] == "files")
        CHECK((check["cases"] == 4 && check["findings"] == 0 && !check.contains("skipped")));
    std::string altered = runs.result;
    std::size_t const digit = altered.find("\"wall_s\": ") + 12;  // that nothing else can verify
    altered[digit] = altered[digit] == '1' ? '2' : '1';
    runs.folder.write("nt3/result.json", altered);
    CHECK(runs.check().code == 5);
    CHECK(testing::contains(runs.check().out, "result.json is not as the run wrote it"));
    CHECK(testing::occurrences(runs.reported(), "result.json is not as the run wrote it") == 2);
    nlohmann::json document = nlohmann::json::parse(runs.result);
    runs.folder.write("nt3/result.json", document.dump());
    CHECK(runs.check().code == 5);
  }

  TEST_CASE("check and compare and report name the trace of another run") {
    Runs const runs;
    std::filesystem::copy_file(runs.folder / "nt4/run.trace", runs.folder / "nt3/run.trace",
                               std::filesystem::copy_options::overwrite_existing);
    CHECK(runs.check().code == 5);
    CHECK(testing::contains(runs.check().out, "run.trace is not the file that the run wrote"));
    CHECK(testing::occurrences(runs.reported(), "run.trace is not the file that the run wrote") == 2);
    std::filesystem::remove(runs.folder / "nt3/run.trace");
    std::filesystem::remove(runs.folder / "nt3/series.json");
    CHECK(runs.check().code == 0);
    CHECK(testing::contains(runs.check().out, "run.trace is missing; series.json is missing"));
  }

  TEST_CASE("a damaged provenance has no known differences") {
    auto const result = nlohmann::json::parse(
        R"({"provenance": {"options": {}, "scenario": "s.json", "settings": [], "seed": 1, "timings": [[]]}})");
    CHECK_FALSE(known_differences(result, result).has_value());
  }

  TEST_CASE("a result without a checksum is read and check says so") {
    Runs const runs;
    nlohmann::json document = nlohmann::json::parse(runs.result);
    document["simulation"].erase("checksum");
    document["simulation"].erase("files");
    runs.folder.write("nt3/result.json", document.dump());
    auto const old = runs.check();
    CHECK(old.code == 0);
    CHECK(testing::contains(old.out, "result.json has no checksum"));
    document["bounds"] = "none";
    runs.folder.write("nt3/result.json", document.dump());
    auto const damaged = runs.check();
    CHECK((damaged.code == 2 || damaged.code == 5));
  }
}
