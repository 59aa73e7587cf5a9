// Energy, end to end: powers in a platform, joules in a result.

#include "tests/cli/program.hpp"

using namespace factosim;
using nlohmann::json;
using testing::repository;
using testing::run_factosim;
using testing::TemporaryFolder;

namespace {

/// The machines of Lille, with a power for those in `powers`.
std::filesystem::path lille_with(TemporaryFolder const& folder, json const& powers) {
  json platform = json::parse(testing::text_of(repository() / "platforms/lille.json"));
  for (auto& [name, type] : platform["node_types"].items()) {
    type["kernels"] = (repository() / "platforms" / type["kernels"].get<std::string>()).string();
    if (powers.contains(name)) type["power"] = powers[name];
  }
  platform["nodes"] = {{{"type", "chifflet"}, {"count", 2}}, {{"type", "chetemi"}, {"count", 2}}};
  return folder.write("platform.json", platform.dump());
}

testing::ProgramRun run_lu(std::filesystem::path const& platform, std::string const& options) {
  std::string const scenario = (repository() / "scenarios/first/lu_mirage.json").string();
  return run_factosim(fmt::format("run '{}' --set '/platform={}' --set /application/nt=12 {}", scenario,
                                  platform.string(), options));
}

json result_of(std::filesystem::path const& platform) { return testing::json_of(run_lu(platform, "--json")); }

json const powers = {{"chetemi", {{"core_W", 5}, {"idle_W", 100}, {"off_W", 5}}},
                     {"chifflet", {{"core_W", 6}, {"gpu_W", 150}, {"idle_W", 200}}}};

}  // namespace

TEST_SUITE("scenario") {
  TEST_CASE(
      "the energy of a run is the sum over its nodes and follows from the other numbers of the result") {
    TemporaryFolder const folder;
    json const r = result_of(lille_with(folder, powers));
    double const makespan = r["makespan_s"];
    double total = 0, with_power_off = 0, idle = 0, activity = 0;
    for (json const& node : r["nodes"]) {
      CAPTURE(node.dump());
      bool const slow = node["type"] == "chetemi";
      idle += (slow ? 100 : 200) * makespan;
      total += node["energy_J"].get<double>();
      with_power_off += node["energy_with_power_off_J"].get<double>();
      activity += node["activity_s"].get<double>();
      CHECK(node["activity_s"].get<double>() ==
            doctest::Approx(node["last_task_s"].get<double>() - node["first_task_s"].get<double>()));
      CHECK(node["energy_with_power_off_J"].get<double>() <= node["energy_J"].get<double>());
      if (slow)  // only cores are busy: the closed form is complete
        CHECK(node["energy_J"].get<double>() ==
              doctest::Approx(100 * makespan + 5 * node["busy_s"].get<double>()).epsilon(1e-12));
    }
    json const& energy = r["energy"];
    CHECK(energy["total_J"].get<double>() == doctest::Approx(total).epsilon(1e-12));
    CHECK(energy["idle_J"].get<double>() == doctest::Approx(idle).epsilon(1e-12));
    CHECK(energy["total_J"].get<double>() ==
          doctest::Approx(energy["idle_J"].get<double>() + energy["busy_J"].get<double>()).epsilon(1e-12));
    CHECK(energy["total_with_power_off_J"].get<double>() == doctest::Approx(with_power_off).epsilon(1e-12));
    CHECK(energy["powered_off_nodes"] == (with_power_off < total));
    CHECK(r["activity_s"].get<double>() == doctest::Approx(activity).epsilon(1e-12));
  }

  TEST_CASE("without powers or with some missing there is no energy and the run is the same") {
    TemporaryFolder const folder;
    json const with = result_of(lille_with(folder, powers));
    for (json const& some : {json::object(), json{{"chetemi", powers["chetemi"]}}}) {
      json const r = result_of(lille_with(folder, some));
      CHECK_FALSE(r.contains("energy"));
      CHECK(!testing::contains(r["nodes"].dump(), "_J"));
      CHECK(r["makespan_s"] == with["makespan_s"]);
    }
  }

  TEST_CASE("the summary contains the energy if it is known") {
    TemporaryFolder const folder;
    auto const with = lille_with(folder, powers);
    CHECK(testing::contains(run_lu(with, "").out, "\nenergy        "));
    CHECK(!testing::contains(run_lu(lille_with(folder, json::object()), "").out, "energy"));
  }

  TEST_CASE("power caps of single GPUs lengthen the run and lower its energy and check accepts it") {
    TemporaryFolder const folder;
    auto const run = [&](std::string const& caps, std::string const& options) {
      return run_factosim(
          fmt::format("run '{}' --set /application/nt=16 --set '/platform/power={}' {} {}",
                      (repository() / "scenarios/first/lu_mirage.json").string(),
                      R"({"mirage":{"core_W":5,"gpu_W":150,"idle_W":300,"gpu_idle_W":50,)"
                      R"("kernels":{"getrf":{"gpu_W":60}},)"
                      R"("gpu_speeds":[{"cap_W":100,"speed":0.7},{"cap_W":200,"speed":1}]}})",
                      caps.empty() ? "" : "--set '/platform/gpu_caps_W={\"mirage\":" + caps + "}'", options));
    };
    json const free = testing::json_of(run("", "--json")), capped = testing::json_of(run("120", "--json"));
    json const one = testing::json_of(run("[120, 1000, 1000]", "--json"));
    CHECK(free["makespan_s"].get<double>() < one["makespan_s"].get<double>());
    CHECK(one["makespan_s"].get<double>() < capped["makespan_s"].get<double>());
    CHECK(capped["energy"]["busy_J"].get<double>() < one["energy"]["busy_J"].get<double>());
    CHECK(one["energy"]["busy_J"].get<double>() < free["energy"]["busy_J"].get<double>());
    // The policy knows the slower GPU: it runs fewer tasks there.
    auto const tasks = [](json const& r, char const* gpu) {
      return r["nodes"][0]["tasks_by_worker"][gpu].get<int>();
    };
    CHECK(tasks(one, "cuda0") < tasks(one, "cuda1"));
    CHECK(testing::json_of(run("1000", "--json"))["makespan_s"] == free["makespan_s"]);
    for (std::string const options : {"", R"(--set '/noise={"distribution":"normal"}')"}) {
      std::string const out = (folder / ("run" + std::to_string(options.size()))).string();
      REQUIRE(run("[120, 1000, 150]", options + " --set /outputs/trace=true --out '" + out + "'").code == 0);
      testing::ProgramRun const checked = run_factosim("check '" + out + "'");
      CAPTURE(checked.out);
      CHECK(checked.code == 0);
    }
  }

  TEST_CASE("CO2 follows from the energy") {
    TemporaryFolder const folder;
    auto const platform = lille_with(folder, powers);
    json const r = testing::json_of(run_lu(platform, "--set /platform/co2_g_per_kWh=56 --json"));
    CHECK(r["energy"]["co2_g"].get<double>() ==
          doctest::Approx(r["energy"]["total_J"].get<double>() / 3.6e6 * 56).epsilon(1e-12));
  }

  TEST_CASE("caps and powers that do not fit together are refused") {
    auto const message = [](std::string const& power, std::string const& caps) {
      testing::ProgramRun const run = run_factosim(
          fmt::format("run '{}' --set /application/nt=4 --set '/platform/power={{\"mirage\":{}}}' --set "
                      "'/platform/gpu_caps_W={{\"mirage\":{}}}'",
                      (repository() / "scenarios/first/lu_mirage.json").string(), power, caps));
      CHECK(run.code == 2);
      return run.err;
    };
    auto const has = [](std::string const& text, std::string const& part) {
      CAPTURE(text);
      CHECK(testing::contains(text, part));
    };
    std::string const speeds = R"("gpu_speeds":[{"cap_W":100,"speed":0.7},{"cap_W":200,"speed":1}])";
    has(message(R"({"gpu_W":150})", "120"), "#/platform/gpu_caps_W/mirage: caps the GPUs of \"mirage\" (its");
    has(message("{\"gpu_W\":150," + speeds + "}", "[120, 90, 120]"),
        "caps GPUs of \"mirage\" at 90 W (their");
    has(message("{\"gpu_W\":150," + speeds + "}", "[120]"), "has 1 caps (\"mirage\" has 3 GPUs)");
    has(message("{\"gpu_W\":250," + speeds + "}", "120"), "/platform/power/mirage/gpu_speeds: end at 200 W");
    has(message(R"({"gpu_speeds":[{"cap_W":100,"speed":0.7}]})", "120"), "end with a speed of 0.7");
    has(message(R"({"gpu_speeds":[{"cap_W":200,"speed":1},{"cap_W":100,"speed":1}]})", "120"),
        "gpu_speeds/1: does not follow the point before");
    has(message(R"({"gpu_speeds":[]})", "120"), "/gpu_speeds: is empty");
    has(message("{\"gpu_W\":50,\"idle_W\":300,\"gpu_idle_W\":100," + speeds + "}", "120"), "begin at 100 W");
    has(message(R"({"gpu_idle_W":50})", "120"), "is above \"idle_W\" (0)");
    has(message(R"({"kernels":{"gemm":{"gpu_W":50}}})", "120"),
        "/kernels/gemm/gpu_W: is given for one kernel");
  }
}
