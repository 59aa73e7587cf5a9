#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "factosim/platform.hpp"
#include "factosim/quantity.hpp"
#include "simulator/runtime/node/task_dates.hpp"

namespace factosim {

/// The measures of one simulation.
struct SimulationOutcome {
  struct Node {
    Seconds busy;        // sum over its workers
    Seconds first_task;  // start of its first kernel
    Seconds last_task;   // end of its last kernel; both 0 if it ran none
    std::uint64_t tasks = 0;
    std::vector<std::uint64_t> tasks_by_worker;  // up to the last worker that ran a task
    std::vector<double> busy_by_worker;          // seconds, up to the last worker that ran a task
    Joules busy_energy;                          // of its kernels, above idle
    Seconds last_send;                           // arrival of its last message; 0 if it sent none
    std::uint64_t tiles_sent = 0;
    std::uint64_t tiles_received = 0;
    std::int64_t peak_memory_bytes = 0;  // maximum of tiles in RAM
    std::int64_t over_memory_bytes = 0;  // excess of that over the RAM
    Bytes disk_read, disk_written;
  };

  Seconds makespan;              // from the first submission to the end of the last kernel
  std::uint64_t tiles_sent = 0;  // one per version of a tile and destination
  Bytes bytes_sent;
  Bytes host_to_device, device_to_host, device_to_device;
  Bytes host_to_host;                          // between NUMA nodes
  double utilization = 0;                      // busy time of all workers over workers x makespan
  double utilization_first_90 = 0;             // the same in the first 90 % of the makespan
  std::vector<Node> nodes;                     // [nodes]
  std::vector<std::uint64_t> tasks_by_kernel;  // [kernels]
  std::uint64_t events = 0;                    // handled by the engine
  std::uint64_t transfers = 0;                 // messages and copies
  std::vector<TaskDates> dates;                // [tasks]
  std::vector<double> link_bytes;              // [links of the topology] carried by each
  Bytes reallocated;                           // GPU memory for copies that had lost theirs to other copies
};

/// Energy that one node, or several, consume from the start to the makespan.
struct Energy {
  Joules idle;                 // with every node on until the makespan
  Joules idle_with_power_off;  // with nodes powered off after their last task or message
  Joules busy;                 // kernels, above idle
  bool powered_off = false;    // any node is powered off before the makespan

  [[nodiscard]] Joules total() const { return idle + busy; }
  [[nodiscard]] Joules total_with_power_off() const { return idle_with_power_off + busy; }
};

/// Returns the time from the first to the last task of a node; 0 if it ran none.
[[nodiscard]] inline Seconds activity(SimulationOutcome::Node const& node) {
  return node.last_task - node.first_task;
}

/// Computes the energy of a node of that power. It is on from the start until its last kernel has ended and its last
/// message has arrived. Copies, messages and the runtime system cost only the idle power of the node.
[[nodiscard]] inline Energy energy_of(SimulationOutcome::Node const& node, PowerSpec const& power,
                                      Seconds makespan) {
  Seconds const on = std::min(makespan, std::max(node.last_task, node.last_send));
  Energy out;
  out.idle = Joules{power.idle * makespan.value};
  out.idle_with_power_off = Joules{power.idle * on.value + power.off * (makespan - on).value};
  out.busy = node.busy_energy;
  out.powered_off = on < makespan;
  return out;
}

[[nodiscard]] inline Energy operator+(Energy const& a, Energy const& b) {
  return {a.idle + b.idle, a.idle_with_power_off + b.idle_with_power_off, a.busy + b.busy,
          a.powered_off || b.powered_off};
}

}  // namespace factosim
