#include <fmt/format.h>
#include <fmt/ranges.h>

#include "platforms/fabric_json.hpp"
#include "platforms/message_efficiency.hpp"
#include "platforms/platform_json.hpp"
#include "platforms/wire_names.hpp"
#include "simulator/base/core/json_text.hpp"

namespace factosim {

namespace {

/// Formats an array with one element (a JSON text) per line.
std::string lines(std::vector<std::string> const& elements, std::string const& indent) {
  if (elements.empty()) return "[]";
  return fmt::format("[\n{0}  {1}\n{0}]", indent, fmt::join(elements, ",\n" + indent + "  "));
}

using Members = std::vector<std::pair<std::string, std::string>>;  // key, JSON text

/// Formats an object with one member per line.
std::string object(Members const& members, std::string const& indent) {
  std::vector<std::string> texts;
  for (auto const& [key, value] : members) texts.push_back(json_text(key) + ": " + value);
  return fmt::format("{{\n{0}  {1}\n{0}}}", indent, fmt::join(texts, ",\n" + indent + "  "));
}

// fmt writes a double with the fewest digits that are read back as the same double.
std::string rate_members(LinkRate const& rate) {
  return fmt::format("\"bandwidth_Bps\": {}, \"latency_s\": {}", rate.bandwidth.value, rate.latency.value);
}
template <class Quantity>
std::string matrix_lines(std::vector<LinkRate> const& matrix, Quantity LinkRate::*member,
                         std::size_t memories, std::string const& indent) {
  std::vector<std::string> rows;
  for (std::size_t from = 0; from * memories < matrix.size(); ++from) {
    std::vector<double> row;
    for (std::size_t to = 0; to < memories; ++to) row.push_back((matrix[from * memories + to].*member).value);
    rows.push_back(fmt::format("[{}]", fmt::join(row, ", ")));
  }
  return lines(rows, indent);
}

std::string route_json(Bus const& bus, std::string const& from, std::string const& to,
                       std::vector<std::uint32_t> const& links) {
  std::vector<std::string> names;
  for (std::uint32_t const link : links) names.push_back(json_text(bus.links[link].name));
  return fmt::format("{{\"from\": \"{}\", \"to\": \"{}\", \"links\": [{}]}}", from, to,
                     fmt::join(names, ", "));
}

std::string bus_json(NodeType const& type, std::string const& indent) {
  std::size_t const memories = type.memory_node_count();
  std::vector<std::string> links;
  for (LinkSpec const& link : type.bus.links)
    links.push_back(fmt::format("{{\"name\": {}, {}}}", json_text(link.name), rate_members(link.rate)));
  std::vector<std::string> routes;
  for (std::size_t pair = 0; pair < type.bus.routes.size(); ++pair) {
    if (type.bus.routes[pair].empty()) continue;
    routes.push_back(route_json(type.bus, memory_node_name(type, pair / memories),
                                memory_node_name(type, pair % memories), type.bus.routes[pair]));
  }
  for (std::size_t c = 0; c < type.bus.card_routes.size(); ++c)
    for (std::size_t m = 0; m < type.bus.card_routes[c].size(); ++m)
      for (bool const out : {true, false}) {
        auto const& links = out ? type.bus.card_routes[c][m].out : type.bus.card_routes[c][m].in;
        if (links.empty()) continue;
        std::string const memory = memory_node_name(type, m), card = fmt::format("nic{}", c);
        routes.push_back(route_json(type.bus, out ? memory : card, out ? card : memory, links));
      }
  std::string const deeper = indent + "  ";
  std::string const predicted = object(
      {{"bandwidth_Bps", matrix_lines(type.bus.predicted, &LinkRate::bandwidth, memories, deeper + "  ")},
       {"latency_s", matrix_lines(type.bus.predicted, &LinkRate::latency, memories, deeper + "  ")}},
      deeper);
  Members members = {
      {"links", lines(links, deeper)}, {"routes", lines(routes, deeper)}, {"predicted", predicted}};
  if (type.bus.parallel_copies) members.emplace_back("parallel_copies", "true");
  return object(members, indent);
}

std::string disk_json(DiskSpec const& disk, std::string const& indent) {
  Members members = {{"model", json_text(disk.model)},
                     {"read", link_json(disk.read)},
                     {"write", link_json(disk.write)},
                     {"half_duplex", disk.half_duplex ? "true" : "false"},
                     {"estimate", disk.estimate ? "true" : "false"},
                     {"provenance", json_text(disk.provenance)}};
  if (disk.size.value > 0) members.emplace_back("size_bytes", std::to_string(disk.size.value));
  return object(members, indent);
}

std::string power_json(PowerSpec const& power) {
  std::string out = fmt::format("{{\"core_W\": {}, \"gpu_W\": {}, \"idle_W\": {}, \"off_W\": {}", power.core,
                                power.gpu, power.idle, power.off);
  if (power.gpu_idle > 0) out += fmt::format(", \"gpu_idle_W\": {}", power.gpu_idle);
  std::vector<std::string> entries;
  for (auto const& [name, own] : power.kernels) {
    std::vector<std::string> values;
    if (own.core) values.push_back(fmt::format("\"core_W\": {}", *own.core));
    if (own.gpu) values.push_back(fmt::format("\"gpu_W\": {}", *own.gpu));
    entries.push_back(fmt::format("{}: {{{}}}", json_text(name), fmt::join(values, ", ")));
  }
  if (!entries.empty()) out += fmt::format(", \"kernels\": {{{}}}", fmt::join(entries, ", "));
  entries.clear();
  for (auto const& [cap, speed] : power.gpu_speeds)
    entries.push_back(fmt::format("{{\"cap_W\": {}, \"speed\": {}}}", cap, speed));
  if (!entries.empty()) out += fmt::format(", \"gpu_speeds\": [{}]", fmt::join(entries, ", "));
  return out + "}";
}

void add_optional_members(NodeType const& type, Members& members, std::string const& deeper) {
  if (type.nics > 1) members.emplace_back("nics", std::to_string(type.nics));
  if (type.sockets) members.emplace_back("sockets", std::to_string(*type.sockets));
  if (CommunicationThread const& thread = type.communication; thread.takes_time())
    members.emplace_back("communication_thread",
                         fmt::format("{{\"per_message_s\": {}, \"per_byte_s\": {}, \"worker_share\": {}}}",
                                     thread.per_message.value, thread.seconds_per_byte, thread.worker_share));
  if (type.power.known()) members.emplace_back("power", power_json(type.power));
  if (!type.gpu_caps.empty())
    members.emplace_back("gpu_caps_W", fmt::format("[{}]", fmt::join(type.gpu_caps, ", ")));
  if (type.memory_node_count() > 1) members.emplace_back("bus", bus_json(type, deeper));
  if (type.disk) members.emplace_back("disk", disk_json(*type.disk, deeper));
  if (!type.subnet.empty()) members.emplace_back("subnet", json_text(type.subnet));
  members.emplace_back("estimate", type.estimate ? "true" : "false");
  members.emplace_back("provenance", json_text(type.provenance));
}

/// A node type that is described by its cycle time.
std::string cycle_time_json(NodeType const& type, std::string const& indent) {
  Members members = {{"cycle_time_s", fmt::format("{}", type.cycle_time.value)},
                     {"cores", std::to_string(type.cores)},
                     {"nic", link_json(type.nic)}};
  if (type.ram.value > 0) members.emplace_back("ram_bytes", std::to_string(type.ram.value));
  if (type.numa_nodes > 1) members.emplace_back("numa_nodes", std::to_string(type.numa_nodes));
  add_optional_members(type, members, indent + "  ");
  return object(members, indent);
}

std::string type_json(NodeType const& type, std::filesystem::path const& folder, std::string const& indent) {
  if (type.cycle_time.value > 0) return cycle_time_json(type, indent);
  std::string const deeper = indent + "  ";
  std::vector<std::string> gpus;
  for (GpuSpec const& gpu : type.gpus)
    gpus.push_back(type.unified_memory ? fmt::format("{{\"model\": {}}}", json_text(gpu.model))
                                       : fmt::format("{{\"model\": {}, \"memory_bytes\": {}}}",
                                                     json_text(gpu.model), gpu.memory.value));
  std::filesystem::path const kernels = std::filesystem::path(type.kernels_file).lexically_proximate(folder);
  Members members = {{"cores", std::to_string(type.cores)},
                     {"gpus", lines(gpus, deeper)},
                     {"ram_bytes", std::to_string(type.ram.value)},
                     {"nic", link_json(type.nic)}};
  if (type.unified_memory) members.insert(members.begin() + 2, {"unified_memory", "true"});
  if (!type.kernels_file.empty())
    members.insert(members.end() - 1, {"kernels", json_text(kernels.generic_string())});
  if (type.numa_nodes > 1)
    members.insert(members.begin() + 1, {"numa_nodes", std::to_string(type.numa_nodes)});
  add_optional_members(type, members, deeper);
  return object(members, indent);
}

std::string network_json(NetworkSpec const& network) {
  std::vector<std::string> subnets;
  for (Subnet const& subnet : network.subnets)
    subnets.push_back(
        fmt::format("{{\"name\": {}, \"uplink\": {}}}", json_text(subnet.name), link_json(subnet.uplink)));
  std::string const backbone = network.backbone.bandwidth.value > 0
                                   ? link_json(network.backbone)
                                   : fmt::format("{{\"latency_s\": {}}}", network.backbone.latency.value);
  Members members = {{"subnets", lines(subnets, "    ")}, {"backbone", backbone}};
  if (network.one_at_a_time) members.emplace_back("one_at_a_time", "true");
  if (network.wire != Wire::shared) members.emplace_back("wire", json_text(wire_names.name_of(network.wire)));
  if (network.gpu_direct != GpuDirect::none)
    members.emplace_back("gpu_direct", json_text(gpu_direct_names.name_of(network.gpu_direct)));
  if (network.estimate) members.emplace_back("estimate", "true");
  if (!network.provenance.empty()) members.emplace_back("provenance", json_text(network.provenance));
  if (auto const fabric = fabric_json(network.fabric); !fabric.first.empty()) members.push_back(fabric);
  if (std::string const efficiency = efficiency_json(network.efficiency); !efficiency.empty())
    members.emplace_back("efficiency", efficiency);
  return object(members, "  ");
}

std::string nodes_json(Platform const& platform) {
  std::vector<std::string> runs;
  for (std::size_t i = 0; i < platform.nodes.size();) {
    std::size_t end = i;
    while (end < platform.nodes.size() && platform.nodes[end] == platform.nodes[i]) ++end;
    runs.push_back(fmt::format("{{\"type\": {}, \"count\": {}}}",
                               json_text(platform.types[platform.nodes[i]].name), end - i));
    i = end;
  }
  return lines(runs, "  ");
}

}  // namespace

std::string link_json(LinkRate const& rate) { return fmt::format("{{{}}}", rate_members(rate)); }

std::string platform_json(Platform const& platform, std::filesystem::path const& folder) {
  Members types;
  for (NodeType const& type : platform.types) types.emplace_back(type.name, type_json(type, folder, "    "));
  Members members = {{"format", "\"factosim-platform\""},
                     {"version", "1"},
                     {"node_types", object(types, "  ")},
                     {"network", network_json(platform.network)},
                     {"nodes", nodes_json(platform)}};
  if (auto const& costs = platform.worker_costs)
    members.emplace_back("runtime",
                         fmt::format("{{\"push_cost_s\": {}, \"fetch_cost_s\": {}, \"progress_cost_s\": {}}}",
                                     costs->push.value, costs->fetch.value, costs->progress.value));
  std::vector<std::string> findings;
  for (std::string const& finding : platform.findings) findings.push_back(json_text(finding));
  if (!findings.empty()) members.emplace_back("findings", lines(findings, "  "));
  return object(members, "") + "\n";
}

}  // namespace factosim
