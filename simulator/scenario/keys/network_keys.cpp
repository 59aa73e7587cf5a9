#include "simulator/scenario/keys/cluster_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "platforms/fabric.hpp"
#include "platforms/platform_fields.hpp"
#include "platforms/shipped_files.hpp"
#include "platforms/wire_names.hpp"
#include "simulator/base/core/json_text.hpp"

namespace factosim {

namespace {

/// Makes numbers without a fraction integers, as they are in files.
nlohmann::ordered_json with_whole_numbers(nlohmann::ordered_json const& json) {
  return nlohmann::ordered_json::parse(json_file_text(json, [](auto, auto) { return false; }));
}

nlohmann::ordered_json effective_links(Platform const& platform) {
  nlohmann::ordered_json nics = nlohmann::ordered_json::object();
  for (std::uint32_t const type : platform.nodes)
    nics[platform.types[type].name] = written(platform.types[type].nic);
  for (std::uint32_t const type : platform.nodes)
    if (platform.types[type].nics > 1) nics[platform.types[type].name]["cards"] = platform.types[type].nics;
  nlohmann::ordered_json out = {{"nic", nics}};
  write_fields(out, fabric_fields(), platform.network);
  nlohmann::ordered_json efficiency;
  write_fields(efficiency, {efficiency_field()}, platform.network);
  if (!efficiency.empty()) out.update(with_whole_numbers(efficiency));
  for (Subnet const& subnet : platform.network.subnets)
    out["subnets"][subnet.name] = {{"uplink_bandwidth_Bps", subnet.uplink.bandwidth.value},
                                   {"uplink_latency_s", subnet.uplink.latency.value}};
  out["backbone"] = written(platform.network.backbone);
  return out;
}

/// Returns the threads that take time, by node type; null without any.
nlohmann::ordered_json effective_threads(Platform const& platform) {
  nlohmann::ordered_json out;
  for (std::uint32_t const type : platform.nodes)
    if (CommunicationThread const& thread = platform.types[type].communication; thread.takes_time())
      out[platform.types[type].name] = written(thread);
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

NetworkModel read_network_model(JsonReader const& json) {
  std::string const name = json.string();
  if (std::ranges::count(network_model_names(), name) == 0 &&
      std::ranges::count(shipped_names(ShippedKind::network), name) > 0)
    json.fail(
        fmt::format("is \"{0}\" (a usual network, not a model of sharing). Write \"network\": "
                    "{{\"preset\": \"{0}\"}}",
                    name));
  NetworkModel const model = network_model(json.one_of());
  if (model == NetworkModel::simgrid && FACTOSIM_SIMGRID == 0)
    json.fail(
        "is \"simgrid\" (this program was built without SimGrid). Use maxmin or constant, or build with "
        "FACTOSIM_SIMGRID=ON");
  return model;
}

Fields<NetworkOptions> model_fields() {
  using O = NetworkOptions;
  return {field<O>("model", {rule::word(network_model_names())},
                   "`simgrid`; `maxmin`, the own exact max-min fairness: faster, the same rates "
                   "(chaotic runs: up to 9.8 % apart); `constant`, no sharing. A replay on its own "
                   "platform has `constant`",
                   {.default_value = name_of(O{}.model),
                    .read = [](JsonReader const& json, O& o) { o.model = read_network_model(json); },
                    .write = [](O const& o) { return nlohmann::ordered_json(name_of(o.model)); }})};
}

/// What the messages of StarPU over SimGrid's MPI (SMPI) have, of 64 KiB and more: the defaults of SimGrid's options
/// smpi/bw-factor, smpi/lat-factor and network/crosstraffic.
constexpr double smpi_bandwidth_factor = 0.940694, smpi_latency_factor = 11.6436;
/// Announcements are messages of a few bytes.
constexpr double smpi_announcement_factor = 2.01467;

/// Keys that others may replace, so they are read first.
Fields<NetworkOverrides> sharing_fields() {
  using O = NetworkOverrides;
  return Fields<O>{field<O>(
             "like", {rule::word({"smpi"})},
             fmt::format("`smpi`: as StarPU over SimGrid on several nodes: the values below of "
                         "`bandwidth_factor` {}, `latency_factor` {} and `crosstraffic` true, unless they "
                         "are given; messages are announced with a latency factor of {}, without answers",
                         smpi_bandwidth_factor, smpi_latency_factor, smpi_announcement_factor),
             {.default_text = "none",
              .source = "SimGrid 3.32, `smpi/bw-factor`, `smpi/lat-factor`",
              .read =
                  [](JsonReader const& json, O& o) {
                    static_cast<void>(json.string());
                    o.bandwidth_factor = smpi_bandwidth_factor;
                    o.latency_factor = smpi_latency_factor;
                    o.options.crosstraffic = true;
                    o.rendezvous = Rendezvous{smpi_announcement_factor / smpi_latency_factor, 0};
                  }})} +
         within<&O::options>(model_fields()) +
         within<&O::options>(Fields<NetworkOptions>{field<&NetworkOptions::crosstraffic>(
             "crosstraffic",
             "a transfer also takes 5 % of its rate on the links of the way back, inside nodes too",
             {.source = "SimGrid `network/crosstraffic`"})});
}

/// The keys of links. They are only read: `effective_links` shows what they lead to.
Fields<NetworkOverrides> link_fields() {
  using O = NetworkOverrides;
  char const* const otherwise = "the platform's";
  return {field<O>("preset", {rule::path()},
                   "name of a usual network (`factosim list networks`), or the path of a "
                   "`factosim-network` file: replaces the platform's network and all network cards",
                   {.default_text = "none",
                    .read = [](JsonReader const& json, O& o) { o.preset = read_network_preset(json); }}),
          field<&O::nic>("nic", "of every node", {.default_text = otherwise}),
          field<&O::backbone>("backbone", "of the core switch", {.default_text = otherwise}),
          field<O>("simgrid_xml", {rule::object(simgrid_xml_table)},
                   "routes between nodes; excludes `preset`, `nic` and `backbone`", {.default_text = "none"}),
          field<&O::uplink>("uplink", "of every subnet", {.default_text = otherwise})};
}

Fields<NetworkOverrides> message_fields() {
  using O = NetworkOverrides;
  constexpr static NamedValues<bool, 2> order_names{"order of sends",
                                                    {{{true, "priority"}, {false, "fifo"}}}};
  RuntimeOptions const defaults;
  return {
      field<&O::max_sends_per_node>(
          "max_sends_per_node", {rule::integer(1, unlimited_sends, "messages")},
          "messages that a node has posted and that have not arrived; no limit with `wire` `priority`",
          {.default_value = defaults.max_sends_per_node, .source = "StarPU-MPI `ndetached_send`"}),
      field<&O::max_sends>(
          "max_sends", {rule::integer(0, 1'000'000, "messages")},
          "messages in flight in the whole network; 1: a shared bus, nodes in turn; 0: no limit",
          {.default_text = "0; 1 where the platform says `one_at_a_time`"}),
      field<&O::sends_by_priority, order_names>(
          "send_order",
          "`priority`: by the priority of the task that is submitted first of those that wait "
          "for the message; `fifo`: in the order in which they became ready",
          {.default_value = order_names.name_of(defaults.sends_by_priority)}),
      field<&O::broadcast>("broadcast",
                           "`point-to-point` by the owner; `binomial` tree; `ring`, from one receiver to the "
                           "next; `cooperative`: any node that has the tile and is free sends it on",
                           {.default_value = name_of(defaults.broadcast), .rank = 2}),
      field<&O::wire, wire_names>("wire", "how messages from one node to another share their connection",
                                  {.default_text = "the platform's, else `shared`",
                                   .source = "scenarios/wire/README.md",
                                   .applies = [](O const& o) { return o.wire != Wire::shared; }}),
      field<&O::gpu_direct, gpu_direct_names>(
          "gpu_direct", "which memories of nodes with GPUs messages leave and reach",
          {.default_text = "the platform's, else `none`",
           .source = "scenarios/guide/networks.md",
           .applies = [](O const& o) { return o.gpu_direct != GpuDirect::none; }}),
      field<O>("rendezvous", {rule::boolean()},
               "a message first asks its receiver: twice the latency of its route in addition",
               {.default_value = true,
                .rank = 2,
                .read =
                    [](JsonReader const& json, O& o) {
                      o.rendezvous = json.boolean() ? Rendezvous{} : Rendezvous{0, 0};
                    },
                .write = [](O const& o) { return nlohmann::ordered_json(o.rendezvous->asks()); }}),
      field<&O::bandwidth_factor>(
          "bandwidth_factor", {rule::positive()},
          "multiplies all bandwidths, inside nodes too (StarPU over SimGrid's MPI: 0.94)",
          {.default_value = 1, .echo = Echo::never}),
      field<&O::latency_factor>(
          "latency_factor", {rule::non_negative()},
          "multiplies all latencies, inside nodes too (StarPU over SimGrid's MPI: 11.6)",
          {.default_value = 1, .echo = Echo::never})};
}

/// Returns what a scenario would say for the options to be these.
NetworkOverrides overrides_of(RuntimeOptions const& runtime, NetworkSpec const& network) {
  NetworkOverrides out;
  out.max_sends_per_node = runtime.max_sends_per_node;
  out.max_sends = runtime.max_sends;
  out.sends_by_priority = runtime.sends_by_priority;
  out.rendezvous = runtime.rendezvous;
  out.broadcast = runtime.broadcast;
  out.wire = network.wire;
  out.gpu_direct = network.gpu_direct;
  return out;
}

}  // namespace

Object<LinkRateOverride> const& object_of(LinkRateOverride const* /*any*/) {
  using O = LinkRateOverride;
  static Object<O> const object(
      "link of a scenario", "Values that replace those of the platform.",
      {field<&O::bandwidth>("bandwidth_Bps", "bandwidth, each way", {.default_text = "the platform's"}),
       field<&O::latency>("latency_s",
                          "latency of the link; a message between nodes crosses two network cards",
                          {.default_text = "the platform's"})});
  return object;
}

Object<NetworkOptions> const& object_of(NetworkOptions const* /*any*/) {
  static Object<NetworkOptions> const object("network of a ring", "How links are shared.", model_fields());
  return object;
}

Object<NetworkOverrides> const& object_of(NetworkOverrides const* /*any*/) {
  static Object<NetworkOverrides> const object(
      "network", "How links are shared, and values that replace those of the platform.",
      sharing_fields() + link_fields() + message_fields());
  return object;
}

NetworkOverrides read_network(JsonReader const& given, std::size_t nodes) {
  JsonReader const json = given.by(rules_of<NetworkOverrides>);
  auto const simgrid_xml = json.find("simgrid_xml");
  for (char const* const key : {"preset", "nic", "backbone"})
    if (auto const other = json.find(key); other && simgrid_xml)
      other->fail(
          fmt::format("has no effect beside \"simgrid_xml\" (all links between nodes are those of its file). "
                      "Remove \"{}\", or change the file",
                      key));
  auto out = read_object<NetworkOverrides>(json);
  if (out.options.crosstraffic && out.options.model == NetworkModel::constant)
    json.at(json.find("crosstraffic") ? "crosstraffic" : "like")
        .fail("needs links that are shared (the model is \"constant\"). Use the model simgrid or maxmin");
  if (simgrid_xml) out.routes = std::make_shared<RouteTable const>(read_simgrid_xml(*simgrid_xml, nodes));
  return out;
}

Platform with_overrides(Platform platform, NetworkOverrides const& overrides) {
  if (overrides.preset) {
    GpuDirect const gpu_direct = platform.network.gpu_direct;  // of the library, not of the switches
    platform.network = overrides.preset->spec;
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

void check_fabric(Platform const& platform, NetworkOptions const& options, JsonReader const& json) {
  if (std::string const why = misfit(platform); !why.empty()) json.fail(why);
  if (platform.network.routes) return;
  if (options.crosstraffic && is_adaptive(platform.network.fabric))
    json.fail(
        "has adaptive routing, and crosstraffic is on (the way back has no path of its own then). Use the "
        "routing \"minimal\", or switch crosstraffic off");
  if (options.model == NetworkModel::constant && is_adaptive(platform.network.fabric))
    json.fail(
        "has adaptive routing, and the network model is \"constant\" (in which links have no load to choose "
        "by). Use the routing \"minimal\", or another network model");
}

nlohmann::ordered_json effective_network(NetworkOptions const& options, Platform const& platform,
                                         RuntimeOptions const& runtime) {
  nlohmann::ordered_json out = written(options);
  if (options.crosstraffic) out["crosstraffic"] = true;
  if (auto const& routes = platform.network.routes)
    out["simgrid_xml"] = {{"file", routes->file}, {"hosts", routes->hosts}};
  else
    out.update(effective_links(platform));
  Fields<NetworkOverrides> fields = message_fields();
  fields.push_back(field<NetworkOverrides>(
      "communication_thread", {rule::any()}, "of nodes where it takes time",
      {.rank = 1, .write = [&](NetworkOverrides const& /*o*/) { return effective_threads(platform); }}));
  write_fields(out, fields, overrides_of(runtime, platform.network));
  return out;
}

}  // namespace factosim
