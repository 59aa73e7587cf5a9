#include "simulator/report/analysis/run_panels.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>

namespace factosim {

namespace {

std::size_t rows_of(RunView const& run, LevelPanel const& panel) {
  std::size_t rows = 0;
  for (LevelPanel::Curve const& c : panel.curves)
    if (LevelRows const* const level = run.find(c.level)) rows = std::max(rows, level->rows.size());
  return rows;
}

/// Scales to the unit of the panel and drops curves that are 0 all the time.
std::vector<LevelCurve> finished(std::vector<LevelCurve> curves, LevelPanel const& panel) {
  for (LevelCurve& c : curves)
    for (float& v : c.values) v *= static_cast<float>(panel.scale);
  if (!std::ranges::all_of(curves, &LevelCurve::is_zero))
    std::erase_if(curves, std::mem_fn(&LevelCurve::is_zero));
  return curves;
}

}  // namespace

std::vector<LevelPanel> const& level_panels() {
  static std::vector<LevelPanel> const panels{
      {.id = "ready",
       .title = "Ready and running tasks",
       .unit = "tasks",
       .curves = {{"ready_tasks", "ready", 0}, {"running_tasks", "running", 2}},
       .against_workers = true},
      {.id = "submitted",
       .title = "Submitted and unfinished tasks",
       .unit = "tasks",
       .curves = {{"submitted_tasks", "submitted", 6}}},
      {.id = "gflops", .title = "Rate of computation", .unit = "GFlop/s", .curves = {{"gflops", "rate", 2}}},
      {.id = "memory",
       .title = "Data per memory node",
       .unit = "GB",
       .scale = 1e-9,
       .curves = {{"memory_bytes", "in use", 3}, {"allocated_bytes", "allocated", 0}},
       .by_row = true,
       .memory_nodes = true},
      {.id = "bus",
       .title = "Copies over PCI",
       .unit = "MB/s",
       .scale = 1e-6,
       .curves = {{"h2d_Bps", "RAM to GPU", 0},
                  {"d2h_Bps", "GPU to RAM", 1},
                  {"d2d_Bps", "GPU to GPU", 4},
                  {"h2h_Bps", "RAM to RAM", 3}}},
      {.id = "network",
       .title = "Network",
       .unit = "MB/s",
       .scale = 1e-6,
       .curves = {{"nic_out_Bps", "sent", 0}, {"nic_in_Bps", "received", 1}},
       .by_row = true},
      {.id = "messages",
       .title = "Messages in flight",
       .unit = "messages",
       .curves = {{"messages_sent", "sends", 0}, {"messages_received", "receives", 1}},
       .by_row = true},
  };
  return panels;
}

std::pair<std::string, double> shown_unit(std::string unit, double most) {
  static std::map<std::string, std::string, std::less<>> const larger{
      {"MB/s", "GB/s"}, {"GB/s", "TB/s"},       {"MB", "GB"},           {"GB", "TB"},
      {"TB", "PB"},     {"GFlop/s", "TFlop/s"}, {"TFlop/s", "PFlop/s"}, {"PFlop/s", "EFlop/s"},
  };
  double factor = 1;
  for (auto next = larger.find(unit); next != larger.end() && most * factor >= 1000;
       next = larger.find(unit)) {
    unit = next->second;
    factor /= 1000;
  }
  return {std::move(unit), factor};
}

bool LevelCurve::is_zero() const {
  return std::ranges::none_of(values, [](float v) { return v > 0; });
}

std::vector<LevelCurve> summed_curves(RunView const& run, LevelPanel const& panel) {
  std::vector<LevelCurve> out;
  for (LevelPanel::Curve const& c : panel.curves) {
    LevelRows const* const level = run.find(c.level);
    if (level == nullptr) continue;
    std::vector<float> sum(run.intervals(), 0);
    for (auto const& values : level->rows)
      for (std::size_t i = 0; i < values.size(); ++i) sum[i] += values[i];
    out.push_back(
        {.curve = c.name, .row = "", .level = c.level, .color = curve_colors()[c.color], .values = sum});
  }
  return finished(std::move(out), panel);
}

std::vector<LevelCurve> row_curves(RunView const& run, LevelPanel const& panel) {
  auto const& nodes = run.run.summary.nodes;
  std::vector<LevelCurve> out;
  for (std::size_t row = 0; row < rows_of(run, panel); ++row) {
    std::uint32_t const node =
        panel.memory_nodes ? run.memories[row].node.value() : static_cast<std::uint32_t>(row);
    std::string const memory = panel.memory_nodes ? run.memories[row].name : "";
    std::string const name = !panel.memory_nodes ? nodes[node].name
                             : nodes.size() > 1  ? nodes[node].name + " " + memory
                                                 : memory;
    for (LevelPanel::Curve const& c : panel.curves)
      if (LevelRows const* const level = run.find(c.level))
        out.push_back({c.name, name, c.level, row, node, curve_colors()[c.color], level->rows[row]});
  }
  return finished(std::move(out), panel);
}

bool shows_rows(RunView const& run, LevelPanel const& panel) {
  return panel.by_row && rows_of(run, panel) > 1;
}

namespace {

/// Returns the number at a JSON pointer; nothing if there is none.
std::optional<double> number_at(nlohmann::ordered_json const& json, char const* pointer) {
  nlohmann::ordered_json::json_pointer const at(pointer);
  if (!json.contains(at) || !json[at].is_number()) return std::nullopt;
  return json[at].get<double>();
}

std::optional<double> bytes_copied(RunView const& run, std::string const& kind) {
  for (RunSummary::Link const& link : run.run.summary.copies)
    if (link.name == kind) return static_cast<double>(link.bytes);
  return std::nullopt;
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
        {"critical path with messages", "with messages", "and their data at full bandwidth", with_messages});
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
  add("data sent", "", "/tiles_sent", RunSummary::total(s.messages, &RunSummary::Link::transfers));
  add("bytes sent", "B", "/bytes_sent", RunSummary::total(s.messages, &RunSummary::Link::bytes));
  add("RAM to GPU", "B", "/transfers/h2d_bytes", bytes_copied(run, "h2d"));
  add("GPU to RAM", "B", "/transfers/d2h_bytes", bytes_copied(run, "d2h"));
  add("GPU to GPU", "B", "/transfers/d2d_bytes", bytes_copied(run, "d2d"));
  add("energy", "J", "/energy/total_J", std::nullopt);
  return out;
}

}  // namespace factosim
