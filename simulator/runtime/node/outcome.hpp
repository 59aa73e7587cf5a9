#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "factosim/id.hpp"
#include "factosim/platform.hpp"
#include "factosim/quantity.hpp"

namespace factosim {

/// Dates of one task of a run, and what it waited for last. 32 bytes: every run records them.
struct TaskDates {
  static constexpr std::uint32_t none = 0x7fffffff;

  double start_s = 0, end_s = 0;
  float waited_s = 0;        // from ready to start
  float output_delay_s = 0;  // from the end until its output for other nodes is in RAM
  /// The task whose end or message made it ready; for a task that became ready when it was submitted, the last
  /// task before the barrier.
  std::uint32_t released_by : 31 = none;
  std::uint32_t by_submission : 1 = 0;
  std::uint32_t previous = none;  // the task that ran before it on its worker

  [[nodiscard]] double ready_s() const { return start_s - static_cast<double>(waited_s); }
};

/// Records the dates of all tasks. O(1) per event; allocates only at the start.
class TaskDatesRecorder {
 public:
  /// `tasks`: 0 to record nothing.
  TaskDatesRecorder(std::size_t tasks, std::size_t workers)
      : dates_(tasks), last_(workers, TaskDates::none) {}

  /// All tasks before a barrier have run.
  void part_begins() { last_of_part_ = last_of_run_; }
  /// `pusher`: the worker whose task was the last predecessor. `producer`: the task whose message was the last one
  /// to arrive. Neither: the task was ready when it was submitted.
  void ready(TaskId task, WorkerId pusher, TaskId producer, Seconds now) {
    if (dates_.empty()) return;
    TaskDates& d = dates_[task.index()];
    d.start_s = now.value;  // until it starts
    d.by_submission = !pusher.valid() && !producer.valid() ? 1 : 0;
    d.released_by = (pusher.valid()     ? last_[pusher.index()]
                     : producer.valid() ? producer.value()
                                        : last_of_part_) &
                    TaskDates::none;
  }
  /// Calls come in the order of `end`.
  void ran(TaskId task, WorkerId worker, Seconds start, Seconds end) {
    if (dates_.empty()) return;
    TaskDates& d = dates_[task.index()];
    d.waited_s = static_cast<float>(start.value - d.start_s);
    d.start_s = start.value;
    d.end_s = end.value;
    d.previous = last_[worker.index()];
    last_[worker.index()] = last_of_run_ = task.value();
  }
  void output_in_ram(TaskId task, Seconds now) {
    if (dates_.empty()) return;
    TaskDates& d = dates_[task.index()];
    d.output_delay_s = static_cast<float>(now.value - d.end_s);
  }
  [[nodiscard]] std::vector<TaskDates> take() { return std::move(dates_); }

 private:
  std::vector<TaskDates> dates_;     // [tasks]
  std::vector<std::uint32_t> last_;  // [workers] the last task that ran there
  std::uint32_t last_of_run_ = TaskDates::none, last_of_part_ = TaskDates::none;
};

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
