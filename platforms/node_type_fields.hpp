#pragma once

#include <string>
#include <vector>

#include "factosim/platform.hpp"
#include "simulator/base/core/fields.hpp"

namespace factosim {

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

}  // namespace factosim
