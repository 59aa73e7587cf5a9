#include "simulator/scenario/keys/hpl_keys.hpp"

#include <fmt/format.h>

#include <set>

#include "platforms/platform_json.hpp"
#include "simulator/experiments/hpl/names.hpp"
#include "simulator/scenario/keys/cluster_keys.hpp"
#include "simulator/scenario/keys/network_keys.hpp"
#include "simulator/scenario/keys/noise_keys.hpp"

namespace factosim {

namespace {

constexpr std::int64_t max_order = 1'000'000'000, max_side = 100'000;

/// Reads the keys of "network" that have an effect.
NetworkOverrides read_hpl_links(JsonReader const& json, std::size_t nodes) {
  for (char const* const key :
       {"max_sends_per_node", "max_sends", "send_order", "wire", "broadcast", "rendezvous", "gpu_direct"})
    if (auto const other = json.find(key))
      other->fail("has no effect on HPL (its own algorithms decide who sends what). Remove it");
  return read_network(json, nodes);
}

HplProblem read_problem(JsonReader const& json) {
  HplProblem p;
  p.n = json.at("n", "the order of the matrix").integer();
  JsonReader const nb = json.at("nb", "the columns of a panel");
  p.nb = static_cast<int>(nb.integer());
  if (p.nb > p.n)
    nb.fail(fmt::format("is {}, and n is {} (a panel is part of the matrix). Give a smaller one", p.nb, p.n));
  p.p = static_cast<int>(json.at("p", "the rows of the grid of processes").integer());
  p.q = static_cast<int>(json.at("q", "the columns of the grid of processes").integer());
  if (auto const key = json.find("broadcast")) p.broadcast = hpl_broadcast(key->one_of());
  if (auto const key = json.find("lookahead")) p.lookahead = static_cast<int>(key->integer());
  if (auto const key = json.find("swap")) p.swap = hpl_swap(key->one_of());
  if (auto const key = json.find("swap_threshold")) {
    if (p.swap != HplSwap::mix)
      key->fail(fmt::format(
          "has no effect with the swap \"{}\" (only \"mix\" changes at a number of columns). Remove it",
          name_of(p.swap)));
    p.swap_threshold = static_cast<int>(key->integer());
  }
  if (auto const key = json.find("mapping")) p.mapping = hpl_mapping(key->one_of());
  return p;
}

void check_processes(HplScenario const& s, JsonReader const& p) {
  std::int64_t const there = static_cast<std::int64_t>(s.platform.nodes.size()) * s.processes_per_node;
  std::int64_t const wanted = std::int64_t{s.problem.p} * s.problem.q;
  if (wanted > there)
    p.fail(fmt::format(
        "makes {} processes with q ({} nodes with {} each have {}). Use a smaller grid, more nodes, or "
        "more \"processes_per_node\"",
        wanted, s.platform.nodes.size(), s.processes_per_node, there));
}

void check_costs(HplScenario const& s, JsonReader const& costs) {
  for (std::uint32_t const index :
       std::set<std::uint32_t>(s.platform.nodes.begin(), s.platform.nodes.end())) {
    std::string const& name = s.platform.types[index].name;
    auto const machine = s.costs.machines.find(name);
    if (machine == s.costs.machines.end())
      costs.fail(fmt::format(
          "has nothing about \"{}\" (some nodes are such). Add it there, or leave them out", name));
    if (s.processes_per_node > 1 && machine->second.local.bandwidth.value == 0)
      costs.fail(fmt::format(
          "has no \"local\" for \"{}\" (processes of a node send each other messages). Add it, or use "
          "one process per node",
          name));
  }
}

void read_noise_keys(HplScenario& s, JsonReader const& json, std::uint64_t seed) {
  s.noise = read_noise(json);
  s.noise.seed = seed;
  if (s.noise.distribution == NoiseDistribution::empirical ||
      s.noise.distribution == NoiseDistribution::calibrated)
    json.fail(fmt::format("is \"{}\" (costs of HPL have a \"deviation\" only). Use normal or lognormal",
                          name_of(s.noise.distribution)));
  if (s.noise.perturbs() || s.noise.first_execution_factor != 1)
    json.fail(
        "perturbs within precisions or slows first executions (updates are drawn whole). Use "
        "worker_speed_deviation");
}

void check_network(HplScenario const& s, JsonReader const& platform) {
  NetworkSpec const& network = s.platform.network;
  if (network.one_at_a_time)
    platform.fail(
        "is a shared bus of one message at a time (HPL exchanges in both directions). Use a switched "
        "network");
  check_fabric(s.platform, s.network.model, platform);
  bool const has_fabric = !std::holds_alternative<std::monostate>(network.fabric);
  bool const has_cards =
      std::ranges::any_of(s.platform.nodes, [&](auto t) { return s.platform.types[t].nics > 1; });
  if (s.detail == HplDetail::steps && (has_cards || network.efficiency != MessageEfficiency{}))
    platform.fail(
        "has several network cards per node, or an \"efficiency\" of messages (steps know one card of one "
        "bandwidth). "
        "Use the \"detail\" \"messages\"");
  if ((network.routes != nullptr || has_fabric) && s.detail == HplDetail::steps)
    platform.fail(
        fmt::format("has a {} (steps share the cards of nodes only). Use the \"detail\" \"messages\", or a "
                    "network of cards",
                    has_fabric ? "fat tree or dragonfly" : "table of routes"));
}

}  // namespace

std::vector<Key> hpl_application_keys() {
  HplProblem const defaults;
  HplScenario const scenario;
  auto const word = [](char const* name, std::vector<std::string> words, char const* meaning,
                       std::string_view otherwise, char const* source = "") {
    return Key{.name = name,
               .value = {rule::word(std::move(words))},
               .meaning = meaning,
               .default_value = otherwise,
               .source = source};
  };
  return {
      {.name = "n",
       .value = {rule::integer(1, max_order, "rows")},
       .meaning = "order of the matrix",
       .required = true},
      {.name = "nb",
       .value = {rule::integer(1, 65536, "columns")},
       .meaning = "columns of a panel; the matrix is distributed block-cyclically in blocks of this size",
       .required = true},
      {.name = "p",
       .value = {rule::integer(1, max_side)},
       .meaning = "rows of the grid of processes",
       .required = true},
      {.name = "q",
       .value = {rule::integer(1, max_side)},
       .meaning = "columns of the grid of processes",
       .required = true},
      {.name = "costs",
       .value = {rule::path()},
       .meaning = "`factosim-hpl-costs` file: what a process takes on each kind of node",
       .required = true},
      {.name = "processes_per_node",
       .value = {rule::integer(1, 1024)},
       .meaning = "processes of a node, which share its card",
       .default_value = scenario.processes_per_node},
      word("mapping", hpl_mapping_names(), "order in which the processes of consecutive nodes fill the grid",
           name_of(defaults.mapping), "HPL.dat, PMAP"),
      word("broadcast", hpl_broadcast_names(), "how panels get to the other columns of processes",
           name_of(defaults.broadcast), "HPL.dat, BCAST"),
      {.name = "lookahead",
       .value = {rule::integer(0, 16, "panels")},
       .meaning = "panels that are factored ahead of the update",
       .default_value = defaults.lookahead,
       .source = "HPL.dat, DEPTH"},
      word("swap", hpl_swap_names(), "how rows are swapped and U gets to all processes of a column",
           name_of(defaults.swap), "HPL.dat, SWAP"),
      {.name = "swap_threshold",
       .value = {rule::integer(0, INT32_MAX, "columns")},
       .meaning = "local columns up to which `mix` uses the binary exchange",
       .default_value = defaults.swap_threshold,
       .source = "HPL.dat, swapping threshold"},
      word("detail", hpl_detail_names(),
           "`steps`: dates of each process by recurrences; `messages`: every message on the network",
           name_of(scenario.detail))};
}

HplScenario read_hpl(JsonReader const& json, std::uint64_t seed) {
  HplScenario s;
  auto const application = json.at("application");
  auto const platform = json.at("platform", "a path, or an object with \"file\" and \"nodes\"");
  auto const network = json.find("network");
  auto const noise = json.find("noise");
  json.finish();

  (void)application.at("type");
  s.problem = read_problem(application);
  if (auto const key = application.find("processes_per_node"))
    s.processes_per_node = static_cast<int>(key->integer());
  if (auto const key = application.find("detail")) s.detail = hpl_detail(key->one_of());
  JsonReader const costs = application.at("costs", "path of a factosim-hpl-costs file");
  application.finish();

  s.costs = read_hpl_costs(costs.path());
  s.platform = read_platform(platform);
  NetworkOverrides const links =
      network ? read_hpl_links(*network, s.platform.nodes.size()) : NetworkOverrides{};
  s.platform = with_overrides(std::move(s.platform), links);
  s.network = {.model = links.model, .lazy = links.lazy};
  check_network(s, platform);
  check_processes(s, application.at("p"));
  check_costs(s, costs);
  if (noise) read_noise_keys(s, *noise, seed);
  return s;
}

nlohmann::ordered_json effective_hpl(HplScenario const& s) {
  HplProblem const& p = s.problem;
  nlohmann::ordered_json application = {{"type", "hpl"},
                                        {"n", p.n},
                                        {"nb", p.nb},
                                        {"p", p.p},
                                        {"q", p.q},
                                        {"costs", s.costs.file},
                                        {"processes_per_node", s.processes_per_node},
                                        {"mapping", name_of(p.mapping)},
                                        {"broadcast", name_of(p.broadcast)},
                                        {"lookahead", p.lookahead},
                                        {"swap", name_of(p.swap)}};
  if (p.swap == HplSwap::mix) application["swap_threshold"] = p.swap_threshold;
  application["detail"] = name_of(s.detail);
  return {{"platform", effective_platform(s.platform)},
          {"application", application},
          {"noise", effective_noise(s.noise)},
          {"network", effective_network(s.network, s.platform, RuntimeOptions{})}};
}

}  // namespace factosim
