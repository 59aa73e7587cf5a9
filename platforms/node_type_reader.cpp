#include "platforms/platform_fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "platforms/bus_rates.hpp"
#include "platforms/fabric.hpp"
#include "platforms/memory_nodes.hpp"
#include "platforms/presets.hpp"
#include "platforms/shipped_files.hpp"
#include "simulator/base/core/json_text.hpp"
#include "simulator/base/core/suggestion.hpp"

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
  std::vector<std::string> known;
  for (std::size_t m = 0; m < type.memory_node_count(); ++m) {
    if (name == memory_node_name(type, m)) return {.memory = m};
    known.push_back(memory_node_name(type, m));
  }
  json.fail(fmt::format("\"{}\" is no memory of this node (\"numa_nodes\" and \"gpus\" make them). {}{}",
                        name, use_one_of(name, known),
                        name.starts_with("nic") ? fmt::format(", nic0 to nic{}", type.nics - 1) : ""));
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

void read_routes(NodeType& type, JsonReader const& json) {
  Bus& bus = type.bus;
  std::size_t const memories = type.memory_node_count();
  bus.routes.resize(memories * memories);
  for (JsonReader const& entry : json.elements()) {
    (void)read_object<BusRouteKeys>(entry);
    RouteEnd const from = route_end(entry.at("from"), type), to = route_end(entry.at("to"), type);
    JsonReader const names = entry.at("links");
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
      auto const link = std::ranges::find(bus.links, name.string(), &LinkSpec::name);
      if (link == bus.links.end())
        name.fail(fmt::format(
            "no link is called \"{}\" (a route crosses links of this bus). {}Use a name of \"links\"",
            name.string(), did_you_mean(name.string(), names_of(bus.links))));
      route.push_back(static_cast<std::uint32_t>(link - bus.links.begin()));
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
  type.bus = read_object<Bus>(json);
  read_routes(type, json.at("routes"));
  read_predictions(type.bus, json.find("predicted"), type.memory_node_count());
}

/// Checks that GPUs have memories of their own, or none.
void check_gpu_memories(JsonReader const& json, bool unified_memory) {
  for (JsonReader const& entry : json.elements())
    if (!unified_memory)
      (void)entry.at("memory_bytes", "what tiles may fill");
    else if (auto const memory = entry.find("memory_bytes"))
      memory->fail(
          "stands beside \"unified_memory\" (the GPUs have no memory but the RAM). Remove it, and state "
          "\"ram_bytes\"");
}

/// Reads the network card of a node type: a link, or the name of a network. Other keys have been read.
void read_nic(NodeType& type, JsonReader const& json) {
  JsonReader const nic = json.at("nic");
  std::optional<NetworkPreset> const network =
      nic.is_string() ? std::optional(read_network_preset(nic)) : std::nullopt;
  if (!json.find("nics")) type.nics = network ? network->nics : 1;
  type.nic = network ? network->nic : read_object<LinkRate>(nic);
  if (!network) return;
  type.nic_estimate = network->spec.estimate;
  type.provenance += fmt::format("{}Network card, {}: {}", type.provenance.empty() ? "" : " ", network->name,
                                 network->spec.provenance);
}

/// Reads the power caps of a node type whose power and GPUs are known.
void read_caps(NodeType& type, JsonReader const& json) {
  auto const power = json.find("power"), caps = json.find("gpu_caps_W");
  if (caps) read_gpu_caps(type, *caps);
  if (caps || power) check_gpu_caps(type, caps ? *caps : *power);
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
  type.cores = 1;
  if (json.find("cycle_time_s"))
    for (char const* const key : {"kernels", "gpus", "unified_memory"})
      if (auto const other = json.find(key))
        other->fail(
            fmt::format("stands beside \"cycle_time_s\" (which says how long every kernel lasts, on cores). "
                        "Remove \"{}\" or \"cycle_time_s\"",
                        key));
  read_object(json, type);
  if (auto const gpus = json.find("gpus")) check_gpu_memories(*gpus, type.unified_memory);
  read_nic(type, json);
  auto const bus = json.find("bus");
  if (bus && type.memory_node_count() == 1)
    bus->fail("a bus without GPUs (there is only the RAM to copy from). Remove it or list the GPUs");
  if (type.memory_node_count() > 1) read_bus(type, json.at("bus", "the node has several memories"));
  read_caps(type, json);
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
        fmt::format("stands in a variant of \"{}\", which has \"cycle_time_s\" (that says how long every "
                    "kernel lasts). Remove it, or give \"cycle_time_s\"",
                    of));
  if (cycle_time && !by_cycle_time)
    cycle_time->fail(
        fmt::format("stands in a variant of \"{}\", which has kernel timings (which say how long kernels "
                    "last). Remove it, or give \"kernels\"",
                    of));
  if (kernels) type.kernels_file = read_path_or_name(*kernels, ShippedKind::kernels).string();
  if (cycle_time) type.cycle_time = {cycle_time->quantity()};
  if (!changes.empty())
    type.provenance = fmt::format("{} with {}. {}", of, fmt::join(changes, ", "), type.provenance);
  read_object(json, type);
  if (json.find("nic")) read_nic(type, json);
  read_caps(type, json);
  return type;
}

}  // namespace factosim
