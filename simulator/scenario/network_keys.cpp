#include "simulator/scenario/network_keys.hpp"

#include <fmt/format.h>

#include <utility>

#include "simulator/scenario/simgrid_xml_reader.hpp"

namespace factosim {

namespace {

nlohmann::ordered_json effective_links(Platform const& platform) {
  nlohmann::ordered_json nics = nlohmann::ordered_json::object();
  for (std::uint32_t const type : platform.nodes) {
    NodeType const& t = platform.types[type];
    nics[t.name] = {{"bandwidth_Bps", t.nic.bandwidth.value}, {"latency_s", t.nic.latency.value}};
  }
  nlohmann::ordered_json out = {{"nic", nics}};
  if (auto const& tree = platform.network.fat_tree)
    out["fat_tree"] = {
        {"nodes_per_leaf", tree->nodes_per_leaf},
        {"uplinks", tree->uplinks},
        {"uplink",
         {{"bandwidth_Bps", tree->uplink_bandwidth.value}, {"latency_s", tree->uplink_latency.value}}}};
  for (Subnet const& subnet : platform.network.subnets)
    out["subnets"][subnet.name] = {{"uplink_bandwidth_Bps", subnet.uplink_bandwidth.value},
                                   {"uplink_latency_s", subnet.uplink_latency.value}};
  out["backbone"] = {{"bandwidth_Bps", platform.network.backbone_bandwidth.value},
                     {"latency_s", platform.network.backbone_latency.value}};
  return out;
}

void read_link(JsonReader const& network, char const* key, std::optional<double>& bandwidth_Bps,
               std::optional<double>& latency_s) {
  auto const link = network.find(key);
  if (!link) return;
  if (auto const bandwidth = link->find("bandwidth_Bps")) bandwidth_Bps = bandwidth->positive();
  if (auto const latency = link->find("latency_s")) latency_s = latency->non_negative();
  link->finish();
}

/// Multiplies the bandwidths and latencies of all links, including those inside nodes.
void multiply(Platform& platform, double bandwidth_factor, double latency_factor) {
  auto const change = [&](BytesPerSecond& bandwidth, Seconds& latency) {
    bandwidth.value *= bandwidth_factor;
    latency.value *= latency_factor;
  };
  for (NodeType& type : platform.types) {
    change(type.nic.bandwidth, type.nic.latency);
    for (LinkSpec& link : type.bus.links) change(link.bandwidth, link.latency);
  }
  NetworkSpec& network = platform.network;
  for (Subnet& subnet : network.subnets) change(subnet.uplink_bandwidth, subnet.uplink_latency);
  if (network.fat_tree) change(network.fat_tree->uplink_bandwidth, network.fat_tree->uplink_latency);
  change(network.backbone_bandwidth, network.backbone_latency);
  if (!network.routes) return;
  RouteTable routes = *network.routes;
  for (RouteTable::Link& link : routes.links) link.bandwidth.value *= bandwidth_factor;
  for (Seconds& latency : routes.latency) latency.value *= latency_factor;
  network.routes = std::make_shared<RouteTable>(std::move(routes));
}

}  // namespace

NetworkOverrides read_network(JsonReader const& json, std::size_t nodes) {
  NetworkOverrides out;
  if (auto const model = json.find("model")) out.model = network_model(model->one_of(network_model_names()));
  if (auto const optim = json.find("optim")) out.lazy = optim->one_of({"Full", "Lazy"}) == "Lazy";
  read_link(json, "nic", out.nic_bandwidth_Bps, out.nic_latency_s);
  read_link(json, "backbone", out.backbone_bandwidth_Bps, out.backbone_latency_s);
  auto const simgrid_xml = json.find("simgrid_xml");
  for (char const* const key : {"nic", "backbone"})
    if (auto const other = json.find(key); other && simgrid_xml)
      other->fail(
          fmt::format("has no effect beside \"simgrid_xml\" (all links between nodes are those of its "
                      "file). Remove \"{}\", or change the file",
                      key));
  read_link(json, "uplink", out.uplink_bandwidth_Bps, out.uplink_latency_s);
  if (auto const sends = json.find("max_sends_per_node"))
    out.max_sends_per_node = static_cast<int>(sends->integer(1, 1'000'000));
  if (auto const sends = json.find("max_sends"))
    out.max_sends = static_cast<int>(sends->integer(0, 1'000'000));
  if (auto const order = json.find("send_order"))
    out.sends_by_priority = order->one_of({"priority", "fifo"}) == "priority";
  if (auto const broadcast = json.find("broadcast"))
    out.broadcast = broadcast_named(broadcast->one_of(broadcast_names()));
  if (auto const rendezvous = json.find("rendezvous")) out.rendezvous = rendezvous->boolean();
  if (auto const factor = json.find("bandwidth_factor")) out.bandwidth_factor = factor->positive();
  if (auto const factor = json.find("latency_factor")) out.latency_factor = factor->non_negative();
  json.finish();
  if (simgrid_xml) out.routes = std::make_shared<RouteTable const>(read_simgrid_xml(*simgrid_xml, nodes));
  return out;
}

Platform with_overrides(Platform platform, NetworkOverrides const& overrides) {
  for (NodeType& type : platform.types) {
    if (overrides.nic_bandwidth_Bps) type.nic.bandwidth = {*overrides.nic_bandwidth_Bps};
    if (overrides.nic_latency_s) type.nic.latency = {*overrides.nic_latency_s};
  }
  if (overrides.backbone_bandwidth_Bps)
    platform.network.backbone_bandwidth = {*overrides.backbone_bandwidth_Bps};
  if (overrides.backbone_latency_s) platform.network.backbone_latency = {*overrides.backbone_latency_s};
  if (overrides.routes) platform.network.routes = overrides.routes;
  for (Subnet& subnet : platform.network.subnets) {
    if (overrides.uplink_bandwidth_Bps) subnet.uplink_bandwidth = {*overrides.uplink_bandwidth_Bps};
    if (overrides.uplink_latency_s) subnet.uplink_latency = {*overrides.uplink_latency_s};
  }
  multiply(platform, overrides.bandwidth_factor, overrides.latency_factor);
  return platform;
}

RuntimeOptions with_overrides(RuntimeOptions runtime, NetworkOverrides const& overrides,
                              NetworkSpec const& network) {
  if (overrides.max_sends_per_node) runtime.max_sends_per_node = *overrides.max_sends_per_node;
  runtime.max_sends = overrides.max_sends.value_or(network.one_at_a_time ? 1 : 0);
  if (overrides.sends_by_priority) runtime.sends_by_priority = *overrides.sends_by_priority;
  if (overrides.broadcast) runtime.broadcast = *overrides.broadcast;
  if (overrides.rendezvous) runtime.rendezvous = *overrides.rendezvous;
  return runtime;
}

nlohmann::ordered_json effective_network(NetworkOptions const& options, Platform const& platform,
                                         RuntimeOptions const& runtime) {
  nlohmann::ordered_json out = {{"model", name_of(options.model)}, {"optim", options.lazy ? "Lazy" : "Full"}};
  if (auto const& routes = platform.network.routes)
    out["simgrid_xml"] = {{"file", routes->file}, {"hosts", routes->hosts}};
  else
    out.update(effective_links(platform));
  out["max_sends_per_node"] = runtime.max_sends_per_node;
  out["max_sends"] = runtime.max_sends;
  out["send_order"] = runtime.sends_by_priority ? "priority" : "fifo";
  out["broadcast"] = name_of(runtime.broadcast);
  out["rendezvous"] = runtime.rendezvous;
  return out;
}

}  // namespace factosim
