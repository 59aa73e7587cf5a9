#include "simulator/scenario/simulation/difference_proof.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "factosim/error.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/core/json_reader.hpp"
#include "simulator/base/os/process_pool.hpp"
#include "simulator/runtime/engine/network_factory.hpp"
#include "simulator/scenario/simulation/known_differences.hpp"
#include "simulator/scenario/simulation/place.hpp"
#include "simulator/scenario/simulation/result_scenario.hpp"
#include "simulator/scenario/simulation/simulate.hpp"
#include "simulator/scenario/simulation/task_plan.hpp"

namespace factosim {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr std::size_t most_changes = 6;  // 64 simulations

/// The scenario of a run as it was described, with the settings and the seed of that run.
struct DescribedRun {
  fs::path scenario;
  json document;
  double makespan_s;
};

DescribedRun described_run(fs::path const& result) {
  json const content = parse_json_file(result);
  (void)named_scenario(result, content);  // checks that it is still what was simulated
  json const& provenance = content.at("provenance");
  fs::path const scenario = provenance.at("scenario").get<std::string>();
  json document = python_scenario(content);
  if (document.is_null() || fs::exists(scenario)) {
    document = parse_json_file(scenario);
    set_keys(document, provenance.at("settings").get<std::vector<std::string>>());
  }
  document["seed"] = provenance.at("seed");
  for (char const* const key : {"name", "outputs", "format", "version", "$schema", "$comment"})
    document.erase(key);
  return {scenario, std::move(document), content.at("makespan_s").get<double>()};
}

/// Sections whose keys can be exchanged one by one.
std::set<std::string> const divided{"application", "network", "noise", "runtime", "scheduler"};

/// Returns the keys that differ; of divided sections of the same "type", or without any, the keys in them.
std::vector<json::json_pointer> differing_keys(json const& a, json const& b, json::json_pointer const& here) {
  std::vector<json::json_pointer> out;
  std::set<std::string> keys;
  for (json const* const each : {&a, &b})
    for (auto const& [key, value] : each->items()) keys.insert(key);
  auto const value_in = [](json const& section, std::string const& key) {
    return section.contains(key) ? section[key] : json();
  };
  for (std::string const& key : keys) {
    json const in_a = value_in(a, key), in_b = value_in(b, key);
    if (in_a == in_b) continue;
    auto const section = [](json const& value) { return value.is_object() || value.is_null(); };
    auto const type = [](json const& value) { return value.contains("type") ? value["type"] : json(); };
    if (here.empty() && divided.contains(key) && section(in_a) && section(in_b) && type(in_a) == type(in_b))
      std::ranges::copy(differing_keys(in_a, in_b, here / key), std::back_inserter(out));
    else
      out.push_back(here / key);
  }
  return out;
}

void exchange(json& document, json const& other, json::json_pointer const& key) {
  if (other.contains(key))
    document[key] = other[key];
  else
    document[key.parent_pointer()].erase(key.back());
}

double simulated_s(json const& document, fs::path const& file) {
  PlacedScenario scenario = place(scenario_of(document, file.string()));
  std::uint64_t const seed = scenario.seed;
  TaskPlan const plan = plan_tasks(std::move(scenario), TaskStorage::where_needed);
  return simulate_with_seed(plan, seed, nullptr, {}).makespan.value;
}

/// Returns the makespans with each combination of the changes: bit i of the index says whether change i is made.
std::vector<double> all_combinations(DescribedRun const& a, DescribedRun const& b,
                                     std::vector<json::json_pointer> const& keys, int jobs) {
  preload_network_models();
  std::vector<ChildWork> work;
  for (std::size_t made = 0; made < std::size_t{1} << keys.size(); ++made)
    work.emplace_back([&, made] {
      json document = a.document;
      for (std::size_t i = 0; i < keys.size(); ++i)
        if ((made >> i & 1U) != 0) exchange(document, b.document, keys[i]);
      return fmt::format("{:a}", simulated_s(document, a.scenario));
    });
  std::vector<double> out;
  for (std::string const& answer : run_in_children(work, jobs_or_cores(jobs)))
    out.push_back(std::stod(answer));
  return out;
}

/// Returns the mean, over all orders of making the changes, of what change `i` adds when it is made.
double shapley_value(std::vector<double> const& makespans, std::size_t i) {
  auto const changes = static_cast<std::size_t>(std::countr_zero(makespans.size()));
  double sum = 0;
  for (std::size_t before = 0; before < makespans.size(); ++before) {
    if ((before >> i & 1U) != 0) continue;
    auto const made = static_cast<double>(std::popcount(before));
    double const orders = std::tgamma(made + 1) * std::tgamma(static_cast<double>(changes) - made);
    sum += orders * (makespans[before | std::size_t{1} << i] - makespans[before]);
  }
  return sum / std::tgamma(static_cast<double>(changes) + 1);
}

}  // namespace

DifferenceProof prove_difference(fs::path const& result_a, fs::path const& result_b, int jobs) {
  DescribedRun const a = described_run(result_a), b = described_run(result_b);
  if (a.scenario.parent_path() != b.scenario.parent_path())
    throw InputError(
        result_b.string() + "#/provenance/scenario",
        fmt::format("lies in another folder than {} (paths in a scenario start there, so that its "
                    "keys cannot be exchanged). Simulate both from one folder",
                    a.scenario.string()));
  auto const keys = differing_keys(a.document, b.document, json::json_pointer());
  if (keys.size() > most_changes)
    throw InputError(
        result_b.string() + "#/provenance",
        fmt::format("{} keys differ from those of {} (each combination is simulated; {} keys are "
                    "the most). Compare runs that differ in less",
                    keys.size(), result_a.string(), most_changes));
  std::vector<double> const makespans = all_combinations(a, b, keys, jobs);
  for (auto const& [run, simulated] : {std::pair{&a, makespans.front()}, {&b, makespans.back()}})
    if (std::abs(simulated / run->makespan_s - 1) > 1e-9)
      throw InputError(
          run->scenario.string() + "#",
          fmt::format("is simulated to {} s now, and to {} s when its result was written (a file "
                      "that it names, or the program, has changed). Simulate both runs again",
                      simulated, run->makespan_s));
  DifferenceProof out{.simulations = makespans.size()};
  out.interaction_s = makespans.back() - makespans.front();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    double const alone = makespans[std::size_t{1} << i] - makespans.front();
    std::string const option = keys[i].to_string();
    out.changes.push_back({option, causes_of_option(option), alone, shapley_value(makespans, i)});
    out.interaction_s -= alone;
  }
  return out;
}

}  // namespace factosim
