// Sets every key of a scenario and of a platform to absurd values: each is refused with a message, or
// simulated to a finite makespan, quickly. The keys are those that the readers list in their messages.

#include "simulator/scenario/simulation/resources.hpp"
#include "simulator/scenario/simulation/run.hpp"
#include "simulator/scenario/simulation/size_limit.hpp"
#include "tests/engine/network_harness.hpp"

using namespace factosim;
using Json = nlohmann::json;
using Pointer = Json::json_pointer;
using testing::message_of;

namespace {

Json kernels() {
  Json timings = Json::object();
  for (std::string const name : {"potrf", "trsm", "syrk", "gemm", "getrf", "trsm_ll", "trsm_ru"})
    for (std::string const worker : {"cpu", "cuda0"})
      if (worker == "cpu" || (name != "potrf" && name != "getrf"))
        timings[name].push_back({{"precision", "double"},
                                 {"worker", worker},
                                 {"nb", 100},
                                 {"mean_s", worker == "cpu" ? 1e-3 : 2e-4},
                                 {"deviation_s", 1e-5},
                                 {"samples", 3},
                                 {"samples_s", {1e-3, 1.1e-3}},
                                 {"first_samples_s", Json::array({2e-3})}});
  return {{"format", "factosim-kernels"},
          {"version", 1},
          {"machine", "m"},
          {"provenance", "made up"},
          {"estimate", false},
          {"kernels", timings},
          {"findings", Json::array({"doubtful"})},
          {"variability",
           {{"worker_deviation", 0.1}, {"run_deviation", 0.1}, {"degrees_of_freedom", 2}, {"runs", 3}}}};
}

Json platform() {
  Json const link = {{"bandwidth_Bps", 1e9}, {"latency_s", 1e-6}};
  Json up = link, down = link;
  up["name"] = "up", down["name"] = "down";
  Json const bus = {
      {"links", {up, down}},
      {"routes",
       {{{"from", "ram"}, {"to", "cuda0"}, {"links", {"down"}}},
        {{"from", "cuda0"}, {"to", "ram"}, {"links", {"up"}}}}},
      {"predicted", {{"bandwidth_Bps", {{0, 1e9}, {1e9, 0}}}, {"latency_s", {{0, 1e-6}, {1e-6, 0}}}}}};
  Json const type = {
      {"cores", 3},
      {"numa_nodes", 1},
      {"sockets", 1},
      {"communication_thread", {{"per_message_s", 1e-6}, {"per_byte_s", 1e-10}, {"worker_share", 0.9}}},
      {"ram_bytes", 1'000'000'000},
      {"kernels", "k.json"},
      {"gpus", Json::array({{{"model", "G"}, {"memory_bytes", 100'000'000}}})},
      {"bus", bus},
      {"power", {{"core_W", 10}, {"gpu_W", 100}, {"idle_W", 20}, {"off_W", 1}}},
      {"subnet", "s"},
      {"nic", link}};
  return {{"format", "factosim-platform"},
          {"version", 1},
          {"node_types", {{"m", type}}},
          {"network",
           {{"subnets", Json::array({{{"name", "s"}, {"uplink", link}}})},
            {"backbone", link},
            {"one_at_a_time", false},
            {"wire", "fifo"}}},
          {"runtime", {{"push_cost_s", 0}, {"fetch_cost_s", 1e-6}, {"progress_cost_s", 1e-6}}},
          {"findings", Json::array({"doubtful"})},
          {"nodes", Json::array({{{"type", "m"}, {"count", 2}}})}};
}

Json scenario(Json const& distribution) {
  Json const link = {{"bandwidth_Bps", 1e9}, {"latency_s", 1e-6}};
  return {{"format", "factosim-scenario"},
          {"version", 1},
          {"seed", 1},
          {"platform", {{"file", "p.json"}, {"nodes", Json::array({{{"type", "m"}, {"count", 2}}})}}},
          {"application", {{"type", "cholesky"}, {"nt", 4}, {"nb", 100}}},
          {"distribution", distribution},
          {"scheduler", {{"type", "dmda"}}},
          {"runtime", Json::object()},
          {"noise", {{"distribution", "calibrated"}, {"scale", 1}}},
          {"network", {{"model", "maxmin"}, {"nic", link}, {"backbone", link}, {"uplink", link}}},
          {"outputs", {{"series", {{"points", 10}}}}}};
}

/// The files of a case, one of which is modified.
struct Files {
  testing::TemporaryFolder folder;
  Json platform = ::platform(), kernels = ::kernels(), scenario;

  explicit Files(Json const& distribution) : scenario(::scenario(distribution)) {}

  /// Reads all files and simulates. Exceptions propagate.
  double makespan() const {
    folder.write("k.json", kernels.dump());
    folder.write("p.json", platform.dump());
    Scenario const s = read_scenario(folder.write("s.json", scenario.dump()), {});
    auto const simulated = [&] {
      return std::vector{
          run_plan(plan_simulation(s, {.memory_bytes = 60'000'000})).json["makespan_s"].get<double>()};
    };
    // Some values leave the network at its default, SimGrid.
    return std::get<TaskScenario>(s.application).cluster.network.model == NetworkModel::simgrid
               ? testing::in_child(simulated).front()
               : simulated().front();
  }
};

/// Returns the known keys from the message "use one of: a, b" for an unknown key.
std::vector<std::string> keys_of(Files& files, Json& document, Pointer const& object) {
  document[object]["?"] = 0;
  std::string const message = message_of([&] { (void)files.makespan(); });
  document[object].erase("?");
  std::vector<std::string> keys;
  constexpr std::string_view mark = "use one of: ";
  std::size_t const at = message.find(mark);
  if (!testing::contains(message, "/?: unknown key") || at == std::string::npos) return keys;
  std::istringstream words(message.substr(at + mark.size()));
  for (std::string word; std::getline(words, word, ',');)
    if (std::string const key = word.substr(word.find_first_not_of(' ')); key != "?") keys.push_back(key);
  return keys;
}

/// Finds all objects of a document; of lists, the first element.
void find_objects(Json const& value, Pointer const& at, std::vector<Pointer>& out) {
  if (value.is_object()) {
    out.push_back(at);
    for (auto const& [key, member] : value.items()) find_objects(member, at / key, out);
  } else if (value.is_array() && !value.empty()) {
    find_objects(value[0], at / 0, out);
  }
}

std::vector<Json> absurd_values() {
  Json nested = 1;
  for (int i = 0; i < 50; ++i) nested = Json::array({nested});
  return {-1,
          0,
          1,
          2,
          1'000'000'000,
          10'000'000,
          INT64_MAX,
          UINT64_MAX,
          1e308,
          -1e308,
          5e-324,
          1e-300,
          1e300,
          1e15,
          0.5,
          -0.0,
          true,
          nullptr,
          "",
          std::string(100'000, 'x'),
          Json::array(),
          Json::object(),
          nested};
}

struct Tried {
  std::size_t refused = 0, simulated = 0;
  double longest_s = 0;
};

/// Checks the claims that hold for any value.
void try_value(Files const& files, Tried& tried) {
  double const start = process_cpu_seconds();
  try {
    double const makespan = files.makespan();
    ++tried.simulated;
    CHECK(std::isfinite(makespan));
    CHECK(makespan >= 0);
  } catch (InputError const&) {
    ++tried.refused;
  } catch (InfeasibleError const&) {
    ++tried.refused;
  } catch (std::exception const& error) {
    FAIL_CHECK(std::string(error.what()));
  }
  double const s = process_cpu_seconds() - start;
  tried.longest_s = std::max(tried.longest_s, s);
  CHECK(s < 3);  // the maximum is some tenths
}

/// Tries every value for every key of every object of the document.
Tried try_all(Files& files, Json& document) {
  REQUIRE(std::isfinite(files.makespan()));
  std::vector<Pointer> objects;
  find_objects(document, Pointer(), objects);
  std::vector<Json> const values = absurd_values();
  Tried tried;
  for (Pointer const& object : objects)
    for (std::string const& key : keys_of(files, document, object)) {
      if (key == "format" || key == "file" || key == "kernels" || key == "simgrid_xml") continue;
      Json const before = document;
      for (Json const& value : values) {
        document[object][key] = value;
        std::string const where = (object / key).to_string();
        std::string const shown = value.dump().substr(0, 40);
        CAPTURE_ALL(where, shown);
        try_value(files, tried);
      }
      document = before;
    }
  return tried;
}

}  // namespace

TEST_SUITE("property") {
  TEST_CASE("any value of any key of a scenario is refused or simulated") {
    Files files(Json{{"type", "1d1d-c+s"}, {"tie", "lowest"}});
    Tried const tried = try_all(files, files.scenario);
    MESSAGE(tried.refused, " values refused, ", tried.simulated, " simulated, the longest took ",
            tried.longest_s, " s");
    CHECK(tried.refused > 900);
    CHECK(tried.simulated > 200);
  }

  TEST_CASE("any value of any key of a distribution is refused or simulated") {
    for (Json const& distribution :
         {Json{{"type", "block-cyclic"}, {"p", 1}, {"q", 2}}, Json{{"type", "1d1d"}, {"speeds", {1, 2}}},
          Json{{"type", "het-grid"}, {"p", 1}, {"q", 2}, {"panel", {{"rows", 4}, {"columns", 4}}}},
          Json{{"type", "kalinov-lastovetsky"}, {"p", 1}, {"q", 2}, {"panel", {{"rows", 4}, {"columns", 4}}}},
          Json{{"type", "g-2dbc"}},
          Json{{"type", "redistribute"},
               {"target", {5, 5}},
               {"from", {{0, 0, 0, 0}, {0, 1, 0, 0}, {1, 1, 1, 0}, {1, 1, 1, 1}}}}}) {
      Files files(distribution);
      CAPTURE(distribution.dump());
      if (!message_of([&] { (void)files.makespan(); }).empty()) continue;
      Json changed = files.scenario["distribution"];
      for (std::string const& key : keys_of(files, files.scenario, Pointer("/distribution")))
        for (Json const& value : absurd_values()) {
          if (key == "type") continue;
          files.scenario["distribution"] = changed;
          files.scenario["distribution"][key] = value;
          std::string const shown = value.dump().substr(0, 40);
          CAPTURE_ALL(key, shown);
          Tried tried;
          try_value(files, tried);
        }
    }
  }

  TEST_CASE("any value of any key of a platform is refused or simulated") {
    Files files(Json{{"type", "block-cyclic"}});
    files.scenario["platform"] = "p.json";
    files.scenario.erase("network");
    files.scenario["network"] = {{"model", "constant"}};
    Tried const tried = try_all(files, files.platform);
    MESSAGE(tried.refused, " values refused, ", tried.simulated, " simulated, the longest took ",
            tried.longest_s, " s");
    CHECK(tried.refused > 500);
  }
}
