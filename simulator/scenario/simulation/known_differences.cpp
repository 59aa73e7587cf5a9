#include "simulator/scenario/simulation/known_differences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <iterator>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "factosim/error.hpp"
#include "platforms/shipped_files.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/core/json_reader.hpp"
#include "simulator/base/os/process_pool.hpp"
#include "simulator/runtime/engine/network_factory.hpp"
#include "simulator/scenario/simulation/place.hpp"
#include "simulator/scenario/simulation/result_scenario.hpp"
#include "simulator/scenario/simulation/simulate.hpp"
#include "simulator/scenario/simulation/task_plan.hpp"

namespace factosim {

namespace {

using nlohmann::json;
using enum DifferenceCause;

struct OptionCauses {
  std::string_view pointer;
  std::initializer_list<DifferenceCause> causes;  // empty: any
};

/// Causes that an option can change directly. The first pointer that an option begins with decides.
constexpr OptionCauses option_causes[] = {
    {"/application/variant", {order}},
    {"/application/priorities", {order}},
    {"/application/generation_order", {order}},
    {"/application/submission", {overhead}},
    {"/application/pauses", {overhead}},
    {"/application/messages", {messages}},
    {"/application/timings", {kernels, deviations}},
    {"/application/durations", {kernels, deviations}},
    {"/application/mapping", {order}},  // another map shows in the traces
    {"/application/placement", {between_nodes, messages}},
    {"/application", {}},
    {"/distribution", {between_nodes, messages}},
    {"/network/model", {messages, copies}},
    {"/network/crosstraffic", {messages, copies}},
    {"/network/bandwidth_factor", {messages, copies}},
    {"/network/latency_factor", {messages, copies}},
    {"/network/communication_thread", {messages, kernels}},
    {"/network", {messages}},
    {"/noise", {kernels, deviations}},
    {"/platform", {}},
    {"/runtime/communication_cores", {within_node}},
    {"/runtime/cores_per_gpu", {within_node}},
    {"/runtime/max_gpus", {within_node}},
    {"/runtime/oversubscribed_workers", {within_node}},
    {"/runtime/workers_per_gpu", {within_node, kernels}},
    {"/runtime/gpu_sharing", {within_node, kernels}},
    {"/runtime/reserved_cores", {within_node}},
    {"/runtime/fetch_limit", {copies}},
    {"/runtime/gpu_memory_fraction", {copies}},
    {"/runtime/idle_limit", {copies}},
    {"/runtime/out_of_core", {copies}},
    {"/runtime/disk", {copies}},  // and disk_prediction
    {"/runtime/initial_data", {copies}},
    {"/runtime/ram_limit_bytes", {copies}},
    {"/runtime/prefetch", {copies}},  // and prefetch_limit
    {"/runtime/wont_use", {copies, overhead}},
    {"/runtime/gpu_pipeline", {copies, overhead}},
    {"/runtime", {overhead}},
    {"/scheduler", {order}},
    {"/seed", {kernels, deviations, order}},
};

/// Returns the causes that an option can change directly, by its JSON pointer; none if it can change anything.
DifferenceCauseSet causes_of_option(std::string const& pointer) {
  auto const* const found = std::ranges::find_if(
      option_causes, [&](OptionCauses const& o) { return pointer.starts_with(o.pointer); });
  DifferenceCauseSet out;
  if (found == std::end(option_causes)) return out;
  for (DifferenceCause const cause : found->causes) out.set(static_cast<std::size_t>(cause));
  return out;
}

/// Returns the platform that a scenario names, with absolute paths; the scenario's path if it is gone.
json named_platform(std::filesystem::path const& scenario) {
  if (!std::filesystem::exists(scenario)) return scenario.string();
  json platform = parse_json_file(scenario).value("platform", json());
  visit_file_names(platform, [&](json& text, ShippedKind kind) {
    auto const name = text.get<std::string>();
    text = std::filesystem::weakly_canonical(
               file_named(kind, name, scenario.parent_path()).value_or(scenario.parent_path() / name))
               .string();
  });
  return platform;
}

/// Returns what a run takes its platform and timings from.
json platform_source(json const& provenance) {
  json out = json::array({named_platform(provenance.at("scenario").get<std::string>())});
  for (json const& setting : provenance.at("settings"))
    if (setting.get<std::string>().starts_with("/platform")) out.push_back(setting);
  for (json const& timing : provenance.at("timings")) out.push_back(timing.at("file"));
  return out;
}

std::optional<KnownDifferences> differences(json const& result_a, json const& result_b) {
  json const a = result_a.value("provenance", json::object());
  json const b = result_b.value("provenance", json::object());
  for (json const* const run : {&a, &b})
    for (char const* const key : {"options", "scenario", "settings", "seed", "timings"})
      if (!run->contains(key)) return std::nullopt;
  KnownDifferences out;
  for (json const& change : json::diff(a.at("options"), b.at("options"))) {
    std::string const pointer = change.at("path").get<std::string>();
    if (pointer.starts_with("/outputs")) continue;
    out.options.push_back(pointer);
    DifferenceCauseSet const causes = causes_of_option(pointer);
    if (causes.none()) return std::nullopt;
    out.causes |= causes;
  }
  if (a.at("seed") != b.at("seed")) {
    out.options.emplace_back("/seed");
    out.causes |= causes_of_option(out.options.back());
  }
  out.platform = platform_source(a) != platform_source(b);
  return out;
}

/// Scales the means of one node type by as much as those of `run` differ from those of `own`; `prefix` of its workers'
/// names. A kernel that only `run` has gets its mean. `equal`: they are equal, and are changed by a millionth,
/// which decides ties.
void replace_means(Machine::Type& type, std::string const& prefix, std::span<Kernel const> kernels,
                   RunSummary const& own, RunSummary const& run, bool equal, OwnMeans& counts) {
  for (std::size_t k = 0; k < kernels.size(); ++k)
    for (std::size_t w = 0; w < type.workers.size(); ++w) {
      double& duration = type.durations[k * type.workers.size() + w];
      if (std::isinf(duration)) continue;  // it cannot run there
      KernelOn const kernel{timing_name(kernels[k]), prefix + (type.workers[w].gpu ? "gpu" : "cpu")};
      auto const known = run.kernels.find(kernel), before = own.kernels.find(kernel);
      ++(known != run.kernels.end() ? counts.replaced : counts.kept);
      if (known == run.kernels.end()) continue;
      bool const scaled = before != own.kernels.end() && before->second.mean > 0;
      duration = scaled ? duration * (known->second.mean / before->second.mean) : known->second.mean;
      if (equal) duration *= (k + w) % 2 == 0 ? 1 + 1e-6 : 1 - 1e-6;
    }
}

/// Replaces the means of all types that the platform has nodes of.
void replace_means(TaskPlan& plan, RunSummary const& own, RunSummary const& run, bool equal,
                   OwnMeans& counts) {
  Platform const& platform = plan.scenario.platform;
  for (std::size_t t = 0; t < plan.machine.types.size(); ++t)
    if (std::find(platform.nodes.begin(), platform.nodes.end(), t) != platform.nodes.end())
      replace_means(plan.machine.types[t], run.by_type ? platform.types[t].name + " " : "", plan.work.kernels,
                    own, run, equal, counts);
}

}  // namespace

std::optional<KnownDifferences> known_differences(json const& result_a, json const& result_b) {
  try {
    return differences(result_a, result_b);
  } catch (json::exception const&) {  // a damaged provenance
    return std::nullopt;
  }
}

void replay_with_means(RunComparison& comparison, std::optional<std::filesystem::path> const& result_a,
                       std::optional<std::filesystem::path> const& result_b) {
  if (!result_a && !result_b) {
    comparison.no_own_means = "neither run has a result.json that names its scenario";
    return;
  }
  OwnMeans own{.simulated = result_b ? 'b' : 'a'};
  try {
    std::filesystem::path const& result = result_b ? *result_b : *result_a;
    PlacedScenario scenario = scenario_of_result(result, parse_json_file(result));
    TaskPlan plan = plan_tasks(std::move(scenario));
    replace_means(plan, (result_b ? comparison.b : comparison.a).summary,
                  (result_b ? comparison.a : comparison.b).summary,
                  comparison.parts && !comparison.parts->other_kernel_times, own);
    own.makespan_s = simulate_with_seed(plan, plan.scenario.seed, nullptr, {}).makespan.value;
    comparison.own_means = own;
  } catch (std::exception const& error) {
    comparison.no_own_means = error.what();
  }
}

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
