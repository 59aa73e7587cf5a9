#include "platforms/platform_fields.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "platforms/platform_limits.hpp"
#include "platforms/presets.hpp"
#include "platforms/shipped_files.hpp"

namespace factosim {

namespace {

void check_link_names(JsonReader const& json, Bus const& /*bus*/) {
  std::set<std::string> names;
  for (JsonReader const& link : json.elements())
    if (std::string const name = link.at("name").text(); !names.insert(name).second)
      link.at("name").fail(fmt::format("a second link \"{}\" (routes could mean either). Rename one", name));
}

nlohmann::ordered_json written_routes(NodeType const& type) {
  Bus const& bus = type.bus;
  std::vector<BusRouteKeys> out;
  auto const add = [&](std::string const& from, std::string const& to,
                       std::vector<std::uint32_t> const& links) {
    if (links.empty()) return;
    BusRouteKeys& route = out.emplace_back(BusRouteKeys{from, to, {}});
    for (std::uint32_t const link : links) route.links.push_back(bus.links[link].name);
  };
  std::size_t const memories = type.memory_node_count();
  for (std::size_t pair = 0; pair < bus.routes.size(); ++pair)
    add(memory_node_name(type, pair / memories), memory_node_name(type, pair % memories), bus.routes[pair]);
  for (std::size_t c = 0; c < bus.card_routes.size(); ++c)
    for (std::size_t m = 0; m < bus.card_routes[c].size(); ++m) {
      std::string const memory = memory_node_name(type, m), card = fmt::format("nic{}", c);
      add(memory, card, bus.card_routes[c][m].out);
      add(card, memory, bus.card_routes[c][m].in);
    }
  return written(out);
}

nlohmann::ordered_json written_bus(NodeType const& type) {
  std::size_t const memories = type.memory_node_count();
  if (memories == 1) return {};
  PredictionKeys predicted;
  for (std::size_t pair = 0; pair < type.bus.predicted.size(); ++pair) {
    for (auto* const matrix : {&predicted.bandwidth, &predicted.latency})
      if (pair % memories == 0) matrix->emplace_back();
    predicted.bandwidth.back().push_back(type.bus.predicted[pair].bandwidth.value);
    predicted.latency.back().push_back(type.bus.predicted[pair].latency.value);
  }
  nlohmann::ordered_json out{{"links", written(type.bus.links)},
                             {"routes", written_routes(type)},
                             {"predicted", written(predicted)}};
  if (type.bus.parallel_copies) out["parallel_copies"] = true;
  return out;
}

/// Places of keys among those of a node type that is written.
struct Rank {
  enum Place : int {
    cycle_time,
    cores,
    numa_nodes,
    gpus,
    unified_memory,
    ram,
    kernels,
    nic,
    ram_by_cycle_time,
    numa_nodes_by_cycle_time,
    others,
    bus,
    disk,
    last
  };
};

/// Returns the keys of a node type with a kernel file, or with a cycle-time.
Fields<NodeType> size_fields(bool by_cycle_time) {
  using O = NodeType;
  return {field<&O::cores>("cores", {rule::integer(1, max_cores, "cores")}, "CPU cores",
                           {.missing = by_cycle_time ? "" : "CPU cores of the node",
                            .default_value = by_cycle_time ? nlohmann::json(1) : nlohmann::json(),
                            .rank = Rank::cores}),
          field<&O::ram>("ram_bytes", {rule::integer(1, max_bytes, "B")},
                         "size of the RAM (`runtime/out_of_core`)",
                         {.missing = by_cycle_time ? "" : "size of the RAM",
                          .default_text = by_cycle_time ? "no limit" : "",
                          .rank = by_cycle_time ? Rank::ram_by_cycle_time : Rank::ram,
                          .applies = [=](O const& o) { return !by_cycle_time || o.ram.value > 0; }})};
}

Field<NodeType> nic_field(bool required) {
  return field<NodeType>(
      "nic", {rule::object(table_of<LinkRate>), rule::path()},
      "link between node and switch, or the name of a network whose card it is (`factosim list "
      "networks`), or the path of such a file",
      {.missing = required ? "the link between node and switch" : "",
       .default_text = required ? "" : "that of `of`",
       .rank = Rank::nic,
       .write = [](NodeType const& type) { return written(type.nic); }});
}

/// Returns the keys that only whole descriptions have.
Fields<NodeType> memory_fields(bool by_cycle_time) {
  using O = NodeType;
  return {
      field<&O::numa_nodes>("numa_nodes", {rule::integer(1, 64)},
                            "memory nodes of the RAM, `ram`, `ram1`, ...; cores are spread "
                            "evenly over them, tiles start in `ram`, messages come and go there",
                            {.rank = by_cycle_time ? Rank::numa_nodes_by_cycle_time : Rank::numa_nodes,
                             .applies = [](O const& o) { return o.numa_nodes > 1; }}),
      nic_field(true),
      field<O>("bus", rules_of<Bus>(), "links between memory nodes; required with GPUs or several NUMA nodes",
               {.default_text = "none", .rank = Rank::bus, .write = written_bus})};
}

/// Returns the keys of a variant of another node type.
Fields<NodeType> variant_fields() {
  auto const of_base = [](char const* name, ValueRule rule, char const* meaning) {
    return field<NodeType>(name, {std::move(rule)}, meaning, {.default_text = "those of `of`"});
  };
  return {field<NodeType>("of", {rule::text()}, "name of the other node type", {.required = true}),
          of_base("gpus", rule::integer(0, max_gpus, "GPUs"), "number of GPUs: the first ones stay"),
          of_base("cores", rule::integer(1, max_cores, "cores"), "CPU cores; more of them are an `estimate`"),
          of_base("ram_bytes", rule::integer(1, max_bytes, "B"), "size of the RAM"),
          of_base("kernels", rule::path(), "kernel timings"),
          of_base("cycle_time_s", rule::positive("s"), "time of one tile update, of a machine that has one"),
          nic_field(false)};
}

Fields<NodeType> cycle_time_fields() {
  return Fields<NodeType>{field<&NodeType::cycle_time>(
             "cycle_time_s", {rule::positive("s")},
             "time of one tile update (gemm) on one core, for the scenario's tiles; every other "
             "kernel lasts its operations at that rate",
             {.required = true, .rank = Rank::cycle_time})} +
         size_fields(true) + memory_fields(true);
}

Fields<NodeType> kernel_fields() {
  using O = NodeType;
  return size_fields(false) + memory_fields(false) +
         Fields<O>{
             field<&O::gpus>("gpus", {rule::array(rules_of<GpuSpec>(), 0, max_gpus)}, "GPUs of the node",
                             {.default_text = "none",
                              .rank = Rank::gpus,
                              .check =
                                  [](JsonReader const& json, O const& o) {
                                    if (o.gpus.size() > max_gpus)
                                      json.fail(fmt::format(
                                          "has more than {} GPUs (each pair of them has a route). Use fewer",
                                          max_gpus));
                                  }}),
             field<&O::unified_memory>(
                 "unified_memory",
                 "the GPUs compute in the RAM, each in that of a NUMA node, evenly distributed: "
                 "nothing is copied between a GPU and its RAM",
                 {.echo = Echo::if_changed,
                  .rank = Rank::unified_memory,
                  .check =
                      [](JsonReader const& json, O const& o) {
                        if (o.unified_memory && o.gpus.empty())
                          json.fail(
                              "is true without GPUs (the cores have the RAM anyway). Remove it, or list the "
                              "GPUs");
                      }}),
             field<O>("kernels", {rule::path()},
                      "kernel timings; may be missing where only data-parallel loops run",
                      {.default_text = "none",
                       .rank = Rank::kernels,
                       .applies = [](O const& o) { return !o.kernels_file.empty(); },
                       .read =
                           [](JsonReader const& json, O& o) {
                             o.kernels_file = read_path_or_name(json, ShippedKind::kernels).string();
                           },
                       .write = [](O const& o) { return nlohmann::ordered_json(o.kernels_file); }})};
}

/// Returns the keys that all kinds of node types have.
Fields<NodeType> common_fields() {
  using O = NodeType;
  return {field<&O::nics>(
              "nics", {rule::integer(1, 64, "cards")},
              "network cards like `nic`; a message from node a to node b takes card b mod `nics` of a, "
              "and a mod `nics` of b; of the nearest ones, where `bus/routes` to cards differ in length",
              {.default_text = "1, or those of the network that `nic` names",
               .rank = Rank::others,
               .applies = [](O const& o) { return o.nics > 1; }}),
          field<&O::sockets>("sockets", {rule::integer(1, 64)},
                             "groups of cores that slow each other down (`slowdown` of kernel timings)",
                             {.default_text = "`numa_nodes`", .rank = Rank::others}),
          field<O>("communication_thread", rules_of<CommunicationThread>(), "processor time of messages",
                   {.default_text = "none",
                    .rank = Rank::others,
                    .applies = [](O const& o) { return o.communication.takes_time(); },
                    .read = [](JsonReader const& json,
                               O& o) { o.communication = read_object<CommunicationThread>(json); },
                    .write = [](O const& o) { return written(o.communication); }}),
          field<O>("power", rules_of<PowerSpec>(), "power",
                   {.default_text = "0 each",
                    .rank = Rank::others,
                    .applies = [](O const& o) { return o.power.known(); },
                    .read = [](JsonReader const& json, O& o) { o.power = read_object<PowerSpec>(json); },
                    .write = [](O const& o) { return written(o.power); }}),
          field<O>("gpu_caps_W", gpu_caps_rules(),
                   "power cap of each GPU, or one for all; needs `gpu_speeds` in `power`",
                   {.default_text = "none",
                    .rank = Rank::others,
                    .applies = [](O const& o) { return !o.gpu_caps.empty(); },
                    .write = [](O const& o) { return written(o.gpu_caps); }}),
          field<&O::subnet>("subnet", "the subnet of the nodes",
                            {.default_text = "the core switch",
                             .rank = Rank::last,
                             .applies = [](O const& o) { return !o.subnet.empty(); }}),
          field<&O::estimate>("estimate", "values are assumed, not measured", {.rank = Rank::last}),
          field<&O::provenance>("provenance", "where the values come from", {.rank = Rank::last}),
          field<O>("disk", {rule::object(table_of<DiskSpec>), rule::path()},
                   "disk for runs out of core, or the name of one (`factosim list disks`), or "
                   "the path of such a file",
                   {.default_text = "none",
                    .rank = Rank::disk,
                    .read = [](JsonReader const& json, O& o) { o.disk = read_disk(json); },
                    .write = [](O const& o) { return written(o.disk); }})};
}

}  // namespace

Object<GpuSpec> const& object_of(GpuSpec const* /*any*/) {
  using O = GpuSpec;
  static Object<O> const object(
      "gpu", "A GPU of a node type.",
      {field<&O::model>("model", "name of the GPU", {.missing = "the name of the GPU"}),
       field<&O::memory>("memory_bytes", {rule::integer(1, max_bytes, "B")}, "size of its memory",
                         {.default_text = "required without `unified_memory`, excluded by it",
                          .applies = [](O const& o) { return o.memory.value > 0; }})});
  return object;
}

Object<BusRouteKeys> const& object_of(BusRouteKeys const* /*any*/) {
  using O = BusRouteKeys;
  Key const end{
      .name = {},
      .meaning = "memory node: `ram`, `ram1`, ..., `cuda0`, ...; or, of messages, network card: `nic0`, ...",
      .missing = "ram, cuda0, ..."};
  Key from = end, to = end;
  from.name = "from";
  to.name = "to";
  static Object<O> const object(
      "bus route",
      "The links of a copy, or of messages between a memory node and a network card. Every "
      "memory node needs a route from and to `ram`.",
      {field<&O::from>(from), field<&O::to>(to),
       field<&O::links>("links", {rule::array({rule::text()}, 1)}, "names of the links, in order",
                        {.missing = "names of links"})});
  return object;
}

Object<PredictionKeys> const& object_of(PredictionKeys const* /*any*/) {
  using O = PredictionKeys;
  auto const matrix = [](char const* unit) {  // the diagonal may be 0
    return ValueRules{rule::array({rule::array({rule::non_negative(unit)}, 1)}, 1)};
  };
  static Object<O> const object(
      "predicted",
      "What the runtime system believes about copies: matrices [from][to] over the memory nodes.",
      {field<&O::bandwidth>("bandwidth_Bps", matrix("B/s"), "predicted bandwidths, above 0 off the diagonal",
                            {.missing = "[from][to]"}),
       field<&O::latency>("latency_s", matrix("s"), "predicted latencies", {.missing = "[from][to]"})});
  return object;
}

Object<Bus> const& object_of(Bus const* /*any*/) {
  using O = Bus;
  static Object<O> const object(
      "bus", "Links between the memory nodes of a node.",
      {field<&O::links>("links", "links of the bus",
                        {.missing = "the links of the bus", .check = check_link_names}),
       field<O>("routes", {rule::array(rules_of<BusRouteKeys>())},
                "links that each copy crosses; others go through `ram`. Messages cross none to the RAM, "
                "and to a GPU (`gpu_direct`) those over `ram`, unless a route of the card says so",
                {.missing = "which links a copy crosses"}),
       field<O>("predicted", rules_of<PredictionKeys>(), "predicted bandwidths and latencies, for policies",
                {.default_text = "those of the routes", .source = "StarPU's `sampling/bus`"}),
       field<&O::parallel_copies>(
           "parallel_copies",
           "copies between GPUs overlap with all others but those of the same two memories; else as "
           "StarPU's simulation has them: also after those into their source or destination",
           {.source = "StarPU `core/simgrid.c`"})});
  return object;
}

Object<CommunicationThread> const& object_of(CommunicationThread const* /*any*/) {
  using O = CommunicationThread;
  static Object<O> const object(
      "communication_thread",
      "Processor time of the thread that sends and receives messages, with several nodes.",
      {field<&O::per_message>("per_message_s", "time of each message that the node sends or receives"),
       field<&O::seconds_per_byte>("per_byte_s", {rule::non_negative("s/B")},
                                   "time of each byte, for packing and copies"),
       field<&O::worker_share>("worker_share", {rule::number(0.5, 1)},
                               "speed of a worker whose core the thread shares")});
  return object;
}

Object<NodeType> const& object_of(NodeType const* /*any*/) {
  static Object<NodeType> const object(
      "node type", "A kind of machine.", common_fields(),
      {{"of", "",
        "A variant of another node type: has the values of that one, except for the "
        "keys given here.",
        variant_fields()},
       {"cycle_time_s", "", "A machine of which only the speed is known. No core is reserved.",
        cycle_time_fields()},
       {"", "", "A machine with kernel timings.", kernel_fields()}});
  return object;
}

nlohmann::ordered_json written_node_type(NodeType const& type) {
  nlohmann::ordered_json out;
  write_fields(out, common_fields() + (type.cycle_time.value > 0 ? cycle_time_fields() : kernel_fields()),
               type);
  return out;
}

}  // namespace factosim
