#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "platforms/platform_json.hpp"
#include "platforms/platform_limits.hpp"
#include "simulator/base/core/fields.hpp"
#include "simulator/base/core/suggestion.hpp"
#include "simulator/experiments/balance/balancers.hpp"
#include "simulator/experiments/loops/data_parallel.hpp"
#include "simulator/scenario/keys/cluster_keys.hpp"
#include "simulator/scenario/keys/experiment_kinds.hpp"
#include "simulator/scenario/keys/scenario.hpp"

namespace factosim {

namespace {

Fields<BalancerOptions> fields_of_balancer(std::string_view type) {
  using O = BalancerOptions;
  ValueRule const share = rule::positive("", 1);
  Fields<O> out;
  if (type == "hdss" || type == "plb-hac")
    out.push_back(field<&O::first_block>("first_block", {share},
                                         "share of all chunks in the first block of each worker"));
  if (type == "greedy")
    out.push_back(field<&O::fixed_block>("fixed_block", {share}, "share of all chunks in a block"));
  if (type == "hdss" || type == "guided")
    out.push_back(field<&O::min_block>("least_block", {rule::integer(1, 1'000'000'000'000)},
                                       "minimum number of chunks of a block"));
  if (type == "plb-hac")
    out.push_back(field<&O::steps>("steps", {rule::integer(3, 1000, "steps")}, "steps of the main phase"));
  return out;
}

}  // namespace

/// The keys of "balancer".
Object<BalancerOptions> const& object_of(BalancerOptions const* /*any*/) {
  static Object<BalancerOptions> const object = [] {
    std::vector<FieldVariant<BalancerOptions>> variants;
    for (std::string const& name : balancer_names())
      variants.push_back({"type", name, "", fields_of_balancer(name)});
    return Object<BalancerOptions>(
        "balancer",
        "Chooses the block sizes of a data-parallel loop (simulator/experiments/balance/README.md). "
        "Instead of the object, the name may be given.",
        {field<&BalancerOptions::type>(
            "type", {rule::word(balancer_names())}, "name of the balancer",
            {.missing = fmt::format("one of: {}", fmt::join(balancer_names(), ", "))})},
        std::move(variants), "type");
  }();
  return object;
}

namespace {

constexpr std::int64_t max_chunks = 100'000'000;  // limit of the type that numbers chunks

/// A loop as a scenario gives it: its kernel with the sizes of a built-in one, or with the cost of a chunk.
struct GivenLoop {
  std::string kernel;
  LoopCost cost;
  std::int64_t n = 0, rows_per_chunk = 16;                                          // matmul
  std::int64_t genes = 0, samples = 50;                                             // grn
  std::int64_t points = 0, dimensions = 64, clusters = 0, points_per_chunk = 4096;  // kmeans
};

Key count(char const* name, char const* meaning) {
  constexpr std::int64_t max_size = 1'000'000'000'000;
  return {name, {rule::integer(1, max_size)}, meaning};
}

Key required_count(char const* name, char const* meaning, char const* missing = "how many") {
  Key out = count(name, meaning);
  out.missing = missing;
  return out;
}

Fields<LoopCost> cost_fields() {
  using C = LoopCost;
  return {
      field<&C::chunks>(required_count("chunks", "chunks of the loop", "the pieces of the loop")),
      field<&C::work>("operations_per_chunk", {rule::positive("operations")}, "work of a chunk",
                      {.missing = "its work"}),
      field<&C::bytes_in>("bytes_in_per_chunk", {rule::non_negative("B")}, "data that a chunk needs"),
      field<&C::bytes_out>("bytes_out_per_chunk", {rule::non_negative("B")}, "data that a chunk returns")};
}

Object<GivenLoop> const& object_of(GivenLoop const* /*any*/) {
  using L = GivenLoop;
  static Object<L> const object(
      "loop",
      "The loop of a data-parallel application: a built-in kernel and its sizes, or the cost of "
      "a chunk.",
      {field<&L::kernel>("kernel", "`matmul`, `grn`, `kmeans`, or with `chunks` any kernel of `costs`",
                         {.missing = "matmul, grn, kmeans, or a name of your own"})},
      {{"chunks", "", "A loop that is given by the cost of a chunk.", within<&L::cost>(cost_fields())},
       {"kernel",
        "matmul",
        "Product of square matrices.",
        {field<&L::n>(required_count("n", "rows of the matrices", "rows of the matrices")),
         field<&L::rows_per_chunk>(count("rows_per_chunk", "rows of a chunk"))}},
       {"kernel",
        "grn",
        "Gene regulatory network.",
        {field<&L::genes>(required_count("genes", "genes, of which sets of three are evaluated")),
         field<&L::samples>(count("samples", "samples of each gene"))}},
       {"kernel",
        "kmeans",
        "One pass of k-means.",
        {field<&L::points>(required_count("points", "points")),
         field<&L::dimensions>(count("dimensions", "dimensions of a point")),
         field<&L::clusters>(required_count("clusters", "clusters")),
         field<&L::points_per_chunk>(count("points_per_chunk", "points of a chunk"))}}});
  return object;
}

void read_loop(JsonReader const& json, DataParallelScenario& s) {
  GivenLoop given;
  JsonReader const kernel = json.at("kernel", "matmul, grn, kmeans, or a name of your own");
  s.kernel = kernel.string();
  if (table_of<GivenLoop>().variant_of(json.value()) == nullptr)
    kernel.fail(
        fmt::format("is \"{}\", whose cost is not built in (matmul, grn and kmeans are). Give \"chunks\" and "
                    "\"operations_per_chunk\"",
                    s.kernel));
  read_object(json, given);
  LoopCost& cost = s.loop.cost;
  if (json.find("chunks"))
    cost = given.cost;
  else if (s.kernel == "matmul")
    cost = matmul_loop(given.n, given.rows_per_chunk);
  else if (s.kernel == "grn")
    cost = grn_loop(given.genes, given.samples);
  else
    cost = kmeans_loop(given.points, given.dimensions, given.clusters, given.points_per_chunk);
  if (cost.chunks > max_chunks)
    json.fail(fmt::format("comes to {} chunks (more than {} are not kept apart). Make larger ones",
                          cost.chunks, max_chunks));
  if (!(cost.work > 0)) json.fail("comes to no work (there would be nothing to balance). Give a larger size");
}

/// Adds the CPU and the accelerators of one node.
void add_units(DataParallelScenario& s, NodeId node, Topology const& topology, JsonReader const& costs) {
  NodeType const& type = s.platform.type_of(node);
  auto const machine = s.costs.machines.find(type.name);
  if (machine == s.costs.machines.end())
    costs.fail(fmt::format("has nothing about \"{}\" (node {} is one). Add it there, or leave such nodes out",
                           type.name, node.value()));
  for (std::size_t m = 0; m < type.memory_node_count(); ++m) {
    if (m > 0 && m < type.ram_count()) continue;
    std::string const place = m == 0 ? "cpu" : memory_node_name(type, m);
    auto const unit = machine->second.find(place);
    if (unit == machine->second.end()) continue;  // this unit takes no part
    auto const curve = unit->second.kernels.find(s.kernel);
    if (curve == unit->second.kernels.end())
      costs.fail(
          fmt::format("has no curve of \"{}\" for {} of \"{}\" (its duration is not known). Add it there",
                      s.kernel, place, type.name));
    s.loop.units.push_back({.name = fmt::format("{}:{}", node.value(), place),
                            .unit_class = unit->second.unit_class,
                            .node = node,
                            .memory = MemoryNodeId{topology.ram_of(node).value() + m},
                            .curve = curve->second});
  }
  for (auto const& [place, unit] : machine->second) {
    bool known = place == "cpu";
    for (std::size_t m = type.ram_count(); m < type.memory_node_count(); ++m)
      known = known || place == memory_node_name(type, m);
    if (!known)
      costs.fail(
          fmt::format("has \"{}\" for \"{}\", which the platform does not know (its data could not get "
                      "there). Add it to the platform's \"gpus\", or remove it",
                      place, type.name));
  }
}

/// Reads what the units of the platform cost, and makes them the loop's.
void read_costs(JsonReader const& json, DataParallelScenario& s) {
  s.costs = read_unit_costs(json.path());
  Topology const topology(s.platform);
  for (std::size_t n = 0; n < s.platform.nodes.size(); ++n) add_units(s, NodeId{n}, topology, json);
  if (s.loop.units.empty())
    json.fail("leaves no worker (nothing could compute). Describe a unit of these machines");
}

struct LoopEvent {
  std::string type, worker;
  CompetingLoad load;
  Seconds date{};
};

Fields<LoopEvent> date_fields() {
  return {field<&LoopEvent::date>("at_s", "date of the event", {.missing = "when"})};
}

Fields<CompetingLoad> load_fields() {
  using L = CompetingLoad;
  return {
      field<&L::from>("from_s", "begin of the load", {.missing = "when it starts"}),
      field<&L::until>(
          "until_s", "end of the load, after `from_s`",
          {.default_text = "the end of the loop",
           .check =
               [](JsonReader const& json, L const& load) {
                 if (load.until <= load.from)
                   json.fail("is not after \"from_s\" (the load would never be there). Give a later time");
               }}),
      field<&L::share>(
          "share", {rule::positive()}, "share of the worker's speed that another program takes, below 1",
          {.missing = "of the worker's speed that it takes",
           .check = [](JsonReader const& json, L const& load) {
             if (load.share >= 1)
               json.fail(fmt::format(
                   "is {} (the worker would stand still). Give less than 1, or let it be \"lost\"",
                   load.share));
           }})};
}

Object<LoopEvent> const& object_of(LoopEvent const* /*any*/) {
  using E = LoopEvent;
  static Object<E> const object(
      "event", "What happens to a worker during a data-parallel loop.",
      {field<&E::type>("type", {rule::word({"load", "lost", "join"})}, "kind of the event",
                       {.missing = "load, lost or join"}),
       field<&E::worker>("worker", "worker, such as `0:cuda0`", {.missing = "such as 0:cuda0"})},
      {{"type", "load", "Another program takes a share of the worker.", within<&E::load>(load_fields())},
       {"type", "lost", "The worker disappears; its block is assigned again.", date_fields()},
       {"type", "join", "The worker is available from then.", date_fields()}});
  return object;
}

ProcessingUnit& unit_named(DataParallelLoop& loop, std::string const& name, JsonReader const& json) {
  std::vector<std::string> names;
  for (ProcessingUnit& unit : loop.units) {
    if (unit.name == name) return unit;
    names.push_back(unit.name);
  }
  json.fail(fmt::format("\"{}\" is no worker of this platform (node:place is one). {}", name,
                        use_one_of(name, names)));
}

void read_event(JsonReader const& json, DataParallelLoop& loop) {
  auto const event = read_object<LoopEvent>(json);
  ProcessingUnit& unit = unit_named(loop, event.worker, json.at("worker"));
  if (event.type == "load") {
    unit.loads.push_back(event.load);
    return;
  }
  (event.type == "lost" ? unit.lost : unit.joins) = event.date;
  if (unit.lost <= unit.joins)
    json.fail(
        fmt::format("loses \"{}\" before it joins (it would never work). Put the dates in order", unit.name));
}

void read_events(JsonReader const& json, DataParallelScenario& s) {
  for (JsonReader const& event : json.elements()) read_event(event, s.loop);
  s.events = nlohmann::ordered_json(json.value());
}

/// The keys of the application; the platform is there before they are read.
Fields<DataParallelScenario> loop_fields() {
  using S = DataParallelScenario;
  auto const on_loop = within<&S::loop>({field<&DataParallelLoop::deviation>(
      "deviation", {rule::non_negative()}, "relative deviation of the time of a block; `noise` draws it",
      {.default_value = 0})});
  Fields<S> out{
      field<S>("loop", rules_of<GivenLoop>(), "what is computed",
               {.missing = "what is computed: its \"kernel\" and sizes",
                .read = read_loop,
                .write =
                    [](S const& s) {
                      nlohmann::ordered_json out = {{"kernel", s.kernel}};
                      write_fields(out, cost_fields(), s.loop.cost);
                      return out;
                    }}),
      field<S>("costs", {rule::path()},
               "`factosim-unit-costs` file; a unit that it does not describe takes no part",
               {.missing = "path of a factosim-unit-costs file",
                .read = read_costs,
                .write = [](S const& s) { return nlohmann::ordered_json(s.costs.file); }}),
      field<&S::balancer>("balancer", "algorithm that chooses the block sizes",
                          {.missing = "who hands out the chunks"}),
      field<S>("master", {rule::integer(0, static_cast<std::int64_t>(max_nodes) - 1)},
               "node from whose RAM blocks come and to which results go",
               {.default_value = 0,
                .read =
                    [](JsonReader const& json, S& s) {
                      auto const last = static_cast<std::int64_t>(s.platform.nodes.size()) - 1;
                      s.loop.master = NodeId{json.integer(0, last)};
                    },
                .write = [](S const& s) { return nlohmann::ordered_json(s.loop.master.value()); }})};
  out += on_loop;
  out +=
      {field<S>("events", {rule::array(rules_of<LoopEvent>())}, "loads, losses and arrivals of workers",
                {.default_text = "none", .read = read_events, .write = [](S const& s) { return s.events; }})};
  return out;
}

/// Reads the keys of "network" that have an effect on a loop.
NetworkOverrides read_links(JsonReader const& json, std::size_t nodes) {
  for (char const* const key :
       {"max_sends_per_node", "max_sends", "send_order", "wire", "broadcast", "rendezvous", "gpu_direct"})
    if (auto const other = json.find(key))
      other->fail(
          "has no effect on a data-parallel loop (a worker's next block is sent when it asks). Remove it");
  return read_network(json, nodes);
}

void read_noise_keys(DataParallelScenario& s, std::optional<JsonReader> const& json, std::uint64_t seed) {
  if (json) s.loop.noise = read_noise(*json);
  s.loop.noise.seed = seed;
  if (s.loop.noise.distribution == NoiseDistribution::empirical)
    json->at("distribution")
        .fail("is \"empirical\" (curves have no samples of single blocks). Use normal or lognormal");
  if (s.loop.noise.distribution == NoiseDistribution::calibrated)
    json->fail("is \"calibrated\" (curves are not calibrated from runs). Use normal or lognormal");
  if (s.loop.noise.perturbs())
    json->fail("perturbs within precisions (a loop's blocks are drawn whole). Use worker_speed_deviation");
}

DataParallelScenario read_loop_scenario(JsonReader const& json, std::uint64_t seed) {
  DataParallelScenario s;
  auto const application = json.at("application");
  auto const platform = json.at("platform", "a path, or an object with \"file\" and \"nodes\"");
  auto const network = json.find("network");
  auto const noise = json.find("noise");
  json.finish();
  s.platform = read_platform(platform);
  NetworkOverrides const links = network ? read_links(*network, s.platform.nodes.size()) : NetworkOverrides{};
  s.platform = with_overrides(std::move(s.platform), links);
  if (s.platform.network.one_at_a_time)
    platform.fail(
        "is a shared bus of one message at a time (blocks are sent at once). Use a switched network");
  s.network = links.options;
  check_fabric(s.platform, s.network, platform);
  (void)application.find("type");
  read_fields(application, loop_fields(), s);
  application.finish();
  read_noise_keys(s, noise, seed);
  return s;
}

nlohmann::ordered_json effective_loop(DataParallelScenario const& s) {
  nlohmann::ordered_json application = {{"type", "data-parallel"}};
  write_fields(application, loop_fields(), s);
  return {{"platform", effective_platform(s.platform)},
          {"application", application},
          {"noise", written(s.loop.noise)},
          {"network", effective_network(s.network, s.platform, RuntimeOptions{})}};
}

Experiment experiment_of(DataParallelScenario scenario) {
  auto const s = std::make_shared<DataParallelScenario const>(std::move(scenario));
  constexpr double bytes_per_block = 260, seconds_per_block = 0.9e-6, bytes_per_chunk = 5;
  auto const chunks = static_cast<double>(s->loop.cost.chunks);
  double const blocks = s->balancer.type == "greedy" ? std::min(chunks, 1 / s->balancer.fixed_block) : 1;
  return {.work = {{.count = blocks,
                    .things = "blocks",
                    .memory_bytes = program_bytes + bytes_per_chunk * chunks + bytes_per_block * blocks,
                    .cpu_s = seconds_per_block * blocks},
                   max_preparation_s,
                   "#/application",
                   "Use fewer chunks or larger blocks"},
          .effective = [s] { return effective_loop(*s); },
          .run = [s](bool with_trace) { return simulate_data_parallel(*s, with_trace); },
          .findings = s->platform.findings};
}

}  // namespace

ExperimentKind data_parallel_experiment() {
  return {.name = "data-parallel",
          .description = "loop of independent chunks, balanced while it runs (PLB-HAC and others)",
          .meaning = "A loop whose chunks are distributed while it runs.",
          .application_keys = [] { return keys_of(loop_fields()); },
          .scenario_keys = []() -> std::vector<Key> {
            return {platform_key(), noise_key(), network_key()};
          },
          .read = [](JsonReader const& json,
                     std::uint64_t seed) { return experiment_of(read_loop_scenario(json, seed)); }};
}

}  // namespace factosim
