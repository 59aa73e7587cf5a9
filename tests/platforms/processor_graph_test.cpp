// Platforms that are graphs: reading and error messages.

#include "platforms/platform_json.hpp"
#include "platforms/processor_graph_json.hpp"
#include "tests/prelude.hpp"

using namespace factosim;

namespace {

GraphPlatform read(std::string const& graph) {
  testing::TemporaryFolder const folder;
  return read_processor_graph(
      folder.write("g.json", R"({"format": "factosim-platform", "version": 1, "graph": )" + graph + "}"));
}

std::string const two =
    R"("processors": [{"name": "A", "speed_per_s": 2}, {"name": "B", "cycle_time_s": 0.25}])";

/// Returns the error message, from the pointer on.
std::string problem(std::string const& graph) {
  try {
    (void)read(graph);
  } catch (InputError const& error) {
    std::string const what = error.what();
    return what.substr(what.find('#'));
  }
  return "nothing";
}

bool starts_with(std::string const& text, std::string const& start) {
  CAPTURE_ALL(text, start);
  CHECK(text.substr(0, start.size()) == start);
  return true;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("a graph has speeds or cycle-times and links of three directions") {
    GraphPlatform const p = read(R"({"estimate": true, "processors": [{"name": "A", "speed_per_s": 2},
      {"name": "B", "cycle_time_s": 0.25}, {"name": "R"}, {"name": "S", "cycle_time_s": 0}], "links": [
      {"name": "a", "from": "A", "to": "R", "bandwidth_Bps": 5},
      {"name": "b", "from": "R", "to": "B", "bandwidth_Bps": 6, "direction": "full-duplex", "latency_s": 0.5},
      {"name": "c", "from": "B", "to": "A", "bandwidth_Bps": 7, "direction": "one-way", "shared": false}]})");
    CHECK(p.estimate);
    CHECK(p.graph.vertices[0].speed == 2);
    CHECK(p.graph.vertices[1].speed == 4);
    CHECK_FALSE(p.graph.vertices[2].computes());
    CHECK_FALSE(p.graph.vertices[3].computes());
    REQUIRE(p.graph.links.size() == 4);
    CHECK(p.graph.links[0].either_way);
    CHECK(p.graph.links[1].name == "b");
    CHECK_FALSE(p.graph.links[1].either_way);
    CHECK(p.graph.links[2].name == "b:back");
    CHECK(p.graph.links[2].from == p.graph.links[1].to);
    CHECK(p.graph.links[2].latency.value == 0.5);
    CHECK_FALSE(p.graph.links[3].shared);
  }

  TEST_CASE("mistakes in a graph are reported with a remedy") {
    auto const with_links = [](std::string const& links) {
      return "{" + two + R"(, "links": [)" + links + "]}";
    };
    std::string const ok = R"({"name": "x", "from": "A", "to": "B", "bandwidth_Bps": 5})";
    CHECK(problem(with_links(ok)) == "nothing");
    starts_with(problem(with_links("")),
                "#/graph/links: no way leads from \"A\" to \"B\" (the graph is disconnected, ");
    starts_with(problem(with_links(
                    R"({"name": "x", "from": "A", "to": "B", "bandwidth_Bps": 5, "direction": "one-way"})")),
                "#/graph/links: no way leads from \"B\" to \"A\" (the graph is disconnected, ");
    starts_with(problem(with_links(R"({"name": "x", "from": "A", "to": "B", "bandwidth_Bps": 0})")),
                "#/graph/links/0/bandwidth_Bps: is 0 (it must be above zero)");
    starts_with(problem(with_links(R"({"name": "x", "from": "A", "to": "B", "bandwidth_Bps": -1})")),
                "#/graph/links/0/bandwidth_Bps: is -1 (it must be above zero)");
    starts_with(problem(with_links(R"({"name": "x", "from": "A", "to": "C", "bandwidth_Bps": 1})")),
                "#/graph/links/0/to: no processor is called \"C\" (a link joins two of them). ");
    starts_with(problem(with_links(R"({"name": "x", "from": "A", "to": "A", "bandwidth_Bps": 1})")),
                "#/graph/links/0/to: is \"A\" as well (");
    starts_with(problem(with_links(ok + "," + ok)), "#/graph/links/1/name: a second link \"x\" (");
    starts_with(
        problem(with_links(R"({"name": "x", "from": "A", "to": "B", "bandwidth_Bps": 1, "speed": 2})")),
        "#/graph/links/0/speed: ");
    starts_with(problem(R"({"processors": [{"name": "A"}, {"name": "B"}], "links": []})"),
                "#/graph/processors: no processor computes (all are routers). ");
    starts_with(problem(R"({"processors": [{"name": "A"}, {"name": "A"}], "links": []})"),
                "#/graph/processors/1/name: a second processor \"A\" (");
    starts_with(
        problem(R"({"processors": [{"name": "A", "speed_per_s": 1, "cycle_time_s": 1}], "links": []})"),
        "#/graph/processors/0/cycle_time_s: stands beside \"speed_per_s\" (");
    starts_with(problem(R"({"processors": [{"name": "A", "speed_per_s": -1}], "links": []})"),
                "#/graph/processors/0/speed_per_s: is -1 (it must not be negative)");
  }

  TEST_CASE("unconnected routers are permitted") {
    CHECK(problem("{" + two.substr(0, two.size() - 1) + R"(, {"name": "R"}], "links": [
      {"name": "x", "from": "A", "to": "B", "bandwidth_Bps": 5}]})") == "nothing");
  }

  TEST_CASE("a factorization on a graph of processors is refused with a remedy") {
    testing::TemporaryFolder const folder;
    auto const file = folder.write(
        "g.json",
        R"({"format": "factosim-platform", "version": 1, "graph": {"processors": [], "links": []}})");
    CHECK_THROWS_WITH_AS(
        (void)read_platform(file),
        (file.string() + "#/graph: is a graph of processors (its messages take ways that only the "
                         "application \"ring\" chooses). Use a platform with \"node_types\"")
            .c_str(),
        InputError);
  }

  TEST_CASE("random graphs are connected and the same for a seed") {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      RandomGraphOptions const options{
          .processors = 6, .routers = 3, .extra_links = 2, .one_way_percent = 50};
      ProcessorGraph const a = random_processor_graph(options, seed),
                           b = random_processor_graph(options, seed);
      CHECK_FALSE(unreachable_processors(a));
      CHECK(a.links.size() >= 10);
      REQUIRE(a.links.size() == b.links.size());
      for (std::size_t l = 0; l < a.links.size(); ++l) {
        CHECK(a.links[l].bandwidth == b.links[l].bandwidth);
        CHECK(a.links[l].bandwidth.value >= options.min_bandwidth * 0.99);
        CHECK(a.links[l].bandwidth.value <= options.max_bandwidth * 1.01);
      }
    }
  }
}
