#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "platforms/platform_fields.hpp"
#include "platforms/platform_json.hpp"
#include "platforms/platform_limits.hpp"
#include "platforms/presets.hpp"
#include "platforms/processor_graph_json.hpp"
#include "platforms/wire_names.hpp"
#include "simulator/base/core/json_text.hpp"

namespace factosim {

namespace {

void check_subnet_names(JsonReader const& json, NetworkSpec const& network) {
  for (std::size_t s = 0; s < network.subnets.size(); ++s) {
    std::string const& name = network.subnets[s].name;
    auto const place = [&] { return json.elements()[s].at("name"); };
    if (name.empty()) place().fail("is empty (that means the core switch). Give the subnet a name");
    if (std::ranges::find(network.subnets, name, &Subnet::name) !=
        network.subnets.begin() + static_cast<std::ptrdiff_t>(s))
      place().fail(fmt::format("a second subnet \"{}\" (node types could mean either). Rename one", name));
  }
}

/// The core switch, whose bandwidth may be unlimited.
Fields<LinkRate> backbone_fields() {
  using O = LinkRate;
  return {field<&O::bandwidth>(
              "bandwidth_Bps", "bandwidth of all messages together",
              {.default_text = "never limits", .applies = [](O const& o) { return o.bandwidth.value > 0; }}),
          field<&O::latency>("latency_s", "latency that every message pays",
                             {.missing = "paid by every message"})};
}

Object<LinkRate> const& backbone() {
  static Object<LinkRate> const object(
      "backbone", "Shared by all messages of the core switch, at the top of a fat tree, or between groups.",
      backbone_fields());
  return object;
}

ObjectKeys const& backbone_table() { return backbone().keys; }

ObjectKeys const& merged_platform_table() {
  static ObjectKeys const table{
      "merged platform",
      "One of the platforms of `merge`.",
      {stated_key("file", {rule::path()}, "name or path of the platform", {.required = true}),
       stated_key("prefix", {rule::text()}, "put before the names of its node types and subnets",
                  {.default_value = ""})}};
  return table;
}

/// Returns the key "merge" and those that may stand beside it.
Key merge_key() {
  return {
      .name = "merge",
      .value = {rule::array({rule::path(), rule::object(merged_platform_table)}, 1)},
      .meaning =
          "platforms, by name or path, whose node types are put together; the network is that of the first",
      .required = true};
}

Key added_types_key(char const* otherwise) {
  return stated_key("node_types", {rule::map({rule::object(table_of<NodeType>)})},
                    "further kinds of machines by name: variants of others (`of`), or whole ones",
                    {.default_text = otherwise});
}

Key other_network_key(char const* otherwise) {
  return stated_key("network", rules_of<PlatformNetwork>(),
                    "how nodes are joined, instead of as the files say", {.default_text = otherwise});
}

std::vector<Key> node_and_finding_keys(char const* otherwise) {
  return {stated_key("nodes", {node_list_rule()}, "nodes; a scenario may give others",
                     {.default_text = otherwise}),
          stated_key("runtime", rules_of<WorkerCosts>(), "calibrated costs of the runtime system",
                     {.default_text = "those of `runtime`"}),
          stated_key("findings", {rule::array({rule::text()})},
                     "doubts about the values, repeated in every result", {.default_text = "none"})};
}

/// One link, route or node list entry a line.
bool is_in_lines(std::string_view parent, std::string_view key) {
  static constexpr std::array keys{"",     "node_types", "network", "nodes",     "findings",      "gpus",
                                   "bus",  "links",      "routes",  "predicted", "bandwidth_Bps", "latency_s",
                                   "disk", "subnets"};
  return parent == "node_types" || std::ranges::find(keys, key) != keys.end();
}

std::vector<NodeRun> runs_of(Platform const& platform) {
  std::vector<NodeRun> runs;
  std::uint32_t type = 0;
  for (std::uint32_t const node : platform.nodes) {
    if (runs.empty() || node != type) runs.push_back({.type = platform.types[node].name});
    ++runs.back().count;
    type = node;
  }
  return runs;
}

}  // namespace

Object<NodeRun> const& object_of(NodeRun const* /*any*/) {
  using O = NodeRun;
  static Object<O> const object(
      "nodes", "Nodes of one type, in a list.",
      {field<&O::type>("type", "name of a node type", {.missing = "the name of a node type"}),
       field<&O::count>("count", {rule::integer(0, max_nodes, "nodes")}, "number of nodes",
                        {.missing = "how many of them"})});
  return object;
}

Object<Subnet> const& object_of(Subnet const* /*any*/) {
  using O = Subnet;
  static Object<O> const object(
      "subnet", "A switch between its nodes and the core switch.",
      {field<&O::name>("name", "name in node types, not empty",
                       {.missing = "what node types call the subnet"}),
       field<&O::uplink>("uplink", "link to the core switch", {.missing = "its link to the core switch"})});
  return object;
}

Object<WorkerCosts> const& object_of(WorkerCosts const* /*any*/) {
  using O = WorkerCosts;
  static Object<O> const object(
      "runtime of a platform",
      "Calibrated costs: defaults of the keys of the same names in a scenario's `runtime`.",
      {field<&O::push>("push_cost_s", "per ready task", {.missing = "of a ready task"}),
       field<&O::fetch>("fetch_cost_s", "per operand", {.missing = "of an operand"}),
       field<&O::progress>("progress_cost_s", "per round of a driver",
                           {.missing = "of a round of a driver"})});
  return object;
}

Fields<NetworkSpec> network_fields() {
  using O = NetworkSpec;
  return Fields<O>{field<&O::subnets>("subnets", "switches between nodes and the core switch",
                                      {.default_text = "none", .check = check_subnet_names})} +
         fabric_fields() +
         Fields<O>{
             efficiency_field(),
             field<O>(
                 "backbone", {rule::object(backbone_table)}, "the core switch, or the top of the fabric",
                 {.default_text = "never limits, no latency",
                  .read = [](JsonReader const& json, O& o) { read_object(json, backbone(), &o.backbone); },
                  .write = [](O const& o) { return write_object(backbone(), &o.backbone); }}),
             field<&O::one_at_a_time>("one_at_a_time", "a shared bus: one message between nodes at once",
                                      {.echo = Echo::if_changed}),
             field<&O::wire, wire_names>(
                 "wire",
                 "how messages from one node to another share their connection: `shared`, each a flow "
                 "of its own; `fifo`, one after the other; `priority`, the most urgent first",
                 {.source = "scenarios/wire/README.md", .echo = Echo::if_changed}),
             field<&O::gpu_direct, gpu_direct_names>(
                 "gpu_direct",
                 "which memories of nodes with GPUs messages leave and reach: `none`, RAM; "
                 "`send`, they leave the first GPU that has the data; `both`, they also arrive "
                 "on the GPU nearest to their card",
                 {.source = "StarPU-MPI `_starpu_mpi_choose_node`; scenarios/guide/networks.md",
                  .echo = Echo::if_changed}),
             field<&O::estimate>("estimate",
                                 "the network, or the cards of its nodes, are not those of the "
                                 "machines: results on several nodes are estimates",
                                 {.echo = Echo::if_changed}),
             field<&O::provenance>("provenance", "where the values come from", {.echo = Echo::if_changed})};
}

Object<PlatformNetwork> const& object_of(PlatformNetwork const* /*any*/) {
  using O = PlatformNetwork;
  static Object<O> const object(
      "network of a platform", "How nodes are joined.",
      Fields<O>{
          field<O>("preset", {rule::path()},
                   "name of a usual network (`factosim list networks`), or the path of a `factosim-network` "
                   "file: its card in every node, its `wire`, and a switch that never limits",
                   {.default_text = "none",
                    .read =
                        [](JsonReader const& json, O& o) {
                          NetworkPreset const preset = read_network_preset(json);
                          o = {.spec = preset.spec, .nic = preset.nic, .nics = preset.nics};
                        }})} +
          within<&O::spec>(network_fields()));
  return object;
}

ValueRule node_list_rule() { return rule::array(rules_of<NodeRun>(), 1); }

ObjectKeys const& platform_table() {
  static ObjectKeys const table{
      "platform",
      "Kinds of machines and how nodes are joined. `factosim-platform`, version 1.",
      file_keys("factosim-platform"),
      {{"graph",
        "",
        {stated_key("graph", {rule::object(table_of<GraphPlatform>)}, "processors and links",
                    {.required = true})},
        "A graph of processors whose messages may take any path: for the application `ring`."},
       {"merge", "",
        joined({merge_key(), added_types_key("none"), other_network_key("that of the first platform")},
               node_and_finding_keys("the one type, if there is only one")),
        "A cluster of machines of other platforms."},
       {"", "",
        joined(
            {stated_key("node_types", {rule::map({rule::object(table_of<NodeType>)}, "", 1)},
                        "kinds of machines by name", {.required = true}),
             stated_key("network", rules_of<PlatformNetwork>(), "how nodes are joined", {.required = true})},
            node_and_finding_keys("one node, if there is one type")),
        "A cluster."}}};
  return table;
}

ObjectKeys const& platform_key_table() {
  static ObjectKeys const table{
      "platform of a scenario",
      "The machines. Instead of the object, the name or the path of a file may be given.",
      {added_types_key("none"), other_network_key("the file's"),
       stated_key("nodes", {node_list_rule()}, "nodes, numbered in this order",
                  {.default_text = "the file's"}),
       stated_key("power", {rule::map({rule::object(table_of<PowerSpec>)})},
                  "by node type: replaces the powers of the file", {.default_text = "the file's"}),
       stated_key("gpu_caps_W", {rule::map(gpu_caps_rules())},
                  "by node type: power cap of each of its GPUs, or one for all",
                  {.default_text = "the file's"}),
       stated_key("co2_g_per_kWh", {rule::non_negative("g/kWh")},
                  "CO2 of the electricity: the result has that of the run", {.default_text = "not known"})},
      {{"merge", "", {merge_key()}, "Machines of several platforms."},
       {"",
        "",
        {stated_key("file", {rule::path()}, "name or path of the platform", {.required = true})},
        "Machines of one platform."}}};
  return table;
}

ValueRules platform_rules() { return {rule::path(), rule::object(platform_key_table)}; }

ValueRules platform_file_rules() { return {rule::object(platform_table)}; }

std::string platform_json(Platform const& platform, std::filesystem::path const& folder) {
  nlohmann::ordered_json out{{"format", "factosim-platform"}, {"version", 1}};
  for (NodeType type : platform.types) {
    if (std::filesystem::path const kernels = type.kernels_file; !kernels.empty())
      type.kernels_file = kernels.lexically_proximate(folder).generic_string();
    out["node_types"][type.name] = written_node_type(type);
  }
  NetworkSpec network = platform.network;
  network.estimate = platform.has_estimated_network();  // no key of a node type tells it
  write_fields(out["network"], network_fields(), network);
  out["nodes"] = written(runs_of(platform));
  if (platform.worker_costs) out["runtime"] = written(*platform.worker_costs);
  if (!platform.findings.empty()) out["findings"] = platform.findings;
  return json_file_text(out, is_in_lines);
}

}  // namespace factosim
