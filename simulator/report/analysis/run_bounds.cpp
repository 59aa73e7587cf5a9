#include "simulator/report/analysis/run_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace factosim {

namespace {

/// Returns the number at a JSON pointer; nothing if there is none.
std::optional<double> number_at(nlohmann::ordered_json const& json, char const* pointer) {
  nlohmann::ordered_json::json_pointer const at(pointer);
  if (!json.contains(at) || !json[at].is_number()) return std::nullopt;
  return json[at].get<double>();
}

std::optional<double> bytes_copied(RunView const& run, std::string const& kind) {
  auto const& copies = run.run.summary.copies;
  auto const found = std::ranges::find(copies, kind, &RunSummary::Link::name);
  return found == copies.end() ? std::nullopt : std::optional(static_cast<double>(found->bytes));
}

}  // namespace

std::vector<RunBound> run_bounds(RunView const& run) {
  RunSummary const& s = run.run.summary;
  auto const bound = [&](char const* key) { return number_at(run.result, key).value_or(0); };
  std::vector<RunBound> out{
      {"makespan", "makespan", "from the first submission to the last end", run.makespan_s()}};
  if (!run.result.contains("bounds")) {
    out.front().meaning = "measured";
    out.push_back(
        {"area bound", "area bound", "all workers busy all the time, with the run's own means", s.abe_s});
    if (s.critical_path_s > 0)
      out.push_back({"critical path", "critical path", "its longest chain of tasks, with their own durations",
                     s.critical_path_s});
    return out;
  }
  if (double const problem = bound("/bounds/problem_s"); problem > 0)
    out.push_back(
        {"bound of the problem", "problem", "no distribution or order on these nodes is faster", problem});
  if (double const distribution = bound("/bounds/distribution_s");
      distribution > 0 && run.run.summary.nodes.size() > 1)
    out.push_back({"bound of this distribution", "distribution",
                   "no order of the tasks is faster on their owners", distribution});
  out.push_back({"area bound", "area bound", "all workers busy all the time", bound("/bounds/abe_s")});
  auto const nodes = run.result["bounds"].value("abe_per_node_s", std::vector<double>{});
  if (nodes.size() > 1)
    out.push_back({"area bound of the most loaded node", "most loaded node",
                   "with the tasks that the distribution gives it", std::ranges::max(nodes)});
  double const path = bound("/bounds/critical_path_s");
  double const with_messages = bound("/bounds/critical_path_with_comm_s");
  out.push_back({"critical path", "critical path", "the longest chain of tasks", path});
  if (with_messages > path)
    out.push_back(
        {"critical path with messages", "with messages", "and their tiles at full bandwidth", with_messages});
  return out;
}

std::vector<TimePart> time_parts(RunView const& run, TimeBreakdown const& breakdown) {
  std::map<std::string, double> kernels;
  for (auto const& [key, kernel] : breakdown.kernels) kernels[key.kernel] += kernel.seconds;
  std::vector<TimePart> out;
  for (NamedColor const& k : run.kernels)
    if (auto const found = kernels.find(k.name); found != kernels.end())
      out.push_back({k, found->second, false});
  auto const& names = wait_colors();
  for (std::size_t w = 0; w < waits; ++w)
    if (breakdown.wait_s[w] > 0) out.push_back({names[w], breakdown.wait_s[w], true});
  return out;
}

std::vector<RunTotal> run_totals(RunView const& run) {
  RunSummary const& s = run.run.summary;
  std::vector<RunTotal> out;
  auto const add = [&](char const* name, char const* unit, char const* pointer,
                       std::optional<double> otherwise) {
    auto const value = number_at(run.result, pointer);
    if (auto const v = value ? value : otherwise; v && !std::isnan(*v)) out.push_back({name, unit, *v});
  };
  add("makespan", "s", "/makespan_s", s.makespan_s);
  add("rate of computation", "GFlop/s", "/gflops", std::nullopt);
  add("tasks", "", "/tasks", static_cast<double>(s.tasks));
  out.push_back({"workers", "", static_cast<double>(s.workers)});
  out.push_back({"nodes", "", static_cast<double>(s.nodes.size())});
  add("utilization", "share", "/utilization", s.busy_s() / (static_cast<double>(s.workers) * s.makespan_s));
  add("utilization within the first 90 %", "share", "/utilization_first_90", std::nullopt);
  add("area bound", "s", "/bounds/abe_s", s.abe_s);
  add("critical path", "s", "/bounds/critical_path_s", s.critical_path_s);
  add("critical path with messages", "s", "/bounds/critical_path_with_comm_s", std::nullopt);
  add("tiles sent", "", "/tiles_sent", RunSummary::total(s.messages, &RunSummary::Link::transfers));
  add("bytes sent", "B", "/bytes_sent", RunSummary::total(s.messages, &RunSummary::Link::bytes));
  add("RAM to GPU", "B", "/transfers/h2d_bytes", bytes_copied(run, "h2d"));
  add("GPU to RAM", "B", "/transfers/d2h_bytes", bytes_copied(run, "d2h"));
  add("GPU to GPU", "B", "/transfers/d2d_bytes", bytes_copied(run, "d2d"));
  add("energy", "J", "/energy/total_J", std::nullopt);
  return out;
}

}  // namespace factosim
