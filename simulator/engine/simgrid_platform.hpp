#pragma once

#include <simgrid/s4u.hpp>
#include <utility>
#include <vector>

#include "simulator/engine/topology.hpp"

namespace factosim {

/// SimGrid's ends of transfers.
struct SimGridHosts {
  std::vector<simgrid::s4u::Host*> in_node;     // [memory nodes] for transfers inside a node
  std::vector<simgrid::s4u::Host*> in_network;  // [nodes] for transfers between nodes

  [[nodiscard]] std::pair<simgrid::s4u::Host*, simgrid::s4u::Host*> ends(Topology const& topology,
                                                                         MemoryNodeId from,
                                                                         MemoryNodeId to) const {
    NodeId const a = topology.node_of(from);
    NodeId const b = topology.node_of(to);
    if (a == b) return {in_node[from.index()], in_node[to.index()]};
    return {in_network[a.index()], in_network[b.index()]};
  }
};

/// Makes the hosts, links and routes of `topology`, which must outlive it, in SimGrid's engine, which must
/// exist: one zone that computes routes for what is between nodes, a full zone per node with GPUs for what is
/// inside.
SimGridHosts build_simgrid_platform(Topology const& topology);

}  // namespace factosim
