#pragma once

#include <vector>

#include "factosim/scheduler.hpp"
#include "simulator/runtime/engine/engine.hpp"
#include "simulator/runtime/node/copy_prediction.hpp"
#include "simulator/runtime/node/node_data.hpp"
#include "simulator/runtime/node/node_services.hpp"

namespace factosim {

/// A node as its scheduling policy sees it.
class PolicyView final : public NodeView {
 public:
  /// The references must outlive this; `data` is used only after the policy has been created.
  PolicyView(NodeId node, SimulationInputs const& inputs, Engine const& engine, NodeData const& data)
      : node_(node), inputs_(inputs), engine_(engine), data_(data) {}

  [[nodiscard]] std::span<Worker const> workers() const override { return type().workers; }
  [[nodiscard]] std::size_t memory_node_count() const override { return type().rams + type().gpu_memories; }
  [[nodiscard]] Seconds now() const override { return engine_.now(); }
  [[nodiscard]] int priority(TaskId task) const override { return inputs_.graph.priority[task.index()]; }
  [[nodiscard]] std::span<double const> durations(TaskId task) const override {
    auto const of_kernel = inputs_.machine.durations(node_, inputs_.graph.kernel[task.index()]);
    if (inputs_.graph.weights.empty()) return of_kernel;
    TaskWeight const weight = inputs_.graph.weights[task.index()];
    weighted_.resize(of_kernel.size());
    for (std::size_t w = 0; w < of_kernel.size(); ++w)  // the GPUs are first
      weighted_[w] = of_kernel[w] * (w < type().gpus ? weight.gpu : weight.core);
    return weighted_;
  }
  [[nodiscard]] double busy_power(TaskId task, LocalWorker worker) const override {
    return type().busy_power(inputs_.graph.kernel[task.index()], worker.index());
  }
  void predict_transfers(TaskId task, std::span<double> seconds) const override {
    data_.predict_transfers(task, seconds);
  }
  [[nodiscard]] Readiness readiness(TaskId task, LocalMemory memory) const override {
    return data_.readiness(task, memory);
  }
  [[nodiscard]] TaskGraph const& graph() const override { return inputs_.graph; }
  [[nodiscard]] bool runs_here(TaskId task) const override { return inputs_.plan.runs_on(task, node_); }
  [[nodiscard]] Seconds copy_time(LocalMemory from, LocalMemory to, Bytes size) const override {
    return predicted_copy_time(inputs_.platform.type_of(node_), from, to, size);
  }
  [[nodiscard]] std::size_t replica_count() const override { return inputs_.plan.replicas_on(node_).size(); }
  [[nodiscard]] LocalReplica replica(TaskId task, std::size_t operand) const override {
    return data_.operand(task, operand);
  }
  [[nodiscard]] bool present(LocalReplica replica, LocalMemory memory) const override {
    return data_.present(replica, memory);
  }
  [[nodiscard]] Seconds transfer_time(LocalReplica replica, LocalMemory memory) const override {
    return data_.transfer_time(replica, memory);
  }

 private:
  [[nodiscard]] Machine::Type const& type() const { return inputs_.machine.type(node_); }

  NodeId node_;
  SimulationInputs const& inputs_;
  Engine const& engine_;
  NodeData const& data_;
  mutable std::vector<double> weighted_;  // durations of the task asked for last, where tasks have weights
};

}  // namespace factosim
