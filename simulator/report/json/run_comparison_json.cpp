#include "simulator/report/json/run_comparison_json.hpp"

#include "simulator/report/json/run_summary_json.hpp"

namespace factosim {

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
          {"in_use_s", l.in_use_s}, {"bandwidth_Bps", number_or_null(l.bandwidth_Bps())}};
}

Json breakdown_json(TimeBreakdown const& breakdown) {
  Json wait = Json::object();
  for (std::size_t w = 0; w < waits; ++w)
    wait[std::string(name_of(static_cast<Wait>(w))) + "_s"] = breakdown.wait_s[w];
  Json times = Json::object();
  for (std::size_t w = 0; w < waits; ++w) times[name_of(static_cast<Wait>(w))] = breakdown.wait_count[w];
  return {{"kernels", breakdown_kernels_json(breakdown)},
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
              {"critical_path_s", number_or_null(s.critical_path_s)},
              {"critical_path_tasks", s.critical_path_tasks},
              {"nodes", Json::array()},
              {"messages", Json::array()},
              {"copies", Json::array()}};
  for (RunSummary::Node const& n : s.nodes) out["nodes"].push_back(summary_node_json(n));
  for (RunSummary::Link const& l : s.messages) out["messages"].push_back(link_json(l));
  for (RunSummary::Link const& l : s.copies) out["copies"].push_back(link_json(l));
  if (!run.traced) return out;
  out["iterations"] = Json::array();
  for (RunSummary::Iteration const& i : s.iterations)
    out["iterations"].push_back(
        {{"k", i.k}, {"tasks", i.tasks}, {"first_start_s", i.first_start_s}, {"last_end_s", i.last_end_s}});
  out["ready_tasks"] = {{"mean", s.ready_mean}, {"most", s.ready_most}, {"averages", s.ready_tasks}};
  out["chain"] = breakdown_json(run.chain.breakdown);
  Json tasks = Json::array();
  for (auto t = run.chain.tasks.rbegin(); t != run.chain.tasks.rend(); ++t) tasks.push_back(t->value());
  out["chain"]["tasks"] = tasks;
  out["per_worker"] = breakdown_json(run.workers);
  return out;
}

/// All kernels of both runs.
Json kernels_json(RunComparison const& c) {
  Json out = Json::array();
  auto const add = [&](RunSummary::KernelTimes const& k) {
    auto const* const in_a = c.a.summary.find(k.kernel, k.resource);
    auto const* const in_b = c.b.summary.find(k.kernel, k.resource);
    out.push_back({{"kernel", k.kernel},
                   {"resource", k.resource},
                   {"a", in_a != nullptr ? sample_json(in_a->seconds) : Json(nullptr)},
                   {"b", in_b != nullptr ? sample_json(in_b->seconds) : Json(nullptr)}});
  };
  for (RunSummary::KernelTimes const& k : c.a.summary.kernels) add(k);
  for (RunSummary::KernelTimes const& k : c.b.summary.kernels)
    if (c.a.summary.find(k.kernel, k.resource) == nullptr) add(k);
  return out;
}

Json parts_json(RunComparison const& c) {
  Json out = Json::array();
  for (std::size_t i = 0; i < difference_causes; ++i) {
    DifferenceParts::Part const& part = c.parts->parts[i];
    out.push_back({{"cause", name_of(static_cast<DifferenceCause>(i))},
                   {"seconds", part.seconds},
                   {"relative", number_or_null(part.seconds / c.a.summary.makespan_s)},
                   {"measured_s", part.measured_s},
                   {"a_s", number_or_null(part.a_s)},
                   {"b_s", number_or_null(part.b_s)}});
  }
  return out;
}

Json part_kernels_json(DifferenceParts const& parts) {
  Json out = Json::array();
  for (DifferenceParts::Kernel const& k : parts.kernels)
    out.push_back({{"kernel", k.kernel}, {"resource", k.resource}, {"seconds", k.seconds}});
  return out;
}

Json messages_json(DifferenceParts const& parts) {
  if (!parts.messages) return nullptr;
  return {{"from", parts.messages->from_task_end ? "end of the task" : "recorded start"},
          {"a_mean_s", number_or_null(parts.messages->a_s)},
          {"b_mean_s", number_or_null(parts.messages->b_s)}};
}

/// What differs between the runs, as far as traces and results show.
Json known_json(DifferenceParts const& parts) {
  return {{"options", parts.known ? Json(parts.known->options) : Json(nullptr)},
          {"kernel_means", parts.other_kernel_times},
          {"tasks", parts.other_tasks},
          {"map", parts.traces.map},
          {"workers", parts.traces.workers},
          {"priorities", parts.traces.priorities},
          {"network", parts.traces.network},
          {"bus", parts.traces.bus},
          {"memory", parts.traces.memory},
          {"submission", parts.traces.submission}};
}

Json causes_json(RunComparison const& c) {
  ChainDifference const& d = c.chains;
  Json kernels = Json::array();
  for (ChainDifference::Kernel const& k : d.kernels)
    kernels.push_back({{"kernel", k.kernel},
                       {"resource", k.resource},
                       {"tasks_a", k.tasks_a},
                       {"tasks_b", k.tasks_b},
                       {"means_s", k.means_s},
                       {"path_s", k.path_s},
                       {"deviations_s", k.deviations_s}});
  std::vector<DifferenceCause> const main = c.parts->main(c.a.summary.makespan_s);
  Json names = Json::array();
  for (DifferenceCause const cause : main) names.push_back(name_of(cause));
  return {{"kernel_means_s", d.means_s},
          {"kernel_deviations_s", d.deviations_s},
          {"path_s", d.path_s},
          {"data_s", d.data_s},
          {"scheduling_s", d.scheduling_s},
          {"submission_s", d.submission_s},
          {"unexplained_s", d.unexplained_s},
          {"sum_s", d.sum()},
          {"main", main.empty() ? Json(nullptr) : Json(name_of(main.front()))},
          {"kernels", kernels},
          {"main_causes", names},
          {"parts", parts_json(c)},
          {"by_kernel", part_kernels_json(*c.parts)},
          {"node_bound_s", c.parts->node_bound_s},
          {"worker_load_s", c.parts->worker_load_s},
          {"messages", messages_json(*c.parts)},
          {"order_may_delay_messages", c.parts->order_may_delay_messages},
          {"known", known_json(*c.parts)}};
}

Json own_means_json(RunComparison const& c) {
  if (!c.own_means) return {{"simulated", nullptr}, {"why_not", c.no_own_means}};
  double const measured = (c.own_means->simulated == 'b' ? c.a : c.b).summary.makespan_s;
  double const calibrated = (c.own_means->simulated == 'b' ? c.b : c.a).summary.makespan_s;
  return {{"simulated", std::string(1, c.own_means->simulated)},
          {"makespan_with_own_means_s", c.own_means->makespan_s},
          {"makespan_with_calibrated_means_s", calibrated},
          {"difference_with_own_means", number_or_null(c.own_means->makespan_s / measured - 1)},
          {"difference_with_calibrated_means", number_or_null(calibrated / measured - 1)},
          {"means_replaced", c.own_means->replaced},
          {"means_kept", c.own_means->kept}};
}

Json checks_json(std::vector<ToleranceCheck> const& checks) {
  Json list = Json::array();
  bool ok = true;
  for (ToleranceCheck const& check : checks) {
    ok = ok && check.ok();
    list.push_back({{"metric", check.metric},
                    {"what", check.what},
                    {"a", number_or_null(check.a)},
                    {"b", number_or_null(check.b)},
                    {"relative", number_or_null(check.relative)},
                    {"limit", check.limit},
                    {"ok", check.ok()}});
  }
  return {{"ok", ok}, {"checks", list}};
}

}  // namespace

Json run_comparison_json(RunComparison const& c, std::vector<ToleranceCheck> const& checks) {
  Json out = {{"format", "factosim-comparison"},
              {"version", 1},
              {"makespan",
               {{"a_s", c.a.summary.makespan_s},
                {"b_s", c.b.summary.makespan_s},
                {"difference_s", c.difference_s()},
                {"relative", number_or_null(c.difference_s() / c.a.summary.makespan_s)},
                {"from", c.start == RunStart::first_task ? "first task" : "start of the run"}}}};
  if (c.traced()) {
    out["causes"] = causes_json(c);
    out["own_means"] = own_means_json(c);
    out["kernels"] = kernels_json(c);
  }
  out["tolerance"] = checks_json(checks);
  out["a"] = run_json(c.a);
  out["b"] = run_json(c.b);
  return out;
}

}  // namespace factosim
