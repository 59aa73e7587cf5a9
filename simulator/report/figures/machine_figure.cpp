#include "simulator/report/figures/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "platforms/bus_rates.hpp"
#include "platforms/fabric.hpp"
#include "platforms/wire_names.hpp"
#include "simulator/base/core/quantity_text.hpp"

namespace factosim {

namespace {

using Json = nlohmann::ordered_json;

std::string count_of(std::size_t count, char const* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string gigabytes_per_second(double rate) { return fmt::format("{:.3g}", rate / 1e9); }

/// Returns which cards are as near to a GPU as to the RAM, or nearer; empty if none is.
std::string cards_beside_gpus(NodeType const& type) {
  std::string out;
  for (std::uint32_t c = 0; c < type.nics; ++c)
    if (std::size_t const memory = memory_beside_card(type, c); memory >= type.ram_count())
      out += fmt::format("{}nic{} at {}", out.empty() ? "Cards: " : ", ", c, memory_node_name(type, memory));
  return out;
}

/// Returns the rates of the direct routes between GPUs.
std::string peer_text(NodeType const& type) {
  double least = 0, most = 0;
  for (std::size_t a = 0; a < type.gpus.size(); ++a)
    for (std::size_t b = 0; b < type.gpus.size(); ++b) {
      std::size_t const from = type.memory_of_gpu(a), to = type.memory_of_gpu(b);
      double const rate = from == to ? 0 : route_rate(type, from, to).bandwidth.value;
      if (rate == 0) continue;
      least = least == 0 ? rate : std::min(least, rate);
      most = std::max(most, rate);
    }
  if (most == 0) return type.gpu_memory_count() > 1 ? "through the RAM" : "";
  std::string const low = gigabytes_per_second(least), high = gigabytes_per_second(most);
  return low == high ? high + " GB/s" : fmt::format("{} to {} GB/s", low, high);
}

Json memories_json(NodeType const& type) {
  if (type.ram_count() == 1)
    return Json::array(
        {"RAM " + (type.ram.value > 0 ? format_bytes(type.ram) : std::string("without limit"))});
  Json out = Json::array();
  for (std::size_t m = 0; m < type.ram_count(); ++m) out.push_back(memory_node_name(type, m));
  return out;
}

Json gpus_json(NodeType const& type) {
  Json out = Json::array();
  for (std::size_t g = 0; g < type.gpus.size(); ++g) {
    GpuSpec const& gpu = type.gpus[g];
    std::size_t const memory = type.memory_of_gpu(g);
    Json& json =
        out.emplace_back(Json{{"model", gpu.model.empty() ? fmt::format("GPU {}", g) : gpu.model},
                              {"memory", type.unified_memory ? "computes in " + memory_node_name(type, memory)
                                                             : format_bytes(gpu.memory)}});
    if (!type.unified_memory)
      json["rates"] =
          fmt::format("{} / {} GB/s", gigabytes_per_second(route_rate(type, 0, memory).bandwidth.value),
                      gigabytes_per_second(route_rate(type, memory, 0).bandwidth.value));
  }
  return out;
}

Json shared_json(NodeType const& type) {
  Json out = Json::array();
  for (SharedLinks const& part : shared_links(type))
    out.push_back(
        {{"first", part.gpus.front()},
         {"last", part.gpus.back()},
         {"text", fmt::format("shared by {}: {}", part.gpus.size(), bandwidth_text(part.bandwidth))}});
  return out;
}

Json type_json(NodeType const& type, std::size_t nodes) {
  std::string about = count_of(nodes, "node");
  if (type.estimate) about += ", estimate";
  if (type.cycle_time.value > 0) about += fmt::format(", {} a tile update", format_duration(type.cycle_time));
  Json notes = Json::array();
  if (std::string const peers = peer_text(type); !type.gpus.empty() && !peers.empty())
    notes.push_back("GPU to GPU: " + peers);
  if (std::string cards = cards_beside_gpus(type); !cards.empty()) notes.push_back(std::move(cards));
  return {{"name", type.name},
          {"about", about},
          {"subnet", type.subnet},
          {"card",
           {cards_text(type.nics) + bandwidth_text(type.nic.bandwidth), format_duration(type.nic.latency)}},
          {"cores", type.cores},
          {"cores_text", count_of(static_cast<std::size_t>(type.cores), "core")},
          {"memories", memories_json(type)},
          {"shared", shared_json(type)},
          {"gpus", gpus_json(type)},
          {"gpu_memories", type.gpu_memory_count()},
          {"notes", std::move(notes)}};
}

Json network_json(NetworkSpec const& network) {
  Json subnets = Json::object();
  for (Subnet const& s : network.subnets)
    subnets[s.name] = {bandwidth_text(s.uplink.bandwidth), format_duration(s.uplink.latency)};
  return {{"name", name_of_fabric(network.fabric)},
          {"about", switch_text(network)},
          {"subnets", std::move(subnets)}};
}

Json notes_json(NetworkSpec const& network) {
  static constexpr std::array directs{"", " They leave memories of GPUs.",
                                      " They leave and reach memories of GPUs."};
  Json out = Json::array();
  out.push_back(fmt::format("Rates of a lone copy: to / from the GPU. Messages of two nodes: wire {}.{}",
                            wire_names.name_of(network.wire),
                            directs[static_cast<std::size_t>(network.gpu_direct)]));
  if (network.estimate) out.push_back("Network: estimate. " + network.provenance);
  return out;
}

/// The rates of the network cards and between the memories of each node type.
Table rates_of(Platform const& platform) {
  Table out{.columns = {"machine", "nodes", "from", "to", "bandwidth_Bps", "latency_s"}};
  for (std::size_t t = 0; t < platform.types.size(); ++t) {
    NodeType const& type = platform.types[t];
    auto const nodes = std::ranges::count(platform.nodes, t);
    auto const add = [&](std::string const& from, std::string const& to, LinkRate const& rate) {
      out.rows.push_back({type.name, nodes, from, to, rate.bandwidth.value, rate.latency.value});
    };
    add("node", "switch", type.nic);
    std::size_t const memories = type.memory_node_count();
    for (std::size_t from = 0; from < memories; ++from)
      for (std::size_t to = 0; to < memories && memories > 1; ++to)
        if (!type.bus.routes[from * memories + to].empty())
          add(memory_node_name(type, from), memory_node_name(type, to), route_rate(type, from, to));
  }
  return out;
}

}  // namespace

Figure machine_figure(Platform const& platform, std::string const& title) {
  std::vector<std::size_t> order;  // of the types: those of one subnet are neighbours
  for (std::size_t t = 0; t < platform.types.size(); ++t) order.push_back(t);
  std::ranges::stable_sort(order, {}, [&](std::size_t t) { return platform.types[t].subnet; });
  Json content = figure_content("machines", title, {});
  content["network"] = network_json(platform.network);
  content["types"] = Json::array();
  for (std::size_t const t : order)
    content["types"].push_back(
        type_json(platform.types[t], static_cast<std::size_t>(std::ranges::count(platform.nodes, t))));
  content["notes"] = notes_json(platform.network);
  return {std::move(content), rates_of(platform)};
}

}  // namespace factosim
