#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "factosim/platform.hpp"
#include "factosim/scheduler.hpp"
#include "simulator/core/json_reader.hpp"
#include "simulator/engine/network_factory.hpp"
#include "simulator/plan/options.hpp"
#include "simulator/runtime/noise.hpp"

namespace factosim {

/// Each reads one object of a scenario, checks it, and has a twin that writes what is in force.

SchedulerOptions read_scheduler(JsonReader const& json);
nlohmann::ordered_json effective_scheduler(SchedulerOptions const& options);

/// `options`: what holds where the scenario says nothing.
RuntimeOptions read_runtime(JsonReader const& json, RuntimeOptions options = {});
nlohmann::ordered_json effective_runtime(RuntimeOptions const& options);

NoiseOptions read_noise(JsonReader const& json);
nlohmann::ordered_json effective_noise(NoiseOptions const& options);

/// The scenario's network: how links are shared, and overrides of what the platform says of NICs and
/// backbone, or of all that lies between nodes.
struct NetworkOverrides {
  NetworkModel model = default_network_model();
  bool lazy = false;
  std::optional<double> nic_bandwidth_Bps, nic_latency_s;
  std::optional<double> backbone_bandwidth_Bps, backbone_latency_s;
  std::optional<double> uplink_bandwidth_Bps, uplink_latency_s;  // of every subnet
  std::optional<int> max_sends_per_node, max_sends;
  std::optional<bool> sends_by_priority, rendezvous;
  std::optional<Broadcast> broadcast;
  double bandwidth_factor = 1, latency_factor = 1;  // of all links, those inside nodes too
  std::optional<JsonReader> simgrid_xml;            // read when the number of nodes is known
};
NetworkOverrides read_network(JsonReader const& json);
void apply(NetworkOverrides const& overrides, Platform& platform, RuntimeOptions& runtime);
nlohmann::ordered_json effective_network(NetworkOptions const& options, Platform const& platform,
                                         RuntimeOptions const& runtime);

}  // namespace factosim
