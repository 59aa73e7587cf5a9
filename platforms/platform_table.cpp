#include <array>
#include <string>
#include <utility>

#include "platforms/platform_json.hpp"
#include "platforms/platform_limits.hpp"
#include "platforms/processor_graph_json.hpp"
#include "platforms/wire_names.hpp"

namespace factosim {

namespace {

std::vector<Key> rate_keys() {
  return {{.name = "bandwidth_Bps",
           .value = {rule::positive("B/s")},
           .meaning = "bandwidth, each way",
           .required = true},
          {.name = "latency_s", .value = {rule::non_negative("s")}, .meaning = "latency", .required = true}};
}

Key name_key(char const* meaning) {
  return {.name = "name", .value = {rule::text()}, .meaning = meaning, .required = true};
}

Key provenance_key() {
  return {.name = "provenance",
          .value = {rule::text()},
          .meaning = "where the values come from",
          .default_value = ""};
}

ObjectKeys const& link_table() {
  static ObjectKeys const table{
      .title = "link", .meaning = "A link between nodes and switches.", .keys = rate_keys()};
  return table;
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

ObjectKeys const& gpu_table() {
  static ObjectKeys const table{
      .title = "gpu",
      .meaning = "A GPU of a node type.",
      .keys = {{.name = "model", .value = {rule::text()}, .meaning = "name of the GPU", .required = true},
               {.name = "memory_bytes",
                .value = {rule::integer(1, max_bytes, "B")},
                .meaning = "size of its memory",
                .required = true}}};
  return table;
}

ObjectKeys const& bus_link_table() {
  static ObjectKeys const table{.title = "bus link",
                                .meaning = "A link inside a node.",
                                .keys = joined({name_key("name in routes")}, rate_keys())};
  return table;
}

ObjectKeys const& bus_route_table() {
  auto const end = [](char const* name) {
    return Key{.name = name,
               .value = {rule::text()},
               .meaning = "memory node: `ram`, `ram1`, ..., `cuda0`, ...",
               .required = true};
  };
  static ObjectKeys const table{
      .title = "bus route",
      .meaning = "The links of a copy. Every memory node needs a route from and to `ram`.",
      .keys = {end("from"),
               end("to"),
               {.name = "links",
                .value = {rule::array({rule::text()}, 1)},
                .meaning = "names of the links, in order",
                .required = true}}};
  return table;
}

ObjectKeys const& predicted_table() {
  // The diagonal may be 0.
  auto const matrix = [](char const* name, char const* unit, char const* meaning) {
    ValueRule const row = rule::array({rule::non_negative(unit)}, 1);
    return Key{.name = name, .value = {rule::array({row}, 1)}, .meaning = meaning, .required = true};
  };
  static ObjectKeys const table{
      .title = "predicted",
      .meaning = "What the runtime system believes about copies: matrices [from][to] over the memory nodes.",
      .keys = {matrix("bandwidth_Bps", "B/s", "predicted bandwidths, above 0 off the diagonal"),
               matrix("latency_s", "s", "predicted latencies")}};
  return table;
}

ObjectKeys const& bus_table() {
  static ObjectKeys const table{.title = "bus",
                                .meaning = "Links between the memory nodes of a node.",
                                .keys = {{.name = "links",
                                          .value = {rule::array({rule::object(bus_link_table)})},
                                          .meaning = "links of the bus",
                                          .required = true},
                                         {.name = "routes",
                                          .value = {rule::array({rule::object(bus_route_table)})},
                                          .meaning = "links that each copy crosses; others go through `ram`",
                                          .required = true},
                                         {.name = "predicted",
                                          .value = {rule::object(predicted_table)},
                                          .meaning = "predicted bandwidths and latencies, for policies",
                                          .default_text = "those of the routes",
                                          .source = "StarPU's `sampling/bus`"}}};
  return table;
}

ObjectKeys const& thread_table() {
  CommunicationThread const defaults;
  static ObjectKeys const table{
      .title = "communication_thread",
      .meaning = "Processor time of the thread that sends and receives messages, with several nodes.",
      .keys = {{.name = "per_message_s",
                .value = {rule::non_negative("s")},
                .meaning = "time of each message that the node sends or receives",
                .default_value = defaults.per_message.value},
               {.name = "per_byte_s",
                .value = {rule::non_negative("s/B")},
                .meaning = "time of each byte, for packing and copies",
                .default_value = defaults.seconds_per_byte},
               {.name = "worker_share",
                .value = {rule::number(0.5, 1)},
                .meaning = "speed of a worker whose core the thread shares",
                .default_value = defaults.worker_share}}};
  return table;
}

/// Returns the keys of a node type with a kernel file, or with a cycle-time.
std::vector<Key> size_keys(bool required) {
  return {{.name = "cores",
           .value = {rule::integer(1, max_cores, "cores")},
           .meaning = "CPU cores",
           .required = required,
           .default_value = required ? nlohmann::json() : nlohmann::json(1)},
          {.name = "ram_bytes",
           .value = {rule::integer(1, max_bytes, "B")},
           .meaning = "size of the RAM (`runtime/out_of_core`)",
           .required = required,
           .default_text = required ? "" : "no limit"}};
}

ObjectKeys const& node_type_table() {
  static ObjectKeys const table{
      .title = "node type",
      .meaning = "A kind of machine.",
      .keys =
          {{.name = "numa_nodes",
            .value = {rule::integer(1, 64)},
            .meaning =
                "memory nodes of the RAM, `ram`, `ram1`, ...; cores are spread evenly over them, tiles start "
                "in `ram`, messages come and go there",
            .default_value = NodeType{}.numa_nodes},
           {.name = "sockets",
            .value = {rule::integer(1, 64)},
            .meaning = "groups of cores that slow each other down (`slowdown` of kernel timings)",
            .default_text = "`numa_nodes`"},
           link_key("nic", "link between node and switch"),
           {.name = "bus",
            .value = {rule::object(bus_table)},
            .meaning = "links between memory nodes; required with GPUs or several NUMA nodes",
            .default_text = "none"},
           {.name = "communication_thread",
            .value = {rule::object(thread_table)},
            .meaning = "processor time of messages",
            .default_text = "none"},
           {.name = "power",
            .value = {rule::object(power_table)},
            .meaning = "power",
            .default_text = "0 each"},
           {.name = "subnet",
            .value = {rule::text()},
            .meaning = "the subnet of the nodes",
            .default_text = "the core switch"},
           {.name = "estimate",
            .value = {rule::boolean()},
            .meaning = "values are assumed, not measured",
            .default_value = NodeType{}.estimate},
           provenance_key()},
      .variants = {
          {.selector = "cycle_time_s",
           .word = "",
           .keys = joined({{.name = "cycle_time_s",
                            .value = {rule::positive("s")},
                            .meaning = "time of one tile update (gemm) on one core, for the scenario's "
                                       "tiles; every other kernel "
                                       "lasts its operations at that rate",
                            .required = true}},
                          size_keys(false)),
           .meaning = "A machine of which only the speed is known. No core is reserved."},
          {.selector = "",
           .word = "",
           .keys = joined(size_keys(true),
                          {{.name = "gpus",
                            .value = {rule::array({rule::object(gpu_table)}, 0, max_gpus)},
                            .meaning = "GPUs of the node",
                            .default_text = "none"},
                           {.name = "kernels",
                            .value = {rule::path()},
                            .meaning = "kernel timings; may be missing where only data-parallel loops run",
                            .default_text = "none"}}),
           .meaning = "A machine with kernel timings."}}};
  return table;
}

ObjectKeys const& subnet_table() {
  static ObjectKeys const table{
      .title = "subnet",
      .meaning = "A switch between its nodes and the core switch.",
      .keys = {name_key("name in node types, not empty"), link_key("uplink", "link to the core switch")}};
  return table;
}

ObjectKeys const& fat_tree_table() {
  static ObjectKeys const table{
      .title = "fat_tree",
      .meaning = "Leaf switches under a spine that never limits (D-mod-k routing).",
      .keys = {{.name = "nodes_per_leaf",
                .value = {rule::integer(1, 1'000'000, "nodes")},
                .meaning = "nodes that a leaf switch joins, in the platform's order",
                .required = true,
                .source = "Zahavi, 2010"},
               {.name = "uplinks",
                .value = {rule::integer(1, 10'000, "links")},
                .meaning = "links each way between a leaf and the spine",
                .required = true},
               link_key("uplink", "one of them")}};
  return table;
}

ObjectKeys const& backbone_table() {
  static ObjectKeys const table{
      .title = "backbone",
      .meaning = "Shared by all messages of the core switch, or between the leaves of a fat tree.",
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
      .keys = {
          {.name = "subnets",
           .value = {rule::array({rule::object(subnet_table)})},
           .meaning = "switches between nodes and the core switch",
           .default_text = "none"},
          {.name = "fat_tree",
           .value = {rule::object(fat_tree_table)},
           .meaning = "a fat tree; excludes `subnets`",
           .default_text = "none"},
          {.name = "backbone",
           .value = {rule::object(backbone_table)},
           .meaning = "the core switch",
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
          provenance_key()}};
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

}  // namespace

ObjectKeys const& power_table() {
  auto const watts = [](char const* name, char const* meaning) {
    return Key{.name = name, .value = {rule::non_negative("W")}, .meaning = meaning, .default_value = 0};
  };
  static ObjectKeys const table{
      .title = "power",
      .meaning = "Power of a node, for results and for policies that weigh energy.",
      .keys = {watts("core_W", "a core that runs a kernel, above idle"),
               watts("gpu_W", "a GPU that runs a kernel, above idle"),
               watts("idle_W", "the whole node while it is on"),
               watts("off_W", "the whole node once it is powered off, at most `idle_W`")}};
  return table;
}

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
          {.selector = "",
           .word = "",
           .keys = {{.name = "node_types",
                     .value = {rule::map({rule::object(node_type_table)}, "", 1)},
                     .meaning = "kinds of machines by name",
                     .required = true},
                    {.name = "network",
                     .value = {rule::object(platform_network_table)},
                     .meaning = "how nodes are joined",
                     .required = true},
                    {.name = "nodes",
                     .value = {node_list_rule()},
                     .meaning = "nodes; a scenario may give others",
                     .default_text = "one node, if there is one type"},
                    {.name = "runtime",
                     .value = {rule::object(worker_costs_table)},
                     .meaning = "calibrated costs of the runtime system",
                     .default_text = "those of `runtime`"},
                    {.name = "findings",
                     .value = {rule::array({rule::text()})},
                     .meaning = "doubts about the values, repeated in every result",
                     .default_text = "none"}},
           .meaning = "A cluster."}}};
  return table;
}

ValueRules platform_file_rules() { return {rule::object(platform_table)}; }

}  // namespace factosim
