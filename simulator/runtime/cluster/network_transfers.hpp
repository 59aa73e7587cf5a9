#pragma once

#include <unordered_map>
#include <variant>

#include "platforms/topology.hpp"
#include "simulator/base/core/id_pool.hpp"
#include "simulator/runtime/cluster/messages.hpp"
#include "simulator/runtime/cluster/send_queue.hpp"
#include "simulator/runtime/engine/engine.hpp"
#include "simulator/runtime/node/replay_oracle.hpp"
#include "simulator/runtime/node/run_observer.hpp"

namespace factosim {

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
