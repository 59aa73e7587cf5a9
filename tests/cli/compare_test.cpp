// Injected differences between runs are found and attributed to their cause.

#include "tests/cli/program.hpp"

#include "simulator/scenario/simulation/known_differences.hpp"

using namespace factosim;
using nlohmann::json;
using testing::ProgramRun;
using testing::quoted;
using testing::run_factosim;
using testing::TemporaryFolder;

namespace {

std::string small_first() { return quoted(testing::first_scenario()) + " --set /application/nt=12"; }
std::string small_lille() { return quoted(testing::lille_scenario()) + " --set /application/nt=16"; }

void simulate(std::string const& arguments, std::filesystem::path const& out) {
  ProgramRun const run = run_factosim("run " + arguments + " --out " + quoted(out));
  REQUIRE_MESSAGE(run.code == 0, run.err);
}

json compared(std::filesystem::path const& a, std::filesystem::path const& b,
              std::string const& options = "") {
  return testing::json_of("compare " + quoted(a) + " " + quoted(b) + " --json " + options);
}

/// Checks that the parts of the difference, the critical chains and the time breakdowns of workers add up.
void check_sums(json const& c) {
  double const makespan = c["makespan"]["a_s"];
  double const left = c["causes"]["sum_s"].get<double>() - c["makespan"]["difference_s"].get<double>();
  CHECK(std::abs(left) <= 1e-9 * makespan);
  for (char const* run : {"a", "b"})
    for (char const* account : {"chain", "per_worker"}) {
      CAPTURE(account);
      double const error = c[run][account]["total_s"].get<double>() - c[run]["makespan_s"].get<double>();
      CHECK(std::abs(error) <= 1e-9 * makespan);
    }
}

/// A platform file of mirage with the mean of one kernel on its GPUs multiplied.
std::filesystem::path slower_mirage(TemporaryFolder const& folder, std::string const& kernel, double factor) {
  std::filesystem::path const root = testing::repository();
  json model = json::parse(testing::text_of(root / "models/kernels/mirage.json"));
  std::size_t changed = 0;
  for (auto& [name, timings] : model["kernels"].items())
    for (json& timing : timings) {
      if (name != kernel || !timing.contains("mean_s")) continue;
      timing["mean_s"] = factor * timing["mean_s"].get<double>();
      ++changed;
    }
  REQUIRE(changed > 0);
  folder.write("models/kernels/mirage.json", model.dump());
  json platform = json::parse(testing::text_of(root / "platforms/mirage.json"));
  return folder.write("platforms/mirage.json", platform.dump());
}

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
  TEST_CASE("two runs of the same scenario do not differ") {
    TemporaryFolder const folder;
    simulate(small_first(), folder / "a");
    simulate(small_first(), folder / "b");
    json const c = compared(folder / "a", folder / "b", "--tolerance makespan=0%,tasks=0%,kernel_mean=0%");
    CHECK(c["makespan"]["difference_s"] == 0);
    CHECK(c["causes"]["main"].is_null());
    CHECK(c["tolerance"]["ok"] == true);
    check_sums(c);
  }

  TEST_CASE("a kernel that is a tenth slower is attributed by name") {
    struct Case {
      std::string kernel, cores;
    };
    // Cores only: if a GPU is chosen by its timings, all tasks may move. On many cores a slower trsm changes
    // the order of tasks by more than its own time; on one core it cannot.
    std::string const many = " --set /runtime/max_gpus=0", one = many + " --set /runtime/reserved_cores=11";
    for (Case const& planted : {Case{"gemm", many}, Case{"getrf", many}, Case{"gemm", one},
                                Case{"trsm_ll", one}, Case{"getrf", one}}) {
      std::string const &kernel = planted.kernel, &cores = planted.cores;
      CAPTURE_ALL(kernel, cores);
      TemporaryFolder const folder;
      std::string const platform = slower_mirage(folder, kernel, 1.1).string();
      simulate(small_first() + cores, folder / "a");
      simulate(small_first() + cores + " --set /platform=" + platform, folder / "b");
      json const c = compared(folder / "a", folder / "b");
      CHECK(c["makespan"]["relative"] > 0);
      CHECK(c["causes"]["main"] == "kernels");
      std::string worst;
      double maximum = 0;
      for (json const& k : c["causes"]["kernels"])
        if (k["means_s"].get<double>() > maximum) {
          maximum = k["means_s"];
          worst = k["kernel"];
        }
      CHECK(worst == kernel);
      CHECK(maximum / c["makespan"]["difference_s"].get<double>() > 0.5);
      for (json const& k : c["kernels"])
        CHECK(k["b"]["mean_s"].get<double>() / k["a"]["mean_s"].get<double>() ==
              doctest::Approx(k["kernel"] == kernel ? 1.1 : 1.0).epsilon(1e-6));
      // With the means of the first run, the second run equals the first, except for ties between cores that
      // the last bit of a mean decides.
      CHECK(std::abs(c["own_means"]["difference_with_own_means"].get<double>()) <
            (cores == one ? 1e-9 : 0.02));
      check_sums(c);
    }
  }

  TEST_CASE("another policy is attributed to the order of tasks") {
    for (std::string const policy : {"dmda", "eager", "random"}) {
      CAPTURE(policy);
      TemporaryFolder const folder;
      simulate(small_first(), folder / "a");
      simulate(small_first() + " --set /scheduler/type=" + policy, folder / "b");
      json const c = compared(folder / "a", folder / "b");
      CHECK(c["makespan"]["relative"] > 0.05);
      CHECK(c["causes"]["main"] == "order of tasks");
      // The kernels are not the cause: with the means of the first run it is as slow.
      CHECK(c["own_means"]["difference_with_own_means"].get<double>() ==
            doctest::Approx(c["makespan"]["relative"].get<double>()).epsilon(0.2));
      check_sums(c);
    }
  }

  TEST_CASE("a changed key of a replay is the cause, and equal durations are none") {
    TemporaryFolder const folder;
    std::string const replay = quoted(testing::repository() / "scenarios/replay/lu_5x5.json") +
                               " --set /outputs/trace=true --set application/pauses=runtime";
    simulate(replay, folder / "a");
    for (auto const& [option, cause] :
         {std::pair("application/pauses=recorded", "runtime overhead"),
          std::pair("scheduler/type=eager", "order of tasks"),
          std::pair("scheduler/type=random", "order of tasks"),
          std::pair("application/timings=recorded", "deviations of single tasks")}) {
      CAPTURE(option);
      simulate(replay + " --set " + option + " --set outputs/series=true", folder / cause);
      json const c = compared(folder / "a", folder / cause);
      check_sums(c);
      REQUIRE(c["makespan"]["difference_s"] != 0);
      CHECK(c["causes"]["main"] == cause);
      CHECK(c["causes"]["not_separable_from"].is_null());
      CHECK(!c["causes"]["known"]["options"].empty());
      for (json const& part : c["causes"]["parts"])
        if (part["cause"] == "kernels") CHECK(part["measured_s"] == 0);
      std::filesystem::remove_all(folder / cause);
    }
  }

  TEST_CASE("improvements of the second run are reported as well as losses") {
    TemporaryFolder const folder;
    simulate(small_lille() + " --set /network/nic/bandwidth_Bps=0.4e9", folder / "a");
    simulate(small_lille(), folder / "b");
    json const c = compared(folder / "a", folder / "b", "--no-simulation");
    CHECK(c["makespan"]["relative"] < 0);
    CHECK(c["causes"]["main"] == "messages");
  }

  TEST_CASE("a comparison beyond its tolerance ends with 5 and within with 0") {
    TemporaryFolder const folder;
    simulate(small_first(), folder / "a");
    simulate(small_first() + " --set /scheduler/type=eager", folder / "b");
    std::string const both =
        "compare " + quoted(folder / "a") + " " + quoted(folder / "b") + " --no-simulation";
    CHECK(run_factosim(both).code == 0);
    CHECK(run_factosim(both + " --tolerance makespan=1000%").code == 0);
    ProgramRun const beyond = run_factosim(both + " --tolerance makespan=1%,tasks=0%");
    CHECK(beyond.code == 5);
    CHECK(testing::contains(beyond.err, "1 of 2 quantities are beyond their tolerance"));
    ProgramRun const as_json = run_factosim(both + " --json --tolerance 1%");
    CHECK(as_json.code == 5);
    CHECK(json::parse(as_json.out)["tolerance"]["ok"] == false);
  }

  TEST_CASE("runs that cannot be compared are invalid input") {
    TemporaryFolder const folder;
    simulate(small_first() + " --set /application/nt=3", folder / "a");
    std::string const a = quoted(folder / "a");
    CHECK(run_factosim("compare " + a + " " + quoted(folder / "none")).code == 2);
    CHECK(run_factosim("compare " + a + " " + a + " --tolerance speed=2%").code == 2);
    CHECK(run_factosim("compare " + a + " " + a + " --tolerance makespan=two").code == 2);
    folder.write("empty/result.json", "{}");
    CHECK(run_factosim("compare " + a + " " + quoted(folder / "empty")).code == 2);
  }

  TEST_CASE("a run without a trace is compared by its totals") {
    TemporaryFolder const folder;
    simulate(small_first(), folder / "a");
    simulate(small_first() + " --set /outputs/trace=false", folder / "b");
    json const c = compared(folder / "a", folder / "b", "--tolerance makespan=0%,tasks=0%");
    CHECK(!c.contains("causes"));
    CHECK(c["b"]["nodes"][0]["tasks"] == c["a"]["nodes"][0]["tasks"]);
    CHECK(run_factosim("compare " + quoted(folder / "a") + " " + quoted(folder / "b/result.json")).code == 0);
  }

  TEST_CASE("a real run is compared with another and with its own table") {
    auto const data = testing::real_data();
    if (!data) {
      MESSAGE("skipped: FACTOSIM_DATA does not tell where real runs lie");
      return;
    }
    TemporaryFolder const folder;
    auto const run = *data / "local_runs/mpi_lu_b320_nb10_lws_p2_r0";
    ProgramRun const exported =
        run_factosim("export " + quoted(run) + " --format trace -o " + quoted(folder / "own.trace"));
    REQUIRE_MESSAGE(exported.code == 0, exported.err);
    json const same =
        compared(run, folder / "own.trace", "--tolerance makespan=0%,tasks=0%,messages=0%,kernel_mean=0%");
    CHECK(same["a"]["tasks"] == 385);
    check_sums(same);
    for (std::string const other :
         {"lu_b320_nb10_lws_w1_r0", "lu_b320_nb10_lws_w2_r0", "chol_b320_nb10_lws_w2_r0"})
      check_sums(compared(run, *data / "local_runs" / other));
  }

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
    CHECK(old.code == 5);  // this version writes them
    CHECK(testing::contains(old.out, "result.json has no checksum"));
    CHECK(testing::contains(old.out, "/simulation/files"));
    document["bounds"] = "none";
    runs.folder.write("nt3/result.json", document.dump());
    auto const damaged = runs.check();
    CHECK((damaged.code == 2 || damaged.code == 5));
    document["provenance"]["options"] = 5;
    runs.folder.write("nt3/result.json", document.dump());
    CHECK(testing::contains(runs.check().err, "result.json#: is damaged"));
  }
}
