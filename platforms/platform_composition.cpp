#include "platforms/platform_composition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "platforms/fabric.hpp"

namespace factosim {

namespace {

/// Returns true if messages outside of subnets take the same time in both.
bool same_network(NetworkSpec const& a, NetworkSpec const& b) {
  return std::tie(a.fabric, a.efficiency, a.backbone, a.one_at_a_time, a.wire) ==
         std::tie(b.fabric, b.efficiency, b.backbone, b.one_at_a_time, b.wire);
}

bool same_costs(WorkerCosts const& a, WorkerCosts const& b) {
  auto const values = [](WorkerCosts const& c) {
    return std::tuple(c.push.value, c.fetch.value, c.progress.value);
  };
  return values(a) == values(b);
}

[[noreturn]] void refuse_clash(JsonReader const& entry, std::string const& what, std::string const& name) {
  entry.fail(
      fmt::format("has a {0} \"{1}\", as another platform of \"merge\" has (nodes could mean either). Put a "
                  "word before its names: {{\"file\": ..., \"prefix\": \"other-\"}} makes \"other-{1}\"",
                  what, name));
}

void add_subnets(NetworkSpec& network, std::vector<Subnet> const& subnets, JsonReader const& entry) {
  for (Subnet const& subnet : subnets) {
    auto const known = std::ranges::find(network.subnets, subnet.name, &Subnet::name);
    if (known == network.subnets.end())
      network.subnets.push_back(subnet);
    else if (known->uplink != subnet.uplink)
      refuse_clash(entry, "subnet", subnet.name);
  }
}

void add_new(std::vector<std::string>& known, std::vector<std::string> const& more) {
  for (std::string const& finding : more)
    if (std::ranges::find(known, finding) == known.end()) known.push_back(finding);
}

}  // namespace

NodeType const* PlatformPart::find(std::string_view type) const {
  auto const found = std::ranges::find(platform.types, type, &NodeType::name);
  return found == platform.types.end() ? nullptr : &*found;
}

void PlatformPart::set_type(NodeType type, std::string origin) {
  auto const known = std::ranges::find(platform.types, type.name, &NodeType::name);
  if (known == platform.types.end()) {
    platform.types.push_back(std::move(type));
    origins.push_back(std::move(origin));
  } else {
    origins[static_cast<std::size_t>(known - platform.types.begin())] = std::move(origin);
    *known = std::move(type);
  }
}

void PlatformPart::rename(std::string const& prefix) {
  for (NodeType& type : platform.types) {
    type.name = prefix + type.name;
    if (!type.subnet.empty()) type.subnet = prefix + type.subnet;
  }
  for (Subnet& subnet : platform.network.subnets) subnet.name = prefix + subnet.name;
}

void PlatformPart::set_network(PlatformNetwork network) {
  platform.network = std::move(network.spec);
  unused_networks.clear();
  for (NodeType& type : platform.types) {
    if (std::ranges::find(platform.network.subnets, type.subnet, &Subnet::name) ==
        platform.network.subnets.end())
      type.subnet.clear();
    if (!network.nic) continue;
    type.nic = *network.nic;
    type.nics = network.nics;
  }
  nic = network.nic;
  nics = network.nics;
}

void PlatformPart::add(PlatformPart other, JsonReader const& entry) {
  bool const first = platform.types.empty();
  for (std::size_t t = 0; t < other.platform.types.size(); ++t) {
    NodeType& type = other.platform.types[t];
    if (NodeType const* const known = find(type.name)) {
      if (origins[static_cast<std::size_t>(known - platform.types.data())] == other.origins[t]) continue;
      refuse_clash(entry, "node type", type.name);
    }
    platform.types.push_back(std::move(type));
    origins.push_back(std::move(other.origins[t]));
  }
  std::vector<Subnet> const subnets = std::move(other.platform.network.subnets);
  if (first) {
    platform.network = std::move(other.platform.network);
    platform.network.subnets.clear();
    network_of = other.network_of;
  } else if (!same_network(platform.network, other.platform.network)) {
    add_new(unused_networks, {fmt::format("the network between the nodes is that of {}; {} has another one, "
                                          "which is not used. \"network\" beside \"merge\" replaces both",
                                          network_of, other.network_of)});
  }
  add_subnets(platform.network, subnets, entry);
  if (!std::holds_alternative<std::monostate>(platform.network.fabric) && !platform.network.subnets.empty())
    entry.fail(
        fmt::format("joins subnets to a {}, that of {} (a node would be behind two switches at once). Give "
                    "\"network\" beside \"merge\", which replaces both",
                    name_of_fabric(platform.network.fabric), network_of));
  if (auto const& costs = other.platform.worker_costs) {
    if (!platform.worker_costs) {
      platform.worker_costs = costs;
      costs_of = other.costs_of;
    } else if (!same_costs(*platform.worker_costs, *costs)) {
      add_findings(
          {fmt::format("the costs of the runtime system are those of {}; {} has others, which are not used",
                       costs_of, other.costs_of)});
    }
  }
  add_findings(other.platform.findings);
  add_new(unused_networks, other.unused_networks);
}

void PlatformPart::add_findings(std::vector<std::string> const& findings) {
  add_new(platform.findings, findings);
}

void PlatformPart::sort() {
  std::vector<std::uint32_t> order(platform.types.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](std::uint32_t t) { return platform.types[t].name; });
  std::vector<std::string> sorted_origins;
  for (std::uint32_t const t : order) sorted_origins.push_back(std::move(origins[t]));
  origins = std::move(sorted_origins);
  select_types(platform, order);
}

void select_types(Platform& platform, std::span<std::uint32_t const> order) {
  std::vector<std::uint32_t> place(platform.types.size(), 0);
  std::vector<NodeType> types;
  for (std::uint32_t const t : order) {
    place[t] = static_cast<std::uint32_t>(types.size());
    types.push_back(std::move(platform.types[t]));
  }
  platform.types = std::move(types);
  for (std::uint32_t& node : platform.nodes) node = place[node];
}

}  // namespace factosim
