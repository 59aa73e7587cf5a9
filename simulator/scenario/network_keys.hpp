#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "factosim/platform.hpp"
#include "simulator/core/json_reader.hpp"
#include "simulator/engine/network_factory.hpp"
#include "simulator/plan/options.hpp"

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

/// The "network" of a scenario: the model of the network, what replaces the platform's values, and how the
/// runtime sends messages.
struct NetworkOverrides {
  NetworkModel model = default_network_model();
  bool lazy = false;
  LinkRateOverride nic, backbone, uplink;  // uplink: of every subnet
  std::optional<int> max_sends_per_node, max_sends;
  std::optional<bool> sends_by_priority, rendezvous;
  std::optional<Broadcast> broadcast;
  double bandwidth_factor = 1, latency_factor = 1;  // of all links, those inside nodes too
  std::optional<JsonReader> simgrid_xml;            // read by `apply`, which knows the number of nodes
};
/// Reads the name of a network model. Throws InputError also for "simgrid" if the program was built without SimGrid.
[[nodiscard]] NetworkModel read_network_model(JsonReader const& json);
NetworkOverrides read_network(JsonReader const& json);
void apply(NetworkOverrides const& overrides, Platform& platform, RuntimeOptions& runtime);
/// Returns the object that `read_network` would read, with all values in effect.
nlohmann::ordered_json effective_network(NetworkOptions const& options, Platform const& platform,
                                         RuntimeOptions const& runtime);

}  // namespace factosim
