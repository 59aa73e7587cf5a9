// The same input gives the same bytes: repeated, and with the keys of its JSON files in another order.
// tests/determinism.sh compares builds with and without optimisation.

#include "tests/cli/program.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

using Ordered = nlohmann::ordered_json;

/// Shuffles the keys of all objects.
Ordered shuffled(Ordered const& json, std::mt19937& random) {
  if (json.is_array()) {
    Ordered out = Ordered::array();
    for (Ordered const& element : json) out.push_back(shuffled(element, random));
    return out;
  }
  if (!json.is_object()) return json;
  std::vector<std::string> keys;
  for (auto const& [key, value] : json.items()) keys.push_back(key);
  for (std::size_t i = keys.size(); i > 1; --i) std::swap(keys[i - 1], keys[random() % i]);
  Ordered out = Ordered::object();
  for (std::string const& key : keys) out[key] = shuffled(json[key], random);
  return out;
}

/// Returns all output of a run except the cost of the simulation.
std::string left_by(std::filesystem::path const& scenario, std::string const& options) {
  TemporaryFolder const folder;
  ProgramRun const run =
      run_factosim("run '" + scenario.string() + "' --out '" + (folder / "out").string() + "' " + options);
  CAPTURE(run.err);
  REQUIRE(run.code == 0);
  Ordered result = Ordered::parse(text_of(folder / "out/result.json"));
  result.erase("simulation");
  return result.dump() + text_of(folder / "out/run.trace");
}

struct Case {
  char const *scenario, *options;
};
constexpr Case cases[] = {
    {"first/lu_mirage.json", "--set /application/nt=8"},
    {"first/lu_mirage.json",
     "--set /application/nt=6 --set /scheduler/type=random --set /noise/distribution=normal"},
    {"lille/block_cyclic_2x11.json", "--set /application/nt=10"},
    {"exageostat_icpp21/fig05_workload_60.json", "--set /application/nt=8 --set /application/n=7680"}};

}  // namespace

TEST_SUITE("scenario") {
  TEST_CASE("a repeated run writes the same bytes") {
    for (Case const& c : cases) {
      CAPTURE(c.scenario);
      std::filesystem::path const file = repository() / "scenarios" / c.scenario;
      CHECK(left_by(file, c.options) == left_by(file, c.options));
    }
  }

  TEST_CASE("the order of keys in scenario and platform and timings changes no byte") {
    TemporaryFolder const folder;
    std::mt19937 random(11);
    auto const write = [&](bool shuffle, Case const& c) {
      auto const copy = [&](std::filesystem::path const& from, std::string const& to) {
        Ordered const json = Ordered::parse(text_of(from));
        return folder.write(to, (shuffle ? shuffled(json, random) : json).dump(1));
      };
      for (auto const& entry : std::filesystem::directory_iterator(repository() / "platforms"))
        if (entry.path().extension() == ".json")
          copy(entry.path(), "platforms/" + entry.path().filename().string());
      for (auto const& entry : std::filesystem::directory_iterator(repository() / "models/kernels"))
        if (entry.path().extension() == ".json")
          copy(entry.path(), "models/kernels/" + entry.path().filename().string());
      return copy(repository() / "scenarios" / c.scenario, std::string("scenarios/") + c.scenario);
    };
    for (Case const& c : cases) {
      CAPTURE(c.scenario);
      std::string const as_shipped = left_by(write(false, c), c.options);
      CHECK(left_by(write(true, c), c.options) == as_shipped);
    }
  }
}
