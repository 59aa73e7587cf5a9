#include <string>
#include <utility>

#include "platforms/fabric_json.hpp"
#include "platforms/message_efficiency.hpp"
#include "platforms/platform_json.hpp"
#include "platforms/platform_limits.hpp"
#include "platforms/power_reader.hpp"
#include "platforms/processor_graph_json.hpp"
#include "platforms/wire_names.hpp"

namespace factosim {

namespace {

Key name_key(char const* meaning) {
  return {.name = "name", .value = {rule::text()}, .meaning = meaning, .required = true};
}

Key provenance_key() {
  return {.name = "provenance",
          .value = {rule::text()},
          .meaning = "where the values come from",
          .default_value = ""};
}

Key link_key(char const* name, char const* meaning) {
  return {.name = name, .value = {rule::object(link_table)}, .meaning = meaning, .required = true};
}

ObjectKeys const& node_table() {
  static ObjectKeys const table{
      .title = "nodes",
      .meaning = "Nodes of one type, in a list.",
      .keys = {{.name = "type", .value = {rule::text()}, .meaning = "name of a node type", .required = true},
               {.name = "count",
                .value = {rule::integer(0, max_nodes, "nodes")},
                .meaning = "number of nodes",
                .required = true}}};
  return table;
}

ObjectKeys const& subnet_table() {
  static ObjectKeys const table{
      .title = "subnet",
      .meaning = "A switch between its nodes and the core switch.",
      .keys = {name_key("name in node types, not empty"), link_key("uplink", "link to the core switch")}};
  return table;
}

ObjectKeys const& backbone_table() {
  static ObjectKeys const table{
      .title = "backbone",
      .meaning = "Shared by all messages of the core switch, at the top of a fat tree, or between groups.",
      .keys = {{.name = "bandwidth_Bps",
                .value = {rule::positive("B/s")},
                .meaning = "bandwidth of all messages together",
                .default_text = "never limits"},
               {.name = "latency_s",
                .value = {rule::non_negative("s")},
                .meaning = "latency that every message pays",
                .required = true}}};
  return table;
}

ObjectKeys const& platform_network_table() {
  static ObjectKeys const table{
      .title = "network of a platform",
      .meaning = "How nodes are joined.",
      .keys = joined(
          joined({{.name = "preset",
                   .value = {rule::path()},
                   .meaning = "name of a usual network (`factosim list networks`), or the path of a "
                              "`factosim-network` file: "
                              "its card in every node, its `wire`, and a switch that never limits",
                   .default_text = "none"},
                  {.name = "subnets",
                   .value = {rule::array({rule::object(subnet_table)})},
                   .meaning = "switches between nodes and the core switch",
                   .default_text = "none"}},
                 fabric_keys()),
          {efficiency_key(),
           {.name = "backbone",
            .value = {rule::object(backbone_table)},
            .meaning = "the core switch, or the top of the fabric",
            .default_text = "never limits, no latency"},
           {.name = "one_at_a_time",
            .value = {rule::boolean()},
            .meaning = "a shared bus: one message between nodes at once",
            .default_value = NetworkSpec{}.one_at_a_time},
           {.name = "wire",
            .value = {rule::word(wire_names.names())},
            .meaning =
                "how messages from one node to another share their connection: `shared`, each a flow of its "
                "own; `fifo`, one after the other; `priority`, the most urgent first",
            .default_value = wire_names.name_of(NetworkSpec{}.wire),
            .source = "scenarios/wire/README.md"},
           {.name = "gpu_direct",
            .value = {rule::word(gpu_direct_names.names())},
            .meaning =
                "which memories of nodes with GPUs messages leave and reach: `none`, RAM; `send`, they leave "
                "the first GPU that has the data; `both`, they also arrive on the GPU nearest to their card",
            .default_value = gpu_direct_names.name_of(NetworkSpec{}.gpu_direct),
            .source = "StarPU-MPI `_starpu_mpi_choose_node`; scenarios/guide/networks.md"},
           {.name = "estimate",
            .value = {rule::boolean()},
            .meaning = "the network, or the cards of its nodes, are not those of the machines: results on "
                       "several nodes "
                       "are estimates",
            .default_value = NetworkSpec{}.estimate},
           provenance_key()})};
  return table;
}

ObjectKeys const& worker_costs_table() {
  auto const cost = [](char const* name, char const* meaning) {
    return Key{.name = name, .value = {rule::non_negative("s")}, .meaning = meaning, .required = true};
  };
  static ObjectKeys const table{
      .title = "runtime of a platform",
      .meaning = "Calibrated costs: defaults of the keys of the same names in a scenario's `runtime`.",
      .keys = {cost("push_cost_s", "per ready task"), cost("fetch_cost_s", "per operand"),
               cost("progress_cost_s", "per round of a driver")}};
  return table;
}

ObjectKeys const& merged_platform_table() {
  static ObjectKeys const table{.title = "merged platform",
                                .meaning = "One of the platforms of `merge`.",
                                .keys = {{.name = "file",
                                          .value = {rule::path()},
                                          .meaning = "name or path of the platform",
                                          .required = true},
                                         {.name = "prefix",
                                          .value = {rule::text()},
                                          .meaning = "put before the names of its node types and subnets",
                                          .default_value = ""}}};
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
  return {.name = "node_types",
          .value = {rule::map({rule::object(node_type_table)})},
          .meaning = "further kinds of machines by name: variants of others (`of`), or whole ones",
          .default_text = otherwise};
}

Key other_network_key(char const* otherwise) {
  return {.name = "network",
          .value = {rule::object(platform_network_table)},
          .meaning = "how nodes are joined, instead of as the files say",
          .default_text = otherwise};
}

std::vector<Key> node_and_finding_keys(char const* otherwise) {
  return {{.name = "nodes",
           .value = {node_list_rule()},
           .meaning = "nodes; a scenario may give others",
           .default_text = otherwise},
          {.name = "runtime",
           .value = {rule::object(worker_costs_table)},
           .meaning = "calibrated costs of the runtime system",
           .default_text = "those of `runtime`"},
          {.name = "findings",
           .value = {rule::array({rule::text()})},
           .meaning = "doubts about the values, repeated in every result",
           .default_text = "none"}};
}

}  // namespace

ValueRule node_list_rule() { return rule::array({rule::object(node_table)}, 1); }

ObjectKeys const& platform_table() {
  static ObjectKeys const table{
      .title = "platform",
      .meaning = "Kinds of machines and how nodes are joined. `factosim-platform`, version 1.",
      .keys = file_keys("factosim-platform"),
      .variants = {
          {.selector = "graph",
           .word = "",
           .keys = {{.name = "graph",
                     .value = {rule::object(graph_table)},
                     .meaning = "processors and links",
                     .required = true}},
           .meaning = "A graph of processors whose messages may take any path: for the application `ring`."},
          {.selector = "merge",
           .word = "",
           .keys =
               joined({merge_key(), added_types_key("none"), other_network_key("that of the first platform")},
                      node_and_finding_keys("the one type, if there is only one")),
           .meaning = "A cluster of machines of other platforms."},
          {.selector = "",
           .word = "",
           .keys = joined({{.name = "node_types",
                            .value = {rule::map({rule::object(node_type_table)}, "", 1)},
                            .meaning = "kinds of machines by name",
                            .required = true},
                           {.name = "network",
                            .value = {rule::object(platform_network_table)},
                            .meaning = "how nodes are joined",
                            .required = true}},
                          node_and_finding_keys("one node, if there is one type")),
           .meaning = "A cluster."}}};
  return table;
}

ObjectKeys const& platform_key_table() {
  static ObjectKeys const table{
      .title = "platform of a scenario",
      .meaning = "The machines. Instead of the object, the name or the path of a file may be given.",
      .keys = {added_types_key("none"),
               other_network_key("the file's"),
               {.name = "nodes",
                .value = {node_list_rule()},
                .meaning = "nodes, numbered in this order",
                .default_text = "the file's"},
               {.name = "power",
                .value = {rule::map({rule::object(power_table)})},
                .meaning = "by node type: replaces the powers of the file",
                .default_text = "the file's"},
               {.name = "gpu_caps_W",
                .value = {rule::map(gpu_caps_rules())},
                .meaning = "by node type: power cap of each of its GPUs, or one for all",
                .default_text = "the file's"},
               {.name = "co2_g_per_kWh",
                .value = {rule::non_negative("g/kWh")},
                .meaning = "CO2 of the electricity: the result has that of the run",
                .default_text = "not known"}},
      .variants = {{.selector = "merge",
                    .word = "",
                    .keys = {merge_key()},
                    .meaning = "Machines of several platforms."},
                   {.selector = "",
                    .word = "",
                    .keys = {{.name = "file",
                              .value = {rule::path()},
                              .meaning = "name or path of the platform",
                              .required = true}},
                    .meaning = "Machines of one platform."}}};
  return table;
}

ValueRules platform_rules() { return {rule::path(), rule::object(platform_key_table)}; }

ValueRules platform_file_rules() { return {rule::object(platform_table)}; }

}  // namespace factosim
