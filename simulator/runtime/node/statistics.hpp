#pragma once

#include <deque>

#include "factosim/task_graph.hpp"
#include "simulator/runtime/node/outcome.hpp"

namespace factosim {

/// Sums up kernels and transfers during a run.
class Statistics {
 public:
  Statistics(std::size_t nodes, std::size_t kernels, std::size_t workers) : workers_(workers) {
    outcome_.nodes.resize(nodes);
    outcome_.tasks_by_kernel.resize(kernels);
  }

  /// Calls come in the order of `end`. `worker`: numbered within the node; `energy`: above idle.
  void task_ran(std::size_t node, std::size_t worker, std::size_t kernel, Joules energy, Seconds start,
                Seconds end);
  /// Calls come in the order of `date`, the arrival.
  void message_carried(std::size_t from, std::size_t to, Bytes size, Seconds date);
  void copy_carried(bool from_ram, bool to_ram, Bytes size);
  /// A copy to the disk of a node, or from there.
  void disk_carried(std::size_t node, bool to_disk, Bytes size) {
    ++outcome_.transfers;
    SimulationOutcome::Node& n = outcome_.nodes[node];
    (to_disk ? n.disk_written : n.disk_read) += size;
  }
  [[nodiscard]] SimulationOutcome finish();

 private:
  struct Span {
    double start, end;
  };
  std::size_t workers_;
  SimulationOutcome outcome_;
  std::deque<Span> recent_;  // kernels that may end after 90 % of the makespan
  double settled_busy_ = 0;  // of all other kernels, seconds
};

}  // namespace factosim
