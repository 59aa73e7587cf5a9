#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
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
/// in order unless they compute in the RAM, and the disk of a node that computes out of core.
struct Bus {
  /// Links between a memory node and a network card that a message crosses. Their latencies are those of copies: they do
  /// not count, the card's latency is that of messages.
  struct CardRoute {
    std::vector<std::uint32_t> out, in;  // indices into `links`
  };

  std::vector<LinkSpec> links;
  /// [memory_nodes][memory_nodes] row-major: the links that a copy crosses, as indices into `links`; a link
  /// listed twice is crossed twice. Empty on the diagonal and between memory nodes without a direct route:
  /// these copies go through memory node 0, which has routes from and to all others.
  std::vector<std::vector<std::uint32_t>> routes;
  /// [memory_nodes][memory_nodes] rates that the runtime measured and predicts copies with; the simulated
  /// copies follow `links`. 0 on the diagonal.
  std::vector<LinkRate> predicted;
  bool parallel_copies = false;  // those of a GPU from and to others overlap: see BusStreams
  /// [cards][memory_nodes] Routes with an empty `out` are not described: from and to the RAM no link limits, GPUs use
  /// their links from and to the first RAM. Cards may be missing.
  std::vector<std::vector<CardRoute>> card_routes{};
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
  Bytes memory;  // 0 with unified memory
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
  bool unified_memory =
      false;  // each GPU computes in the RAM of a NUMA node; they are distributed evenly over these
  Bytes ram;  // 0: not limited
  std::string kernels_file;  // path of its factosim-kernels file; empty: `cycle_time` is used, or neither
  Seconds cycle_time{0};     // of one tile update on one core, which computes all the time; 0: not used
  LinkRate nic;              // the link between node and switch; a message crosses two such links
  /// Cards like `nic`. A message from node a to node b takes card b mod `nics` of a, and a mod `nics` of b; if the cards
  /// have routes of different lengths to the memory of the message, only the nearest cards count.
  std::uint32_t nics = 1;
  CommunicationThread communication{};
  PowerSpec power;
  std::vector<double> gpu_caps{};  // [gpus] W, of the whole GPU; empty: no caps
  Bus bus;                         // empty if there is only one memory node
  std::string subnet;              // name in Network::subnets; empty: on the core switch
  bool estimate = false;           // besides the network cards
  bool nic_estimate = false;       // these: results on several nodes are estimates
  std::string provenance;          // origin of the measurements, and assumptions
  std::optional<DiskSpec> disk{};
  bool out_of_core = false;  // the disk is the last memory node, and RAM holds no more than `ram`

  [[nodiscard]] int socket_count() const { return sockets.value_or(numa_nodes); }
  [[nodiscard]] std::size_t ram_count() const { return static_cast<std::size_t>(numa_nodes); }
  [[nodiscard]] std::size_t memory_node_count() const {
    return ram_count() + gpu_memory_count() + (out_of_core ? 1 : 0);
  }
  /// Returns the number of memory nodes that are a GPU's.
  [[nodiscard]] std::size_t gpu_memory_count() const { return unified_memory ? 0 : gpus.size(); }
  /// Returns the memory node in which a GPU computes.
  [[nodiscard]] std::size_t memory_of_gpu(std::size_t gpu) const {
    return unified_memory ? gpu * ram_count() / gpus.size() : ram_count() + gpu;
  }
  [[nodiscard]] bool is_disk(std::size_t memory) const { return memory == ram_count() + gpu_memory_count(); }
};

/// "ram", "ram1", ..., "cuda0", ..., "disk"
[[nodiscard]] std::string memory_node_name(NodeType const& type, std::size_t memory);

/// A group of nodes behind a switch of its own, joined to the core switch by an uplink of limited capacity.
struct Subnet {
  std::string name;
  LinkRate uplink;  // in each direction
};

/// How messages choose among the routes of equal or nearly equal length of a fabric.
enum class Routing {
  minimal,  // the destination chooses
  valiant,  // in a dragonfly: through a third group, which sender and receiver choose
  /// The least loaded of some routes when the message starts. The load is that of the busiest link, in transfers per
  /// bandwidth, and counts twice for a route through a third group (UGAL: Singh, Load-balanced routing in interconnection
  /// networks, 2005, with the number of transfers in place of queue lengths).
  adaptive
};

/// A level of switches of a fat tree and its links to the level above.
struct FatTreeLevel {
  std::uint32_t down = 1;      // switches of the level below, or nodes, under each switch
  std::uint32_t up = 1;        // switches of the level above that each switch is joined to
  std::uint32_t parallel = 1;  // links to each of them
  LinkRate uplink;             // of one of these links, in each direction
  bool operator==(FatTreeLevel const&) const = default;
};

/// A parallel-port generalized fat tree: nodes, in the order of the platform, fill the switches of the first level,
/// these those of the second. The switches above the last level have as many links down as the nodes need, and never
/// limit. The destination alone decides which links a message takes, up from its sender and down to itself: link
/// d / W mod (up * parallel) of a switch, where W is the number of switches of its level in one subtree (D-mod-k).
/// Source: Zahavi, D-Mod-K routing providing non-blocking traffic for shift permutations on real life fat
/// trees, 2010; SimGrid's fat-tree zone chooses the same switches.
struct FatTree {
  std::vector<FatTreeLevel> levels;
  Routing routing = Routing::minimal;  // or adaptive
  bool operator==(FatTree const&) const = default;
};

/// Groups of switches: those of a group are joined in pairs, and so are the groups. Nodes, in the order of the platform,
/// fill the switches, these the groups. Link l of the links between two groups i and j ends at switch
/// (j + l * groups) mod switches of group i. With one link this is SimGrid's dragonfly zone of one chassis.
/// Source: Kim, Dally, Scott, Abts, Technology-driven, highly-scalable dragonfly topology, ISCA 2008.
struct Dragonfly {
  std::uint32_t groups = 0;            // 0: as many as the nodes need
  std::uint32_t switches = 1;          // of a group
  std::uint32_t nodes_per_switch = 1;  // cards of nodes at a switch
  LinkRate local;                      // between two switches of a group, in each direction
  std::uint32_t global_links = 1;      // between two groups
  LinkRate global;                     // of one of them, in each direction
  Routing routing = Routing::minimal;
  bool operator==(Dragonfly const&) const = default;
};

/// Groups of leaf and spine switches: each leaf of a group is joined to each of its spines, and all groups are joined in
/// pairs, at spines. Nodes, in the order of the platform, fill the leaves, these the groups. Link l of the links between
/// two groups i and j ends at spine (j + l * groups) mod spines of group i.
/// Source: Shpiner, Haramaty, Eliad, Zdornov, Gafni, Zahavi, Dragonfly+: low cost topology for scaling datacenters,
/// HiPINEB 2017.
struct DragonflyPlus {
  std::uint32_t groups = 0;          // 0: as many as the nodes need
  std::uint32_t leaves = 1;          // of a group
  std::uint32_t spines = 1;          // of a group
  std::uint32_t nodes_per_leaf = 1;  // cards of nodes at a leaf
  LinkRate local;                    // between a leaf and a spine, in each direction
  std::uint32_t global_links = 1;    // between two groups
  LinkRate global;                   // of one of them, in each direction
  Routing routing = Routing::minimal;
  bool operator==(DragonflyPlus const&) const = default;
};

/// The switches between the nodes' own links. None: a core switch, with `subnets` and `backbone`.
using Fabric = std::variant<std::monostate, FatTree, Dragonfly, DragonflyPlus>;

/// Which memories of nodes with GPUs messages leave and reach.
enum class GpuDirect : std::uint8_t {
  none,  // RAM
  /// They leave the memory of a GPU if it has the data, the first such one, as those of a StarPU-MPI over a library that
  /// knows GPUs; they arrive in RAM. Source: StarPU-MPI 1.4, `_starpu_mpi_choose_node`.
  send,
  both  // they also arrive in the memory nearest to their card, if that is a GPU's and has room
};

/// How the messages from one node to another share their connection. Messages of different pairs of nodes
/// always share the links.
enum class Wire {
  shared,   // all that were posted at once, each a flow of its own: SimGrid's MPI
  fifo,     // one after the other, in the order in which they were posted: a TCP connection, a queue pair
  priority  // one after the other, the most urgent of those that were posted first: NewMadeleine
};

/// How the bandwidth of messages depends on their size, in excess of latency: a message of n bytes takes the time of
/// carried(n) bytes on each of its links. By default n.
struct MessageEfficiency {
  /// The size at which half of the bandwidth is reached: bandwidth n / (n + half) (Hockney, The communication challenge
  /// for MPP, 1994: n_1/2).
  double half_bandwidth_bytes = 0;
  /// Instead: bandwidths by increasing size, relative to the largest of them. In between, the bytes in excess are linear
  /// in the size, and outside they are those of the first or last size.
  std::vector<std::pair<Bytes, BytesPerSecond>> measured{};

  [[nodiscard]] Bytes carried(Bytes size) const;
  bool operator==(MessageEfficiency const&) const = default;
};

struct NetworkSpec {
  std::vector<Subnet> subnets;
  Fabric fabric{};  // one excludes subnets
  /// The core switch, the top of a fat tree, or what is between the groups of a dragonfly. All its messages share the
  /// bandwidth; 0: it never limits them. Each pays the latency.
  LinkRate backbone;
  bool one_at_a_time = false;  // a shared bus: one message between nodes at once
  Wire wire = Wire::shared;
  MessageEfficiency efficiency{};  // of messages between nodes
  GpuDirect gpu_direct = GpuDirect::none;
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
  std::vector<NodeType> types{};
  std::vector<std::uint32_t> nodes{};  // [nodes] index into types
  NetworkSpec network;
  std::optional<WorkerCosts> worker_costs = std::nullopt;
  std::vector<std::string> findings{};               // doubts about the values
  std::optional<double> co2_per_kwh = std::nullopt;  // grams

  [[nodiscard]] NodeType const& type_of(NodeId node) const { return types[nodes[node.index()]]; }
  /// Returns whether the network, or a card of a node, is an estimate.
  [[nodiscard]] bool has_estimated_network() const {
    return network.estimate ||
           std::ranges::any_of(nodes, [&](std::uint32_t type) { return types[type].nic_estimate; });
  }
  /// Returns whether a type in use, or the network between several nodes, is an estimate.
  [[nodiscard]] bool uses_estimates() const {
    return (nodes.size() > 1 && has_estimated_network()) ||
           std::ranges::any_of(nodes, [&](std::uint32_t type) { return types[type].estimate; });
  }
};

}  // namespace factosim
