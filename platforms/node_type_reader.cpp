#include "platforms/node_type_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <utility>

#include "platforms/bus_prediction.hpp"
#include "platforms/disk_preset.hpp"
#include "platforms/fabric.hpp"
#include "platforms/gpu_subset.hpp"
#include "platforms/link_reader.hpp"
#include "platforms/network_preset.hpp"
#include "platforms/platform_json.hpp"
#include "platforms/platform_limits.hpp"
#include "platforms/power_reader.hpp"
#include "platforms/shipped_files.hpp"
#include "simulator/base/core/json_text.hpp"

namespace factosim {

namespace {

/// An end of a route: a memory node or a network card.
struct RouteEnd {
  std::size_t memory = 0;
  std::optional<std::size_t> card{};
};

/// Reads the name of a memory node: "ram", "ram1", "cuda0", ...; or of a card: "nic0", ...
RouteEnd route_end(JsonReader const& json, NodeType const& type) {
  std::string const name = json.string();
  for (std::size_t c = 0; c < type.nics; ++c)
    if (name == fmt::format("nic{}", c)) return {.card = c};
  std::string known;
  for (std::size_t m = 0; m < type.memory_node_count(); ++m) {
    if (name == memory_node_name(type, m)) return {.memory = m};
    known += (m == 0 ? "" : ", ") + memory_node_name(type, m);
  }
  json.fail(fmt::format(
      "\"{}\" is no memory of this node (\"numa_nodes\" and \"gpus\" make them). Use one of: {}{}", name,
      known, name.starts_with("nic") ? fmt::format(", nic0 to nic{}", type.nics - 1) : ""));
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

/// Returns the links between a memory and a card.
std::vector<std::uint32_t>& card_route(Bus& bus, RouteEnd const& from, RouteEnd const& to,
                                       std::size_t memories) {
  std::size_t const card = from.card ? *from.card : *to.card;
  if (card >= bus.card_routes.size()) bus.card_routes.resize(card + 1);
  bus.card_routes[card].resize(memories);
  Bus::CardRoute& route = bus.card_routes[card][from.card ? to.memory : from.memory];
  return from.card ? route.in : route.out;
}

void check_card_routes(NodeType const& type, JsonReader const& json) {
  for (std::size_t c = 0; c < type.bus.card_routes.size(); ++c)
    for (std::size_t m = 0; m < type.bus.card_routes[c].size(); ++m) {
      Bus::CardRoute const& route = type.bus.card_routes[c][m];
      if (route.out.empty() != route.in.empty())
        json.fail(fmt::format(
            "a route between {} and nic{} in one direction (messages go both ways). Add the other",
            memory_node_name(type, m), c));
    }
}

void read_routes(NodeType& type, JsonReader const& json, std::map<std::string, std::uint32_t> const& index) {
  Bus& bus = type.bus;
  std::size_t const memories = type.memory_node_count();
  bus.routes.resize(memories * memories);
  for (JsonReader const& entry : json.elements()) {
    RouteEnd const from = route_end(entry.at("from", "ram, cuda0, ..."), type);
    RouteEnd const to = route_end(entry.at("to", "ram, cuda0, ..."), type);
    JsonReader const names = entry.at("links", "names of links");
    entry.finish();
    bool const to_card = from.card || to.card;
    if (from.card && to.card)
      entry.fail("a route between two cards (messages go to and from memories). Remove it");
    if (!to_card && from.memory == to.memory)
      entry.fail("a route from a memory to itself (nothing is copied there). Remove it");
    auto& route =
        to_card ? card_route(bus, from, to, memories) : bus.routes[from.memory * memories + to.memory];
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
    if (to_card && route.size() > most_card_links)
      names.fail(fmt::format("{} links (messages have room for {} between a memory and a card). Name fewer",
                             route.size(), most_card_links));
  }
  check_card_routes(type, json);
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
  if (auto const parallel = json.find("parallel_copies")) type.bus.parallel_copies = parallel->boolean();
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

std::vector<GpuSpec> read_gpus(JsonReader const& json, bool unified_memory) {
  std::vector<GpuSpec> gpus;
  if (json.elements().size() > max_gpus)
    json.fail(fmt::format("has more than {} GPUs (each pair of them has a route). Use fewer", max_gpus));
  for (JsonReader const& entry : json.elements()) {
    GpuSpec& gpu =
        gpus.emplace_back(GpuSpec{.model = entry.at("model", "the name of the GPU").string(), .memory = {}});
    auto const memory = unified_memory ? entry.find("memory_bytes")
                                       : std::optional(entry.at("memory_bytes", "what tiles may fill"));
    if (memory && unified_memory)
      memory->fail(
          "stands beside \"unified_memory\" (the GPUs have no memory but the RAM). Remove it, and state "
          "\"ram_bytes\"");
    if (memory) gpu.memory = {memory->integer()};
    entry.finish();
  }
  return gpus;
}

void read_nics(NodeType& type, JsonReader const& json) {
  if (auto const nics = json.find("nics")) type.nics = static_cast<std::uint32_t>(nics->integer());
}

/// Reads how many cards the node has, which routes of the bus name.
void read_card_count(NodeType& type, JsonReader const& nic, JsonReader const& json) {
  if (nic.is_string()) type.nics = read_network_preset(nic).nics;
  read_nics(type, json);
}

/// Reads the network card of a node type: a link, or the name of a network.
void read_nic(NodeType& type, JsonReader const& json, bool estimate_is_given) {
  type.nics = 1;
  if (!json.is_string()) {
    type.nic = read_link(json);
    return;
  }
  NetworkPreset const network = read_network_preset(json);
  type.nic = network.nic;
  type.nics = network.nics;
  if (!estimate_is_given) type.estimate = type.estimate || network.estimate;
  type.provenance += fmt::format("{}Network card, {}: {}", type.provenance.empty() ? "" : " ", network.name,
                                 network.provenance);
}

/// Reads the keys that all kinds of node types have.
void read_common_keys(NodeType& type, JsonReader const& json) {
  if (auto sockets = json.find("sockets")) type.sockets = static_cast<int>(sockets->integer());
  if (auto thread = json.find("communication_thread"))
    type.communication = read_communication_thread(*thread);
  auto const power = json.find("power");
  if (power) type.power = read_power(*power);
  auto const caps = json.find("gpu_caps_W");
  if (caps) read_gpu_caps(type, *caps);
  if (caps || power) check_gpu_caps(type, caps ? *caps : *power);
  if (auto disk = json.find("disk")) type.disk = read_disk(*disk);
  if (auto subnet = json.find("subnet")) type.subnet = subnet->string();
  if (auto estimate = json.find("estimate")) type.estimate = estimate->boolean();
  if (auto provenance = json.find("provenance")) type.provenance = provenance->string();
}

/// Keeps the first GPUs of a machine.
void read_gpu_count(NodeType& type, JsonReader const& json, std::string const& base) {
  auto const count = static_cast<std::size_t>(json.integer());
  if (count > type.gpus.size())
    json.fail(
        fmt::format("is {} (\"{}\" has {} GPUs, and the bus of others is not known). Give at most {}, or "
                    "describe the whole node type",
                    count, base, type.gpus.size(), type.gpus.size()));
  keep_gpus(type, count);
}

}  // namespace

NodeType read_node_type(std::string const& name, JsonReader const& json) {
  NodeType type;
  type.name = name;
  auto const cycle_time = json.find("cycle_time_s");
  if (cycle_time) type.cycle_time = {cycle_time->quantity()};
  type.cores = 1;
  if (!cycle_time || json.find("cores"))
    type.cores = static_cast<int>(json.at("cores", "CPU cores of the node").integer());
  if (auto numa = json.find("numa_nodes")) type.numa_nodes = static_cast<int>(numa->integer());
  auto const unified = json.find("unified_memory");
  if (unified && !cycle_time) type.unified_memory = unified->boolean();
  if (auto gpus = json.find("gpus"); gpus && !cycle_time) type.gpus = read_gpus(*gpus, type.unified_memory);
  if (type.unified_memory && type.gpus.empty())
    unified->fail("is true without GPUs (the cores have the RAM anyway). Remove it, or list the GPUs");
  if (!cycle_time || json.find("ram_bytes")) type.ram = {json.at("ram_bytes", "size of the RAM").integer()};
  if (cycle_time) {
    for (char const* const key : {"kernels", "gpus", "unified_memory"})
      if (auto const other = json.find(key))
        other->fail(
            fmt::format("stands beside \"cycle_time_s\" (which says how long every kernel lasts, on "
                        "cores). Remove \"{}\" or \"cycle_time_s\"",
                        key));
  } else if (auto const kernels = json.find("kernels")) {
    type.kernels_file = read_path_or_name(*kernels, ShippedKind::kernels).string();
  }
  JsonReader const nic = json.at("nic", "the link between node and switch");
  read_card_count(type, nic, json);
  auto const bus = json.find("bus");
  if (bus && type.memory_node_count() == 1)
    bus->fail("a bus without GPUs (there is only the RAM to copy from). Remove it or list the GPUs");
  if (type.memory_node_count() > 1) read_bus(type, json.at("bus", "the node has several memories"));
  read_common_keys(type, json);
  read_nic(type, nic, json.find("estimate").has_value());
  read_nics(type, json);
  json.finish();
  return type;
}

NodeType read_derived_type(std::string const& name, JsonReader const& json, NodeType base) {
  std::string const of = json.at("of", "the node type whose values it has").string();
  NodeType type = std::move(base);
  type.name = name;
  std::vector<std::string> changes;
  auto const changed = [&](char const* key) {
    auto const value = json.find(key);
    if (value) changes.push_back(fmt::format("{} {}", key, json_text(value->value())));
    return value;
  };
  if (auto const gpus = changed("gpus")) read_gpu_count(type, *gpus, of);
  if (auto const cores = changed("cores")) {
    auto const count = static_cast<int>(cores->integer());
    type.estimate = type.estimate || count > type.cores;  // timings with so many busy cores were not measured
    type.cores = count;
  }
  if (auto const ram = changed("ram_bytes")) type.ram = {ram->integer()};
  auto const kernels = changed("kernels");
  auto const cycle_time = changed("cycle_time_s");
  bool const by_cycle_time = type.cycle_time.value > 0;
  if (kernels && by_cycle_time)
    kernels->fail(
        fmt::format("stands in a variant of \"{}\", which has \"cycle_time_s\" (that says how long "
                    "every kernel lasts). Remove it, or give \"cycle_time_s\"",
                    of));
  if (cycle_time && !by_cycle_time)
    cycle_time->fail(
        fmt::format("stands in a variant of \"{}\", which has kernel timings (which say how long "
                    "kernels last). Remove it, or give \"kernels\"",
                    of));
  if (kernels) type.kernels_file = read_path_or_name(*kernels, ShippedKind::kernels).string();
  if (cycle_time) type.cycle_time = {cycle_time->quantity()};
  if (!changes.empty())
    type.provenance = fmt::format("{} with {}. {}", of, fmt::join(changes, ", "), type.provenance);
  read_common_keys(type, json);
  if (auto const nic = json.find("nic")) read_nic(type, *nic, json.find("estimate").has_value());
  read_nics(type, json);
  json.finish();
  return type;
}

}  // namespace factosim
