#pragma once

#include <optional>

#include "simulator/runtime/node_services.hpp"
#include "simulator/runtime/noise.hpp"
#include "simulator/runtime/replay_oracle.hpp"

namespace factosim {

/// Durations of the kernels of one node (recorded, drawn, or the mean) and the recorded pauses before them.
/// Policies know only the means.
class KernelTimes {
 public:
  KernelTimes(NodeId node, SimulationInputs const& inputs, ReplayOracle& replay)
      : node_(node), inputs_(inputs), replay_(replay) {
    if (inputs.noise.on()) noise_.emplace(inputs.noise, inputs.machine, node);
  }

  /// The duration of the task's kernel, which starts on the worker.
  [[nodiscard]] Seconds duration(TaskId task, LocalWorker worker) {
    if (auto const recorded = replay_.duration(task, is_gpu(worker))) return *recorded;
    std::uint32_t const kernel = inputs_.graph.kernel[task.index()];
    return Seconds{noise_ ? noise_->duration(inputs_.graph.submission_number(task), kernel, worker.value())
                          : inputs_.machine.durations(node_, kernel)[worker.index()]};
  }
  void task_ready(TaskId task, Seconds now) { replay_.task_ready(task, now); }
  /// Returns the recorded delay of the task's kernel, which could start now. `last_end`: of the worker's
  /// previous kernel.
  [[nodiscard]] Seconds pause_before(TaskId task, LocalWorker worker, Seconds last_end, Seconds now) const {
    return replay_.pause(task, is_gpu(worker), last_end, now);
  }

 private:
  [[nodiscard]] bool is_gpu(LocalWorker worker) const {
    return inputs_.machine.type(node_).workers[worker.index()].gpu;
  }

  NodeId node_;
  SimulationInputs const& inputs_;
  ReplayOracle& replay_;
  std::optional<Noise> noise_;  // only where durations differ from the means
};

}  // namespace factosim
