#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "platforms/bus_prediction.hpp"
#include "platforms/platform_json.hpp"
#include "platforms/platform_limits.hpp"
#include "platforms/shipped_files.hpp"
#include "platforms/wire_names.hpp"

namespace factosim {

namespace {

namespace fs = std::filesystem;

/// Reads the name of a memory node: "ram", "ram1", "cuda0", ...
std::size_t memory_node(JsonReader const& json, NodeType const& type) {
  std::string const name = json.string();
  std::string known;
  for (std::size_t m = 0; m < type.memory_node_count(); ++m) {
    if (name == memory_node_name(type, m)) return m;
    known += (m == 0 ? "" : ", ") + memory_node_name(type, m);
  }
  json.fail(
      fmt::format("\"{}\" is no memory of this node (\"numa_nodes\" and \"gpus\" make them). Use one of: {}",
                  name, known));
}

/// Reads the keys of a link's rate. `unit` describes the bandwidth in error messages.
LinkRate read_rate(JsonReader const& json, std::string const& unit) {
  return {.bandwidth = {json.at("bandwidth_Bps", unit).quantity()},
          .latency = {json.at("latency_s", "seconds").quantity()}};
}

/// Reads an object with the keys of a link's rate only.
LinkRate read_link(JsonReader const& json) {
  LinkRate const rate = read_rate(json, "bytes per second, each way");
  json.finish();
  return rate;
}

void read_links(Bus& bus, JsonReader const& json, std::map<std::string, std::uint32_t>& index) {
  for (JsonReader const& entry : json.elements()) {
    JsonReader const name = entry.at("name", "what routes call the link");
    LinkSpec const link{.name = name.string(), .rate = read_rate(entry, "bytes per second")};
    entry.finish();
    if (!index.try_emplace(link.name, static_cast<std::uint32_t>(bus.links.size())).second)
      name.fail(fmt::format("a second link \"{}\" (routes could mean either). Rename one", link.name));
    bus.links.push_back(link);
  }
}

void read_routes(NodeType& type, JsonReader const& json, std::map<std::string, std::uint32_t> const& index) {
  Bus& bus = type.bus;
  std::size_t const memories = type.memory_node_count();
  bus.routes.resize(memories * memories);
  for (JsonReader const& entry : json.elements()) {
    std::size_t const from = memory_node(entry.at("from", "ram, cuda0, ..."), type);
    std::size_t const to = memory_node(entry.at("to", "ram, cuda0, ..."), type);
    JsonReader const names = entry.at("links", "names of links");
    entry.finish();
    if (from == to) entry.fail("a route from a memory to itself (nothing is copied there). Remove it");
    auto& route = bus.routes[from * memories + to];
    if (!route.empty())
      entry.fail("a second route between the same memories (only one is followed). Keep one");
    for (JsonReader const& name : names.elements()) {
      auto const link = index.find(name.string());
      if (link == index.end())
        name.fail(fmt::format(
            "no link is called \"{}\" (a route crosses links of this bus). Use a name of \"links\"",
            name.string()));
      route.push_back(link->second);
    }
    if (route.empty())
      names.fail("a route without links (a copy would take no time). Name the links it crosses");
  }
  for (std::size_t m = 1; m < memories; ++m)
    for (auto const& [from, to] : {std::pair<std::size_t, std::size_t>{0, m}, {m, 0}})
      if (bus.routes[from * memories + to].empty())
        json.fail(fmt::format("no route from {} to {} (every memory must reach the RAM both ways). Add it",
                              memory_node_name(type, from), memory_node_name(type, to)));
}

/// Reads a square matrix over the memory nodes, in which `read` checks the values off the diagonal.
std::vector<double> read_matrix(JsonReader const& json, std::size_t memories,
                                double (JsonReader::*read)() const) {
  std::vector<double> matrix;
  std::vector<JsonReader> const rows = json.elements();
  if (rows.size() != memories)
    json.fail(fmt::format("{} rows (this node has {} memories: the RAM and its GPUs). Give {} rows",
                          rows.size(), memories, memories));
  for (std::size_t from = 0; from < memories; ++from) {
    std::vector<JsonReader> const row = rows[from].elements();
    if (row.size() != memories)
      rows[from].fail(
          fmt::format("{} values (this node has {} memories: the RAM and its GPUs). Give {} values",
                      row.size(), memories, memories));
    for (std::size_t to = 0; to < memories; ++to)
      matrix.push_back(from == to ? row[to].non_negative() : (row[to].*read)());
  }
  return matrix;
}

void read_predictions(Bus& bus, std::optional<JsonReader> const& json, std::size_t memories) {
  bus.predicted = predict_from_routes(bus, memories);
  if (!json) return;
  auto const bandwidth =
      read_matrix(json->at("bandwidth_Bps", "[from][to]"), memories, &JsonReader::positive);
  auto const latency = read_matrix(json->at("latency_s", "[from][to]"), memories, &JsonReader::non_negative);
  for (std::size_t i = 0; i < bus.predicted.size(); ++i) bus.predicted[i] = {{bandwidth[i]}, {latency[i]}};
  json->finish();
}

void read_bus(NodeType& type, JsonReader const& json) {
  std::map<std::string, std::uint32_t> index;
  read_links(type.bus, json.at("links", "the links of the bus"), index);
  read_routes(type, json.at("routes", "which links a copy crosses"), index);
  read_predictions(type.bus, json.find("predicted"), type.memory_node_count());
  json.finish();
}

CommunicationThread read_communication_thread(JsonReader const& json) {
  CommunicationThread thread;
  if (auto const message = json.find("per_message_s")) thread.per_message = {message->quantity()};
  if (auto const byte = json.find("per_byte_s")) thread.seconds_per_byte = byte->quantity();
  if (auto const share = json.find("worker_share")) {
    thread.worker_share = share->quantity();
  }
  json.finish();
  return thread;
}

std::vector<GpuSpec> read_gpus(JsonReader const& json) {
  std::vector<GpuSpec> gpus;
  if (json.elements().size() > max_gpus)
    json.fail(fmt::format("has more than {} GPUs (each pair of them has a route). Use fewer", max_gpus));
  for (JsonReader const& entry : json.elements()) {
    gpus.push_back({.model = entry.at("model", "the name of the GPU").string(),
                    .memory = {entry.at("memory_bytes", "what tiles may fill").integer()}});
    entry.finish();
  }
  return gpus;
}

NodeType read_node_type(std::string const& name, JsonReader const& json) {
  NodeType type;
  type.name = name;
  auto const cycle_time = json.find("cycle_time_s");
  if (cycle_time) type.cycle_time = {cycle_time->quantity()};
  type.cores = 1;
  if (!cycle_time || json.find("cores"))
    type.cores = static_cast<int>(json.at("cores", "CPU cores of the node").integer());
  if (auto numa = json.find("numa_nodes")) type.numa_nodes = static_cast<int>(numa->integer());
  if (auto sockets = json.find("sockets")) type.sockets = static_cast<int>(sockets->integer());
  if (auto gpus = json.find("gpus"); gpus && !cycle_time) type.gpus = read_gpus(*gpus);
  if (!cycle_time || json.find("ram_bytes")) type.ram = {json.at("ram_bytes", "size of the RAM").integer()};
  if (cycle_time) {
    for (char const* const key : {"kernels", "gpus"})
      if (auto const other = json.find(key))
        other->fail(
            fmt::format("stands beside \"cycle_time_s\" (which says how long every kernel lasts, on "
                        "cores). Remove \"{}\" or \"cycle_time_s\"",
                        key));
  } else if (auto const kernels = json.find("kernels")) {
    type.kernels_file = read_path_or_name(*kernels, ShippedKind::kernels).string();
  }
  type.nic = read_link(json.at("nic", "the link between node and switch"));
  auto const bus = json.find("bus");
  if (bus && type.memory_node_count() == 1)
    bus->fail("a bus without GPUs (there is only the RAM to copy from). Remove it or list the GPUs");
  if (type.memory_node_count() > 1) read_bus(type, json.at("bus", "the node has several memories"));
  if (auto thread = json.find("communication_thread"))
    type.communication = read_communication_thread(*thread);
  if (auto power = json.find("power")) type.power = read_power(*power);
  if (auto subnet = json.find("subnet")) type.subnet = subnet->string();
  if (auto estimate = json.find("estimate")) type.estimate = estimate->boolean();
  if (auto provenance = json.find("provenance")) type.provenance = provenance->string();
  json.finish();
  return type;
}

FatTree read_fat_tree(JsonReader const& json) {
  FatTree tree;
  tree.nodes_per_leaf =
      static_cast<std::uint32_t>(json.at("nodes_per_leaf", "nodes that a leaf switch joins").integer());
  tree.uplinks =
      static_cast<std::uint32_t>(json.at("uplinks", "links each way between a leaf and the spine").integer());
  tree.uplink = read_link(json.at("uplink", "one of them"));
  json.finish();
  return tree;
}

NetworkSpec read_network(JsonReader const& json) {
  NetworkSpec network;
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
  if (auto tree = json.find("fat_tree")) {
    network.fat_tree = read_fat_tree(*tree);
    if (!network.subnets.empty())
      tree->fail(
          "a fat tree and subnets (a node would be behind two switches at once). Keep \"fat_tree\" or "
          "\"subnets\"");
  }
  if (auto backbone = json.find("backbone")) {
    if (auto bandwidth = backbone->find("bandwidth_Bps"))
      network.backbone.bandwidth = {bandwidth->quantity()};
    network.backbone.latency = {backbone->at("latency_s", "paid by every message").quantity()};
    backbone->finish();
  }
  if (auto shared = json.find("one_at_a_time")) network.one_at_a_time = shared->boolean();
  if (auto wire = json.find("wire")) network.wire = wire_names.named(wire->one_of());
  if (auto provenance = json.find("provenance")) network.provenance = provenance->string();
  json.finish();
  return network;
}

WorkerCosts read_worker_costs(JsonReader const& json) {
  WorkerCosts const costs{.push = {json.at("push_cost_s", "of a ready task").quantity()},
                          .fetch = {json.at("fetch_cost_s", "of an operand").quantity()},
                          .progress = {json.at("progress_cost_s", "of a round of a driver").quantity()}};
  json.finish();
  return costs;
}

ValueRules node_list_rules() { return {node_list_rule()}; }
ValueRules power_rules() { return {rule::object(power_table)}; }

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

}  // namespace

PowerSpec read_power(JsonReader const& given) {
  JsonReader const json = given.by(power_rules);
  PowerSpec power;
  if (auto const core = json.find("core_W")) power.core = core->quantity();
  if (auto const gpu = json.find("gpu_W")) power.gpu = gpu->quantity();
  if (auto const idle = json.find("idle_W")) power.idle = idle->quantity();
  if (auto const off = json.find("off_W")) {
    power.off = off->quantity();
    if (power.off > power.idle)
      off->fail(fmt::format(
          "is above \"idle_W\" ({}) (powering off would cost energy). Give \"idle_W\", or less", power.idle));
  }
  json.finish();
  return power;
}

Platform read_platform(fs::path const& file, std::optional<JsonReader> const& nodes) {
  nlohmann::json const parsed = parse_json_file(file);
  JsonReader const json = JsonReader(parsed, file.string()).by(platform_file_rules);
  json.check_own_format("factosim-platform", 1);
  Platform platform;
  if (auto const graph = json.find("graph"))
    graph->fail(
        "is a graph of processors (its messages take ways that only the application \"ring\" chooses). Use a "
        "platform with \"node_types\"");
  JsonReader const types = json.at("node_types", "the kinds of machines");
  JsonReader const network = json.at("network", "how nodes are joined");
  auto const own_nodes = json.find("nodes");
  if (auto const costs = json.find("runtime")) platform.worker_costs = read_worker_costs(*costs);
  if (auto const findings = json.find("findings")) platform.findings = findings->strings();
  json.finish();

  platform.network = read_network(network);
  for (auto const& [name, member] : types.members()) {
    NodeType& type = platform.types.emplace_back(read_node_type(name, member));
    bool const known = std::any_of(platform.network.subnets.begin(), platform.network.subnets.end(),
                                   [&](Subnet const& s) { return s.name == type.subnet; });
    if (!type.subnet.empty() && !known)
      member.at("subnet").fail(
          fmt::format("no subnet is called \"{}\" (its uplink would be unknown). Add it to network/"
                      "subnets, or leave it out for the core switch",
                      type.subnet));
  }
  if (platform.types.empty()) types.fail("no node types (nothing could compute). Describe at least one");
  if (own_nodes) platform.nodes = read_nodes(*own_nodes, platform.types);
  if (nodes) platform.nodes = read_nodes(*nodes, platform.types);
  if (platform.nodes.empty() && platform.types.size() == 1) platform.nodes = {0};
  if (platform.nodes.empty())
    json.fail(
        fmt::format("the key \"nodes\" is missing (there are {} node types to choose from). Add [{{\"type\", "
                    "\"count\"}}, ...] here or in the scenario",
                    platform.types.size()));
  return platform;
}

}  // namespace factosim
