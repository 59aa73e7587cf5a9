#include "platforms/platform_composition.hpp"

#include <fmt/format.h>

#include <algorithm>
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

NodeType const* PlatformPart::find(std::string const& type) const {
  auto const found = types.find(type);
  return found == types.end() ? nullptr : &found->second.type;
}

void PlatformPart::rename(std::string const& prefix) {
  nodes.clear();
  for (auto& [name, described] : std::exchange(types, {})) {
    NodeType& type = described.type;
    type.name = prefix + name;
    if (!type.subnet.empty()) type.subnet = prefix + type.subnet;
    types.emplace(prefix + name, described);
  }
  for (Subnet& subnet : network.subnets) subnet.name = prefix + subnet.name;
}

void PlatformPart::set_network(PlatformNetwork replacement) {
  network = std::move(replacement.spec);
  nic = replacement.nic;
  nics = replacement.nics;
  unused_networks.clear();
  for (auto& [name, described] : types) {
    NodeType& type = described.type;
    if (std::ranges::find(network.subnets, type.subnet, &Subnet::name) == network.subnets.end())
      type.subnet.clear();
    if (!nic) continue;
    type.nic = *nic;
    type.nics = nics;
  }
}

void PlatformPart::add(PlatformPart other, JsonReader const& entry) {
  bool const first = types.empty();
  for (auto& [name, described] : other.types) {
    auto const [known, is_new] = types.try_emplace(name, std::move(described));
    if (!is_new && known->second.origin != described.origin) refuse_clash(entry, "node type", name);
  }
  std::vector<Subnet> const subnets = std::move(other.network.subnets);
  if (first) {
    network = std::move(other.network);
    network.subnets.clear();
    network_of = other.network_of;
  } else if (!same_network(network, other.network)) {
    add_new(unused_networks, {fmt::format("the network between the nodes is that of {}; {} has another one, "
                                          "which is not used. \"network\" beside \"merge\" replaces both",
                                          network_of, other.network_of)});
  }
  add_subnets(network, subnets, entry);
  if (!std::holds_alternative<std::monostate>(network.fabric) && !network.subnets.empty())
    entry.fail(
        fmt::format("joins subnets to a {}, that of {} (a node would be behind two switches at once). Give "
                    "\"network\" beside \"merge\", which replaces both",
                    name_of_fabric(network.fabric), network_of));
  if (other.worker_costs && !worker_costs) {
    worker_costs = other.worker_costs;
    costs_of = other.costs_of;
  } else if (other.worker_costs && !same_costs(*worker_costs, *other.worker_costs)) {
    add_findings(
        {fmt::format("the costs of the runtime system are those of {}; {} has others, which are not used",
                     costs_of, other.costs_of)});
  }
  add_findings(other.findings);
  add_new(unused_networks, other.unused_networks);
}

void PlatformPart::add_findings(std::vector<std::string> const& more) { add_new(findings, more); }

Platform PlatformPart::whole() && {
  add_findings(unused_networks);
  Platform out{.network = std::move(network), .worker_costs = worker_costs, .findings = std::move(findings)};
  for (auto& [name, described] : types) out.types.push_back(std::move(described.type));
  for (NodeRun const& run : nodes) {
    auto const type = std::ranges::find(out.types, run.type, &NodeType::name);
    out.nodes.insert(out.nodes.end(), run.count, static_cast<std::uint32_t>(type - out.types.begin()));
  }
  return out;
}

}  // namespace factosim
