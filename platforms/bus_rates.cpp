#include "platforms/bus_rates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "factosim/error.hpp"
#include "platforms/wire_names.hpp"
#include "simulator/base/core/quantity_text.hpp"

namespace factosim {

namespace {

/// Returns 10^9 bytes per second with three digits: "6.01".
std::string gigabytes(double rate) { return fmt::format("{:.3g}", rate / 1e9); }

LinkRate rate_of(Bus const& bus, std::vector<std::uint32_t> const& route) {
  LinkRate out;
  for (std::uint32_t const link : route) {
    LinkRate const& rate = bus.links[link].rate;
    double const share = rate.bandwidth.value / static_cast<double>(std::ranges::count(route, link));
    if (out.bandwidth.value == 0 || share < out.bandwidth.value) out.bandwidth.value = share;
    out.latency += rate.latency;
  }
  return out;
}

LinkRate predicted_copy(Bus const& bus, std::size_t memory_nodes, std::size_t from, std::size_t to) {
  auto const& route = bus.routes[from * memory_nodes + to];
  if (!route.empty()) return rate_of(bus, route);
  FACTOSIM_ALWAYS(from != 0 && to != 0, "every GPU has routes from and to the RAM");
  LinkRate const up = predicted_copy(bus, memory_nodes, from, 0);
  LinkRate const down = predicted_copy(bus, memory_nodes, 0, to);
  return {{1 / (1 / up.bandwidth.value + 1 / down.bandwidth.value)}, up.latency + down.latency};
}

/// Returns one line about a fabric; empty without one.
std::string fabric_text(Fabric const& fabric) {
  if (auto const* const tree = std::get_if<FatTree>(&fabric)) {
    FatTreeLevel const& leaf = tree->levels.front();
    std::string out = fmt::format("fat tree, leaves of {} nodes, {} uplinks of {}", leaf.down,
                                  leaf.up * leaf.parallel, rate_text(leaf.uplink));
    for (std::size_t l = 1; l < tree->levels.size(); ++l)
      out += fmt::format("; above, switches of {} with {} uplinks of {}", tree->levels[l].down,
                         tree->levels[l].up * tree->levels[l].parallel, rate_text(tree->levels[l].uplink));
    return tree->routing == Routing::minimal ? out : out + ", adaptive routing";
  }
  if (auto const* const d = std::get_if<Dragonfly>(&fabric))
    return fmt::format(
        "dragonfly, groups of {} switches of {} nodes, local links of {}, {} between groups of {}, {} "
        "routing",
        d->switches, d->nodes_per_switch, rate_text(d->local), d->global_links, rate_text(d->global),
        routing_names.name_of(d->routing));
  if (auto const* const d = std::get_if<DragonflyPlus>(&fabric))
    return fmt::format(
        "dragonfly+, groups of {} leaves of {} nodes and {} spines, links between them of {}, {} between "
        "groups of {}, {} routing",
        d->leaves, d->nodes_per_leaf, d->spines, rate_text(d->local), d->global_links, rate_text(d->global),
        routing_names.name_of(d->routing));
  return {};
}

}  // namespace

std::vector<LinkRate> predict_from_routes(Bus const& bus, std::size_t memory_nodes) {
  std::vector<LinkRate> out;
  for (std::size_t from = 0; from < memory_nodes; ++from)
    for (std::size_t to = 0; to < memory_nodes; ++to)
      out.push_back(from == to ? LinkRate{} : predicted_copy(bus, memory_nodes, from, to));
  return out;
}

LinkRate route_rate(NodeType const& type, std::size_t from, std::size_t to) {
  return rate_of(type.bus, type.bus.routes[from * type.memory_node_count() + to]);
}

std::vector<SharedLinks> shared_links(NodeType const& type) {
  std::map<std::uint32_t, std::set<std::size_t>> users;  // GPUs, by link
  std::size_t const memories = type.memory_node_count(), rams = type.ram_count();
  for (std::size_t g = 0; g < type.gpu_memory_count(); ++g)
    for (auto const& [from, to] : {std::pair(std::size_t{0}, rams + g), std::pair(rams + g, std::size_t{0})})
      for (std::uint32_t const link : type.bus.routes[from * memories + to]) users[link].insert(g);
  std::map<std::set<std::size_t>, double> slowest;
  for (auto const& [link, gpus] : users) {
    if (gpus.size() < 2) continue;
    double const rate = type.bus.links[link].rate.bandwidth.value;
    auto const [place, is_new] = slowest.try_emplace(gpus, rate);
    if (!is_new) place->second = std::min(place->second, rate);
  }
  std::vector<SharedLinks> out;
  for (auto const& [gpus, rate] : slowest) out.push_back({{gpus.begin(), gpus.end()}, {rate}});
  std::ranges::stable_sort(out, std::ranges::greater{}, [](SharedLinks const& s) { return s.gpus.size(); });
  return out;
}

std::string bandwidth_text(BytesPerSecond rate) {
  if (rate.value >= 1e8) return gigabytes(rate.value) + " GB/s";
  return fmt::format("{:.3g} MB/s", rate.value / 1e6);
}

std::string rate_text(LinkRate const& rate) {
  return bandwidth_text(rate.bandwidth) + ", " + format_duration(rate.latency);
}

std::string switch_text(NetworkSpec const& network) {
  if (std::string const fabric = fabric_text(network.fabric); !fabric.empty()) return fabric;
  std::string out = network.backbone.bandwidth.value > 0 ? rate_text(network.backbone) : "never limits";
  if (network.backbone.bandwidth.value == 0 && network.backbone.latency.value > 0)
    out += ", " + format_duration(network.backbone.latency);
  return network.one_at_a_time ? out + ", one message at a time" : out;
}

std::string cards_text(std::uint32_t cards) { return cards > 1 ? fmt::format("{} x ", cards) : ""; }

std::string gpus_text(NodeType const& type) {
  if (type.gpus.empty()) return "-";
  std::string out;
  for (std::size_t first = 0; first < type.gpus.size();) {
    GpuSpec const& gpu = type.gpus[first];
    std::size_t end = first;
    while (end < type.gpus.size() && type.gpus[end].model == gpu.model && type.gpus[end].memory == gpu.memory)
      ++end;
    out += fmt::format("{}{} {} ({})", out.empty() ? "" : " + ", end - first,
                       gpu.model.empty() ? "GPU" : gpu.model,
                       type.unified_memory ? "in the RAM" : format_bytes(gpu.memory));
    first = end;
  }
  return out;
}

std::string gpu_rates_text(NodeType const& type) {
  if (type.gpu_memory_count() == 0) return "-";
  double least = INFINITY, most = 0;
  for (std::size_t g = 0; g < type.gpus.size(); ++g)
    for (LinkRate const& rate :
         {route_rate(type, 0, type.ram_count() + g), route_rate(type, type.ram_count() + g, 0)}) {
      least = std::min(least, rate.bandwidth.value);
      most = std::max(most, rate.bandwidth.value);
    }
  std::string const low = gigabytes(least), high = gigabytes(most);
  return low == high ? high + " GB/s" : fmt::format("{} to {} GB/s", low, high);
}

}  // namespace factosim
