#pragma once

#include <vector>

#include "simulator/base/core/id_pool.hpp"
#include "simulator/runtime/cluster/communication_threads.hpp"
#include "simulator/runtime/cluster/messages.hpp"
#include "simulator/runtime/cluster/network_transfers.hpp"
#include "simulator/runtime/cluster/nodes.hpp"
#include "simulator/runtime/cluster/pinned_receives.hpp"
#include "simulator/runtime/cluster/send_queue.hpp"
#include "simulator/runtime/engine/engine.hpp"

namespace factosim {

/// Decides which node sends each message, the producer or a node of its broadcast, and when: the most urgent
/// first, a limited number at a time per node and over all nodes.
class Outbox {
 public:
  /// `receives` may be null: no node page-locks memory; `threads` too: messages take no time of processors.
  Outbox(SimulationInputs const& inputs, Engine& engine, Nodes const& nodes, Messages& messages,
         NetworkTransfers& transfers, PinnedReceives* receives, CommunicationThreads* threads)
      : inputs_(inputs),
        engine_(engine),
        nodes_(nodes),
        messages_(messages),
        transfers_(transfers),
        receives_(receives),
        threads_(threads),
        queues_(nodes.count()) {}

  /// Queues messages with one output of a task of node `home`, on that node or as the broadcast distributes
  /// them. Reorders `messages`.
  void spread(std::vector<MessageId>& messages, NodeId home);
  /// Starts messages of the node's queue up to the limits.
  void start_sends(NodeId node);
  /// The communication thread has given the message to the network.
  void post(MessageId id);
  /// The receiver of the message forwards it to the next nodes of its broadcast.
  void forward(MessageId id);
  /// The network has delivered the message: it is no longer in flight and no longer uses its replica.
  void sent(MessageId id);
  /// The communication thread of the node has noticed the end of a send.
  void end_send(NodeId node) { queues_[node.index()].end(); }
  /// Starts sends of node `first`, and before it, if the network limits messages, those of the other nodes in
  /// cyclic order.
  void start_delayed_sends(NodeId first);

 private:
  /// Messages with one output. Every node that has received it sends some of them.
  struct CooperativeSend {
    std::vector<MessageId> left;  // not queued on any node, the most urgent last
    std::uint32_t users = 0;      // messages that refer to it
  };

  [[nodiscard]] std::int32_t priority(MessageId id) const {
    return inputs_.options.sends_by_priority ? messages_[id].plan.priority : 0;
  }
  void queue(MessageId id, NodeId source);
  /// Chooses the memory where the message arrives. Returns how long its receiver needs to make room there.
  Seconds choose_arrival(MessageId id);
  void spread_in_tree(std::vector<MessageId> const& messages, NodeId home);
  void spread_cooperatively(std::vector<MessageId> const& messages, NodeId home);
  /// Queues the most urgent message of the broadcast that no node sends yet.
  void cooperate(BroadcastId broadcast, NodeId node);
  [[nodiscard]] bool network_admits() const {
    return inputs_.options.max_sends == 0 || in_flight_ < inputs_.options.max_sends;
  }

  SimulationInputs const& inputs_;
  Engine& engine_;
  Nodes const& nodes_;
  Messages& messages_;
  NetworkTransfers& transfers_;
  PinnedReceives* receives_;
  CommunicationThreads* threads_;
  std::vector<SendQueue<MessageId>> queues_;  // [nodes]
  int in_flight_ = 0;                         // messages being sent, of all nodes
  IdPool<BroadcastId, CooperativeSend> cooperative_;
};

}  // namespace factosim
