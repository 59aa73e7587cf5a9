#include "simulator/report/json/run_comparison_json.hpp"

#include <algorithm>
#include <cmath>
#include <ranges>
#include <utility>

namespace factosim {

FACTOSIM_JSON_MEMBERS(TimeBreakdown::Kernel, tasks, seconds)
FACTOSIM_JSON_MEMBERS(RunSummary::Iteration, k, tasks, first_start_s, last_end_s)
FACTOSIM_JSON_MEMBERS(KernelOn, kernel, resource)
FACTOSIM_JSON_MEMBERS(ChainDifference::Kernel, tasks_a, tasks_b, means_s, path_s, deviations_s)
FACTOSIM_JSON_MEMBERS(TraceDifferences, map, workers, priorities, network, bus, memory, submission)
FACTOSIM_JSON_MEMBERS(Distinction, distinct, half_width_s, means_difference_s, both_repeated)
FACTOSIM_JSON_MEMBERS(ToleranceCheck, metric, what, a, b, relative, limit)

namespace {

using Json = nlohmann::ordered_json;

Json sample_json(SampleSummary const& s) {
  return {{"count", s.count},           {"mean_s", s.mean},
          {"deviation_s", s.deviation}, {"median_s", s.median},
          {"least_s", s.minimum},       {"most_s", s.maximum},
          {"outliers", s.outliers},     {"outliers_s", s.outliers_sum}};
}

Json link_json(RunSummary::Link const& l) {
  return {{"link", l.name},         {"count", l.transfers},
          {"bytes", l.bytes},       {"duration_s", l.duration_s},
          {"in_use_s", l.in_use_s}, {"bandwidth_Bps", l.bandwidth_Bps()}};
}

/// Returns the list of kernels, each with the members of its value.
template <class Value>
Json kernels_json(std::map<KernelOn, Value> const& kernels) {
  return json_list(kernels, [](auto const& entry) {
    Json out = entry.first;
    out.update(Json(entry.second));
    return out;
  });
}

Json breakdown_json(TimeBreakdown const& breakdown) {
  Json wait = Json::object(), times = Json::object();
  for (std::size_t w = 0; w < waits; ++w) {
    std::string const name = name_of(static_cast<Wait>(w));
    wait[name + "_s"] = breakdown.wait_s[w];
    times[name] = breakdown.wait_count[w];
  }
  return {{"kernels", kernels_json(breakdown.kernels)},
          {"wait", wait},
          {"wait_count", times},
          {"total_s", breakdown.total()}};
}

Json run_json(ComparedRun const& run) {
  RunSummary const& s = run.summary;
  Json out = {{"source", s.source},
              {"format", s.format},
              {"makespan_s", s.makespan_s},
              {"tasks", s.tasks},
              {"workers", s.workers},
              {"busy_s", s.busy_s()},
              {"abe_s", s.abe_s},
              {"critical_path_s", s.critical_path_s},
              {"critical_path_tasks", s.critical_path_tasks},
              {"nodes", s.nodes},
              {"messages", json_list(s.messages, link_json)},
              {"copies", json_list(s.copies, link_json)}};
  if (!s.findings.empty()) out["findings"] = s.findings;
  if (!run.traced) return out;
  out["iterations"] = s.iterations;
  out["ready_tasks"] = {{"mean", s.ready_mean}, {"most", s.ready_most}, {"averages", s.ready_tasks}};
  out["chain"] = breakdown_json(run.chain.breakdown);
  out["chain"]["tasks"] = json_list(run.chain.tasks | std::views::reverse, &TaskId::value);
  out["per_worker"] = breakdown_json(run.workers);
  return out;
}

/// All kernels of both runs, those of the first run first.
Json kernels_of_runs_json(RunComparison const& c) {
  Json out = Json::array(), of_b_only = Json::array();
  auto const times = [](auto const* entry) { return entry != nullptr ? sample_json(entry->second) : Json(); };
  for (auto const& [kernel, of] : side_by_side(c.a.summary.kernels, c.b.summary.kernels, key_of_map)) {
    Json& json = (of[0] != nullptr ? out : of_b_only).emplace_back(kernel);
    json.update({{"a", times(of[0])}, {"b", times(of[1])}});
  }
  out.insert(out.end(), of_b_only.begin(), of_b_only.end());
  return out;
}

Json parts_json(RunComparison const& c) {
  Json out = Json::array();
  for (std::size_t i = 0; i < difference_causes; ++i) {
    DifferenceParts::Part const& part = c.parts->parts[i];
    out.push_back({{"cause", name_of(static_cast<DifferenceCause>(i))},
                   {"seconds", part.seconds},
                   {"relative", part.seconds / c.a.summary.makespan_s},
                   {"measured_s", part.measured_s},
                   {"on_chains_s", part.on_chains_s},
                   {"a_s", part.a_s},
                   {"b_s", part.b_s}});
  }
  return out;
}

/// What differs between the runs, as far as traces and results show.
Json known_json(DifferenceParts const& parts) {
  Json out = {{"options", parts.known ? Json(parts.known->options) : Json(nullptr)},
              {"kernel_means", parts.other_kernel_times},
              {"deviations", parts.other_deviations},
              {"tasks", parts.other_tasks}};
  out.update(Json(parts.traces));
  return out;
}

Json causes_json(RunComparison const& c) {
  std::vector<DifferenceCause> const main = c.parts->main(c.a.summary.makespan_s);
  auto const other = c.parts->not_separable_from(c.a.summary.makespan_s);
  Json const names = json_list(main, [](DifferenceCause cause) { return name_of(cause); });
  auto const by_kernel = [](auto const& entry) {
    Json kernel = entry.first;
    kernel["seconds"] = entry.second;
    return kernel;
  };
  return {{"sum_s", c.parts->sum()},
          {"verdict", verdict(c)},
          {"main", main.empty() ? Json(nullptr) : Json(name_of(main.front()))},
          {"kernels", kernels_json(c.chains.kernels)},
          {"main_causes", names},
          {"not_separable_from", other ? Json(name_of(*other)) : Json(nullptr)},
          {"chaos_s", c.chaos_s()},
          {"parts", parts_json(c)},
          {"by_kernel", json_list(c.parts->kernels, by_kernel)},
          {"node_bound_s", c.parts->node_bound_s},
          {"worker_load_s", c.parts->worker_load_s},
          {"order_may_delay_messages", c.parts->order_may_delay_messages},
          {"known", known_json(*c.parts)}};
}

Json own_means_json(RunComparison const& c) {
  if (!c.own_means) return {{"simulated", nullptr}, {"why_not", c.no_own_means}};
  double measured = c.a.summary.makespan_s, calibrated = c.b.summary.makespan_s;
  if (c.own_means->simulated == 'a') std::swap(measured, calibrated);
  return {{"simulated", std::string(1, c.own_means->simulated)},
          {"makespan_with_own_means_s", c.own_means->makespan_s},
          {"makespan_with_calibrated_means_s", calibrated},
          {"difference_with_own_means", c.own_means->makespan_s / measured - 1},
          {"difference_with_calibrated_means", calibrated / measured - 1},
          {"means_replaced", c.own_means->replaced},
          {"means_kept", c.own_means->kept}};
}

Json proof_json(RunComparison const& c) {
  auto const change_json = [&](DifferenceProof::Change const& change) {
    Json causes = Json::array();
    for (std::size_t i = 0; i < difference_causes; ++i)
      if (change.causes[i]) causes.push_back(name_of(static_cast<DifferenceCause>(i)));
    double const predicted = c.predicted_s(change);
    return Json{{"option", change.option},
                {"causes", causes},
                {"alone_s", change.alone_s},
                {"share_s", change.share_s},
                {"predicted_s", std::isnan(predicted) ? Json(nullptr) : Json(predicted)}};
  };
  return {{"changes", json_list(c.proof->changes, change_json)},
          {"interaction_s", c.proof->interaction_s},
          {"simulations", c.proof->simulations}};
}

Json checks_json(std::vector<ToleranceCheck> const& checks) {
  Json list = json_list(checks, [](ToleranceCheck const& check) {
    Json out = check;
    out["ok"] = check.ok();
    return out;
  });
  return {{"ok", std::ranges::all_of(checks, &ToleranceCheck::ok)}, {"checks", std::move(list)}};
}

}  // namespace

Json difference_json(RunComparison const& c) {
  Json out = {{"makespan",
               {{"a_s", c.a.summary.makespan_s},
                {"b_s", c.b.summary.makespan_s},
                {"difference_s", c.difference_s()},
                {"relative", c.difference_s() / c.a.summary.makespan_s},
                {"from", c.start == RunStart::first_task ? "first task" : "start of the run"}}}};
  if (c.distinction) out["makespan"]["distinction"] = *c.distinction;
  if (c.proof) out["proof"] = proof_json(c);
  if (c.traced()) out["causes"] = causes_json(c);
  return out;
}

Json run_comparison_json(RunComparison const& c, std::vector<ToleranceCheck> const& checks) {
  Json out = {{"format", "factosim-comparison"}, {"version", 1}};
  out.update(difference_json(c));
  if (c.traced()) {
    out["own_means"] = own_means_json(c);
    out["kernels"] = kernels_of_runs_json(c);
  }
  out["tolerance"] = checks_json(checks);
  out["a"] = run_json(c.a);
  out["b"] = run_json(c.b);
  return out;
}

}  // namespace factosim
