#include <string>
#include <utility>

#include "platforms/disk_preset.hpp"
#include "platforms/platform_json.hpp"
#include "platforms/platform_limits.hpp"
#include "platforms/power_reader.hpp"

namespace factosim {

namespace {

std::vector<Key> rate_keys() {
  return {{.name = "bandwidth_Bps",
           .value = {rule::positive("B/s")},
           .meaning = "bandwidth, each way",
           .required = true},
          {.name = "latency_s", .value = {rule::non_negative("s")}, .meaning = "latency", .required = true}};
}

ObjectKeys const& gpu_table() {
  static ObjectKeys const table{
      .title = "gpu",
      .meaning = "A GPU of a node type.",
      .keys = {{.name = "model", .value = {rule::text()}, .meaning = "name of the GPU", .required = true},
               {.name = "memory_bytes",
                .value = {rule::integer(1, max_bytes, "B")},
                .meaning = "size of its memory",
                .default_text = "required without `unified_memory`, excluded by it"}}};
  return table;
}

ObjectKeys const& bus_link_table() {
  static ObjectKeys const table{
      .title = "bus link",
      .meaning = "A link inside a node.",
      .keys =
          joined({{.name = "name", .value = {rule::text()}, .meaning = "name in routes", .required = true}},
                 rate_keys())};
  return table;
}

ObjectKeys const& bus_route_table() {
  auto const end = [](char const* name) {
    return Key{.name = name,
               .value = {rule::text()},
               .meaning =
                   "memory node: `ram`, `ram1`, ..., `cuda0`, ...; or, of messages, network card: "
                   "`nic0`, ...",
               .required = true};
  };
  static ObjectKeys const table{
      .title = "bus route",
      .meaning =
          "The links of a copy, or of messages between a memory node and a network card. Every memory node "
          "needs a route from and to `ram`.",
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
  static ObjectKeys const table{
      .title = "bus",
      .meaning = "Links between the memory nodes of a node.",
      .keys = {
          {.name = "links",
           .value = {rule::array({rule::object(bus_link_table)})},
           .meaning = "links of the bus",
           .required = true},
          {.name = "routes",
           .value = {rule::array({rule::object(bus_route_table)})},
           .meaning = "links that each copy crosses; others go through `ram`. Messages cross none to the "
                      "RAM, and to a GPU (`gpu_direct`) those over `ram`, unless a route of the card says so",
           .required = true},
          {.name = "predicted",
           .value = {rule::object(predicted_table)},
           .meaning = "predicted bandwidths and latencies, for policies",
           .default_text = "those of the routes",
           .source = "StarPU's `sampling/bus`"},
          {.name = "parallel_copies",
           .value = {rule::boolean()},
           .meaning = "copies between GPUs overlap with all others but those of "
                      "the same two memories; else as StarPU's simulation has them: "
                      "also after those into their source or destination",
           .default_value = Bus{}.parallel_copies,
           .source = "StarPU `core/simgrid.c`"}}};
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

Key nic_key(bool required) {
  return {.name = "nic",
          .value = {rule::object(link_table), rule::path()},
          .meaning =
              "link between node and switch, or the name of a network whose card it is (`factosim list "
              "networks`), or the path of such a file",
          .required = required,
          .default_text = required ? "" : "that of `of`"};
}

/// Returns the keys that only whole descriptions have.
std::vector<Key> memory_keys() {
  return {{.name = "numa_nodes",
           .value = {rule::integer(1, 64)},
           .meaning =
               "memory nodes of the RAM, `ram`, `ram1`, ...; cores are spread evenly over them, tiles start "
               "in `ram`, messages come and go there",
           .default_value = NodeType{}.numa_nodes},
          nic_key(true),
          {.name = "bus",
           .value = {rule::object(bus_table)},
           .meaning = "links between memory nodes; required with GPUs or several NUMA nodes",
           .default_text = "none"}};
}

/// Returns the keys of a variant of another node type.
std::vector<Key> variant_keys() {
  auto const of_base = [](char const* name, ValueRule rule, char const* meaning) {
    return Key{.name = name, .value = {std::move(rule)}, .meaning = meaning, .default_text = "those of `of`"};
  };
  return {{.name = "of", .value = {rule::text()}, .meaning = "name of the other node type", .required = true},
          of_base("gpus", rule::integer(0, max_gpus, "GPUs"), "number of GPUs: the first ones stay"),
          of_base("cores", rule::integer(1, max_cores, "cores"), "CPU cores; more of them are an `estimate`"),
          of_base("ram_bytes", rule::integer(1, max_bytes, "B"), "size of the RAM"),
          of_base("kernels", rule::path(), "kernel timings"),
          of_base("cycle_time_s", rule::positive("s"), "time of one tile update, of a machine that has one"),
          nic_key(false)};
}

}  // namespace

ObjectKeys const& link_table() {
  static ObjectKeys const table{
      .title = "link", .meaning = "A link between nodes and switches.", .keys = rate_keys()};
  return table;
}

ObjectKeys const& node_type_table() {
  static ObjectKeys const table{
      .title = "node type",
      .meaning = "A kind of machine.",
      .keys =
          {{.name = "nics",
            .value = {rule::integer(1, 64, "cards")},
            .meaning = "network cards like `nic`; a message from node a to node b takes card b mod "
                       "`nics` of a, and a mod `nics` of b; of the nearest ones, where `bus/routes` to cards "
                       "differ in length",
            .default_text = "1, or those of the network that `nic` names"},
           {.name = "sockets",
            .value = {rule::integer(1, 64)},
            .meaning = "groups of cores that slow each other down (`slowdown` of kernel timings)",
            .default_text = "`numa_nodes`"},
           {.name = "communication_thread",
            .value = {rule::object(thread_table)},
            .meaning = "processor time of messages",
            .default_text = "none"},
           {.name = "power",
            .value = {rule::object(power_table)},
            .meaning = "power",
            .default_text = "0 each"},
           gpu_caps_key(),
           {.name = "subnet",
            .value = {rule::text()},
            .meaning = "the subnet of the nodes",
            .default_text = "the core switch"},
           {.name = "estimate",
            .value = {rule::boolean()},
            .meaning = "values are assumed, not measured",
            .default_value = NodeType{}.estimate},
           {.name = "provenance",
            .value = {rule::text()},
            .meaning = "where the values come from",
            .default_value = ""},
           {.name = "disk",
            .value = {rule::object(disk_table), rule::path()},
            .meaning =
                "disk for runs out of core, or the name of one (`factosim list disks`), or the path of such "
                "a file",
            .default_text = "none"}},
      .variants = {
          {.selector = "of",
           .word = "",
           .keys = variant_keys(),
           .meaning =
               "A variant of another node type: has the values of that one, except for the keys given here."},
          {.selector = "cycle_time_s",
           .word = "",
           .keys = joined({{.name = "cycle_time_s",
                            .value = {rule::positive("s")},
                            .meaning = "time of one tile update (gemm) on one core, for the scenario's "
                                       "tiles; every other kernel "
                                       "lasts its operations at that rate",
                            .required = true}},
                          joined(size_keys(false), memory_keys())),
           .meaning = "A machine of which only the speed is known. No core is reserved."},
          {.selector = "",
           .word = "",
           .keys = joined(
               joined(size_keys(true), memory_keys()),
               {{.name = "gpus",
                 .value = {rule::array({rule::object(gpu_table)}, 0, max_gpus)},
                 .meaning = "GPUs of the node",
                 .default_text = "none"},
                {.name = "unified_memory",
                 .value = {rule::boolean()},
                 .meaning = "the GPUs compute in the RAM, each in that of a NUMA node, evenly distributed: "
                            "nothing is copied between a GPU and its RAM",
                 .default_value = NodeType{}.unified_memory},
                {.name = "kernels",
                 .value = {rule::path()},
                 .meaning = "kernel timings; may be missing where only data-parallel loops run",
                 .default_text = "none"}}),
           .meaning = "A machine with kernel timings."}}};
  return table;
}

}  // namespace factosim
