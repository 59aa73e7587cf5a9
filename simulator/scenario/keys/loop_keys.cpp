#include "simulator/scenario/keys/loop_keys.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "platforms/platform_json.hpp"
#include "simulator/experiments/loops/loop_experiment.hpp"
#include "simulator/scenario/keys/cluster_keys.hpp"
#include "simulator/scenario/keys/experiment_kinds.hpp"
#include "simulator/scenario/keys/network_keys.hpp"
#include "simulator/scenario/keys/noise_keys.hpp"

namespace factosim {

namespace {

constexpr std::int64_t max_chunks = 100'000'000;  // limit of the type that numbers chunks

std::int64_t read_count(JsonReader const& json, char const* key, char const* meaning) {
  return json.at(key, meaning).integer();
}

std::int64_t read_count(JsonReader const& json, char const* key, std::int64_t otherwise) {
  auto const value = json.find(key);
  return value ? value->integer() : otherwise;
}

/// Reads a loop that is given by the cost of a chunk.
LoopCost read_own_loop(JsonReader const& json) {
  LoopCost cost{.chunks = read_count(json, "chunks", "the pieces of the loop"),
                .work = json.at("operations_per_chunk", "its work").quantity()};
  if (auto const bytes = json.find("bytes_in_per_chunk")) cost.bytes_in = bytes->quantity();
  if (auto const bytes = json.find("bytes_out_per_chunk")) cost.bytes_out = bytes->quantity();
  return cost;
}

LoopCost read_loop(JsonReader const& json, std::string const& kernel) {
  LoopCost cost;
  if (json.find("chunks"))
    cost = read_own_loop(json);
  else if (kernel == "matmul")
    cost = matmul_loop(read_count(json, "n", "rows of the matrices"), read_count(json, "rows_per_chunk", 16));
  else if (kernel == "grn")
    cost = grn_loop(read_count(json, "genes", "how many"), read_count(json, "samples", 50));
  else if (kernel == "kmeans")
    cost = kmeans_loop(read_count(json, "points", "how many"), read_count(json, "dimensions", 64),
                       read_count(json, "clusters", "how many"), read_count(json, "points_per_chunk", 4096));
  else
    json.at("kernel").fail(
        fmt::format("is \"{}\", whose cost is not built in (matmul, grn and kmeans are). Give \"chunks\" and "
                    "\"operations_per_chunk\"",
                    kernel));
  json.finish();
  if (cost.chunks > max_chunks)
    json.fail(fmt::format("comes to {} chunks (more than {} are not kept apart). Make larger ones",
                          cost.chunks, max_chunks));
  if (!(cost.work > 0)) json.fail("comes to no work (there would be nothing to balance). Give a larger size");
  return cost;
}

double read_share(JsonReader const& json, std::string const& key, double otherwise) {
  auto const value = json.find(key);
  if (!value) return otherwise;
  return value->quantity();
}

BalancerOptions read_balancer(JsonReader const& json) {
  BalancerOptions options;
  if (json.is_string()) {
    options.type = json.one_of();
    return options;
  }
  options.type = json.at("type", fmt::format("one of: {}", fmt::join(balancer_names(), ", "))).one_of();
  bool const learns = options.type == "hdss" || options.type == "plb-hac";
  if (learns) options.first_block = read_share(json, "first_block", options.first_block);
  if (options.type == "greedy") options.fixed_block = read_share(json, "fixed_block", options.fixed_block);
  if (options.type == "hdss" || options.type == "guided")
    options.min_block = read_count(json, "least_block", options.min_block);
  if (options.type == "plb-hac") {
    auto const steps = json.find("steps");
    if (steps) options.steps = static_cast<int>(steps->integer());
  }
  json.finish();
  return options;
}

nlohmann::ordered_json effective_balancer(BalancerOptions const& o) {
  nlohmann::ordered_json out = {{"type", o.type}};
  if (o.type == "hdss" || o.type == "plb-hac") out["first_block"] = o.first_block;
  if (o.type == "greedy") out["fixed_block"] = o.fixed_block;
  if (o.type == "hdss" || o.type == "guided") out["least_block"] = o.min_block;
  if (o.type == "plb-hac") out["steps"] = o.steps;
  return out;
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
      costs.fail(fmt::format(
          "has \"{}\" for \"{}\", which the platform does not know (its data could not get there). "
          "Add it to the platform's \"gpus\", or remove it",
          place, type.name));
  }
}

ProcessingUnit& unit_named(DataParallelLoop& loop, JsonReader const& json) {
  std::string const name = json.string();
  std::vector<std::string> names;
  for (ProcessingUnit& unit : loop.units) {
    if (unit.name == name) return unit;
    names.push_back(unit.name);
  }
  json.fail(fmt::format("\"{}\" is no worker of this platform (node:place is one). Use one of: {}", name,
                        fmt::join(names, ", ")));
}

void read_load(ProcessingUnit& unit, JsonReader const& json) {
  CompetingLoad load;
  load.from = {json.at("from_s", "when it starts").quantity()};
  if (auto const until = json.find("until_s")) {
    load.until = {until->quantity()};
    if (load.until <= load.from)
      until->fail("is not after \"from_s\" (the load would never be there). Give a later time");
  }
  JsonReader const share = json.at("share", "of the worker's speed that it takes");
  load.share = share.quantity();
  if (load.share >= 1)
    share.fail(fmt::format("is {} (the worker would stand still). Give less than 1, or let it be \"lost\"",
                           load.share));
  unit.loads.push_back(load);
}

void read_event(DataParallelLoop& loop, JsonReader const& json) {
  std::string const type = json.at("type", "load, lost or join").one_of();
  ProcessingUnit& unit = unit_named(loop, json.at("worker", "such as 0:cuda0"));
  if (type == "load") {
    read_load(unit, json);
  } else {
    Seconds const date{json.at("at_s", "when").quantity()};
    (type == "lost" ? unit.lost : unit.joins) = date;
    if (unit.lost <= unit.joins)
      json.fail(fmt::format("loses \"{}\" before it joins (it would never work). Put the dates in order",
                            unit.name));
  }
  json.finish();
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

  (void)application.find("type");
  auto const loop = application.at("loop", "what is computed: its \"kernel\" and sizes");
  auto const costs = application.at("costs", "path of a factosim-unit-costs file");
  auto const balancer = application.at("balancer", "who hands out the chunks");
  auto const master = application.find("master");
  auto const deviation = application.find("deviation");
  auto const events = application.find("events");
  application.finish();

  s.platform = read_platform(platform);
  NetworkOverrides const links = network ? read_links(*network, s.platform.nodes.size()) : NetworkOverrides{};
  s.platform = with_overrides(std::move(s.platform), links);
  if (s.platform.network.one_at_a_time)
    platform.fail(
        "is a shared bus of one message at a time (blocks are sent at once). Use a switched network");
  s.network = links.options;
  check_fabric(s.platform, s.network.model, platform);
  s.balancer = read_balancer(balancer);
  s.kernel = loop.at("kernel", "matmul, grn, kmeans, or a name of your own").string();
  s.loop.cost = read_loop(loop, s.kernel);
  s.costs = read_unit_costs(costs.path());
  Topology const topology(s.platform);
  for (std::size_t n = 0; n < s.platform.nodes.size(); ++n) add_units(s, NodeId{n}, topology, costs);
  if (s.loop.units.empty())
    costs.fail("leaves no worker (nothing could compute). Describe a unit of these machines");
  if (master)
    s.loop.master = NodeId{master->integer(0, static_cast<std::int64_t>(s.platform.nodes.size()) - 1)};
  if (deviation) s.loop.deviation = deviation->quantity();
  read_noise_keys(s, noise, seed);
  if (events) {
    for (JsonReader const& event : events->elements()) read_event(s.loop, event);
    s.events = nlohmann::ordered_json(events->value());
  }
  return s;
}

nlohmann::ordered_json effective_loop(DataParallelScenario const& s) {
  return {{"platform", effective_platform(s.platform)},
          {"application",
           {{"type", "data-parallel"},
            {"loop",
             {{"kernel", s.kernel},
              {"chunks", s.loop.cost.chunks},
              {"operations_per_chunk", s.loop.cost.work},
              {"bytes_in_per_chunk", s.loop.cost.bytes_in},
              {"bytes_out_per_chunk", s.loop.cost.bytes_out}}},
            {"costs", s.costs.file},
            {"balancer", effective_balancer(s.balancer)},
            {"master", s.loop.master.value()},
            {"deviation", s.loop.deviation},
            {"events", s.events}}},
          {"noise", written(s.loop.noise)},
          {"network", effective_network(s.network, s.platform, RuntimeOptions{})}};
}

class LoopExperiment final : public Experiment {
 public:
  explicit LoopExperiment(DataParallelScenario scenario) : s_(std::move(scenario)) {}

  [[nodiscard]] ExperimentWork work() const override {
    constexpr double bytes_per_block = 260, seconds_per_block = 0.9e-6, bytes_per_chunk = 5;
    auto const chunks = static_cast<double>(s_.loop.cost.chunks);
    double const blocks = s_.balancer.type == "greedy" ? std::min(chunks, 1 / s_.balancer.fixed_block) : 1;
    return {{.count = blocks,
             .things = "blocks",
             .memory_bytes = program_bytes + bytes_per_chunk * chunks + bytes_per_block * blocks,
             .cpu_s = seconds_per_block * blocks},
            max_preparation_s,
            "#/application",
            "Use fewer chunks or larger blocks"};
  }
  [[nodiscard]] ExperimentResult run(bool with_trace) const override {
    return simulate_data_parallel(s_, with_trace);
  }
  [[nodiscard]] nlohmann::ordered_json effective() const override { return effective_loop(s_); }
  [[nodiscard]] std::vector<std::string> findings() const override { return s_.platform.findings; }

 private:
  DataParallelScenario s_;
};

}  // namespace

ExperimentKind data_parallel_experiment() {
  return {.name = "data-parallel",
          .description = "loop of independent chunks, balanced while it runs (PLB-HAC and others)",
          .meaning = "A loop whose chunks are distributed while it runs.",
          .application_keys = loop_application_keys,
          .scenario_keys = loop_scenario_keys,
          .read = [](JsonReader const& json, std::uint64_t seed) -> std::unique_ptr<Experiment const> {
            return std::make_unique<LoopExperiment>(read_loop_scenario(json, seed));
          }};
}

}  // namespace factosim
