#pragma once

#include <cstdint>
#include <span>

#include "simulator/engine/topology.hpp"
#include "simulator/runtime/id_pool.hpp"
#include "simulator/runtime/node_services.hpp"

namespace factosim {

/// A message that the plan implies: an output of a task for a run of its successors on one other node.
struct PlannedMessage {
  TaskId producer;
  EdgeId first, last;  // its readers: successors [first, last)
  /// The task that flushes the previous copy of the tile on that node: the message is delivered once it has
  /// run. None: there is no previous copy.
  TaskId after;
};

/// A planned message from its creation to its delivery.
struct Message {
  PlannedMessage plan;
  ReplicaId replica;  // on the destination
  std::int32_t priority;
  NodeId source;             // the node that sends it: the producer's, or one that forwards
  MessageId first_child;     // the first message that its receiver forwards
  MessageId next_child;      // the next one that the same node forwards
  BroadcastId broadcast;     // the cooperative send it belongs to
  ReplicaId source_replica;  // of the producer, where it is not permanent: the message is a use of it
};

/// The messages that exist, with their properties by the plan and the platform. O(log nodes) per query.
class Messages {
 public:
  Messages(SimulationInputs const& inputs, Topology const& topology) : inputs_(inputs), topology_(topology) {}

  MessageId create(PlannedMessage const& plan);
  /// The message stays readable until the next one is created.
  void remove(MessageId id) { pool_.remove(id); }

  [[nodiscard]] Message& operator[](MessageId id) { return pool_[id]; }
  [[nodiscard]] Message const& operator[](MessageId id) const { return pool_[id]; }
  [[nodiscard]] NodeId destination(MessageId id) const {
    return inputs_.plan.node_of_replica(pool_[id].replica);
  }
  [[nodiscard]] HandleId handle(MessageId id) const { return inputs_.plan.handle_of(pool_[id].replica); }
  [[nodiscard]] Bytes size(MessageId id) const { return inputs_.graph.handles[handle(id).index()].size; }
  /// Returns the tasks that the message is for.
  [[nodiscard]] std::span<TaskId const> readers(PlannedMessage const& plan) const {
    return {inputs_.graph.successors.data() + plan.first.index(),
            inputs_.graph.successors.data() + plan.last.index()};
  }
  /// Returns the latency of the route from its source to its destination.
  [[nodiscard]] Seconds latency(MessageId id) const;

 private:
  SimulationInputs const& inputs_;
  Topology const& topology_;
  IdPool<MessageId, Message> pool_;
};

/// Calls `use(plan)` for each message that the output of the task makes.
template <class Use>
void for_each_planned_message(TaskGraph const& graph, ExecutionPlan const& plan, TaskId task,
                              Use const& use) {
  auto const reader = [&](std::uint32_t edge) { return graph.successors[edge]; };
  for_each_message(graph, plan, task, [&](std::uint32_t first, std::uint32_t last) {
    bool const flushed = first > graph.successor_begin[task.index()] && graph.flushes(reader(first - 1)) &&
                         plan.node_of(reader(first - 1)) == plan.node_of(reader(first));
    use(PlannedMessage{task, EdgeId{first}, EdgeId{last}, flushed ? reader(first - 1) : TaskId{}});
  });
}

}  // namespace factosim
