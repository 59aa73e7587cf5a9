#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "factosim/scheduler.hpp"
#include "simulator/runtime/engine/engine.hpp"
#include "simulator/runtime/eviction/eviction_policies.hpp"
#include "simulator/runtime/node/copy_prediction.hpp"
#include "simulator/runtime/node/driver.hpp"
#include "simulator/runtime/node/kernel_times.hpp"
#include "simulator/runtime/node/node_data.hpp"
#include "simulator/runtime/node/node_services.hpp"
#include "simulator/runtime/node/replay_oracle.hpp"
#include "simulator/runtime/node/run_observer.hpp"
#include "simulator/tasks/plan/machine.hpp"

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

/// The runtime system on one node: passes events on to its scheduling policy, the drivers of its workers and
/// its data.
///
/// A task here becomes ready -> is pushed (the policy queues it, its operands may be prefetched) -> is taken
/// by a worker -> fetches its operands -> runs its kernel -> is released: successors become ready, output
/// leaves.
class NodeRuntime final : private DataClient, private Prefetcher {
 public:
  NodeRuntime(NodeId id, SimulationInputs const& inputs, NodeServices& services, ReplayOracle& replay,
              RunObserver& observer);

  /// All predecessors of the task are done and it is submitted. `pusher`: the worker that has noticed that, whose task was
  /// the last predecessor unless there is a `producer`: the task whose message arrived last. None: another thread.
  void push(TaskId task, LocalWorker pusher, TaskId producer = {});
  /// The engine's events for this node.
  void worker_continues(LocalWorker worker);
  void kernel_ends(LocalWorker worker);

  /// What may help where nothing happens any more although tasks are left, in this order: all drivers make another round;
  /// prefetches, which are only hints, are dropped; copies may be evicted that only requests in queues need as their source;
  /// chunks of GPU memory, which few tiles of one size may hold, are only used where tiles of all sizes find room.
  enum class WayOut : std::uint8_t { look_again, drop_prefetches, release_sources, spare_chunks };
  /// Returns whether that changes anything.
  bool make_way(WayOut way);

  /// Its data, as messages use it.
  [[nodiscard]] NodeData& data() { return data_; }
  /// Returns whether messages need a receive buffer that was requested before.
  [[nodiscard]] bool pins_memory() const { return data_.ram().host_memory().pins_receive_buffers(); }
  void want_buffer(BufferRequest const& request);
  /// The communication thread handles messages for `needed` of processor time. Returns how long that takes.
  [[nodiscard]] Seconds communicate(Seconds needed) { return kernels_.communicate(needed); }
  [[nodiscard]] HostMemory& host_memory() { return data_.ram().host_memory(); }

 private:
  [[nodiscard]] std::unique_ptr<Scheduler> make_policy(ReplayOracle const& replay) const;
  [[nodiscard]] EvictionChoice choose_eviction();
  void prefetch(TaskId task, LocalMemory memory) override { data_.prefetch(task, memory); }
  void data_arrived(Waiter const& waiter) override;
  void wake_driver(LocalMemory memory) override { wake_ups_.memory_changed(memory); }
  void start_copy(RequestId request, LocalMemory from, LocalMemory to, LocalReplica replica) override;
  void place_taken(LocalReplica replica, LocalMemory memory) override;
  void place_released(LocalReplica replica, LocalMemory memory) override;

  NodeId id_;
  SimulationInputs const& inputs_;
  NodeServices& services_;
  RunObserver& observer_;
  PolicyView view_;
  std::unique_ptr<Scheduler> scheduler_;
  EvictionChoice eviction_;
  NodeData data_;
  KernelTimes kernels_;
  std::vector<Driver> drivers_;  // [workers]
  WakeUps wake_ups_;
  NodeParts parts_;
};

/// The runtime systems of all nodes, by id.
class Nodes {
 public:
  void add(std::unique_ptr<NodeRuntime> node) { nodes_.push_back(std::move(node)); }
  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(nodes_.size()); }
  [[nodiscard]] NodeRuntime& operator[](NodeId node) const { return *nodes_[node.index()]; }
  /// Returns whether `test(node)` holds for any node.
  template <class Test>
  [[nodiscard]] bool any(Test const& test) const {
    return std::any_of(nodes_.begin(), nodes_.end(), [&](auto const& node) { return test(*node); });
  }

 private:
  std::vector<std::unique_ptr<NodeRuntime>> nodes_;
};

}  // namespace factosim
