#include "simulator/scenario/simulation/known_differences.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "platforms/shipped_files.hpp"
#include "simulator/base/core/json_reader.hpp"
#include "simulator/scenario/simulation/result_scenario.hpp"
#include "simulator/scenario/simulation/simulate.hpp"

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
    {"/network/optim", {messages, copies}},
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

DifferenceCauseSet causes_of_option(std::string const& pointer) {
  auto const* const found = std::ranges::find_if(
      option_causes, [&](OptionCauses const& o) { return pointer.starts_with(o.pointer); });
  DifferenceCauseSet out;
  if (found == std::end(option_causes)) return out;
  for (DifferenceCause const cause : found->causes) out.set(static_cast<std::size_t>(cause));
  return out;
}

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

}  // namespace factosim
