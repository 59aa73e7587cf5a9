#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "factosim/platform.hpp"
#include "factosim/route_table.hpp"
#include "factosim/scheduler.hpp"
#include "platforms/presets.hpp"
#include "simulator/base/core/fields.hpp"
#include "simulator/runtime/engine/network_factory.hpp"
#include "simulator/runtime/node/noise.hpp"
#include "simulator/tasks/plan/options.hpp"
#include "simulator/tasks/schedule/static_schedule.hpp"

namespace factosim {

/// The keys of "runtime".
[[nodiscard]] Object<RuntimeOptions> const& object_of(RuntimeOptions const* any);

/// Reads "runtime"; `defaults` are the values of missing keys. Throws InputError.
[[nodiscard]] RuntimeOptions read_runtime(JsonReader const& json, RuntimeOptions defaults = {});

/// Returns the types and numbers of nodes, in their order.
[[nodiscard]] nlohmann::ordered_json effective_platform(Platform const& platform);

/// The keys of "noise" as an object; effective options have those that have an effect.
[[nodiscard]] Object<NoiseOptions> const& object_of(NoiseOptions const* any);

/// Reads "noise". Throws InputError.
[[nodiscard]] NoiseOptions read_noise(JsonReader const& json);

/// The keys of "scheduler".
[[nodiscard]] Object<SchedulerOptions> const& object_of(SchedulerOptions const* any);

/// Reads "scheduler". Throws InputError.
[[nodiscard]] SchedulerOptions read_scheduler(JsonReader const& json);
/// Reads the schedule that "scheduler" names; null for a policy. Throws InputError.
[[nodiscard]] std::shared_ptr<StaticSchedule const> read_static_schedule(JsonReader const& scheduler);
/// Returns every option with its value, including defaults; of a static schedule its file.
[[nodiscard]] nlohmann::ordered_json effective_scheduler(SchedulerOptions const& options,
                                                         StaticSchedule const* schedule = nullptr);

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
  std::optional<bool> sends_by_priority;
  std::optional<Rendezvous> rendezvous;
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
void check_fabric(Platform const& platform, NetworkOptions const& options, JsonReader const& json);

/// Returns every option with its value, including defaults.
[[nodiscard]] nlohmann::ordered_json effective_network(NetworkOptions const& options,
                                                       Platform const& platform,
                                                       RuntimeOptions const& runtime);

/// Reads the routes between nodes of a scenario's "simgrid_xml": of the first `nodes` hosts of a SimGrid
/// platform file, of a list of hosts, or of those with a prefix. Throws InputError, also for errors of
/// SimGrid.
RouteTable read_simgrid_xml(JsonReader const& json, std::size_t nodes);

}  // namespace factosim
