#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "factosim/platform.hpp"
#include "factosim/scheduler.hpp"
#include "factosim/task_graph.hpp"
#include "simulator/runtime/node/copy_prediction.hpp"
#include "simulator/runtime/node/data_client.hpp"
#include "simulator/runtime/node/gpu_allocation.hpp"
#include "simulator/runtime/node/host_memory.hpp"
#include "simulator/runtime/node/node_services.hpp"
#include "simulator/runtime/node/ram_usage.hpp"
#include "simulator/runtime/node/replica_states.hpp"
#include "simulator/runtime/node/run_observer.hpp"
#include "simulator/runtime/node/transfers.hpp"
#include "simulator/tasks/plan/options.hpp"

namespace factosim {

/// Keeps the copies of the replicas of one node coherent over its memory nodes: a task or a message that
/// needs a copy fetches it, and what it writes makes all other copies invalid. The source of a copy is chosen
/// when it is requested. Source: StarPU 1.4 `coherency.c`.
class DataManager {
 public:
  /// `sizes[r]`, `initial[r]`: size of each replica of the node, and whether it is in memory node 0 at the
  /// start.
  DataManager(NodeType const& type, std::vector<Bytes> sizes, std::vector<bool> const& initial,
              RuntimeOptions const& options, EvictionPolicy* eviction, DataClient& client);

  /// Adds a replica that has no copy, under a new number or that of one that has been forgotten and that nothing `uses`.
  void add_replica(LocalReplica replica, Bytes size);
  /// Returns whether a copy in progress uses the replica, also when it has been forgotten.
  [[nodiscard]] bool uses(LocalReplica replica) const {
    return states_.held(replica) || transfers_.requests().count(replica) > 0;
  }

  struct Need {
    TaskId task;  // invalid: a message
    LocalReplica replica;
    LocalMemory memory;
    Access access;
    std::int32_t priority;
  };
  /// Requests the copy and pins it. Returns true if it is valid already; else the waiter is called later.
  bool fetch(Need const& need, Waiter waiter);
  /// Requests the copy ahead of time: it is not pinned, and nothing waits for it. It is reserved for the
  /// task: prefetches for other tasks do not evict it until ReplicaStates::release_reservation.
  void prefetch(Need const& need);
  /// No task of the node will use the replica any more: it is copied to RAM when the bus is idle, and evicted
  /// first.
  void wont_use(LocalReplica replica);
  /// The task or message that fetched the copy needs it no longer.
  void unpin(LocalReplica replica, LocalMemory memory) {
    states_.end_write(replica);
    states_.unpin(replica, memory);
    transfers_.room_freed();
  }
  /// A message brought the replica into that memory: the first RAM, or one of a GPU that `make_room` has allocated.
  void received(LocalReplica replica, LocalMemory memory);
  /// Allocates unused memory for a copy that a message will bring; none: there is no room.
  GpuAllocation::Source make_room(LocalReplica replica, LocalMemory memory);
  /// A message that has pinned the copy needs it no longer.
  void let_go(LocalReplica replica, LocalMemory memory) {
    states_.unpin(replica, memory);
    transfers_.room_freed();
  }
  /// Out of core: puts the replicas that exist at the start into RAM, as far as it has room, or on the disk.
  void place_initial(std::vector<bool> const& initial, bool on_disk);
  /// The node needs the replica no longer.
  void forget(LocalReplica replica) { transfers_.forget(replica); }

  // ---- for policies ----

  /// Predicted time to bring the replica there; 0 if it is valid or requested there.
  [[nodiscard]] Seconds predict(LocalReplica replica, LocalMemory memory) const;
  [[nodiscard]] bool present(LocalReplica replica, LocalMemory memory) const {
    return states_.valid(replica, memory) || transfers_.requests().any(replica, memory);
  }
  [[nodiscard]] ReplicaStates& states() { return states_; }
  [[nodiscard]] ReplicaStates const& states() const { return states_; }
  /// Returns whether a started request brings the copy.
  [[nodiscard]] bool loading(LocalReplica replica, LocalMemory memory) const {
    return transfers_.requests().is_loading(replica, memory);
  }

  [[nodiscard]] Transfers& transfers() { return transfers_; }
  bool spare_chunks() { return gpus_.spare_chunks(); }

 private:
  /// Returns a request for the copy that the need of the task shares; an invalid id without one.
  [[nodiscard]] RequestId own_request(Need const& need) const;

  std::vector<Bytes> sizes_;
  ReplicaStates states_;
  GpuAllocation gpus_;
  CopyPrediction prediction_;
  Transfers transfers_;
  bool shares_requests_;
};

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
  [[nodiscard]] bool is_memory_short() const { return manager_ && manager_->states().is_memory_short(); }
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
  /// The task, which ran on that memory, needs its operands no longer. Returns how long its worker is busy with the RAM
  /// that this releases, and allocates for what overwrites it.
  Seconds release(TaskId task, LocalMemory memory);
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
  /// An output of the task, by the number under which it is sent, leaves the memory of a GPU: it is not evicted until
  /// `let_go`. Returns its replica and that memory.
  [[nodiscard]] std::pair<LocalReplica, LocalMemory> hold_output(TaskId sender, HandleId handle);
  void let_go(LocalReplica replica, LocalMemory memory) { manager_->let_go(replica, memory); }
  /// A message will bring the replica to that memory of a GPU: allocates it, if it has unused memory. Returns how long that
  /// takes; nothing if there is no room.
  [[nodiscard]] std::optional<Seconds> make_room(LocalReplica replica, LocalMemory memory);
  /// A message has brought the replica. Throws InfeasibleError if the RAM is full and tiles must fit.
  void received(LocalReplica replica, LocalMemory memory);
  /// A message has brought the replica again after it was flushed.
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
