// Bottlenecks planted in random scenarios are named, and not in the same scenarios without them.
// FACTOSIM_PLANTED=N plants each of them N times instead of 20; --success prints the table.

#include "factosim/scenario_document.hpp"
#include "tests/prelude.hpp"

using namespace factosim;

namespace {

using nlohmann::json;

constexpr int nb = 960;
constexpr double tile_bytes = 8.0 * nb * nb;

/// A made-up scenario. Kernels take about 0.1 s on a core.
struct Planted {
  std::string application = "cholesky", policy = "dmdas";
  int nt = 20, nodes = 2, cores = 8, gpus = 0;
  int weak_cores = 0;  // above 0: every second node has only these
  double nic_Bps = 1e11, bus_Bps = 1e12;
  double gpu_tiles = 1e5;
  double gpu_speed = 16;  // of a GPU, in cores
  double panel = 1;       // factor of the durations of potrf, getrf, geqrt
  double submission_s = 1e-7;
  std::uint64_t seed = 0;
};

json platform_json(Planted const& p) {
  auto const link = [&](std::string const& name) {
    return json{{"name", name}, {"bandwidth_Bps", p.bus_Bps}, {"latency_s", 1e-6}};
  };
  json gpus = json::array(), links = json::array(), routes = json::array();
  for (int g = 0; g < p.gpus; ++g) {
    std::string const name = "cuda" + std::to_string(g);
    gpus.push_back({{"model", "G"},
                    {"memory_bytes", static_cast<std::int64_t>((p.gpu_tiles + 0.5) * tile_bytes / 0.9)}});
    links.push_back(link("to-" + name));
    links.push_back(link("from-" + name));
    routes.push_back({{"from", "ram"}, {"to", name}, {"links", {"to-" + name}}});
    routes.push_back({{"from", name}, {"to", "ram"}, {"links", {"from-" + name}}});
  }
  auto const type = [&](int cores) {
    json out = {{"cores", cores + p.gpus + 1},
                {"ram_bytes", std::int64_t{1} << 42},
                {"kernels", "kernels.json"},
                {"nic", {{"bandwidth_Bps", p.nic_Bps}, {"latency_s", 1e-6}}}};
    if (p.gpus > 0) out["gpus"] = gpus, out["bus"] = {{"links", links}, {"routes", routes}};
    return out;
  };
  json nodes = json::array();
  for (int n = 0; n < p.nodes; ++n)
    nodes.push_back({{"type", p.weak_cores > 0 && n % 2 == 1 ? "weak" : "strong"}, {"count", 1}});
  return {{"format", "factosim-platform"},
          {"version", 1},
          {"node_types", {{"strong", type(p.cores)}, {"weak", type(std::max(1, p.weak_cores))}}},
          {"network", json::object()},
          {"nodes", nodes}};
}

json kernels_json(Planted const& p) {
  json kernels = json::object();
  auto const add = [&](std::string const& name, double seconds, double gpu_speed) {
    kernels[name].push_back({{"precision", "double"}, {"worker", "cpu"}, {"nb", nb}, {"mean_s", seconds}});
    for (int g = 0; g < p.gpus; ++g)
      kernels[name].push_back({{"precision", "double"},
                               {"worker", "cuda" + std::to_string(g)},
                               {"nb", nb},
                               {"mean_s", seconds / gpu_speed}});
  };
  for (char const* const name : {"getrf", "potrf", "geqrt", "tpqrt"})
    add(name, 0.05 * (std::string(name) == "tpqrt" ? 1 : p.panel), 2);
  for (char const* const name : {"trsm", "ormqr"}) add(name, 0.06, 0.6 * p.gpu_speed);
  for (char const* const name : {"gemm", "tpmqrt"}) add(name, 0.11, p.gpu_speed);
  add("syrk", 0.07, p.gpu_speed);
  for (auto& kernel : kernels)
    for (auto& timing : kernel) timing["deviation_s"] = 0;
  return {{"format", "factosim-kernels"}, {"version", 1},     {"machine", "made up"},
          {"provenance", "made up"},      {"estimate", true}, {"kernels", kernels}};
}

nlohmann::ordered_json simulated(Planted const& p) {
  testing::TemporaryFolder const folder;
  folder.write("kernels.json", kernels_json(p).dump());
  folder.write("platform.json", platform_json(p).dump());
  json const scenario = {{"format", "factosim-scenario"},
                         {"version", 1},
                         {"seed", p.seed},
                         {"platform", "platform.json"},
                         {"application", {{"type", p.application}, {"nt", p.nt}, {"nb", nb}}},
                         {"distribution", {{"type", "block-cyclic"}}},
                         {"scheduler", {{"type", p.policy}}},
                         {"runtime", {{"submission_cost_s", p.submission_s}, {"pinning_cost_s", 0}}},
                         {"network", {{"model", "maxmin"}}}};
  return simulate(ScenarioDocument{.file = folder.write("scenario.json", scenario.dump()), .json = scenario});
}

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  double between(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  int whole(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  std::string one_of(std::vector<std::string> const& list) {
    return list[static_cast<std::size_t>(whole(0, static_cast<int>(list.size()) - 1))];
  }

 private:
  std::mt19937_64 random_;
};

/// A scenario with many tasks for few like workers.
Planted on_cores(Draw& draw) {
  return {.application = draw.one_of({"cholesky", "lu", "qr", "gemm"}),
          .policy = draw.one_of({"dmdas", "lws", "prio", "dmda"}),
          .nt = draw.whole(14, 18),
          .nodes = draw.whole(2, 4),
          .cores = draw.whole(3, 5)};
}

Planted on_gpus(Draw& draw) {
  return {.application = draw.one_of({"cholesky", "lu", "gemm"}),
          .policy = draw.one_of({"dmdas", "dmda"}),
          .nt = draw.whole(16, 20),
          .nodes = 1,
          .cores = draw.whole(2, 4),
          .gpus = draw.whole(1, 2),
          .gpu_speed = draw.between(8, 20)};
}

int repetitions() {
  char const* const given = std::getenv("FACTOSIM_PLANTED");
  return given == nullptr ? 20 : std::atoi(given);
}

/// Draws scenarios; `plant` adds the bottleneck to one whose result is known. `other_name`: as true as `limit`.
void check_planted(std::string const& limit, std::function<Planted(Draw&)> const& base,
                   std::function<void(Planted&, json const&, Draw&)> const& plant,
                   std::string const& other_name = {}) {
  int named = 0, absent = 0, faster = 0;
  std::string table;
  for (int i = 0; i < repetitions(); ++i) {
    Draw draw(static_cast<std::uint64_t>(i) + 1);
    Planted p = base(draw);
    p.seed = static_cast<std::uint64_t>(i);
    json const without = simulated(p);
    plant(p, without, draw);
    json const with = simulated(p);
    std::string const found = with["diagnosis"]["limit"], other = without["diagnosis"]["limit"];
    named += found == limit || found == other_name ? 1 : 0;
    absent += other != limit ? 1 : 0;
    faster += without["makespan_s"] < 0.95 * with["makespan_s"].get<double>() ? 1 : 0;
    table += fmt::format(
        "{:<8} {:<6} nt {:>2}, {} x ({} cores, {} GPUs): {:>8.3f} s {:<21} share {:.2f}; without {:>8.3f} s "
        "{:<21} share {:.2f}\n",
        p.application, p.policy, p.nt, p.nodes, p.cores, p.gpus, with["makespan_s"].get<double>(), found,
        with["diagnosis"]["share"].get<double>(), without["makespan_s"].get<double>(), other,
        without["diagnosis"]["share"].get<double>());
    double const share = with["diagnosis"]["share"];
    CHECK(share >= 0);
    CHECK(share < 1);
    CHECK(with["bounds"]["problem_s"] <= with["makespan_s"].get<double>() * (1 + 1e-9));
    CHECK(with["bounds"]["distribution_s"] <= with["makespan_s"].get<double>() * (1 + 1e-9));
  }
  std::string const summary =
      fmt::format("{}: named in {} of {}, absent from {} without it, {} faster without it\n", limit, named,
                  repetitions(), absent, faster);
  MESSAGE(summary << table);
  CHECK_MESSAGE(named == repetitions(), summary << table);
  CHECK_MESSAGE(absent == repetitions(), summary << table);
}

}  // namespace

TEST_SUITE("property") {
  TEST_CASE("diagnosis: a slow network is named") {
    check_planted("network", on_cores, [](Planted& p, json const& r, Draw& draw) {
      double const full_s = r["bounds"]["distribution"]["link_s"];
      p.nic_Bps *= full_s / (draw.between(1.5, 5) * r["makespan_s"].get<double>());
    });
  }

  TEST_CASE("diagnosis: a slow bus is named") {
    check_planted("bus", on_gpus, [](Planted& p, json const& r, Draw& draw) {
      double const bytes =
          std::max(r["transfers"]["h2d_bytes"].get<double>(), r["transfers"]["d2h_bytes"].get<double>());
      p.bus_Bps = bytes / p.gpus / (draw.between(2.5, 5) * r["makespan_s"].get<double>());
    });
  }

  TEST_CASE("diagnosis: a slow bus is named where the policy leaves the tasks of products to cores") {
    auto const product = [](Draw& draw) {
      Planted p = on_gpus(draw);
      p.application = "gemm";
      p.nt = draw.whole(10, 18);
      p.nodes = draw.whole(1, 2);
      p.cores = draw.whole(2, 8);
      return p;
    };
    check_planted("bus", product, [](Planted& p, json const& r, Draw& draw) {
      double const bytes =
          std::max(r["transfers"]["h2d_bytes"].get<double>(), r["transfers"]["d2h_bytes"].get<double>());
      p.bus_Bps = bytes / p.gpus / p.nodes / (draw.between(2.5, 20) * r["makespan_s"].get<double>());
    });
  }

  TEST_CASE("diagnosis: GPU memory that is too small is named") {
    auto const with_bus = [](Draw& draw) {
      Planted p = on_gpus(draw);
      p.application = draw.one_of({"cholesky", "lu"});
      p.nt += 4;
      p.gpus = 1;
      p.gpu_speed = draw.between(14, 20);
      p.bus_Bps = draw.between(1.2e9, 1.8e9);
      return p;
    };
    check_planted("gpu-memory", with_bus,
                  [](Planted& p, json const& /*r*/, Draw& draw) { p.gpu_tiles = draw.whole(8, 12); });
  }

  TEST_CASE("diagnosis: slow submission is named") {
    check_planted("submission", on_cores, [](Planted& p, json const& r, Draw& draw) {
      p.submission_s = draw.between(1.5, 4) * r["makespan_s"].get<double>() / r["tasks"].get<double>();
    });
  }

  TEST_CASE("diagnosis: nodes with more work than their share are named") {
    // Each node has as many rows and columns of tiles as the others.
    auto const even = [](Draw& draw) {
      Planted p = on_cores(draw);
      p.nt = 2 * draw.whole(7, 9);
      p.nodes = 2 * draw.whole(1, 2);
      return p;
    };
    check_planted("balance-between-nodes", even, [](Planted& p, json const& /*r*/, Draw& draw) {
      p.cores *= 2;
      p.weak_cores = draw.whole(1, 2);
    });
  }

  TEST_CASE("diagnosis: workers with more work than those beside them are named") {
    auto const one_node = [](Draw& draw) {
      return Planted{.application = "gemm",
                     .policy = draw.one_of({"lws", "eager"}),
                     .nt = draw.whole(5, 6),
                     .nodes = 1,
                     .cores = draw.whole(8, 12)};
    };
    check_planted("balance-within-node", one_node,
                  [](Planted& p, json const& /*r*/, Draw& /*draw*/) { p.policy = "random"; });
  }

  TEST_CASE("diagnosis: slow panels on the critical path are named") {
    auto const factorization = [](Draw& draw) {
      Planted p = on_cores(draw);
      p.application = draw.one_of({"cholesky", "lu", "qr"});
      return p;
    };
    check_planted("critical-path", factorization,
                  [](Planted& p, json const& /*r*/, Draw& draw) { p.panel = draw.between(80, 300); });
  }

  TEST_CASE("diagnosis: too few tasks are named") {
    check_planted("too-few-tasks", on_cores, [](Planted& p, json const& /*r*/, Draw& draw) {
      p.nt = draw.whole(2, 3);
      p.cores = draw.whole(12, 24);
    });
  }

  TEST_CASE("diagnosis: a policy that ignores the speeds of workers is named") {
    auto const one_node = [](Draw& draw) {
      Planted p = on_gpus(draw);
      p.application = "cholesky";
      p.cores = draw.whole(8, 12);
      p.gpus = 2;
      p.gpu_speed = draw.between(20, 40);
      return p;
    };
    // Cores that take tasks from GPUs are late, and leave the GPUs with less work.
    check_planted(
        "scheduling", one_node,
        [](Planted& p, json const& /*r*/, Draw& draw) {
          p.policy = draw.one_of({"eager", "prio"});
        },
        "balance-within-node");
  }
}
