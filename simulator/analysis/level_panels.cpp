#include "simulator/analysis/level_panels.hpp"

namespace factosim {

std::vector<LevelPanel> const& level_panels() {
  static std::vector<LevelPanel> const panels{
      {.id = "ready",
       .title = "Ready and running tasks",
       .unit = "tasks",
       .curves = {{"ready_tasks", "ready", 0}, {"running_tasks", "running", 2}},
       .against_workers = true},
      {.id = "submitted",
       .title = "Submitted tasks that have not ended",
       .unit = "tasks",
       .curves = {{"submitted_tasks", "submitted", 6}}},
      {.id = "gflops",
       .title = "Rate of computation",
       .unit = "GFlop/s",
       .curves = {{"gflops", "GFlop/s", 2}}},
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
       .title = "Sends and receives under way",
       .unit = "messages",
       .curves = {{"messages_sent", "sends", 0}, {"messages_received", "receives", 1}},
       .by_row = true},
  };
  return panels;
}

}  // namespace factosim
