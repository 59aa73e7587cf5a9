#include "simulator/scenario/keys/network_keys.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "platforms/fabric.hpp"
#include "platforms/fabric_json.hpp"
#include "platforms/message_efficiency.hpp"
#include "platforms/wire_names.hpp"
#include "simulator/base/core/exit_code.hpp"
#include "simulator/runtime/engine/simgrid_xml.hpp"

namespace factosim {

namespace {

nlohmann::ordered_json json_of(LinkRate const& rate) {
  return {{"bandwidth_Bps", rate.bandwidth.value}, {"latency_s", rate.latency.value}};
}

/// Makes rates floating-point numbers, as `json_of` writes them.
nlohmann::ordered_json with_real_rates(nlohmann::ordered_json json) {
  for (auto const& [key, value] : json.items())
    if (value.is_structured())
      value = with_real_rates(value);
    else if (key == "bandwidth_Bps" || key == "latency_s")
      value = value.get<double>();
  return json;
}

nlohmann::ordered_json effective_links(Platform const& platform) {
  nlohmann::ordered_json nics = nlohmann::ordered_json::object();
  for (std::uint32_t const type : platform.nodes)
    nics[platform.types[type].name] = json_of(platform.types[type].nic);
  for (std::uint32_t const type : platform.nodes)
    if (platform.types[type].nics > 1) nics[platform.types[type].name]["cards"] = platform.types[type].nics;
  nlohmann::ordered_json out = {{"nic", nics}};
  if (auto const [key, value] = fabric_json(platform.network.fabric); !key.empty())
    out[key] = with_real_rates(nlohmann::ordered_json::parse(value));
  if (std::string const efficiency = efficiency_json(platform.network.efficiency); !efficiency.empty())
    out["efficiency"] = nlohmann::ordered_json::parse(efficiency);
  for (Subnet const& subnet : platform.network.subnets)
    out["subnets"][subnet.name] = {{"uplink_bandwidth_Bps", subnet.uplink.bandwidth.value},
                                   {"uplink_latency_s", subnet.uplink.latency.value}};
  out["backbone"] = json_of(platform.network.backbone);
  return out;
}

/// Returns the threads that take time, by node type; null without any.
nlohmann::ordered_json effective_threads(Platform const& platform) {
  nlohmann::ordered_json out;
  for (std::uint32_t const type : platform.nodes)
    if (CommunicationThread const& thread = platform.types[type].communication; thread.takes_time())
      out[platform.types[type].name] = {{"per_message_s", thread.per_message.value},
                                        {"per_byte_s", thread.seconds_per_byte},
                                        {"worker_share", thread.worker_share}};
  return out;
}

LinkRateOverride read_link_override(JsonReader const& network, char const* key) {
  LinkRateOverride out;
  auto const link = network.find(key);
  if (!link) return out;
  if (auto const bandwidth = link->find("bandwidth_Bps")) out.bandwidth = {bandwidth->quantity()};
  if (auto const latency = link->find("latency_s")) out.latency = {latency->quantity()};
  link->finish();
  return out;
}

/// Multiplies the bandwidths and latencies of all links, including those inside nodes.
void multiply(Platform& platform, double bandwidth_factor, double latency_factor) {
  auto const change = [&](LinkRate& rate) {
    rate.bandwidth.value *= bandwidth_factor;
    rate.latency.value *= latency_factor;
  };
  for (NodeType& type : platform.types) {
    change(type.nic);
    for (LinkSpec& link : type.bus.links) change(link.rate);
  }
  NetworkSpec& network = platform.network;
  for (Subnet& subnet : network.subnets) change(subnet.uplink);
  multiply(network.fabric, bandwidth_factor, latency_factor);
  change(network.backbone);
  if (!network.routes) return;
  RouteTable routes = *network.routes;
  for (RouteTable::Link& link : routes.links) link.bandwidth.value *= bandwidth_factor;
  for (Seconds& latency : routes.latency) latency.value *= latency_factor;
  network.routes = std::make_shared<RouteTable>(std::move(routes));
}

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

std::string some_of(Names names) {
  constexpr std::size_t shown = 5;
  bool const more = names.size() > shown;
  if (more) names.resize(shown);
  return fmt::format("{}{}", fmt::join(names, ", "), more ? ", ..." : "");
}

fs::path read_file(JsonReader const& json) {
  fs::path file = json.path();
  std::error_code error;
  if (!fs::is_regular_file(file, error))
    json.fail(
        fmt::format("{} cannot be read (no such file). Check the path; a relative one starts from the "
                    "scenario's folder",
                    file.string()));
  // SimGrid would run the code of a library.
  if (file.extension() != ".xml")
    json.fail(
        fmt::format("{} is no XML file by its name (SimGrid decides by the ending what it loads). Give a "
                    "file that ends in .xml",
                    file.string()));
  return file;
}

/// Returns the result of `work`; an error of SimGrid is a mistake in the file.
template <class Work>
auto checked_by_simgrid(JsonReader const& file, Work const& work) {
  try {
    return work();
  } catch (ChildFailure const& failure) {
    std::string why = failure.what();
    while (!why.empty() && (why.back() == '.' || why.back() == ' ')) why.pop_back();
    file.fail(
        fmt::format("SimGrid has no routes from it ({}). Correct the file, or choose other hosts", why));
  }
}

Names listed_hosts(JsonReader const& json, Names const& known) {
  Names names;
  for (JsonReader const& entry : json.elements()) {
    std::string const name = entry.string();
    if (std::find(known.begin(), known.end(), name) == known.end())
      entry.fail(fmt::format("no host is called \"{}\" (those of the file are {}). Use one of them", name,
                             some_of(known)));
    if (std::find(names.begin(), names.end(), name) != names.end())
      entry.fail(fmt::format("\"{}\" a second time (two nodes cannot be the same host). Name another", name));
    names.push_back(name);
  }
  return names;
}

Names chosen_hosts(JsonReader const& json, Names const& known) {
  auto const list = json.find("hosts");
  auto const prefix = json.find("prefix");
  if (list && prefix) prefix->fail("\"hosts\" and \"prefix\" (either chooses the hosts). Keep one of them");
  if (list) return listed_hosts(*list, known);
  std::string const start = prefix ? prefix->string() : std::string();
  Names names;
  std::copy_if(known.begin(), known.end(), std::back_inserter(names),
               [&](std::string const& name) { return name.starts_with(start); });
  return names;
}

ValueRules network_rules() { return {rule::object(network_table)}; }
ValueRules simgrid_xml_rules() { return {rule::object(simgrid_xml_table)}; }

}  // namespace

NetworkModel read_network_model(JsonReader const& json) {
  NetworkModel const model = network_model(json.one_of());
  if (model == NetworkModel::simgrid && FACTOSIM_SIMGRID == 0)
    json.fail(
        "is \"simgrid\" (this program was built without SimGrid). Use maxmin or constant, or build with "
        "FACTOSIM_SIMGRID=ON");
  return model;
}

NetworkOverrides read_network(JsonReader const& given, std::size_t nodes) {
  JsonReader const json = given.by(network_rules);
  NetworkOverrides out;
  if (auto const model = json.find("model")) out.model = read_network_model(*model);
  if (auto const optim = json.find("optim")) out.lazy = optim->one_of() == "Lazy";
  auto const preset = json.find("preset");
  if (preset) out.preset = read_network_preset(*preset);
  out.nic = read_link_override(json, "nic");
  out.backbone = read_link_override(json, "backbone");
  auto const simgrid_xml = json.find("simgrid_xml");
  for (char const* const key : {"preset", "nic", "backbone"})
    if (auto const other = json.find(key); other && simgrid_xml)
      other->fail(
          fmt::format("has no effect beside \"simgrid_xml\" (all links between nodes are those of its "
                      "file). Remove \"{}\", or change the file",
                      key));
  out.uplink = read_link_override(json, "uplink");
  if (auto const sends = json.find("max_sends_per_node"))
    out.max_sends_per_node = static_cast<int>(sends->integer());
  if (auto const sends = json.find("max_sends")) out.max_sends = static_cast<int>(sends->integer());
  if (auto const order = json.find("send_order")) out.sends_by_priority = order->one_of() == "priority";
  if (auto const broadcast = json.find("broadcast")) out.broadcast = broadcast_named(broadcast->one_of());
  if (auto const wire = json.find("wire")) out.wire = wire_names.named(wire->one_of());
  if (auto const direct = json.find("gpu_direct")) out.gpu_direct = gpu_direct_names.named(direct->one_of());
  if (auto const rendezvous = json.find("rendezvous")) out.rendezvous = rendezvous->boolean();
  if (auto const factor = json.find("bandwidth_factor")) out.bandwidth_factor = factor->quantity();
  if (auto const factor = json.find("latency_factor")) out.latency_factor = factor->quantity();
  json.finish();
  if (simgrid_xml) out.routes = std::make_shared<RouteTable const>(read_simgrid_xml(*simgrid_xml, nodes));
  return out;
}

Platform with_overrides(Platform platform, NetworkOverrides const& overrides) {
  if (overrides.preset) {
    GpuDirect const gpu_direct = platform.network.gpu_direct;  // of the library, not of the switches
    platform.network = overrides.preset->network();
    platform.network.gpu_direct = gpu_direct;
    for (NodeType& type : platform.types) {
      type.nic = overrides.preset->nic;
      type.nics = overrides.preset->nics;
      type.subnet.clear();
    }
  }
  for (NodeType& type : platform.types) overrides.nic.apply(type.nic);
  overrides.backbone.apply(platform.network.backbone);
  for (Subnet& subnet : platform.network.subnets) overrides.uplink.apply(subnet.uplink);
  if (overrides.routes) platform.network.routes = overrides.routes;
  platform.network.wire = overrides.wire.value_or(platform.network.wire);
  platform.network.gpu_direct = overrides.gpu_direct.value_or(platform.network.gpu_direct);
  multiply(platform, overrides.bandwidth_factor, overrides.latency_factor);
  return platform;
}

RuntimeOptions with_overrides(RuntimeOptions runtime, NetworkOverrides const& overrides,
                              NetworkSpec const& network) {
  // A library that orders the messages itself is given all of them.
  if (overrides.wire.value_or(network.wire) == Wire::priority) runtime.max_sends_per_node = unlimited_sends;
  if (overrides.max_sends_per_node) runtime.max_sends_per_node = *overrides.max_sends_per_node;
  runtime.max_sends = overrides.max_sends.value_or(network.one_at_a_time ? 1 : 0);
  if (overrides.sends_by_priority) runtime.sends_by_priority = *overrides.sends_by_priority;
  if (overrides.broadcast) runtime.broadcast = *overrides.broadcast;
  if (overrides.rendezvous) runtime.rendezvous = *overrides.rendezvous;
  return runtime;
}

void check_fabric(Platform const& platform, NetworkModel model, JsonReader const& json) {
  if (std::string const why = misfit(platform); !why.empty()) json.fail(why);
  if (platform.network.routes) return;
  if (model == NetworkModel::constant && is_adaptive(platform.network.fabric))
    json.fail(
        "has adaptive routing, and the network model is \"constant\" (in which links have no load to choose "
        "by). Use "
        "the routing \"minimal\", or another network model");
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
  if (platform.network.wire != Wire::shared) out["wire"] = wire_names.name_of(platform.network.wire);
  if (platform.network.gpu_direct != GpuDirect::none)
    out["gpu_direct"] = gpu_direct_names.name_of(platform.network.gpu_direct);
  if (auto const threads = effective_threads(platform); !threads.is_null())
    out["communication_thread"] = threads;
  out["broadcast"] = name_of(runtime.broadcast);
  out["rendezvous"] = runtime.rendezvous;
  return out;
}

RouteTable read_simgrid_xml(JsonReader const& given, std::size_t nodes) {
  JsonReader const json = given.by(simgrid_xml_rules);
  JsonReader const file_key = json.at("file", "the path of a SimGrid platform file");
  fs::path const file = read_file(file_key);
  Names const known = checked_by_simgrid(file_key, [&] { return hosts_of_simgrid_xml(file); });
  Names hosts = chosen_hosts(json, known);
  json.finish();
  if (hosts.size() < nodes)
    json.fail(
        fmt::format("{} hosts for {} nodes (each node needs a host of its own; those of the file are "
                    "{}). Use fewer nodes, or choose more hosts",
                    hosts.size(), nodes, some_of(known)));
  hosts.resize(nodes);
  return checked_by_simgrid(file_key, [&] { return routes_of_simgrid_xml(file, hosts); });
}

}  // namespace factosim
