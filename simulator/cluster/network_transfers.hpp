#pragma once

#include <variant>

#include "simulator/cluster/messages.hpp"
#include "simulator/engine/engine.hpp"
#include "simulator/engine/topology.hpp"
#include "simulator/runtime/id_pool.hpp"
#include "simulator/runtime/replay_oracle.hpp"
#include "simulator/runtime/run_observer.hpp"

namespace factosim {

/// A copy between two memory nodes of one node, which its data manager has requested.
struct LocalCopy {
  NodeId node;
  RequestId request;
};

/// The transfers in the network: messages and copies. A message whose time a recording prescribes does not
/// use the network.
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
  struct Transfer {
    std::variant<MessageId, LocalCopy> carried;
    HandleId handle;
    MemoryNodeId from, to;
    Seconds start;
  };

  void start_in_network(TransferId id);

  SimulationInputs const& inputs_;
  Topology const& topology_;
  Engine& engine_;
  ReplayOracle const& replay_;
  RunObserver& observer_;
  Messages const& messages_;
  IdPool<TransferId, Transfer> transfers_;
};

}  // namespace factosim
