#pragma once

#include <memory>
#include <optional>

#include "factosim/platform.hpp"
#include "factosim/route_table.hpp"
#include "platforms/network_preset.hpp"
#include "simulator/base/core/fields.hpp"
#include "simulator/runtime/engine/network_factory.hpp"
#include "simulator/tasks/plan/options.hpp"

namespace factosim {

/// Values that replace those of a platform's link.
struct LinkRateOverride {
  std::optional<BytesPerSecond> bandwidth{};
  std::optional<Seconds> latency{};

  void apply(LinkRate& rate) const {
    rate.bandwidth = bandwidth.value_or(rate.bandwidth);
    rate.latency = latency.value_or(rate.latency);
  }
};

/// A scenario's "network": the network model, and replacements for links between nodes and for options of
/// messages.
struct NetworkOverrides {
  NetworkOptions options;
  std::optional<NetworkPreset> preset;     // replaces the platform's network before the others apply
  LinkRateOverride nic, backbone, uplink;  // uplink: of every subnet
  std::optional<int> max_sends_per_node, max_sends;
  std::optional<bool> sends_by_priority, rendezvous;
  std::optional<Broadcast> broadcast;
  std::optional<Wire> wire;
  std::optional<GpuDirect> gpu_direct;
  double bandwidth_factor = 1, latency_factor = 1;  // of all links, including those inside nodes
  std::shared_ptr<RouteTable const> routes;         // of "simgrid_xml": all links between nodes
};

/// The keys of "network", and of that of a ring.
[[nodiscard]] Object<NetworkOverrides> const& object_of(NetworkOverrides const* any);
[[nodiscard]] Object<NetworkOptions> const& object_of(NetworkOptions const* any);
[[nodiscard]] Object<LinkRateOverride> const& object_of(LinkRateOverride const* any);
[[nodiscard]] ObjectKeys const& simgrid_xml_table();

/// Reads "network" of a scenario with that many nodes. Throws InputError.
[[nodiscard]] NetworkOverrides read_network(JsonReader const& json, std::size_t nodes);

/// Return the platform and the options with the replacements.
[[nodiscard]] Platform with_overrides(Platform platform, NetworkOverrides const& overrides);
[[nodiscard]] RuntimeOptions with_overrides(RuntimeOptions runtime, NetworkOverrides const& overrides,
                                            NetworkSpec const& network);

/// Throws InputError at `json` if the network cannot join the nodes, or its routing does not suit the model.
void check_fabric(Platform const& platform, NetworkModel model, JsonReader const& json);

/// Returns every option with its value, including defaults.
[[nodiscard]] nlohmann::ordered_json effective_network(NetworkOptions const& options,
                                                       Platform const& platform,
                                                       RuntimeOptions const& runtime);

/// Reads the routes between nodes of a scenario's "simgrid_xml": of the first `nodes` hosts of a SimGrid
/// platform file, of a list of hosts, or of those with a prefix. Throws InputError, also for errors of
/// SimGrid.
RouteTable read_simgrid_xml(JsonReader const& json, std::size_t nodes);

}  // namespace factosim
