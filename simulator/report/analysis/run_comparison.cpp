#include "simulator/report/analysis/run_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "simulator/base/core/json_reader.hpp"
#include "simulator/base/core/sample.hpp"
#include "simulator/report/analysis/result_file.hpp"

namespace factosim {

namespace {

constexpr double of_difference = 0.95;  // probability that the interval of a distinction holds it

/// Returns the mean duration of a kernel in a run, or in the other one if this run does not have it.
double mean_of(KernelOn const& kernel, RunSummary const& run, RunSummary const& other) {
  auto const found = run.kernels.find(kernel);
  return found == run.kernels.end() ? other.kernels.at(kernel).mean : found->second.mean;
}

ChainDifference chain_difference(ComparedRun const& a, ComparedRun const& b) {
  ChainDifference out;
  for (auto const& [kernel, of] :
       side_by_side(a.chain.breakdown.kernels, b.chain.breakdown.kernels, key_of_map)) {
    double const mean_a = mean_of(kernel, a.summary, b.summary),
                 mean_b = mean_of(kernel, b.summary, a.summary);
    auto const [in_a, in_b] = std::array{of[0] != nullptr ? of[0]->second : TimeBreakdown::Kernel{},
                                         of[1] != nullptr ? of[1]->second : TimeBreakdown::Kernel{}};
    auto const n_a = static_cast<double>(in_a.tasks), n_b = static_cast<double>(in_b.tasks);
    ChainDifference::Kernel const k{
        .tasks_a = in_a.tasks,
        .tasks_b = in_b.tasks,
        .means_s = (n_a + n_b) / 2 * (mean_b - mean_a),
        .path_s = (n_b - n_a) * (mean_a + mean_b) / 2,
        .deviations_s = (in_b.seconds - n_b * mean_b) - (in_a.seconds - n_a * mean_a)};
    out.means_s += k.means_s;
    out.path_s += k.path_s;
    out.deviations_s += k.deviations_s;
    out.kernels[kernel] = k;
  }
  auto const wait = [&](Wait w) { return b.chain.breakdown.wait(w) - a.chain.breakdown.wait(w); };
  out.data_s = wait(Wait::message) + wait(Wait::send) + wait(Wait::copy);
  out.scheduling_s = wait(Wait::scheduling);
  out.submission_s = wait(Wait::submission);
  out.unexplained_s = wait(Wait::unexplained);
  return out;
}

}  // namespace

ComparedRun compared_run(Trace const& trace, bool by_type, RunStart start) {
  ComparedRun run;
  run.summary = summarize_run(trace, by_type, start);
  run.chain = critical_chain(trace, run.summary.origin_s, by_type);
  run.workers = worker_breakdown(trace, run.summary.origin_s, run.summary.makespan_s, by_type);
  return run;
}

ComparedRun compared_result(std::filesystem::path const& result) {
  nlohmann::json const document = parse_json_file(result);
  JsonReader const json(document, result.string());
  json.check_format("factosim-result", 1);
  ComparedRun run;
  run.traced = false;
  if (auto const detail = json.find("detail"))
    detail->fail(
        "shows an estimate (it has no dates of nodes and tasks). Simulate every task: \"detail\" \"tasks\"");
  RunSummary& s = run.summary;
  s.source = result.string();
  s.format = "result";
  s.findings = findings_of_result(result, document);
  run.repetitions_s = repetitions_of_result(json);
  s.makespan_s = json.at("makespan_s").non_negative();
  s.tasks = static_cast<std::size_t>(json.at("tasks").integer(0, INT64_MAX));
  s.abe_s = json.at("bounds").at("abe_s").non_negative();
  s.critical_path_s = json.at("bounds").at("critical_path_s").non_negative();
  auto const abe = json.at("bounds").at("abe_per_node_s").elements();
  for (JsonReader const& n : json.at("nodes").elements()) {
    RunSummary::Node node;
    node.name = std::to_string(s.nodes.size());
    node.type = n.at("type").string();
    node.workers = static_cast<std::size_t>(n.at("workers").integer(0, INT64_MAX));
    node.tasks = static_cast<std::size_t>(n.at("tasks").integer(0, INT64_MAX));
    node.busy_s = n.at("busy_s").non_negative();
    node.idle_s = static_cast<double>(node.workers) * s.makespan_s - node.busy_s;
    node.first_task_s = n.at("first_task_s").non_negative();
    node.last_task_s = n.at("last_task_s").non_negative();
    if (s.nodes.size() < abe.size()) node.abe_s = abe[s.nodes.size()].non_negative();
    s.workers += node.workers;
    s.nodes.push_back(std::move(node));
  }
  auto const sent = static_cast<std::uint64_t>(json.at("tiles_sent").integer(0, INT64_MAX));
  if (sent > 0)
    s.messages.push_back(
        {.name = "all", .transfers = sent, .bytes = json.at("bytes_sent").integer(0, INT64_MAX)});
  return run;
}

RunComparison compare_runs(ComparedRun a, ComparedRun b) {
  RunComparison out;
  if (a.traced && b.traced) out.chains = chain_difference(a, b);
  out.a = std::move(a);
  out.b = std::move(b);
  return out;
}

RunComparison compare_traces(Trace const& a, Trace const& b, std::optional<KnownDifferences> known) {
  bool const by_type = same_node_types(a, b);
  RunStart const start =
      (a.format == "factosim") == (b.format == "factosim") ? RunStart::own : RunStart::first_task;
  RunComparison out = compare_runs(compared_run(a, by_type, start), compared_run(b, by_type, start));
  out.start = start;
  RunSummary const &of_a = out.a.summary, &of_b = out.b.summary;
  out.parts = difference_parts({a, of_a.origin_s, of_a.makespan_s}, {b, of_b.origin_s, of_b.makespan_s},
                               by_type, std::move(known));
  return out;
}

std::vector<ComparedTotal> compared_totals(RunComparison const& c) {
  RunSummary const &a = c.a.summary, &b = c.b.summary;
  auto const busy = [](RunSummary const& s) { return s.busy_s() / static_cast<double>(s.workers); };
  // Bounds of traced runs use their own durations, those of results the means.
  std::vector<ComparedTotal> out{
      {"makespan", a.makespan_s, b.makespan_s},
      {c.traced() ? "area bound, own durations" : "area bound", a.abe_s, b.abe_s},
      {c.traced() ? "longest chain, own durations" : "critical path", a.critical_path_s, b.critical_path_s},
      {"busy, mean of the workers", busy(a), busy(b)},
      {"tasks", static_cast<double>(a.tasks), static_cast<double>(b.tasks), false}};
  if (!a.ready_tasks.empty() && !b.ready_tasks.empty()) {
    out.push_back({"ready tasks, mean", a.ready_mean, b.ready_mean, false});
    out.push_back({"ready tasks, most", a.ready_most, b.ready_most, false});
  }
  return out;
}

std::vector<double> repetitions_of_result(JsonReader const& result) {
  std::vector<double> out;
  for (char const* const key : {"sensitivity", "replicas"}) {
    auto const repeated = result.find(key);
    if (!repeated || !out.empty()) continue;
    for (JsonReader const& value : repeated->at("makespan_s").at("values").elements())
      out.push_back(value.non_negative());
  }
  return out;
}

std::optional<Distinction> distinguish(double a_s, std::vector<double> const& repetitions_a, double b_s,
                                       std::vector<double> const& repetitions_b) {
  Moments const a = moments(repetitions_a), b = moments(repetitions_b);
  if (a.count < 2 && b.count < 2) return std::nullopt;
  Distinction out{.both_repeated = a.count >= 2 && b.count >= 2};
  if (out.both_repeated) {
    out.half_width_s = difference_half_width(a, b, of_difference);
    out.means_difference_s = b.mean - a.mean;
  } else {
    Moments const& known = a.count >= 2 ? a : b;
    out.half_width_s = difference_half_width(known, known, of_difference);
  }
  double const difference = b_s - a_s;
  out.distinct = std::abs(difference) > out.half_width_s && difference * out.means_difference_s >= 0;
  return out;
}

}  // namespace factosim
