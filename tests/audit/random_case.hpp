#pragma once

#include <rapidcheck.h>

#include <ostream>

#include "simulator/front/check/recorded_run.hpp"
#include "simulator/report/json/result_json.hpp"
#include "simulator/scenario/simulation/place.hpp"
#include "simulator/scenario/simulation/simulate.hpp"
#include "tests/audit/recorded_runs.hpp"

namespace factosim::testing {

/// A scenario encoded in small numbers, which rapidcheck draws and shrinks when a case fails.
struct RandomCase {
  int application = 0, nt = 1, nb = 960;
  int fast_nodes = 1, slow_nodes = 0;  // with GPUs; with cores only
  int cores = 2, gpus = 1;
  int gpu_tiles = 20;  // capacity of a GPU's memory
  int ram_tiles = 0;   // 0: unlimited
  int policy = 0, network = 0, broadcast = 0, max_sends = 10, unrolling = 0, window = 0;
  int pipeline = 2;
  bool shared_host = true, direct_copies = true, cpu_only_panels = false, prefetch = true, noise = false;
  bool overheads = true;
  int wire = 0;             // shared, fifo, priority
  int communication = 0;    // no time; time of messages; with a core shared with a worker
  bool contention = false;  // among cores, on one or two sockets
  int links = 0;            // ordinary; otherwise latencies and bandwidths of other magnitudes
  std::vector<int> map;     // tile -> node, modulo the nodes

  [[nodiscard]] int nodes() const { return fast_nodes + slow_nodes; }
  [[nodiscard]] std::int64_t tile() const { return std::int64_t{4} * nb * nb; }
};

/// Scaling of a case, for metamorphic tests.
struct Scaling {
  double times = 1;      // of kernels, costs, latencies and transfers
  double bytes = 1;      // 1 or 2: of tiles (single or double precision), bandwidths and memories
  std::string suffix{};  // of all names of node types
};

/// The latency of the case's link number `which`: with ordinary links 10 us.
inline double latency_of(RandomCase const& c, int which) {
  static std::vector<double> const odd = {0, 3.16e-6, 1e-9, 0.25, 7e-4, 1.01e-7, 2};
  return c.links == 0 ? 1e-5 : odd[static_cast<std::size_t>(c.links * (which + 1)) % odd.size()];
}

/// A factor of the bandwidth of that link: 1 with ordinary links.
inline double bandwidth_factor(RandomCase const& c, int which) {
  static std::vector<double> const odd = {1, 1e-9, 1e-4, 1e6, 0.3};
  return c.links == 0 ? 1 : odd[static_cast<std::size_t>(c.links * (which + 2)) % odd.size()];
}

inline nlohmann::json platform_json(RandomCase const& c, Scaling const& s) {
  using nlohmann::json;
  double const speed = s.bytes / s.times;  // of links
  int which = 0;
  auto const rate = [&](double bandwidth) {
    ++which;
    return json{{"bandwidth_Bps", bandwidth * speed * bandwidth_factor(c, which)},
                {"latency_s", latency_of(c, which) * s.times}};
  };
  auto const link = [&](std::string const& name, double bandwidth) {
    json out = rate(bandwidth);
    out["name"] = name;
    return out;
  };
  json gpus = json::array(), links = json::array({link("host", 12e9)}), routes = json::array();
  for (int g = 0; g < c.gpus; ++g) {
    std::string const name = "cuda" + std::to_string(g);
    double const memory = (c.gpu_tiles + 0.5) * static_cast<double>(c.tile()) * s.bytes / 0.9;
    gpus.push_back({{"model", "G"}, {"memory_bytes", static_cast<std::int64_t>(memory)}});
    links.push_back(link("to" + name, 8e9));
    links.push_back(link("from" + name, 7e9));
    json in = {"to" + name}, out = {"from" + name};
    if (c.shared_host) in.push_back("host"), out.push_back("host");
    routes.push_back({{"from", "ram"}, {"to", name}, {"links", in}});
    routes.push_back({{"from", name}, {"to", "ram"}, {"links", out}});
    for (int other = 0; c.direct_copies && other < g; ++other) {
      std::string const peer = "cuda" + std::to_string(other);
      routes.push_back({{"from", name}, {"to", peer}, {"links", {"from" + name, "to" + peer}}});
      routes.push_back({{"from", peer}, {"to", name}, {"links", {"from" + peer, "to" + name}}});
    }
  }
  auto const ram = c.ram_tiles == 0
                       ? std::int64_t{1} << 42
                       : static_cast<std::int64_t>(static_cast<double>(c.tile() * c.ram_tiles) * s.bytes);
  json fast = {{"cores", c.cores + c.gpus + 1},
               {"ram_bytes", ram},
               {"kernels", "kernels.json"},
               {"nic", rate(1.25e9)}};
  if (c.gpus > 0) fast["gpus"] = gpus, fast["bus"] = {{"links", links}, {"routes", routes}};
  json slow = {
      {"cores", c.cores + 1}, {"ram_bytes", ram}, {"kernels", "kernels.json"}, {"nic", rate(1.25e9)}};
  for (json* const type : {&fast, &slow}) {
    if (c.contention) (*type)["sockets"] = 1 + c.cores % 2;
    if (c.communication > 0)
      (*type)["communication_thread"] = {
          {"per_message_s", 1e-4 * s.times}, {"per_byte_s", 2e-10 / speed}, {"worker_share", 0.7}};
  }
  json network = {{"wire", std::vector{"shared", "fifo", "priority"}[static_cast<std::size_t>(c.wire)]}};
  json const uplink = {{"bandwidth_Bps", 1e9 * speed}, {"latency_s", 2e-6 * s.times}};
  if (c.network == 1) network["backbone"] = {{"bandwidth_Bps", 1.5e9 * speed}, {"latency_s", 1e-6 * s.times}};
  if (c.network == 2) {
    network["subnets"] = {{{"name", "far"}, {"uplink", uplink}}};
    slow["subnet"] = "far";
  }
  if (c.network == 3) network["fat_tree"] = {{"nodes_per_leaf", 2}, {"uplinks", 2}, {"uplink", uplink}};
  if (c.network == 5)
    network["fat_tree"] = {{"levels",
                            {{{"down", 1}, {"up", 2}, {"parallel", 2}, {"uplink", uplink}},
                             {{"down", 2}, {"up", 3}, {"uplink", uplink}}}}};
  if (c.network == 6)
    network["dragonfly"] = {{"switches_per_group", 2},
                            {"nodes_per_switch", 1},
                            {"local", uplink},
                            {"global_links", 2},
                            {"global", uplink}};
  if (c.network == 7)
    network["dragonfly"] = {{"switches_per_group", 1},
                            {"nodes_per_switch", 1},
                            {"local", uplink},
                            {"global", uplink},
                            {"routing", c.nt % 2 == 0 ? "adaptive" : "valiant"}};
  if (c.network > 5) fast["nics"] = 2, network["efficiency"] = {{"half_bandwidth_bytes", 100000 * s.bytes}};
  json nodes = json::array({{{"type", "fast" + s.suffix}, {"count", c.fast_nodes}}});
  if (c.slow_nodes > 0) nodes.push_back({{"type", "slow" + s.suffix}, {"count", c.slow_nodes}});
  return {{"format", "factosim-platform"},
          {"version", 1},
          {"node_types", {{"fast" + s.suffix, fast}, {"slow" + s.suffix, slow}}},
          {"network", network},
          {"nodes", nodes}};
}

inline nlohmann::json kernels_json(RandomCase const& c, Scaling const& s) {
  using nlohmann::json;
  json kernels = json::object();
  auto const add = [&](std::string const& name, double cpu_s, double gpu_s, bool panel) {
    for (char const* const precision : {"single", "double"}) {
      kernels[name].push_back({{"precision", precision},
                               {"worker", "cpu"},
                               {"nb", c.nb},
                               {"mean_s", cpu_s * s.times},
                               {"deviation_s", 0.1 * cpu_s * s.times}});
      if (c.contention) kernels[name].back()["slowdown"] = {{"1", 0.9}, {"3", 1.3}};
      for (int g = 0; g < c.gpus && !(panel && c.cpu_only_panels); ++g)
        kernels[name].push_back({{"precision", precision},
                                 {"worker", "cuda" + std::to_string(g)},
                                 {"nb", c.nb},
                                 {"mean_s", gpu_s * (1 + g) * s.times},
                                 {"deviation_s", 0.1 * gpu_s * s.times}});
    }
  };
  for (char const* const name : {"getrf", "potrf", "geqrt", "tpqrt"}) add(name, 0.05, 0.02, true);
  for (char const* const name : {"trsm", "ormqr"}) add(name, 0.06, 0.006, false);
  for (char const* const name : {"gemm", "tpmqrt"}) add(name, 0.11, 0.007, false);
  add("syrk", 0.07, 0.004, false);
  return {{"format", "factosim-kernels"}, {"version", 1},     {"machine", "made up"},
          {"provenance", "made up"},      {"estimate", true}, {"kernels", kernels}};
}

inline nlohmann::json scenario_json(RandomCase const& c, Scaling const& s) {
  using nlohmann::json;
  static std::vector<std::string> const applications = {"lu", "cholesky", "qr", "gemm"};
  static std::vector<std::string> const policies = {
      "dmdas", "eager", "prio", "random", "ws", "lws", "dm", "dmda", "dmdar", "dmdap", "heft", "heteroprio"};
  static std::vector<std::string> const broadcasts = {"point-to-point", "binomial", "ring", "cooperative"};
  static std::vector<std::string> const unrollings = {"whole", "pruned", "own"};
  auto const at = [](auto const& list, int i) { return list[static_cast<std::size_t>(i) % list.size()]; };
  json runtime = {{"unrolling", at(unrollings, c.unrolling)},
                  {"max_submitted_tasks", c.window},
                  {"gpu_pipeline", c.pipeline},
                  {"prefetch", c.prefetch}};
  if (c.communication == 2) runtime["communication_cores"] = 0;
  runtime["pinning_cost_s"] = c.overheads ? 650e-6 * s.times : 0;
  runtime["buffer_round_s"] = 1e-3 * s.times;
  for (auto const& [key, value] :
       {std::pair{"submission_cost_s", 1e-6}, std::pair{"push_cost_s", 1e-6}, std::pair{"fetch_cost_s", 1e-6},
        std::pair{"progress_cost_s", 1e-6}, std::pair{"wont_use_cost_s", 3e-6},
        std::pair{"gpu_queue_cost_s", 10e-6}, std::pair{"gpu_malloc_cost_s", 175e-6},
        std::pair{"gpu_free_cost_s", 750e-6}})
    runtime[key] = c.overheads ? value * s.times : 0;
  json application = {{"type", at(applications, c.application)},
                      {"nt", c.nt},
                      {"nb", c.nb},
                      {"precision", s.bytes == 1 ? "single" : "double"}};
  json distribution = {{"type", "file"}, {"file", "map.txt"}};
  return {{"format", "factosim-scenario"},
          {"version", 1},
          {"name", "made up"},
          {"platform", "platform.json"},
          {"application", application},
          {"distribution", distribution},
          {"scheduler", {{"type", at(policies, c.policy)}}},
          {"runtime", runtime},
          {"noise", {{"distribution", c.noise ? "normal" : "none"}}},
          {"network",
           {{"model", c.network == 4 ? "constant" : "maxmin"},
            {"broadcast", at(broadcasts, c.broadcast)},
            {"max_sends_per_node", c.max_sends}}}};
}

inline std::string map_text(RandomCase const& c, std::vector<int> const& names) {
  std::string out = std::to_string(c.nt) + " " + std::to_string(c.nt) + "\n";
  for (int m = 0; m < c.nt; ++m) {
    for (int n = 0; n < c.nt; ++n) {
      int const drawn = c.map.empty() ? 0 : c.map[static_cast<std::size_t>(m * c.nt + n) % c.map.size()];
      out += (n > 0 ? " " : "") + std::to_string(1 + names[static_cast<std::size_t>(drawn % c.nodes())]);
    }
    out += "\n";
  }
  return out;
}

/// [nodes] unchanged numbers.
inline std::vector<int> own_names(RandomCase const& c) {
  std::vector<int> names;
  for (int n = 0; n < c.nodes(); ++n) names.push_back(n);
  return names;
}

/// Writes the case into a folder; `names[n]` is the node that takes the place of node n of the map.
inline std::filesystem::path write_case(TemporaryFolder const& folder, RandomCase const& c, Scaling const& s,
                                        std::vector<int> const& names) {
  folder.write("platform.json", platform_json(c, s).dump(2));
  folder.write("kernels.json", kernels_json(c, s).dump(2));
  folder.write("map.txt", map_text(c, names));
  return folder.write("scenario.json", scenario_json(c, s).dump(2));
}

/// Simulates the case in this process, with its trace. Throws InfeasibleError if there is no solution.
inline RecordedRun simulated(RandomCase const& c, Scaling const& s = {}, std::vector<int> names = {}) {
  TemporaryFolder const folder;
  TaskPlan plan =
      plan_tasks(place(read_scenario(write_case(folder, c, s, names.empty() ? own_names(c) : names), {})));
  TraceRecords records;
  Result const result = simulate(plan, &records);
  Trace trace = run_trace(plan, records);
  return {std::move(plan.scenario), nlohmann::json::parse(result_json(result).dump()), std::move(trace)};
}

inline std::ostream& operator<<(std::ostream& out, RandomCase const& c) {
  return out << "platform " << platform_json(c, {}).dump() << "\nscenario " << scenario_json(c, {}).dump()
             << "\nmap " << map_text(c, own_names(c));
}

/// Sets the number of cases: RC_PARAMS with its seed if given, otherwise `cases` with a fixed seed.
inline void as_many_as(char const* cases) {
  static std::string const ignored = [&] {
    setenv("RC_PARAMS", ("seed=20261121 max_size=60 max_success=" + std::string(cases)).c_str(), 0);
    return std::string();
  }();
}

}  // namespace factosim::testing

namespace rc {

template <>
struct Arbitrary<factosim::testing::RandomCase> {
  static Gen<factosim::testing::RandomCase> arbitrary() {
    using Case = factosim::testing::RandomCase;
    return gen::build<Case>(
        gen::set(&Case::application, gen::inRange(0, 4)), gen::set(&Case::nt, gen::inRange(1, 9)),
        gen::set(&Case::nb, gen::element(960, 512, 1200)), gen::set(&Case::fast_nodes, gen::inRange(1, 4)),
        gen::set(&Case::slow_nodes, gen::inRange(0, 4)), gen::set(&Case::cores, gen::inRange(1, 4)),
        gen::set(&Case::gpus, gen::inRange(0, 3)), gen::set(&Case::gpu_tiles, gen::inRange(9, 40)),
        gen::set(&Case::ram_tiles, gen::element(0, 0, 0, 60)), gen::set(&Case::policy, gen::inRange(0, 12)),
        gen::set(&Case::network, gen::inRange(0, 8)), gen::set(&Case::broadcast, gen::inRange(0, 4)),
        gen::set(&Case::max_sends, gen::element(10, 1, 2)), gen::set(&Case::unrolling, gen::inRange(0, 3)),
        gen::set(&Case::window, gen::element(0, 0, 5, 40)),
        gen::set(&Case::pipeline, gen::element(2, 0, 1, 4)), gen::set(&Case::shared_host),
        gen::set(&Case::direct_copies), gen::set(&Case::cpu_only_panels), gen::set(&Case::prefetch),
        gen::set(&Case::noise), gen::set(&Case::overheads), gen::set(&Case::wire, gen::inRange(0, 3)),
        gen::set(&Case::communication, gen::inRange(0, 3)), gen::set(&Case::contention),
        gen::set(&Case::map, gen::container<std::vector<int>>(64, gen::inRange(0, 6))));
  }
};

}  // namespace rc
