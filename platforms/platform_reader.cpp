#include "platforms/platform_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "platforms/fabric.hpp"
#include "platforms/fabric_json.hpp"
#include "platforms/link_reader.hpp"
#include "platforms/message_efficiency.hpp"
#include "platforms/network_preset.hpp"
#include "platforms/platform_json.hpp"
#include "platforms/platform_limits.hpp"
#include "platforms/wire_names.hpp"

namespace factosim {

namespace {

ValueRules node_list_rules() { return {node_list_rule()}; }

}  // namespace

PlatformNetwork read_platform_network(JsonReader const& json) {
  PlatformNetwork out;
  NetworkSpec& network = out.spec;
  if (auto const preset = json.find("preset")) {
    NetworkPreset const given = read_network_preset(*preset);
    out.nic = given.nic;
    out.nics = given.nics;
    network = given.network();
  }
  if (auto subnets = json.find("subnets")) {
    for (JsonReader const& entry : subnets->elements()) {
      JsonReader const name = entry.at("name", "what node types call the subnet");
      Subnet const subnet{.name = name.string(),
                          .uplink = read_link(entry.at("uplink", "its link to the core switch"))};
      entry.finish();
      if (subnet.name.empty()) name.fail("is empty (that means the core switch). Give the subnet a name");
      for (Subnet const& other : network.subnets)
        if (other.name == subnet.name)
          name.fail(
              fmt::format("a second subnet \"{}\" (node types could mean either). Rename one", subnet.name));
      network.subnets.push_back(subnet);
    }
  }
  read_fabric(network.fabric, json);
  read_efficiency(network.efficiency, json);
  for (char const* const key : {"fat_tree", "dragonfly", "dragonfly_plus"})
    if (auto const given = json.find(key); given && !network.subnets.empty())
      given->fail(fmt::format(
          "a {} and subnets (a node would be behind two switches at once). Keep \"{}\" or \"subnets\"",
          name_of_fabric(network.fabric), key));
  if (auto backbone = json.find("backbone")) {
    if (auto bandwidth = backbone->find("bandwidth_Bps"))
      network.backbone.bandwidth = {bandwidth->quantity()};
    network.backbone.latency = {backbone->at("latency_s", "paid by every message").quantity()};
    backbone->finish();
  }
  if (auto shared = json.find("one_at_a_time")) network.one_at_a_time = shared->boolean();
  if (auto wire = json.find("wire")) network.wire = wire_names.named(wire->one_of());
  if (auto direct = json.find("gpu_direct")) network.gpu_direct = gpu_direct_names.named(direct->one_of());
  if (auto provenance = json.find("provenance")) network.provenance = provenance->string();
  if (auto estimate = json.find("estimate")) network.estimate = estimate->boolean();
  json.finish();
  return out;
}

WorkerCosts read_worker_costs(JsonReader const& json) {
  WorkerCosts const costs{.push = {json.at("push_cost_s", "of a ready task").quantity()},
                          .fetch = {json.at("fetch_cost_s", "of an operand").quantity()},
                          .progress = {json.at("progress_cost_s", "of a round of a driver").quantity()}};
  json.finish();
  return costs;
}

std::vector<std::uint32_t> read_nodes(JsonReader const& given, std::vector<NodeType> const& types) {
  JsonReader const json = given.by(node_list_rules);
  std::vector<std::uint32_t> nodes;
  for (JsonReader const& entry : json.elements()) {
    JsonReader const name = entry.at("type", "the name of a node type");
    auto const count = static_cast<std::size_t>(entry.at("count", "how many of them").integer());
    entry.finish();
    auto const type =
        std::find_if(types.begin(), types.end(), [&](auto const& t) { return t.name == name.string(); });
    if (type == types.end()) {
      std::string known;
      for (NodeType const& t : types) known += (known.empty() ? "" : ", ") + t.name;
      name.fail(
          fmt::format("no node type is called \"{}\" (the platform does not describe it). Use one of: {}",
                      name.string(), known));
    }
    if (count > max_nodes - nodes.size())
      entry.fail(fmt::format("makes more than {} nodes (no cluster has so many). Use fewer", max_nodes));
    nodes.insert(nodes.end(), count, static_cast<std::uint32_t>(type - types.begin()));
  }
  if (nodes.empty()) json.fail("no nodes (nothing could compute). List at least one {\"type\", \"count\"}");
  return nodes;
}

}  // namespace factosim
