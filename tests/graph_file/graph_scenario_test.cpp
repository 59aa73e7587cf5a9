// Graphs without a schedule as scenarios: simulated as the application that they come from, or as a C++ program.

#include "factosim/graph_simulation.hpp"
#include "factosim/sequential_task_flow.hpp"
#include "tests/cli/program.hpp"

using namespace factosim;
using testing::quoted;
using testing::run_factosim;

namespace {

using nlohmann::json;

json result(testing::TemporaryFolder const& folder, std::string const& name, json const& scenario) {
  auto const file = folder.write(name + ".json", scenario.dump());
  return testing::json_of("run " + quoted(file) + " --json");
}

/// The parts of a result that the schedule decides.
json schedule_of(json const& r) {
  json out;
  for (char const* const key :
       {"makespan_s", "tasks", "tasks_by_kernel", "tiles_sent", "bytes_sent", "bounds"})
    out[key] = r.at(key);
  for (json const& node : r.at("nodes")) out["busy"].push_back(node.at("busy_s"));
  return out;
}

}  // namespace

TEST_SUITE("scenario") {
  TEST_CASE("a graph exported from an application has its makespan to the last digit") {
    testing::TemporaryFolder const folder;
    for (std::string const type : {"lu", "cholesky", "gemm"})
      for (int const nodes : {1, 4})
        for (std::string const scheduler : {"dmdas", "lws"}) {
          CAPTURE_ALL(type, nodes);
          json scenario{
              {"platform", {{"file", "mirage"}, {"nodes", {{{"type", "mirage"}, {"count", nodes}}}}}},
              {"application", {{"type", type}, {"nt", 8}, {"nb", 960}}},
              {"scheduler", {{"type", scheduler}}},
              {"network", {{"model", "maxmin"}}}};
          json const original = result(folder, "original", scenario);
          for (auto const& [format, name] :
               {std::pair<std::string, std::string>{"graph-jsonl", "graph.jsonl"}, {"graph-csv", "tables"}}) {
            CAPTURE(format);
            REQUIRE(run_factosim(fmt::format("export {} --format {} -o {} --force",
                                             quoted(folder / "original.json"), format, quoted(folder / name)))
                        .code == 0);
            json graph = scenario;
            graph["application"] = {{"type", "graph"}, {"file", name}};
            if (format == "graph-csv") graph["application"].update({{"nb", 960}, {"timings_of", type}});
            CHECK(schedule_of(result(folder, "graph", graph)) == schedule_of(original));
          }
        }
  }

  TEST_CASE("a graph in a file and the same graph in a program have one makespan") {
    constexpr int nt = 8, nb = 960;  // a wavefront: each tile is updated with those above and to the left
    SequentialTaskFlow flow;
    std::string lines = "{\"kernel\": \"gemm\", \"cpu_s\": 0.09}\n";
    KernelId const kernel = flow.add_kernel({.name = "gemm", .flops = Flops{0}});
    HandleId tile[nt][nt];
    for (int m = 0; m < nt; ++m)
      for (int n = 0; n < nt; ++n) {
        tile[m][n] = flow.add_handle({.size = Bytes{nb * nb * 8}, .m = m, .n = n, .owner = NodeId{m % 2}});
        lines +=
            fmt::format("{{\"data\": \"{}-{}\", \"bytes\": {}, \"owner\": {}}}\n", m, n, nb * nb * 8, m % 2);
      }
    for (int m = 0; m < nt; ++m)
      for (int n = 0; n < nt; ++n) {
        std::vector<DataAccess> accesses;
        std::string list;
        auto const use = [&](int row, int column, Access mode) {
          accesses.emplace_back(tile[row][column], mode);
          list += fmt::format("{}[\"{}-{}\", \"{}\"]", list.empty() ? "" : ", ", row, column,
                              mode == Access::read ? "R" : "RW");
        };
        if (m > 0) use(m - 1, n, Access::read);
        if (n > 0) use(m, n - 1, Access::read);
        use(m, n, Access::read_write);
        flow.submit(kernel, nt - m, TaskIndices{}, accesses);
        lines += fmt::format("{{\"task\": {}, \"kernel\": \"gemm\", \"priority\": {}, \"accesses\": [{}]}}\n",
                             m * nt + n + 1, nt - m, list);
      }
    GraphSimulation in_code;
    in_code.graph = std::move(flow).finish();
    for (HandleInfo const& h : in_code.graph.handles) in_code.owners.push_back(h.owner);
    NodeType node;
    node.name = "node";
    node.cores = 4;
    node.nic = {BytesPerSecond{1.25e9}, Seconds{10e-6}};
    in_code.platform.types = {node};
    in_code.platform.nodes = {0, 0};
    KernelModel model{.machine = "node", .timings = {}};
    model.timings.push_back({.kernel = "gemm", .worker = "cpu", .nb = nb, .mean = Seconds{0.09}});
    in_code.kernels = {model};
    in_code.nb = nb;
    in_code.scheduler.type = "lws";
    in_code.network = NetworkModel::maxmin;
    double const expected = simulate(std::move(in_code)).makespan.value;

    testing::TemporaryFolder const folder;
    folder.write("graph.jsonl", lines);
    folder.write("two_nodes.json", R"({"format": "factosim-platform", "version": 1,
 "node_types": {"node": {"cores": 4, "ram_bytes": 64000000000, "nic": {"bandwidth_Bps": 1.25e9, "latency_s": 10e-6}}},
 "network": {"subnets": []}, "nodes": [{"type": "node", "count": 2}]})");
    json const r = result(folder, "graph",
                          {{"platform", "two_nodes.json"},
                           {"application", {{"type", "graph"}, {"file", "graph.jsonl"}}},
                           {"scheduler", {{"type", "lws"}}},
                           {"network", {{"model", "maxmin"}}}});
    CHECK(r.at("makespan_s").get<double>() == expected);
  }

  TEST_CASE("runs of graphs with weights keep their bounds and pass the audit") {
    testing::TemporaryFolder const folder;
    std::string lines;
    std::uint32_t random = 1;
    auto const draw = [&](std::uint32_t below) {
      return (random = random * 1664525U + 1013904223U) / 65536U % below;
    };
    for (std::uint32_t t = 0; t < 300; ++t) {
      lines += fmt::format("{{\"task\": {}, \"kernel\": \"k{}\", \"cpu_s\": {}, \"cuda_s\": {}", t, t % 3,
                           0.001 * (1 + draw(1000)), 0.0001 * (1 + draw(3000)));
      if (t > 0)
        lines += fmt::format(", \"depends_on\": [[{}, {}], {}]", draw(t), 1000 * draw(10'000),
                             t - 1 - draw(std::min(t, 9U)));
      lines += "}\n";
    }
    folder.write("graph.jsonl", lines);
    for (int const nodes : {1, 3})
      for (std::string const scheduler : {"dmdas", "lws", "heft"}) {
        CAPTURE_ALL(nodes, scheduler);
        folder.write(
            "g.json",
            json{{"platform", {{"file", "mirage"}, {"nodes", {{{"type", "mirage"}, {"count", nodes}}}}}},
                 {"application", {{"type", "graph"}, {"file", "graph.jsonl"}}},
                 {"network", {{"model", "maxmin"}}},
                 {"scheduler", {{"type", scheduler}}}}
                .dump());
        auto const out = quoted(folder / "run");
        REQUIRE(run_factosim("run " + quoted(folder / "g.json") + " --out " + out + " --force").code == 0);
        auto const check = run_factosim("check " + out);
        std::string const report = check.out + check.err;
        CHECK_MESSAGE(check.code == 0, report);
        json const r = json::parse(testing::text_of(folder / "run/result.json"));
        double const makespan = r.at("makespan_s");
        for (char const* const bound : {"problem_s", "distribution_s"}) {
          CHECK(r.at("bounds").at(bound).get<double>() <= makespan);
          CHECK(r.at("bounds").at(bound).get<double>() > 0.2 * makespan);
        }
        CHECK(r.at("provenance").at("options").at("application").at("tasks") == 300);
      }
  }
}
