#include "simulator/report/analysis/run_comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "factosim/error.hpp"
#include "simulator/base/core/named_values.hpp"
#include "simulator/base/core/parsed.hpp"
#include "simulator/base/core/sample.hpp"
#include "simulator/report/analysis/result_file.hpp"

namespace factosim {

namespace {

/// Returns true if two runs have the same types of nodes, and several; resources then distinguish them.
/// Names of node types from different sources are not comparable.
bool same_node_types(Trace const& a, Trace const& b) {
  auto const types = [](Trace const& trace) {
    std::set<std::string> out;
    for (Trace::Node const& n : trace.nodes) out.insert(n.type);
    return out;
  };
  auto const of_a = types(a);
  return of_a.size() > 1 && of_a == types(b);
}

constexpr double of_difference = 0.95;  // probability that the interval of a distinction holds it

/// Returns the mean duration of a kernel in a run, or in the other one if this run does not have it.
double mean_of(KernelOn const& kernel, RunSummary const& run, RunSummary const& other) {
  auto const found = run.kernels.find(kernel);
  return found == run.kernels.end() ? other.kernels.at(kernel).mean : found->second.mean;
}

ChainDifference chain_difference(ComparedRun const& a, ComparedRun const& b) {
  using enum DifferenceCause;
  ChainDifference out;
  for (auto const& [kernel, of] :
       side_by_side(a.chain.breakdown.kernels, b.chain.breakdown.kernels, key_of_map)) {
    double const mean_a = mean_of(kernel, a.summary, b.summary),
                 mean_b = mean_of(kernel, b.summary, a.summary);
    auto const [in_a, in_b] = std::array{or_none(of[0]).second, or_none(of[1]).second};
    auto const n_a = static_cast<double>(in_a.tasks), n_b = static_cast<double>(in_b.tasks);
    ChainDifference::Kernel const k{
        .tasks_a = in_a.tasks,
        .tasks_b = in_b.tasks,
        .means_s = (n_a + n_b) / 2 * (mean_b - mean_a),
        .path_s = (n_b - n_a) * (mean_a + mean_b) / 2,
        .deviations_s = (in_b.seconds - n_b * mean_b) - (in_a.seconds - n_a * mean_a)};
    out.of(kernels) += k.means_s;
    out.of(order) += k.path_s;
    out.of(deviations) += k.deviations_s;
    out.kernels[kernel] = k;
  }
  auto const wait = [&](Wait w) { return b.chain.breakdown.wait(w) - a.chain.breakdown.wait(w); };
  out.of(messages) = wait(Wait::message) + wait(Wait::send);
  out.of(copies) = wait(Wait::copy);
  out.of(overhead) = wait(Wait::scheduling) + wait(Wait::submission);
  out.of(unexplained) = wait(Wait::unexplained);
  return out;
}

}  // namespace

ComparedRun compared_run(Causes const& causes, bool by_type, RunStart start) {
  ComparedRun run;
  run.summary = summarize_run(causes, by_type, start);
  run.chain = critical_chain(causes, run.summary.origin_s, by_type);
  run.workers = worker_breakdown(causes, run.summary.origin_s, run.summary.makespan_s, by_type, &run.idle);
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

double RunComparison::predicted_s(DifferenceProof::Change const& change) const {
  if (!parts || change.causes.none()) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0;
  for (std::size_t i = 0; i < difference_causes; ++i)
    if (change.causes[i]) sum += parts->parts[i].seconds;
  return sum;
}

double RunComparison::chaos_s() const {
  if (!own_means || !parts || parts->other_kernel_times) return 0;
  double const before = (own_means->simulated == 'b' ? b : a).summary.makespan_s;
  double const moved = std::abs(own_means->makespan_s - before);
  return moved > 2e-6 * before ? moved : 0;
}

RunComparison compare_traces(Trace const& a, Trace const& b, std::optional<KnownDifferences> known) {
  bool const by_type = same_node_types(a, b);
  RunStart const start =
      (a.format == "factosim") == (b.format == "factosim") ? RunStart::own : RunStart::first_task;
  RunComparison out = compare_runs(compared_run(a, by_type, start), compared_run(b, by_type, start));
  out.start = start;
  RunSummary const &of_a = out.a.summary, &of_b = out.b.summary;
  out.parts = difference_parts({a, of_a.origin_s, of_a.makespan_s}, {b, of_b.origin_s, of_b.makespan_s},
                               by_type, std::move(known), out.chains.seconds);
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

std::vector<std::string> verdict(RunComparison const& c) {
  DifferenceParts const& parts = *c.parts;
  std::vector<DifferenceCause> const main = parts.main(c.a.summary.makespan_s);
  if (main.empty()) return {"main cause: none, the makespans are the same"};
  std::vector<std::string> out{fmt::format("main cause: {}", name_of(main.front()))};
  for (std::size_t i = 1; i < main.size(); ++i)
    out.front() += fmt::format("{} {}", i == 1 ? "; nearly as much:" : ",", name_of(main[i]));
  if (auto const other = parts.not_separable_from(c.a.summary.makespan_s))
    out.front() += fmt::format("; not separable from {}, which the chains name", name_of(*other));
  if ((c.distinction && !c.distinction->distinct) || std::abs(c.difference_s()) <= c.chaos_s())
    out.emplace_back("chaos: ties and overheads move single runs as far, the causes may be these alone");
  if (parts.order_may_delay_messages && main.front() == DifferenceCause::messages)
    out.emplace_back(
        "the network is as fast in both runs: another order of tasks or of sends may be behind it");
  if (parts.known && !parts.known->options.empty())
    out.push_back(fmt::format("options that differ: {}", fmt::join(parts.known->options, " ")));
  return out;
}

namespace {

using Link = RunSummary::Link;

/// A quantity of whole runs, of each of their nodes, or, without both, of each kernel that both runs have.
struct Metric {
  std::string_view name;
  double (*of_run)(RunSummary const&) = nullptr;
  double RunSummary::Node::*of_node = nullptr;
};

constexpr std::array metrics{
    Metric{"makespan", [](RunSummary const& s) { return s.makespan_s; }},
    Metric{"tasks", [](RunSummary const& s) { return static_cast<double>(s.tasks); }},
    Metric{"abe", [](RunSummary const& s) { return s.abe_s; }},
    Metric{"critical_path", [](RunSummary const& s) { return s.critical_path_s; }},
    Metric{"busy", nullptr, &RunSummary::Node::busy_s},
    Metric{"idle", nullptr, &RunSummary::Node::idle_s},
    Metric{"kernel_mean"},
    Metric{"messages", [](RunSummary const& s) { return RunSummary::total(s.messages, &Link::transfers); }},
    Metric{"message_bytes", [](RunSummary const& s) { return RunSummary::total(s.messages, &Link::bytes); }},
    Metric{"copy_bytes", [](RunSummary const& s) { return RunSummary::total(s.copies, &Link::bytes); }},
};

/// Calls `add(what, value of a, value of b)` for each value of the metric.
template <class Add>
void for_each_value(Metric const& metric, RunSummary const& a, RunSummary const& b, Add const& add) {
  if (metric.of_run != nullptr) return add("", metric.of_run(a), metric.of_run(b));
  if (metric.of_node != nullptr) {
    auto const value = [&](RunSummary const& s, std::size_t n) {
      return n < s.nodes.size() ? s.nodes[n].*metric.of_node : 0;
    };
    for (std::size_t n = 0; n < std::max(a.nodes.size(), b.nodes.size()); ++n)
      add(fmt::format("node {}", n), value(a, n), value(b, n));
    return;
  }
  for (auto const& [kernel, seconds] : a.kernels)
    if (auto const other = b.kernels.find(kernel); other != b.kernels.end())
      add(kernel.text(), seconds.mean, other->second.mean);
}

[[noreturn]] void fail(std::string_view item, std::string_view problem) {
  throw InputError("--tolerance#", fmt::format("\"{}\" {}. Give NAME=SHARE%, NAME one of {}", item, problem,
                                               fmt::join(names_of(metrics), ", ")));
}

Tolerance parse_one(std::string_view item) {
  std::size_t const equals = item.find('=');
  Tolerance t{.metric = std::string(equals == std::string_view::npos ? "makespan" : item.substr(0, equals))};
  std::string_view number = equals == std::string_view::npos ? item : item.substr(equals + 1);
  bool const percent = number.ends_with('%');
  if (percent) number.remove_suffix(1);
  t.relative = parsed<double>(number).value_or(-1);
  if (!(t.relative >= 0) || std::isinf(t.relative)) fail(item, "has no number >= 0");
  if (percent) t.relative /= 100;
  if (std::ranges::find(metrics, t.metric, &Metric::name) == metrics.end())
    fail(item, "names nothing that is compared");
  return t;
}

}  // namespace

std::vector<Tolerance> parse_tolerances(std::string_view text) {
  std::vector<Tolerance> out;
  while (!text.empty()) {
    std::size_t const comma = std::min(text.find(','), text.size());
    out.push_back(parse_one(text.substr(0, comma)));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return out;
}

bool ToleranceCheck::ok() const {
  // Unknown in both runs, or equal up to rounding.
  if (std::isnan(a) && std::isnan(b)) return true;
  return std::abs(relative) <= limit * (1 + 1e-9) + 1e-12;
}

std::vector<ToleranceCheck> check_tolerances(RunComparison const& comparison,
                                             std::vector<Tolerance> const& tolerances) {
  std::vector<ToleranceCheck> out;
  for (Tolerance const& t : tolerances)
    for_each_value(*std::ranges::find(metrics, t.metric, &Metric::name), comparison.a.summary,
                   comparison.b.summary, [&](std::string const& what, double a, double b) {
                     double relative = a != 0 ? (b - a) / std::abs(a) : 0;
                     if (a == 0 && b != 0) relative = std::numeric_limits<double>::infinity();
                     out.push_back({t.metric, what, a, b, relative, t.relative});
                   });
  return out;
}

}  // namespace factosim
