#include "platforms/wire_names.hpp"
#include "simulator/scenario/keys/network_keys.hpp"

namespace factosim {

namespace {

ObjectKeys const& link_override_table() {
  static ObjectKeys const table{
      .title = "link of a scenario",
      .meaning = "Values that replace those of the platform.",
      .keys = {{.name = "bandwidth_Bps",
                .value = {rule::positive("B/s")},
                .meaning = "bandwidth, each way",
                .default_text = "the platform's"},
               {.name = "latency_s",
                .value = {rule::non_negative("s")},
                .meaning = "latency of the link; a message between nodes crosses two network cards",
                .default_text = "the platform's"}}};
  return table;
}

Key link_key(std::string name, std::string meaning) {
  return {.name = std::move(name),
          .value = {rule::object(link_override_table)},
          .meaning = std::move(meaning),
          .default_text = "the platform's"};
}

/// Returns the keys of the network model.
std::vector<Key> model_keys() {
  NetworkOptions const defaults;
  return {
      {.name = "model",
       .value = {rule::word(network_model_names())},
       .meaning = "`simgrid`; `maxmin`, the own exact max-min fairness: the same results within 1 %, faster; "
                  "`constant`, no sharing. A replay on its own platform has `constant`",
       .default_value = name_of(defaults.model)},
      {.name = "optim",
       .value = {rule::word({"Full", "Lazy"})},
       .meaning = "SimGrid's update of flows; `Lazy` is faster on many nodes and inexact when flows of very "
                  "different weights meet",
       .default_value = defaults.lazy ? "Lazy" : "Full",
       .source = "SimGrid `network/optim`"}};
}

}  // namespace

ObjectKeys const& simgrid_xml_table() {
  static ObjectKeys const table{.title = "simgrid_xml",
                                .meaning = "Routes between nodes from a SimGrid platform file.",
                                .keys = {{.name = "file",
                                          .value = {rule::path()},
                                          .meaning = "SimGrid platform file, `.xml`",
                                          .required = true},
                                         {.name = "hosts",
                                          .value = {rule::array({rule::text()})},
                                          .meaning = "hosts of the nodes, in order",
                                          .default_text = "all, numbers in names by value"},
                                         {.name = "prefix",
                                          .value = {rule::text()},
                                          .meaning = "instead of `hosts`: hosts whose names begin so",
                                          .default_value = ""}}};
  return table;
}

ObjectKeys const& network_table() {
  static RuntimeOptions const defaults;
  static ObjectKeys const table{
      .title = "network",
      .meaning = "How links are shared, and values that replace those of the platform.",
      .keys = joined(
          model_keys(),
          {{.name = "preset",
            .value = {rule::path()},
            .meaning = "name of a usual network (`factosim list networks`), or the path of a "
                       "`factosim-network` file: "
                       "replaces the platform's network and all network cards",
            .default_text = "none"},
           link_key("nic", "of every node"),
           link_key("backbone", "of the core switch"),
           {.name = "simgrid_xml",
            .value = {rule::object(simgrid_xml_table)},
            .meaning = "routes between nodes; excludes `preset`, `nic` and `backbone`",
            .default_text = "none"},
           link_key("uplink", "of every subnet"),
           {.name = "max_sends_per_node",
            .value = {rule::integer(1, unlimited_sends, "messages")},
            .meaning =
                "messages that a node has posted and that have not arrived; no limit with `wire` `priority`",
            .default_value = defaults.max_sends_per_node,
            .source = "StarPU-MPI `ndetached_send`"},
           {.name = "max_sends",
            .value = {rule::integer(0, 1'000'000, "messages")},
            .meaning = "messages in flight in the whole network; 1: a shared bus, nodes in turn; 0: no limit",
            .default_text = "0; 1 where the platform says `one_at_a_time`"},
           {.name = "send_order",
            .value = {rule::word({"priority", "fifo"})},
            .meaning = "`priority`: by the priority of the task that is submitted first of those that wait "
                       "for the message; `fifo`: in the order in "
                       "which they became ready",
            .default_value = defaults.sends_by_priority ? "priority" : "fifo"},
           {.name = "broadcast",
            .value = {rule::word(broadcast_names())},
            .meaning =
                "`point-to-point` by the owner; `binomial` tree; `ring`, from one receiver to the next; "
                "`cooperative`: any node that has the tile and is free sends it on",
            .default_value = name_of(defaults.broadcast)},
           {.name = "wire",
            .value = {rule::word(wire_names.names())},
            .meaning = "how messages from one node to another share their connection",
            .default_text = "the platform's, else `shared`",
            .source = "scenarios/wire/README.md"},
           {.name = "gpu_direct",
            .value = {rule::word(gpu_direct_names.names())},
            .meaning = "which memories of nodes with GPUs messages leave and reach",
            .default_text = "the platform's, else `none`",
            .source = "scenarios/guide/networks.md"},
           {.name = "rendezvous",
            .value = {rule::boolean()},
            .meaning = "a message first asks its receiver: twice the latency of its route in addition",
            .default_value = defaults.rendezvous},
           {.name = "bandwidth_factor",
            .value = {rule::positive()},
            .meaning = "multiplies all bandwidths, inside nodes too (StarPU over SimGrid's MPI: 0.94)",
            .default_value = 1},
           {.name = "latency_factor",
            .value = {rule::non_negative()},
            .meaning = "multiplies all latencies, inside nodes too (StarPU over SimGrid's MPI: 11.6)",
            .default_value = 1}})};
  return table;
}

ObjectKeys const& ring_network_table() {
  static ObjectKeys const table{
      .title = "network of a ring", .meaning = "How links are shared.", .keys = model_keys()};
  return table;
}

}  // namespace factosim
