#include "simulator/scenario/option_readers.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>

#include "simulator/scenario/simgrid_xml_reader.hpp"

namespace factosim {

namespace {

struct SecondsKey {
  char const* key;
  Seconds RuntimeOptions::*member;
};
struct CountKey {
  char const* key;
  int RuntimeOptions::*member;
  int minimum;
};
struct SwitchKey {
  char const* key;
  bool RuntimeOptions::*member;
};

struct WeightKey {
  char const* key;
  double SchedulerOptions::*member;
};

struct NoiseKey {
  char const* key;
  double NoiseOptions::*member;
  double minimum, maximum;
};

constexpr std::array noise_keys{
    NoiseKey{"scale", &NoiseOptions::scale, 0, 1000},
    NoiseKey{"first_execution_factor", &NoiseOptions::first_execution_factor, 1, 1e6},
    NoiseKey{"worker_speed_deviation", &NoiseOptions::worker_speed_deviation, 0, 1000},
};
constexpr std::array scheduler_weights{
    WeightKey{"alpha", &SchedulerOptions::alpha},
    WeightKey{"beta", &SchedulerOptions::beta},
    WeightKey{"gamma_us_per_J", &SchedulerOptions::gamma},
    WeightKey{"idle_power_W", &SchedulerOptions::idle_power},
    WeightKey{"transfer_factor", &SchedulerOptions::transfer_factor},
};
constexpr std::array seconds_keys{
    SecondsKey{"submission_cost_s", &RuntimeOptions::submission_cost},
    SecondsKey{"push_cost_s", &RuntimeOptions::push_cost},
    SecondsKey{"fetch_cost_s", &RuntimeOptions::fetch_cost},
    SecondsKey{"progress_cost_s", &RuntimeOptions::progress_cost},
    SecondsKey{"wont_use_cost_s", &RuntimeOptions::wont_use_cost},
    SecondsKey{"gpu_queue_cost_s", &RuntimeOptions::gpu_queue_cost},
    SecondsKey{"gpu_malloc_cost_s", &RuntimeOptions::gpu_malloc_cost},
    SecondsKey{"gpu_free_cost_s", &RuntimeOptions::gpu_free_cost},
    SecondsKey{"pinning_cost_s", &RuntimeOptions::pinning_cost},
    SecondsKey{"host_alloc_cost_s_per_MiB", &RuntimeOptions::host_alloc_cost},
};
constexpr std::array count_keys{
    CountKey{"gpu_pipeline", &RuntimeOptions::gpu_pipeline, 0},
    CountKey{"fetch_limit", &RuntimeOptions::fetch_limit, 1},
    CountKey{"prefetch_limit", &RuntimeOptions::prefetch_limit, 1},
    CountKey{"idle_limit", &RuntimeOptions::idle_limit, 1},
    CountKey{"max_gpus", &RuntimeOptions::max_gpus, 0},
    CountKey{"cores_per_gpu", &RuntimeOptions::cores_per_gpu, 0},
    CountKey{"reserved_cores", &RuntimeOptions::reserved_cores, 0},
    CountKey{"oversubscribed_workers", &RuntimeOptions::oversubscribed_workers, 0},
    CountKey{"communication_cores", &RuntimeOptions::communication_cores, 0},
    CountKey{"max_submitted_tasks", &RuntimeOptions::max_submitted_tasks, 0},
    CountKey{"min_submitted_tasks", &RuntimeOptions::min_submitted_tasks, 0},
};
constexpr std::array switch_keys{
    SwitchKey{"prefetch", &RuntimeOptions::prefetch},
    SwitchKey{"wont_use", &RuntimeOptions::wont_use},
    SwitchKey{"out_of_core", &RuntimeOptions::out_of_core},
    SwitchKey{"allocate_at_submission", &RuntimeOptions::allocate_at_submission},
    SwitchKey{"chunk_cache", &RuntimeOptions::chunk_cache},
    SwitchKey{"gpus_wait_for_pinning", &RuntimeOptions::gpus_wait_for_pinning},
};

}  // namespace

SchedulerOptions read_scheduler(JsonReader const& json) {
  SchedulerOptions options;
  if (auto const type = json.find("type")) options.type = type->one_of(scheduler_names());
  for (auto const& [key, member] : scheduler_weights)
    if (auto const value = json.find(key)) options.*member = value->non_negative();
  json.finish();
  return options;
}

nlohmann::ordered_json effective_scheduler(SchedulerOptions const& options) {
  nlohmann::ordered_json out = {{"type", options.type}};
  for (auto const& [key, member] : scheduler_weights) out[key] = options.*member;
  return out;
}

namespace {

void read_fraction(JsonReader const& json, std::string const& key, double& value) {
  auto const fraction = json.find(key);
  if (!fraction) return;
  value = fraction->non_negative();
  if (value > 1)
    fraction->fail("is above 1 (tiles cannot use more than the memory). Give a fraction, such as 0.9");
}

}  // namespace

RuntimeOptions read_runtime(JsonReader const& json, RuntimeOptions options) {
  for (auto const& [key, member] : seconds_keys)
    if (auto const value = json.find(key)) options.*member = Seconds{value->non_negative()};
  for (auto const& [key, member, minimum] : count_keys)
    if (auto const value = json.find(key))
      options.*member = static_cast<int>(value->integer(minimum, 1'000'000));
  for (auto const& [key, member] : switch_keys)
    if (auto const value = json.find(key)) options.*member = value->boolean();
  if (auto const unrolling = json.find("unrolling"))
    options.unrolling = unrolling_named(unrolling->one_of(unrolling_names()));
  if (options.min_submitted_tasks > 0 && options.min_submitted_tasks >= options.max_submitted_tasks)
    json.at("min_submitted_tasks", "fewer than \"max_submitted_tasks\"")
        .fail(
            fmt::format("is not below \"max_submitted_tasks\" ({}) (submission would never wait). Give less",
                        options.max_submitted_tasks));
  if (auto const fraction = json.find("gpu_memory_fraction")) {
    options.gpu_memory_fraction = fraction->positive();
    if (options.gpu_memory_fraction > 1)
      fraction->fail(
          "is above 1 (tiles cannot use more than the GPU's memory). Give a fraction, such as 0.9");
  }
  read_fraction(json, "preallocated_ram_fraction", options.preallocated_ram);
  json.finish();
  return options;
}

nlohmann::ordered_json effective_runtime(RuntimeOptions const& options) {
  nlohmann::ordered_json out;
  for (auto const& [key, member] : seconds_keys) out[key] = (options.*member).value;
  for (auto const& [key, member, minimum] : count_keys) out[key] = options.*member;
  for (auto const& [key, member] : switch_keys) out[key] = options.*member;
  out["unrolling"] = name_of(options.unrolling);
  out["gpu_memory_fraction"] = options.gpu_memory_fraction;
  out["preallocated_ram_fraction"] = options.preallocated_ram;
  return out;
}

NoiseOptions read_noise(JsonReader const& json) {
  NoiseOptions options;
  if (auto const distribution = json.find("distribution"))
    options.distribution = noise_distribution(distribution->one_of(noise_distribution_names()));
  for (auto const& [key, member, minimum, maximum] : noise_keys) {
    auto const value = json.find(key);
    if (!value) continue;
    options.*member = value->number();
    if (options.*member < minimum || options.*member > maximum)
      value->fail(fmt::format("is {} (it must lie between {} and {}). Give a value in that range",
                              options.*member, minimum, maximum));
  }
  json.finish();
  return options;
}

nlohmann::ordered_json effective_noise(NoiseOptions const& options) {
  nlohmann::ordered_json out = {{"distribution", name_of(options.distribution)}};
  for (auto const& [key, member, minimum, maximum] : noise_keys) out[key] = options.*member;
  return out;
}

namespace {

nlohmann::ordered_json effective_links(Platform const& platform) {
  nlohmann::ordered_json nics = nlohmann::ordered_json::object();
  for (std::uint32_t const type : platform.nodes) {
    NodeType const& t = platform.types[type];
    nics[t.name] = {{"bandwidth_Bps", t.nic.bandwidth.value}, {"latency_s", t.nic.latency.value}};
  }
  nlohmann::ordered_json out = {{"nic", nics}};
  if (auto const& tree = platform.network.fat_tree)
    out["fat_tree"] = {
        {"nodes_per_leaf", tree->nodes_per_leaf},
        {"uplinks", tree->uplinks},
        {"uplink",
         {{"bandwidth_Bps", tree->uplink_bandwidth.value}, {"latency_s", tree->uplink_latency.value}}}};
  for (Subnet const& subnet : platform.network.subnets)
    out["subnets"][subnet.name] = {{"uplink_bandwidth_Bps", subnet.uplink_bandwidth.value},
                                   {"uplink_latency_s", subnet.uplink_latency.value}};
  out["backbone"] = {{"bandwidth_Bps", platform.network.backbone_bandwidth.value},
                     {"latency_s", platform.network.backbone_latency.value}};
  return out;
}

void read_link(JsonReader const& network, char const* key, std::optional<double>& bandwidth_Bps,
               std::optional<double>& latency_s) {
  auto const link = network.find(key);
  if (!link) return;
  if (auto const bandwidth = link->find("bandwidth_Bps")) bandwidth_Bps = bandwidth->positive();
  if (auto const latency = link->find("latency_s")) latency_s = latency->non_negative();
  link->finish();
}

}  // namespace

NetworkOverrides read_network(JsonReader const& json) {
  NetworkOverrides out;
  if (auto const model = json.find("model")) out.model = network_model(model->one_of(network_model_names()));
  if (auto const optim = json.find("optim")) out.lazy = optim->one_of({"Full", "Lazy"}) == "Lazy";
  read_link(json, "nic", out.nic_bandwidth_Bps, out.nic_latency_s);
  read_link(json, "backbone", out.backbone_bandwidth_Bps, out.backbone_latency_s);
  out.simgrid_xml = json.find("simgrid_xml");
  for (char const* const key : {"nic", "backbone"})
    if (auto const other = json.find(key); other && out.simgrid_xml)
      other->fail(
          fmt::format("has no effect beside \"simgrid_xml\" (all links between nodes are those of its "
                      "file). Remove \"{}\", or change the file",
                      key));
  read_link(json, "uplink", out.uplink_bandwidth_Bps, out.uplink_latency_s);
  if (auto const sends = json.find("max_sends_per_node"))
    out.max_sends_per_node = static_cast<int>(sends->integer(1, 1'000'000));
  if (auto const sends = json.find("max_sends"))
    out.max_sends = static_cast<int>(sends->integer(0, 1'000'000));
  if (auto const order = json.find("send_order"))
    out.sends_by_priority = order->one_of({"priority", "fifo"}) == "priority";
  if (auto const broadcast = json.find("broadcast"))
    out.broadcast = broadcast_named(broadcast->one_of(broadcast_names()));
  if (auto const rendezvous = json.find("rendezvous")) out.rendezvous = rendezvous->boolean();
  if (auto const factor = json.find("bandwidth_factor")) out.bandwidth_factor = factor->positive();
  if (auto const factor = json.find("latency_factor")) out.latency_factor = factor->non_negative();
  json.finish();
  return out;
}

namespace {

/// Of all links, those inside nodes too.
void multiply(Platform& platform, double bandwidth_factor, double latency_factor) {
  auto const change = [&](BytesPerSecond& bandwidth, Seconds& latency) {
    bandwidth.value *= bandwidth_factor;
    latency.value *= latency_factor;
  };
  for (NodeType& type : platform.types) {
    change(type.nic.bandwidth, type.nic.latency);
    for (LinkSpec& link : type.bus.links) change(link.bandwidth, link.latency);
  }
  NetworkSpec& network = platform.network;
  for (Subnet& subnet : network.subnets) change(subnet.uplink_bandwidth, subnet.uplink_latency);
  if (network.fat_tree) change(network.fat_tree->uplink_bandwidth, network.fat_tree->uplink_latency);
  change(network.backbone_bandwidth, network.backbone_latency);
  if (!network.routes) return;
  RouteTable routes = *network.routes;
  for (RouteTable::Link& link : routes.links) link.bandwidth.value *= bandwidth_factor;
  for (Seconds& latency : routes.latency) latency.value *= latency_factor;
  network.routes = std::make_shared<RouteTable>(std::move(routes));
}

}  // namespace

void apply(NetworkOverrides const& overrides, Platform& platform, RuntimeOptions& runtime) {
  for (NodeType& type : platform.types) {
    if (overrides.nic_bandwidth_Bps) type.nic.bandwidth = {*overrides.nic_bandwidth_Bps};
    if (overrides.nic_latency_s) type.nic.latency = {*overrides.nic_latency_s};
  }
  if (overrides.backbone_bandwidth_Bps)
    platform.network.backbone_bandwidth = {*overrides.backbone_bandwidth_Bps};
  if (overrides.backbone_latency_s) platform.network.backbone_latency = {*overrides.backbone_latency_s};
  if (overrides.simgrid_xml)
    platform.network.routes =
        std::make_shared<RouteTable>(read_simgrid_xml(*overrides.simgrid_xml, platform.nodes.size()));
  for (Subnet& subnet : platform.network.subnets) {
    if (overrides.uplink_bandwidth_Bps) subnet.uplink_bandwidth = {*overrides.uplink_bandwidth_Bps};
    if (overrides.uplink_latency_s) subnet.uplink_latency = {*overrides.uplink_latency_s};
  }
  multiply(platform, overrides.bandwidth_factor, overrides.latency_factor);
  if (overrides.max_sends_per_node) runtime.max_sends_per_node = *overrides.max_sends_per_node;
  runtime.max_sends = overrides.max_sends.value_or(platform.network.one_at_a_time ? 1 : 0);
  if (overrides.sends_by_priority) runtime.sends_by_priority = *overrides.sends_by_priority;
  if (overrides.broadcast) runtime.broadcast = *overrides.broadcast;
  if (overrides.rendezvous) runtime.rendezvous = *overrides.rendezvous;
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
  out["broadcast"] = name_of(runtime.broadcast);
  out["rendezvous"] = runtime.rendezvous;
  return out;
}

}  // namespace factosim
