// Energy, end to end: powers in a platform, joules in a result.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>

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
      CHECK(r["nodes"].dump().find("_J") == std::string::npos);
      CHECK(r["makespan_s"] == with["makespan_s"]);
    }
  }

  TEST_CASE("the summary contains the energy if it is known") {
    TemporaryFolder const folder;
    auto const with = lille_with(folder, powers);
    CHECK(run_lu(with, "").out.find("\nenergy        ") != std::string::npos);
    CHECK(run_lu(lille_with(folder, json::object()), "").out.find("energy") == std::string::npos);
  }
}
