#pragma once

#include <cstdint>
#include <vector>

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

}  // namespace factosim
