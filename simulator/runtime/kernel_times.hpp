#pragma once

#include <algorithm>
#include <optional>

#include "simulator/runtime/node_services.hpp"
#include "simulator/runtime/noise.hpp"

namespace factosim {

/// The kernels of one node: how long they run (as recorded, drawn, or the mean, which is all that policies
/// know) and the recorded pauses before them.
class KernelTimes {
 public:
  KernelTimes(NodeId node, SimulationInputs const& inputs, NodeServices& services)
      : node_(node), inputs_(inputs), services_(services) {
    if (inputs.noise.on()) noise_.emplace(inputs.noise, inputs.machine, node);
  }

  /// The duration of the task's kernel, which starts on the worker.
  [[nodiscard]] Seconds duration(TaskId task, LocalWorker worker) {
    Recording const* const recorded = inputs_.recording;
    if (recorded != nullptr && !recorded->duration_s.empty() && ran_on_such(task, worker))
      return Seconds{recorded->duration_s[task.index()]};
    std::uint32_t const kernel = inputs_.graph.kernel[task.index()];
    return Seconds{noise_ ? noise_->duration(inputs_.graph.submission_number(task), kernel, worker.value())
                          : inputs_.machine.durations(node_, kernel)[worker.index()]};
  }
  void task_ready(TaskId task, Seconds now) {
    if (prescribes_pauses()) services_.ready_date(task) = now.value;
  }
  /// For how long the task's kernel, which could start now, does not start since the recording says so.
  /// `last_end`: of the worker's kernel before.
  [[nodiscard]] Seconds pause_before(TaskId task, LocalWorker worker, Seconds last_end, Seconds now) {
    if (!prescribes_pauses() || !ran_on_such(task, worker)) return Seconds{0};
    double const possible = std::max(services_.ready_date(task), last_end.value);
    return Seconds{std::max(0.0, possible + inputs_.recording->pause_s[task.index()] - now.value)};
  }

 private:
  [[nodiscard]] bool prescribes_pauses() const {
    return inputs_.recording != nullptr && !inputs_.recording->pause_s.empty();
  }
  /// Whether the recorded run executed the task on the kind of that worker.
  [[nodiscard]] bool ran_on_such(TaskId task, LocalWorker worker) const {
    return inputs_.recording->on_gpu[task.index()] == inputs_.machine.type(node_).workers[worker.index()].gpu;
  }

  NodeId node_;
  SimulationInputs const& inputs_;
  NodeServices& services_;
  std::optional<Noise> noise_;  // only where durations differ from the means
};

}  // namespace factosim
