// Task graphs and maps, built a second time from the papers' formulas, agree with those of the simulator for all
// applications, variants and trees; and a wrong graph or map does not pass.

#include "distributions/layered.hpp"
#include "models/applications/application.hpp"
#include "simulator/audit/rules/audited_run.hpp"
#include "simulator/scenario/keys/application_keys.hpp"
#include "simulator/scenario/placement/distribution.hpp"
#include "tests/audit/recorded_runs.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

struct Problem {
  std::string application, variant;
  nlohmann::json keys;
  int nt = 1, nodes = 1, layers = 0;
};

std::vector<nlohmann::json> format_choices() {
  return {{{"bands", {{{"below", 2}, {"precision", "double"}}, {{"precision", "single"}}}}},
          {{"bands",
            {{{"below", 1}}, {{"below", 3}, {"precision", "half"}}, {{"precision", "single"}, {"rank", 3}}}}},
          {{"bands",
            {{{"below", 1}, {"precision", "single"}}, {{"below", 2}, {"rank", 2}}, {{"precision", "fp8"}}}}},
          {{"tolerance", 1e-3},
           {"precisions", {"double", "single", "half"}},
           {"max_rank", 5},
           {"covariance", {{"range", 0.1}, {"smoothness", 0.5}, {"seed", 3}, {"samples", 10}}}}};
}

/// Tasks replaced by tasks on parts of their tiles, on tiles of several formats and on layers.
void add_nested(int nt, int nodes, std::vector<Problem>& out) {
  nlohmann::json const nested = {{"split", nt % 4 == 1 ? 2 : 5}};
  for (int const layers : {0, 1 + nt % 3}) {
    out.push_back({"lu", "starpu", {{"nested", nested}}, nt, nodes, layers});
    out.push_back({"cholesky", "starpu", {{"nested", nested}}, nt, nodes, layers});
  }
  for (nlohmann::json const& formats : format_choices())
    for (char const* const conversion : {"sender", "receiver", "fewest-bytes"}) {
      nlohmann::json keys = {{"tile_formats", formats}};
      keys["tile_formats"]["conversion"] = conversion;
      bool const is_full = !contains(formats.dump(), "rank");
      if (is_full) out.push_back({"cholesky", "chameleon", keys, nt, nodes, 1 + nt % 3});
      keys["nested"] = nested;
      out.push_back({"cholesky", "starpu", keys, nt, nodes, is_full ? nt % 3 : 0});
    }
}

std::vector<Problem> problems() {
  std::vector<Problem> out;
  for (int nt = 1; nt <= 9; nt += 2)
    for (int nodes : {1, 5}) {
      for (char const* const variant : {"starpu", "chameleon"}) out.push_back({"lu", variant, {}, nt, nodes});
      for (char const* const variant : {"starpu", "chameleon", "starpu-mpi"})
        out.push_back({"cholesky", variant, {}, nt, nodes});
      for (char const* const tree : {"flat", "binary", "nodes"})
        out.push_back({"qr", "chameleon", {{"tree", tree}}, nt, nodes});
      for (char const* const product : {"gemm", "syrk"})
        out.push_back({product, "outer-product", {}, nt, nodes});
      for (auto const& [name, variant] : {std::pair{"lu", "starpu"},
                                          {"lu", "chameleon"},
                                          {"cholesky", "starpu-mpi"},
                                          {"gemm", "outer-product"},
                                          {"syrk", "outer-product"}})
        out.push_back({name, variant, {}, nt, nodes, 1 + nt % 3});
      for (char const* const solve : {"local", "chameleon"})
        for (char const* const asynchronous : {"none", "partial", "full"})
          for (char const* const priorities : {"all", "factorization"})
            for (char const* const order : {"columns", "priorities"})
              out.push_back({"exageostat",
                             "chameleon",
                             {{"solve", solve},
                              {"asynchronous", asynchronous},
                              {"priorities", priorities},
                              {"generation_order", order},
                              {"iterations", 3}},
                             nt,
                             nodes});
      for (nlohmann::json const& formats : format_choices())
        for (char const* const conversion : {"sender", "receiver", "fewest-bytes"}) {
          nlohmann::json keys = {{"tile_formats", formats}};
          keys["tile_formats"]["conversion"] = conversion;
          out.push_back({"cholesky", "chameleon", keys, nt, nodes});
          keys.update({{"iterations", 2},
                       {"solve", "local"},
                       {"asynchronous", "full"},
                       {"priorities", "all"},
                       {"generation_order", "columns"}});
          out.push_back({"exageostat", "chameleon", keys, nt, nodes});
        }
      add_nested(nt, nodes, out);
    }
  return out;
}

struct Built {
  TaskGraph graph;
  TileMap map;
  audit::ReferenceProblem reference;
  nlohmann::json details = nlohmann::json::object();  // of the map
};

Built built(Problem const& p, std::mt19937& random) {
  Application const& application = factosim::application(p.application);
  ApplicationParameters parameters{.nt = p.nt, .nb = 10, .variant = p.variant};
  nlohmann::json keys = p.keys;
  if (keys.contains("tile_formats")) {
    JsonReader const json(keys["tile_formats"], "test");
    parameters.formats =
        std::make_shared<TileFormats const>(read_tile_formats(json.by(rules_of<TileFormats>), parameters));
    keys["tile_formats"] = written(*parameters.formats);
  }
  if (keys.contains("nested")) parameters.nested = NestedOptions{.split = keys["nested"]["split"]};
  keys["precision"] = "double";
  for (auto const& [key, value] : keys.items())
    if (key != "tile_formats" && key != "precision" && key != "nested")
      parameters.own_values[key] =
          value.is_number() ? KeyValue(value.get<std::int64_t>()) : KeyValue(value.get<std::string>());
  Built out{.graph = {},
            .map = tile_map(p.nt, p.nt, [&](int, int) { return random() % static_cast<unsigned>(p.nodes); }),
            .reference = {.application = p.application, .nt = p.nt, .nb = 10, .keys = keys},
            .details = nlohmann::json::object()};
  out.reference.keys["variant"] = p.variant;
  if (p.layers > 0) {
    std::vector<TileMap> maps;
    for (int layer = 0; layer < p.layers; ++layer)
      maps.push_back(
          tile_map(p.nt, p.nt, [&](int, int) { return random() % static_cast<unsigned>(p.nodes); }));
    std::vector<double> shares(maps.size(), 1);
    shares.front() = 1.5;
    out.map = layered(std::move(maps), shares, 2);
    std::vector<int> nodes(static_cast<std::size_t>(p.nodes));
    std::iota(nodes.begin(), nodes.end(), 0);
    out.details["consecutive"] = 2;
    for (double const share : shares)
      out.details["layers"].push_back({{"share", share}, {"nodes", nodes}, {"distribution", "of a test"}});
  }
  out.graph = application.graph(parameters, out.map);
  return out;
}

/// Findings of the checks "graph" and "map".
std::string audited(Built const& b, int nodes, std::string const& map = "map of a test") {
  Platform platform;
  platform.types.emplace_back().cores = 1;
  platform.nodes.assign(static_cast<std::size_t>(nodes), 0);
  std::vector<KernelModel> const models(1);
  nlohmann::json const result = nlohmann::json::object();
  Distribution const distribution{.map = b.map, .description = map};
  audit::AuditReport const report = audit::audit(
      {.result = result,
       .graph = b.graph,
       .platform = platform,
       .models = models,
       .application = "",
       .nb = 10,
       .owners = owners_of_handles(b.graph, distribution),
       .runtime = {.rounded_means = true},
       .name = "",
       .problem = b.reference,
       .map = audit::AuditedMap{.main = b.map, .description = {.text = map, .details = b.details}}});
  std::string out;
  for (char const* const name : {"graph", "map"})
    for (audit::Finding const& f : find_check(report, name)->findings)
      out += std::string(name) + ": " + f.where + ": " + f.what + "; expected " + f.expected + "\n";
  return out;
}

}  // namespace

TEST_SUITE("property") {
  TEST_CASE("the graphs of all applications are those of their papers' formulas") {
    std::mt19937 random(7);
    for (Problem const& p : problems()) {
      CAPTURE_ALL(p.application, p.variant, p.keys.dump(), p.nt);
      CHECK(audited(built(p, random), p.nodes) == "");
    }
  }

  TEST_CASE("a changed task of any application is found") {
    std::mt19937 random(11);
    int changed = 0;
    for (Problem const& p : problems()) {
      if (p.nt < 3) continue;
      Built b = built(p, random);
      std::size_t const task = random() % b.graph.task_count();
      unsigned const change = random() % 6;
      switch (change) {
        case 0:
          b.graph.priority[task] += 1;
          break;
        case 1:
          b.graph.indices[task].m += 1;
          break;
        case 2:
          b.graph.writes_back[task] = !b.graph.writes_back[task];
          break;
        case 3:
          b.graph.kernels[b.graph.kernel[task]].flops.value += 1;
          break;
        case 4:
          b.graph.handles[b.graph.accesses_of(TaskId{task})[0].handle().index()].size.value += 1;
          break;
        default: {
          if (b.graph.successors.empty()) continue;
          TaskId& successor = b.graph.successors[random() % b.graph.successors.size()];
          successor = TaskId{(successor.index() + 1) % b.graph.task_count()};
        }
      }
      ++changed;
      CAPTURE_ALL(p.application, p.variant, p.keys.dump(), p.nt, task, change);
      CHECK(audited(b, p.nodes) != "");
    }
    CHECK(changed > 100);
  }

  TEST_CASE("a tile on another node breaks the formula of its map") {
    std::mt19937 random(3);
    for (auto const& [text, nodes] : {std::pair<std::string, int>{"block-cyclic 2 x 3", 6},
                                      {"generalised block-cyclic of 7 nodes", 7},
                                      {"symmetric block-cyclic, basic, r = 4", 8}}) {
      Built b = built({"lu", "starpu", {}, 9, nodes}, random);
      CHECK(contains(audited(b, nodes, text), "map: "));
    }
  }
}
