#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulator/core/id.hpp"
#include "simulator/core/quantity.hpp"

namespace factosim {

struct LinkSpec {
  std::string name;
  BytesPerSecond bandwidth;
  Seconds latency;
};

/// The inside of one node: how its RAM and its GPU memories are joined.
/// Memory node 0 is the RAM, 1.. are the GPUs in order.
struct Bus {
  std::vector<LinkSpec> links;
  /// [memory_nodes][memory_nodes] row-major: the links a copy crosses, as indices into `links`; a link listed
  /// twice is crossed twice. Empty on the diagonal. With no direct route between two GPUs: empty there too,
  /// and copies go through the RAM.
  std::vector<std::vector<std::uint32_t>> routes;
  /// [memory_nodes][memory_nodes] what the runtime measured and bases its predictions on (not what
  /// the transfers really get); 0 on the diagonal.
  std::vector<BytesPerSecond> predicted_bandwidth;
  std::vector<Seconds> predicted_latency;
};

struct GpuSpec {
  std::string model;
  Bytes memory;
};

struct Nic {
  BytesPerSecond bandwidth;
  Seconds latency;  // of the link between node and switch; a message crosses two such links
};

/// A kind of machine.
struct NodeType {
  std::string name;
  int cores = 0;
  std::vector<GpuSpec> gpus;
  Bytes ram;
  std::string kernels_file;  // path of its factosim-kernels file, resolved
  Nic nic;
  Bus bus;             // empty when there is no GPU
  std::string subnet;  // name in Network::subnets; empty: on the core switch
  bool estimate = false;
  std::string provenance;  // who measured what, what is assumed
};

/// A group of nodes behind a switch of its own, joined to the core switch by an uplink of limited capacity.
struct Subnet {
  std::string name;
  BytesPerSecond uplink_bandwidth;  // each way
  Seconds uplink_latency;
};

struct NetworkSpec {
  std::vector<Subnet> subnets;
  /// Capacity shared by all messages of the core switch; zero: the switch never limits (no backbone).
  BytesPerSecond backbone_bandwidth{0};
  Seconds backbone_latency{0};  // paid by every message, also when the backbone never limits
};

/// A cluster: which machines, how many, how joined.
struct Platform {
  std::vector<NodeType> types;
  std::vector<std::uint32_t> nodes;  // [nodes] index into types
  NetworkSpec network;

  [[nodiscard]] NodeType const& type_of(NodeId node) const { return types[nodes[node.index()]]; }
};

}  // namespace factosim
