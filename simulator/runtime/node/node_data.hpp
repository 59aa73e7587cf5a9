#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "factosim/scheduler.hpp"
#include "simulator/runtime/node/data_manager.hpp"
#include "simulator/runtime/node/node_services.hpp"
#include "simulator/runtime/node/ram_usage.hpp"
#include "simulator/runtime/node/run_observer.hpp"
#include "simulator/runtime/node/serial_server.hpp"

namespace factosim {

/// The data of one node, as tasks and messages use it: brings operands to the memory of a task's worker, and
/// output for other nodes to RAM. On a node with one memory node everything is there already.
class NodeData {
 public:
  /// Calls `client` when data arrives, unless it is for a message. `eviction`: null for the runtime system's list.
  NodeData(NodeId node, SimulationInputs const& inputs, NodeServices& services, Scheduler const& scheduler,
           EvictionPolicy* eviction, RunObserver& observer, DataClient& client);

  /// Out of core: puts the data that exist at the start into RAM and on the disk.
  void place_initial();

  // ---- for tasks ----

  [[nodiscard]] std::size_t operand_count(TaskId task) const {
    return inputs_.graph.accesses_of(task).size();
  }
  /// All predecessors of the task are done.
  void task_ready(TaskId task);
  /// Returns whether a GPU's memory has been full.
  [[nodiscard]] bool is_memory_short() const { return manager_ && manager_->is_memory_short(); }
  /// Requests the operands of a task that was sent to that memory ahead of time, if the policy prefetches.
  void prefetch(TaskId task, LocalMemory memory);
  /// The order in which the operands of a task are fetched: empty for that of the graph. Sorted where memory is short.
  void order_of_fetch(TaskId task, std::vector<std::uint32_t>& order) const;
  /// Makes room in RAM for an operand that the task creates. Returns how long the worker is busy with that.
  Seconds reserve(TaskId task, std::size_t operand);
  /// Requests one operand for the task that the worker has taken. Returns whether it is there already.
  bool fetch(TaskId task, std::size_t operand, LocalWorker worker, LocalMemory memory);
  /// All operands of the task have arrived: they are no longer reserved.
  void release_reservations(TaskId task, LocalMemory memory);
  /// The task, which ran on that memory, needs its operands no longer.
  void release(TaskId task, LocalMemory memory);
  /// No task of the node will use what the task wrote.
  void wont_use(TaskId task);

  // ---- for messages ----

  /// Brings all outputs of the task for other nodes to RAM, unless they leave the memory of a GPU, then starts to send them;
  /// by the number under which they are sent.
  void send_output(TaskId task);
  /// One more output of the task is in RAM.
  void output_arrived(TaskId task);
  /// A message with a replica that does not stay has arrived elsewhere.
  void sent(LocalReplica replica) { release_use(replica); }
  /// See NodeRuntime.
  [[nodiscard]] std::pair<LocalReplica, LocalMemory> hold_output(TaskId sender, HandleId handle);
  void let_go(LocalReplica replica, LocalMemory memory) { manager_->let_go(replica, memory); }
  [[nodiscard]] std::optional<Seconds> make_room(LocalReplica replica, LocalMemory memory);
  /// A message has brought the replica. Throws InfeasibleError if the RAM is full and tiles must fit.
  void received(LocalReplica replica, LocalMemory memory);
  void received_again(LocalReplica replica);
  /// Adds a replica that is not in the plan and is used as often.
  [[nodiscard]] LocalReplica add_replica(HandleId handle, std::uint32_t uses);

  // ---- for policies ----

  void predict_transfers(TaskId task, std::span<double> seconds) const;
  [[nodiscard]] Readiness readiness(TaskId task, LocalMemory memory) const;
  [[nodiscard]] LocalReplica operand(TaskId task, std::size_t i) const {
    return local(inputs_.plan.replicas_of(inputs_.graph, task)[i]);
  }
  /// Returns whether a valid copy is there or was requested.
  [[nodiscard]] bool present(LocalReplica replica, LocalMemory memory) const {
    return !manager_ || manager_->present(replica, memory);
  }
  [[nodiscard]] Seconds transfer_time(LocalReplica replica, LocalMemory memory) const {
    return manager_ ? manager_->predict(replica, memory) : Seconds{0};
  }

  // ---- for drivers ----

  /// Returns whether drivers handle copies to RAM too, and from there to the disk.
  [[nodiscard]] bool out_of_core() const { return out_of_core_; }

  /// Returns whether the node has more memories than its RAM.
  [[nodiscard]] bool has_transfers() const { return manager_.has_value(); }
  [[nodiscard]] Transfers& transfers() { return manager_->transfers(); }
  bool spare_chunks() { return manager_->spare_chunks(); }
  /// Returns how long a driver is busy from `now` on before it can submit the copy of that step to the bus.
  [[nodiscard]] Seconds preparation(Transfers::Step const& step, Seconds now);

  [[nodiscard]] RamUsage& ram() { return ram_; }
  [[nodiscard]] RamUsage const& ram() const { return ram_; }
  [[nodiscard]] HandleId handle_of(LocalReplica replica) const { return ram_.handle_of(replica); }

 private:
  [[nodiscard]] LocalReplica local(ReplicaId replica) const {
    return LocalReplica{replica.value() - first_replica_};
  }
  /// Calls `use(replica, access)` for each operand of the task.
  template <class Use>
  void for_each_operand(TaskId task, Use const& use) const {
    auto const replicas = inputs_.plan.replicas_of(inputs_.graph, task);
    auto const accesses = inputs_.graph.accesses_of(task);
    for (std::size_t i = 0; i < replicas.size(); ++i) use(local(replicas[i]), accesses[i]);
  }
  [[nodiscard]] Access access(TaskId task, std::size_t i) const {
    return inputs_.graph.accesses_of(task)[i].mode();
  }
  [[nodiscard]] std::int32_t request_priority(TaskId task) const {
    return by_priority_ ? inputs_.graph.priority[task.index()] : 0;
  }
  void release_use(LocalReplica replica);
  /// Sorts the numbers of the task's operands as StarPU (sort_data_handles.c): written ones first, of these those that are
  /// read too, then by handle.
  void sort_operands(TaskId task, std::vector<std::uint32_t>& order) const;

  NodeId node_;
  SimulationInputs const& inputs_;
  NodeServices& services_;
  bool prefetches_;
  bool by_priority_;
  bool out_of_core_;
  bool sends_from_gpus_;
  std::uint32_t first_replica_;  // of this node in the plan
  RamUsage ram_;
  std::optional<DataManager> manager_;  // only on nodes with several memory nodes
  SerialServer gpu_allocator_;          // of all GPUs together
  std::vector<LocalReplica> outputs_;   // scratch: the outputs of one task for other nodes
  std::vector<std::uint32_t> order_;    // scratch: of the operands of one task
  // Of tasks with several outputs for other nodes: number of outputs that are not in RAM yet.
  std::unordered_map<std::uint32_t, std::size_t> outputs_to_fetch_;
};

}  // namespace factosim
