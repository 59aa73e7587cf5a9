#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "factosim/id.hpp"
#include "factosim/quantity.hpp"
#include "factosim/route_table.hpp"

namespace factosim {

/// Speed of a link: a lone transfer over it takes latency + size / bandwidth.
struct LinkRate {
  BytesPerSecond bandwidth{};
  Seconds latency{};
  bool operator==(LinkRate const&) const = default;
};

struct LinkSpec {
  std::string name;
  LinkRate rate;
};

/// Links between the memory nodes of one node. Memory nodes are numbered: the RAM, or its NUMA nodes, the GPUs
/// in order, and the disk of a node that computes out of core.
struct Bus {
  std::vector<LinkSpec> links;
  /// [memory_nodes][memory_nodes] row-major: the links that a copy crosses, as indices into `links`; a link
  /// listed twice is crossed twice. Empty on the diagonal and between memory nodes without a direct route:
  /// these copies go through memory node 0, which has routes from and to all others.
  std::vector<std::vector<std::uint32_t>> routes;
  /// [memory_nodes][memory_nodes] rates that the runtime measured and predicts copies with; the simulated
  /// copies follow `links`. 0 on the diagonal.
  std::vector<LinkRate> predicted;
  bool parallel_copies = false;  // those of a GPU from and to others overlap: see BusStreams
};

/// Power of a node in watts; all 0: unknown.
struct PowerSpec {
  /// Of one core, or one GPU, that runs a kernel of that name, above idle; none: as for other kernels.
  struct OfKernel {
    std::optional<double> core, gpu;
  };
  /// The speed of a GPU under a power cap, for kernels that draw the largest cap of the curve without one.
  struct CappedSpeed {
    double cap = 0;    // of the whole GPU
    double speed = 1;  // over that without a cap
  };

  double core = 0;                            // of one core that runs a kernel, above idle
  double gpu = 0;                             // of one GPU that runs a kernel, above idle
  double idle = 0;                            // of the whole node while it is on
  double off = 0;                             // of the whole node once it is powered off
  std::map<std::string, OfKernel> kernels{};  // where they differ from `core` and `gpu`
  double gpu_idle = 0;                        // the part of `idle` that one GPU draws
  std::vector<CappedSpeed> gpu_speeds{};      // both ascending, up to a speed of 1

  [[nodiscard]] bool known() const { return core > 0 || gpu > 0 || idle > 0; }
  /// Returns the power of a core, or a GPU, that runs the kernel without a cap, above idle.
  [[nodiscard]] double of_core(std::string const& kernel) const {
    auto const own = kernels.find(kernel);
    return own == kernels.end() ? core : own->second.core.value_or(core);
  }
  [[nodiscard]] double of_gpu(std::string const& kernel) const {
    auto const own = kernels.find(kernel);
    return own == kernels.end() ? gpu : own->second.gpu.value_or(gpu);
  }
};

struct GpuSpec {
  std::string model;
  Bytes memory;
};

/// A disk of a node, a memory node where copies of tiles go that its RAM cannot hold.
struct DiskSpec {
  std::string model;
  LinkRate read, write;      // of a lone request: latency + size / bandwidth
  bool half_duplex = false;  // reads and writes take turns; else they do not slow each other down
  Bytes size{};              // 0: not limited
  bool estimate = false;
  std::string provenance;
};

/// The processor time that the communication thread of a node takes. All 0 and 1: none.
struct CommunicationThread {
  Seconds per_message{0};       // of a message that the node sends or receives
  double seconds_per_byte = 0;  // of its data, for copies
  /// Speed of a worker, at most 1 and at least 1/2, while the thread that only polls shares its core. It does if
  /// no core is set aside for messages.
  double worker_share = 1;

  [[nodiscard]] Seconds time_of(Bytes size) const {
    return per_message + Seconds{seconds_per_byte * static_cast<double>(size.value)};
  }
  [[nodiscard]] bool handles_messages() const { return per_message.value > 0 || seconds_per_byte > 0; }
  [[nodiscard]] bool takes_time() const { return handles_messages() || worker_share < 1; }
};

/// A kind of machine.
struct NodeType {
  std::string name;
  int cores = 0;
  int numa_nodes = 1;            // memory nodes of the RAM; the cores are distributed evenly over them
  std::optional<int> sockets{};  // groups of cores that slow each other down; none: the NUMA nodes
  std::vector<GpuSpec> gpus;
  Bytes ram;                 // 0: not limited
  std::string kernels_file;  // path of its factosim-kernels file; empty: `cycle_time` is used, or neither
  Seconds cycle_time{0};     // of one tile update on one core, which computes all the time; 0: not used
  LinkRate nic;              // the link between node and switch; a message crosses two such links
  CommunicationThread communication{};
  PowerSpec power;
  std::vector<double> gpu_caps{};  // [gpus] W, of the whole GPU; empty: no caps
  Bus bus;                         // empty if there is only one memory node
  std::string subnet;              // name in Network::subnets; empty: on the core switch
  bool estimate = false;
  std::string provenance;  // origin of the measurements, and assumptions
  std::optional<DiskSpec> disk{};
  bool out_of_core = false;  // the disk is the last memory node, and RAM holds no more than `ram`

  [[nodiscard]] int socket_count() const { return sockets.value_or(numa_nodes); }
  [[nodiscard]] std::size_t ram_count() const { return static_cast<std::size_t>(numa_nodes); }
  [[nodiscard]] std::size_t memory_node_count() const {
    return ram_count() + gpus.size() + (out_of_core ? 1 : 0);
  }
  [[nodiscard]] bool is_disk(std::size_t memory) const { return memory == ram_count() + gpus.size(); }
};

/// "ram", "ram1", ..., "cuda0", ..., "disk"
[[nodiscard]] std::string memory_node_name(NodeType const& type, std::size_t memory);

/// A group of nodes behind a switch of its own, joined to the core switch by an uplink of limited capacity.
struct Subnet {
  std::string name;
  LinkRate uplink;  // in each direction
};

/// Two levels of switches: nodes, in the order of the platform, fill the leaves; each leaf has `uplinks`
/// links each way to a spine that never limits. The destination alone decides which of them a message takes:
/// node d is reached over link d mod uplinks, up from the sender's leaf and down to its own (D-mod-k).
/// Source: Zahavi, D-Mod-K routing providing non-blocking traffic for shift permutations on real life fat
/// trees, 2010; SimGrid's fat-tree zone does the same.
struct FatTree {
  std::uint32_t nodes_per_leaf = 1;
  std::uint32_t uplinks = 1;
  LinkRate uplink;  // of one uplink, in each direction
};

/// How the messages from one node to another share their connection. Messages of different pairs of nodes
/// always share the links.
enum class Wire {
  shared,   // all that were posted at once, each a flow of its own: SimGrid's MPI
  fifo,     // one after the other, in the order in which they were posted: a TCP connection, a queue pair
  priority  // one after the other, the most urgent of those that were posted first: NewMadeleine
};

struct NetworkSpec {
  std::vector<Subnet> subnets;
  std::optional<FatTree> fat_tree = std::nullopt;  // excludes subnets
  /// The core switch. All its messages share the bandwidth; 0: it never limits them. Each pays the latency.
  LinkRate backbone;
  bool one_at_a_time = false;  // a shared bus: one message between nodes at once
  Wire wire = Wire::shared;
  std::string provenance = {};  // origin of these values, and assumptions
  bool estimate = false;        // not the machines' network: results on several nodes are estimates
  /// If set: the network between nodes, which replaces NICs and the members above. Not in platform files.
  std::shared_ptr<RouteTable const> routes = nullptr;
};

/// What a task costs on a worker besides its kernel, as calibrated. Defaults of the scenario's "runtime".
struct WorkerCosts {
  Seconds push, fetch, progress;  // see RuntimeOptions
};

/// A cluster: which machines, how many, how joined.
struct Platform {
  std::vector<NodeType> types;
  std::vector<std::uint32_t> nodes;  // [nodes] index into types
  NetworkSpec network;
  std::optional<WorkerCosts> worker_costs = std::nullopt;
  std::vector<std::string> findings{};               // doubts about the values
  std::optional<double> co2_per_kwh = std::nullopt;  // grams

  [[nodiscard]] NodeType const& type_of(NodeId node) const { return types[nodes[node.index()]]; }
  /// Returns whether a type in use, or the network between several nodes, is an estimate.
  [[nodiscard]] bool uses_estimates() const {
    return (network.estimate && nodes.size() > 1) ||
           std::ranges::any_of(nodes, [&](std::uint32_t type) { return types[type].estimate; });
  }
};

}  // namespace factosim
