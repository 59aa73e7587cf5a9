#include "simulator/report/analysis/column_labels.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace factosim {

namespace {

using Label = std::pair<std::string_view, std::string_view>;

constexpr std::array labels{
    Label{"makespan_s", "Makespan (s)"},
    Label{"gflops", "Performance (GFlop/s)"},
    Label{"speedup", "Speed-up"},
    Label{"efficiency", "Efficiency"},
    Label{"abe_s", "Area bound (s)"},
    Label{"abe_of_most_loaded_s", "Area bound of the most loaded node (s)"},
    Label{"critical_path_s", "Critical path (s)"},
    Label{"critical_path_with_comm_s", "Critical path with communication (s)"},
    Label{"bound_s", "Lower bound of the makespan (s)"},
    Label{"tiles_sent", "Tiles sent between nodes"},
    Label{"bytes_sent", "Data sent between nodes (B)"},
    Label{"h2d_bytes", "Data copied from RAM to GPUs (B)"},
    Label{"d2h_bytes", "Data copied from GPUs to RAM (B)"},
    Label{"d2d_bytes", "Data copied between GPUs (B)"},
    Label{"utilization_first_90", "Utilization in the first 90 % of the makespan"},
    Label{"activity_s", "Time with a running task (s)"},
    Label{"energy_J", "Energy (J)"},
    Label{"energy_with_power_off_J", "Energy, idle nodes powered off (J)"},
    Label{"node_hours", "Node-hours"},
    Label{"peak_memory_bytes", "Peak memory of a node (B)"},
    Label{"application/nt", "Tiles per row"},
    Label{"application/nb", "Tile size"},
    Label{"distribution", "Distribution"},
};

constexpr std::array units{Label{"_s", "s"},        Label{"_bytes", "B"},  Label{"_Bps", "B/s"},
                           Label{"_J", "J"},        Label{"_W", "W"},      Label{"_Hz", "Hz"},
                           Label{"_flops", "flop"}, Label{"_percent", "%"}};

}  // namespace

std::string column_label(std::string_view column) {
  if (auto const found = std::ranges::find(labels, column, &Label::first); found != labels.end())
    return std::string(found->second);
  constexpr std::string_view nodes = "nodes_", type = "/type";
  if (column.starts_with(nodes)) return "Nodes of type " + std::string(column.substr(nodes.size()));
  if (column.ends_with(type)) column.remove_suffix(type.size());
  std::string out(column.substr(column.rfind('/') == column.npos ? 0 : column.rfind('/') + 1)), unit;
  for (auto const& [suffix, name] : units)
    if (out.size() > suffix.size() && out.ends_with(suffix)) {
      out.resize(out.size() - suffix.size());
      unit = " (" + std::string(name) + ")";
      break;
    }
  std::ranges::replace(out, '_', ' ');
  if (!out.empty() && out.front() >= 'a' && out.front() <= 'z')
    out.front() = static_cast<char>(out.front() - 32);
  return out + unit;
}

}  // namespace factosim
