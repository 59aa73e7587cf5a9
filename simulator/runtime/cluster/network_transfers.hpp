#pragma once

#include <cstdint>
#include <unordered_map>
#include <variant>

#include "factosim/error.hpp"
#include "factosim/id.hpp"
#include "platforms/topology.hpp"
#include "simulator/base/core/id_pool.hpp"
#include "simulator/base/core/priority_fifo.hpp"
#include "simulator/runtime/cluster/messages.hpp"
#include "simulator/runtime/engine/engine.hpp"
#include "simulator/runtime/node/replay_oracle.hpp"
#include "simulator/runtime/node/run_observer.hpp"

namespace factosim {

/// Messages or transfers that wait for one sender or connection, and the number of those that it is sending.
template <class Id>
class SendQueue {
 public:
  void push(std::int32_t priority, Id id) { waiting_.push({priority, next_ticket_++, id}); }
  /// Returns whether one waits and fewer than `limit` are being sent.
  [[nodiscard]] bool can_start(int limit) const { return in_flight_ < limit && !waiting_.empty(); }
  /// Returns the most urgent one, which is being sent from now on.
  Id start() {
    FACTOSIM_EXPECT(!waiting_.empty(), "a send starts where none waits");
    ++in_flight_;
    return waiting_.pop().value;
  }
  void end() {
    FACTOSIM_EXPECT(in_flight_ > 0, "a send ends that was not started");
    --in_flight_;
  }

 private:
  PriorityFifo<Id> waiting_;
  std::uint32_t next_ticket_ = 0;
  int in_flight_ = 0;
};

/// A copy between two memory nodes of one node, which its data manager has requested.
struct LocalCopy {
  NodeId node;
  RequestId request;
};

/// The transfers in the network: messages and copies. A message whose time a recording prescribes does not
/// use the network.
///
/// Unless the wire is shared, the messages from one node to another follow each other on their connection:
/// only one of them is in the network, and the first byte of the next one arrives behind its last byte.
class NetworkTransfers {
 public:
  NetworkTransfers(SimulationInputs const& inputs, Topology const& topology, Engine& engine,
                   ReplayOracle const& replay, RunObserver& observer, Messages const& messages)
      : inputs_(inputs),
        topology_(topology),
        engine_(engine),
        replay_(replay),
        observer_(observer),
        messages_(messages) {}

  void start_message(MessageId id);
  void start_copy(LocalCopy copy, HandleId handle, LocalMemory from, LocalMemory to);
  /// Ends the transfer, records it and returns its message or copy.
  std::variant<MessageId, LocalCopy> end(TransferId id);

 private:
  /// The messages from one node to another.
  struct Connection {
    SendQueue<TransferId> queue;
    Seconds last_arrival{0};  // end of the message that crossed it last
  };
  struct Transfer {
    std::variant<MessageId, LocalCopy> carried;
    HandleId handle;
    MemoryNodeId from, to;
    Seconds start;
    Connection* connection = nullptr;  // none: it does not wait for others
  };

  void start_in_network(TransferId id, Seconds since);
  void queue(TransferId id, Message const& message);
  /// Starts the next message of the connection if it is free.
  void start_next(Connection& connection);

  SimulationInputs const& inputs_;
  Topology const& topology_;
  Engine& engine_;
  ReplayOracle const& replay_;
  RunObserver& observer_;
  Messages const& messages_;
  IdPool<TransferId, Transfer> transfers_;
  std::unordered_map<std::uint64_t, Connection> connections_;  // by source * nodes + destination
};

}  // namespace factosim
