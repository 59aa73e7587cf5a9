#pragma once

#include <vector>

#include "simulator/runtime/cluster/nodes.hpp"
#include "simulator/runtime/engine/engine.hpp"
#include "simulator/runtime/node/serial_server.hpp"

namespace factosim {

/// The communication threads of all nodes, where messages take processor time in them: one message at a time,
/// when it is sent and when it is received.
class CommunicationThreads {
 public:
  CommunicationThreads(Platform const& platform, Engine const& engine, Nodes const& nodes)
      : platform_(platform), engine_(engine), nodes_(nodes), threads_(nodes.count()) {}
  /// Returns whether messages take time in the thread of any node.
  [[nodiscard]] static bool needed(Platform const& platform) {
    return platform.nodes.size() > 1 && std::ranges::any_of(platform.nodes, [&](std::uint32_t type) {
             return platform.types[type].communication.handles_messages();
           });
  }

  /// The node is given a message to send, or has received one. Returns when its thread has handled it: after
  /// that time.
  [[nodiscard]] Seconds handle(NodeId node, Bytes size) {
    Seconds const needed = platform_.type_of(node).communication.time_of(size);
    return threads_[node.index()].serve(nodes_[node].communicate(needed), engine_.now());
  }
  /// Returns the time that another thread of the node takes to post a message.
  [[nodiscard]] Seconds elsewhere(NodeId node, Bytes size) const {
    return platform_.type_of(node).communication.time_of(size);
  }

 private:
  Platform const& platform_;
  Engine const& engine_;
  Nodes const& nodes_;
  std::vector<SerialServer> threads_;  // [nodes]
};

}  // namespace factosim
