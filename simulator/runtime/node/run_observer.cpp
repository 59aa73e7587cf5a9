#include "simulator/runtime/node/run_observer.hpp"

#include "factosim/error.hpp"

namespace factosim {

void Statistics::task_ran(std::size_t node, std::size_t worker, std::size_t kernel, Joules energy,
                          Seconds start, Seconds end) {
  FACTOSIM_EXPECT(end >= start, "a kernel ends before it starts");
  SimulationOutcome::Node& n = outcome_.nodes[node];
  n.first_task = n.tasks == 0 ? start : std::min(n.first_task, start);
  n.last_task = std::max(n.last_task, end);
  n.busy += end - start;
  ++n.tasks;
  if (n.tasks_by_worker.size() <= worker) {
    n.tasks_by_worker.resize(worker + 1, 0);
    n.busy_by_worker.resize(worker + 1, 0);
  }
  ++n.tasks_by_worker[worker];
  n.busy_by_worker[worker] += (end - start).value;
  n.busy_energy += energy;
  ++outcome_.tasks_by_kernel[kernel];
  outcome_.makespan = std::max(outcome_.makespan, end);
  // Keeps only the kernels that end in the last tenth of the makespan so far.
  recent_.push_back({start.value, end.value});
  while (recent_.front().end < 0.9 * outcome_.makespan.value) {
    settled_busy_ += recent_.front().end - recent_.front().start;
    recent_.pop_front();
  }
}

void Statistics::message_carried(std::size_t from, std::size_t to, Bytes size, Seconds date) {
  ++outcome_.tiles_sent;
  ++outcome_.transfers;
  outcome_.bytes_sent += size;
  ++outcome_.nodes[from].tiles_sent;
  outcome_.nodes[from].last_send = date;
  ++outcome_.nodes[to].tiles_received;
}

void Statistics::copy_carried(bool from_ram, bool to_ram, Bytes size) {
  ++outcome_.transfers;
  if (from_ram)
    (to_ram ? outcome_.host_to_host : outcome_.host_to_device) += size;
  else
    (to_ram ? outcome_.device_to_host : outcome_.device_to_device) += size;
}

SimulationOutcome Statistics::finish() {
  double const horizon = 0.9 * outcome_.makespan.value;
  double busy = settled_busy_;
  double busy_before_horizon = settled_busy_;
  for (Span const& span : recent_) {
    busy += span.end - span.start;
    busy_before_horizon += std::max(0.0, std::min(span.end, horizon) - span.start);
  }
  double const capacity = static_cast<double>(workers_) * outcome_.makespan.value;
  if (capacity > 0) {
    outcome_.utilization = busy / capacity;
    outcome_.utilization_first_90 = busy_before_horizon / (0.9 * capacity);
  }
  return outcome_;
}

}  // namespace factosim
