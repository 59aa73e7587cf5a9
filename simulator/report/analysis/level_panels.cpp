#include "simulator/report/analysis/level_panels.hpp"

#include <algorithm>
#include <functional>
#include <map>

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
       .title = "Data in use per memory node",
       .unit = "GB",
       .scale = 1e-9,
       .curves = {{"memory_bytes", "in use", 3}},
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

}  // namespace factosim
