#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "factosim/platform.hpp"
#include "simulator/base/core/fields.hpp"
#include "simulator/base/core/json_reader.hpp"

namespace factosim {

/// The keys of a link between nodes and switches, and of a link inside a node.
[[nodiscard]] Object<LinkRate> const& object_of(LinkRate const* any);
[[nodiscard]] Object<LinkSpec> const& object_of(LinkSpec const* any);

/// The keys of the switches between nodes, in a network of a platform and in a usual network; one of them at most is
/// written.
[[nodiscard]] Fields<NetworkSpec> fabric_fields();
/// Throws InputError if a network has two fabrics.
void check_fabrics(JsonReader const& network);

/// The key "efficiency" of networks, which is not written for that of full bandwidth.
[[nodiscard]] Field<NetworkSpec> efficiency_field();

/// The keys of the "power" of a node type, of one kernel, and of a speed under a cap.
[[nodiscard]] Object<PowerSpec> const& object_of(PowerSpec const* any);
[[nodiscard]] Object<PowerSpec::OfKernel> const& object_of(PowerSpec::OfKernel const* any);
[[nodiscard]] Object<PowerSpec::CappedSpeed> const& object_of(PowerSpec::CappedSpeed const* any);
/// What the power caps of a node type's GPUs may be.
[[nodiscard]] ValueRules gpu_caps_rules();

/// Reads the caps of a node type's GPUs, which it has with their number. Throws InputError.
void read_gpu_caps(NodeType& type, JsonReader const& json);
/// Throws InputError, at `json`, if the power of the type does not tell how fast its GPUs are under their caps.
void check_gpu_caps(NodeType const& type, JsonReader const& json);

/// A route of a bus as its keys state it.
struct BusRouteKeys {
  std::string from, to;
  std::vector<std::string> links;
};

/// [from][to] matrices of predicted rates as their keys state them.
struct PredictionKeys {
  std::vector<std::vector<double>> bandwidth, latency;
};

/// The keys of a node type and of what it consists of. Those that are only understood together are written, and read by
/// `read_node_type` and `read_derived_type`: network card, bus, GPUs' memories, power caps, and all of a variant.
[[nodiscard]] Object<NodeType> const& object_of(NodeType const* any);
[[nodiscard]] Object<GpuSpec> const& object_of(GpuSpec const* any);
[[nodiscard]] Object<CommunicationThread> const& object_of(CommunicationThread const* any);
[[nodiscard]] Object<BusRouteKeys> const& object_of(BusRouteKeys const* any);
[[nodiscard]] Object<PredictionKeys> const& object_of(PredictionKeys const* any);
/// Only its links and `parallel_copies` are read, and none is written.
[[nodiscard]] Object<Bus> const& object_of(Bus const* any);

/// Returns a node type as in a file in which it is not a variant.
[[nodiscard]] nlohmann::ordered_json written_node_type(NodeType const& type);

/// Reads a node type that is described whole. Throws InputError.
[[nodiscard]] NodeType read_node_type(std::string const& name, JsonReader const& json);

/// Reads a variant of another node type, `base`: the values of `base`, but for the keys that it has itself. Of the GPUs
/// the first ones stay; more cores than `base` has are an estimate. Throws InputError.
[[nodiscard]] NodeType read_derived_type(std::string const& name, JsonReader const& json, NodeType base);

/// "network" of a platform.
struct PlatformNetwork {
  NetworkSpec spec;
  std::optional<LinkRate> nic{};  // of all node types; none: their own
  std::uint32_t nics = 1;         // if `nic` is set
};

/// Nodes of one type, in the order of the platform.
struct NodeRun {
  std::string type;
  std::size_t count = 0;
};

[[nodiscard]] Object<PlatformNetwork> const& object_of(PlatformNetwork const* any);
[[nodiscard]] Object<NodeRun> const& object_of(NodeRun const* any);
[[nodiscard]] Object<Subnet> const& object_of(Subnet const* any);
[[nodiscard]] Object<WorkerCosts> const& object_of(WorkerCosts const* any);
/// The keys of a network without `preset`.
[[nodiscard]] Fields<NetworkSpec> network_fields();

}  // namespace factosim
