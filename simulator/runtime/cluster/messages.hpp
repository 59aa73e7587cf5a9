#pragma once

#include "platforms/topology.hpp"
#include "simulator/base/core/id_pool.hpp"
#include "simulator/runtime/cluster/task_flow.hpp"
#include "simulator/runtime/node/node_services.hpp"

namespace factosim {

/// A planned message from its creation to its delivery.
struct Message {
  PlannedMessage plan;
  NodeId source{};             // the node that sends it: the producer's, or one that forwards
  MessageId first_child{};     // the first message that its receiver forwards
  MessageId next_child{};      // the next one that the same node forwards
  BroadcastId broadcast{};     // the cooperative send it belongs to
  LocalMemory from{0}, to{0};  // memory nodes of the sender and the receiver
  LocalReplica held{};         // the copy in the memory of a GPU that it leaves; none: it leaves RAM
};

/// The messages that exist, with their properties by the plan and the platform.
class Messages {
 public:
  Messages(SimulationInputs const& inputs, Topology const& topology) : inputs_(inputs), topology_(topology) {}

  MessageId create(PlannedMessage const& plan) { return pool_.add({.plan = plan}); }
  /// The message stays readable until the next one is created.
  void remove(MessageId id) { pool_.remove(id); }

  [[nodiscard]] Message& operator[](MessageId id) { return pool_[id]; }
  [[nodiscard]] Message const& operator[](MessageId id) const { return pool_[id]; }
  [[nodiscard]] NodeId destination(MessageId id) const { return pool_[id].plan.destination; }
  [[nodiscard]] HandleId handle(MessageId id) const { return pool_[id].plan.handle; }
  [[nodiscard]] Bytes size(MessageId id) const { return inputs_.graph.handles[handle(id).index()].size; }
  /// Returns the latency of the route from the RAM of its source to that of its destination.
  [[nodiscard]] Seconds latency(MessageId id) const {
    Topology::RouteBuffer scratch;
    return topology_.route(topology_.ram_of(pool_[id].source), topology_.ram_of(destination(id)), scratch)
        .latency;
  }
  /// Returns the memory of its destination where it arrives if there is room.
  [[nodiscard]] LocalMemory arrival(MessageId id) const {
    Message const& m = pool_[id];
    return topology_.arrival(MemoryNodeId{topology_.ram_of(m.source).value() + m.from.value()},
                             destination(id));
  }

 private:
  SimulationInputs const& inputs_;
  Topology const& topology_;
  IdPool<MessageId, Message> pool_;
};

}  // namespace factosim
