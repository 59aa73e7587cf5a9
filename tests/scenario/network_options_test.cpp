// The network of a scenario: overrides of the platform, and a user's SimGrid file.

#include "simulator/scenario/simulation/place.hpp"
#include "simulator/scenario/simulation/placed_scenario.hpp"
#include "tests/cli/refusal.hpp"
#include "tests/engine/without_simgrid.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

using nlohmann::json;

/// Four nodes without GPUs; `network` is the scenario's.
std::filesystem::path small_scenario(TemporaryFolder const& folder, json const& network) {
  json const scenario = {{"format", "factosim-scenario"},
                         {"version", 1},
                         {"platform",
                          {{"file", (testing::repository() / "platforms/lille.json").string()},
                           {"nodes", {{{"type", "chetemi"}, {"count", 4}}}}}},
                         {"application", {{"type", "lu"}, {"nt", 8}, {"nb", 960}}},
                         {"distribution", {{"type", "block-cyclic"}, {"p", 2}, {"q", 2}}},
                         {"network", network}};
  return folder.write("s.json", scenario.dump());
}

/// Five hosts on links of 10 Gb/s, like the nodes above.
std::string const cluster_xml = R"(<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="node-" suffix="" radical="0-4" speed="1Gf" bw="10Gbps" lat="LATENCYs"/>
</platform>
)";

std::string cluster_of_latency(double latency) {
  std::string text = cluster_xml;
  return text.replace(text.find("LATENCY"), 7, json(latency).dump());
}

json clean_result(ProgramRun const& run) {
  CHECK(run.err.empty());
  return testing::json_of(run);
}

}  // namespace

TEST_SUITE("scenario") {
  TEST_CASE("each node type has its own NIC and an override applies to all of them") {
    auto const placed = [](std::vector<std::string> settings) {
      settings.push_back(
          R"(/platform/nodes=[{"type": "chetemi", "count": 2}, {"type": "chifflot", "count": 1}])");
      settings.push_back(R"(/distribution={"type": "block-cyclic"})");
      return place(read_scenario(testing::lille_scenario(), settings));
    };
    PlacedScenario const as_they_are = placed({});
    PlacedScenario const faster = placed({"/network/nic/bandwidth_Bps=5e9"});
    PlacedScenario const both = placed(
        {"/network/nic/bandwidth_Bps=5e9", "/network/nic/latency_s=0", "/network/backbone/latency_s=1"});
    double slowest = 1e99, fastest = 0;
    for (std::size_t t = 0; t < as_they_are.platform.types.size(); ++t) {
      LinkRate const& nic = as_they_are.platform.types[t].nic;
      slowest = std::min(slowest, nic.bandwidth.value);
      fastest = std::max(fastest, nic.bandwidth.value);
      CHECK(faster.platform.types[t].nic.bandwidth == BytesPerSecond{5e9});
      CHECK(faster.platform.types[t].nic.latency == nic.latency);
      CHECK(both.platform.types[t].nic.latency == Seconds{0});
    }
    CHECK(slowest < fastest);
    CHECK(both.platform.network.backbone.latency == Seconds{1});
    CHECK(effective_options(faster)["network"]["nic"]["chetemi"]["bandwidth_Bps"] == 5e9);
  }

  TEST_CASE("the wire of a scenario replaces that of the platform and the result records it") {
    TemporaryFolder const folder;
    auto const placed = [&](json const& network) {
      return place(read_scenario(small_scenario(folder, network), {}));
    };
    PlacedScenario const own = placed(json::object());
    CHECK(own.platform.network.wire == Wire::fifo);  // Ethernet
    CHECK(effective_options(own)["network"]["wire"] == "fifo");
    PlacedScenario const shared = placed({{"wire", "shared"}});
    CHECK(shared.platform.network.wire == Wire::shared);
    CHECK_FALSE(effective_options(shared)["network"].contains("wire"));
    CHECK(shared.runtime.max_sends_per_node == 10);
    PlacedScenario const by_priority = placed({{"wire", "priority"}});
    CHECK(by_priority.runtime.max_sends_per_node == unlimited_sends);  // as in NewMadeleine
    CHECK(placed({{"wire", "priority"}, {"max_sends_per_node", 3}}).runtime.max_sends_per_node == 3);
    std::string const message = testing::message_of([&] { (void)placed({{"wire", "tcp"}}); });
    CHECK(testing::contains(message, "#/network/wire: "));
    CHECK(testing::contains(message, "shared, fifo, priority"));
  }

  TEST_CASE("a network by name replaces cards and switches, and one that does not fit is refused") {
    TemporaryFolder const folder;
    PlacedScenario const lumi = place(read_scenario(small_scenario(folder, {{"preset", "lumi-g"}}), {}));
    CHECK(lumi.platform.types[0].nics == 4);
    json const options = effective_options(lumi)["network"];
    CHECK(options["nic"]["chetemi"]["cards"] == 4);
    CHECK(options["dragonfly"]["global"]["bandwidth_Bps"] == 25e9);
    json small = {{"groups", 2},
                  {"switches_per_group", 1},
                  {"nodes_per_switch", 1},
                  {"local", {{"bandwidth_Bps", 1}, {"latency_s", 0}}},
                  {"global", {{"bandwidth_Bps", 1}, {"latency_s", 0}}}};
    auto const refusal = [&](json const& dragonfly, json const& network) {
      folder.write("n.json", json{{"format", "factosim-network"},
                                  {"version", 1},
                                  {"nic", {{"bandwidth_Bps", 1e9}, {"latency_s", 0}}},
                                  {"dragonfly", dragonfly}}
                                 .dump());
      json given = network;
      given["preset"] = "./n.json";
      std::string const message =
          testing::message_of([&] { (void)read_scenario(small_scenario(folder, given), {}); });
      return message.substr(message.find('#') + 1);
    };
    CHECK(
        refusal(small, json::object()) ==
        "/network: has a dragonfly with room for 2 cards, and the nodes have 4 (each card needs a port of a "
        "switch). Use fewer nodes, or more \"groups\"");
    small["groups"] = 100000;
    CHECK(refusal(small, json::object()).starts_with("/network: has 1e+10 links between its switches"));
    small["groups"] = 4;
    CHECK(refusal(small, {{"model", "constant"}}).empty());
    small["routing"] = "adaptive";
    CHECK(refusal(small, {{"model", "constant"}})
              .starts_with("/network: has adaptive routing, and the network model is \"constant\""));
  }

  TEST_CASE("an XML file of the same links gives the same run as the platform") {
    if (testing::without_simgrid()) return;
    TemporaryFolder const folder;
    Platform const platform = place(read_scenario(small_scenario(folder, json::object()), {})).platform;
    double const latency = platform.types[0].nic.latency.value;
    CHECK(platform.types[0].nic.bandwidth == BytesPerSecond{1.25e9});
    double const backbone = platform.network.backbone.latency.value;
    folder.write("cluster.xml", cluster_of_latency(latency + backbone / 2));
    for (std::string const model : {"simgrid", "maxmin", "constant"}) {
      CAPTURE(model);
      std::string const run = "run --json '" + small_scenario(folder, {{"model", model}}).string() + "'";
      json const expected = clean_result(run_factosim(run));
      json const xml = {{"model", model}, {"simgrid_xml", {{"file", "cluster.xml"}}}};
      json const result =
          clean_result(run_factosim("run --json '" + small_scenario(folder, xml).string() + "'"));
      CHECK(result["makespan_s"].get<double>() ==
            doctest::Approx(expected["makespan_s"].get<double>()).epsilon(1e-6).scale(0));
      json const& network = result["provenance"]["options"]["network"];
      CHECK(network["simgrid_xml"]["file"] == (folder / "cluster.xml").string());
      CHECK(network["simgrid_xml"]["hosts"] == json({"node-0", "node-1", "node-2", "node-3"}));
      CHECK_FALSE(network.contains("nic"));
    }
  }

  TEST_CASE("nodes are the hosts listed in the scenario or those with its prefix") {
    if (testing::without_simgrid()) return;
    TemporaryFolder const folder;
    folder.write("cluster.xml", cluster_of_latency(1e-6));
    auto const hosts = [&](json xml) {
      xml["file"] = "cluster.xml";
      return place(read_scenario(small_scenario(folder, {{"simgrid_xml", xml}}), {}))
          .platform.network.routes->hosts;
    };
    using Names = std::vector<std::string>;
    CHECK(hosts({{"hosts", {"node-4", "node-2", "node-0", "node-1", "node-3"}}}) ==
          Names{"node-4", "node-2", "node-0", "node-1"});
    CHECK(hosts({{"prefix", "node-"}}) == Names{"node-0", "node-1", "node-2", "node-3"});
  }

  TEST_CASE("a program without SimGrid takes max-min by default and refuses SimGrid with its reason") {
    if (FACTOSIM_SIMGRID != 0) return;
    TemporaryFolder const folder;
    json const result =
        clean_result(run_factosim("run --json '" + small_scenario(folder, json::object()).string() + "'"));
    CHECK(result["provenance"]["options"]["network"]["model"] == "maxmin");
    ProgramRun const refused =
        run_factosim("run '" + small_scenario(folder, {{"model", "simgrid"}}).string() + "'");
    CHECK(refused.code == 2);
    CHECK(testing::contains(refused.err,
                            "#/network/model: is \"simgrid\" (this program was built without SimGrid)"));
  }

  TEST_CASE("mistakes in the use of an XML file end with exit code 2 and one line") {
    if (testing::without_simgrid()) return;
    TemporaryFolder const folder;
    folder.write("cluster.xml", cluster_of_latency(1e-6));
    folder.write("broken.xml", "<platform>");
    folder.write("crash.xml",
                 "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\"><platform "
                 "version=\"4.1\"></platform>");
    folder.write("platform.so", "no library");
    struct Case {
      json network;
      std::string where, says;
    };
    auto const xml = [](json more, std::string const& file = "cluster.xml") {
      more["file"] = file;
      return json{{"simgrid_xml", more}};
    };
    json with_nic = xml(json::object());
    with_nic["nic"] = {{"latency_s", 1}};
    for (auto const& [network, where, says] : std::vector<Case>{
             {xml(json::object(), "none.xml"), "/file: ", "none.xml cannot be read (no such file)"},
             {xml(json::object(), "platform.so"), "/file: ", "is no XML file by its name"},
             {xml(json::object(), "broken.xml"), "/file: ", "(Start-end tags mismatch at byte 9)"},
             {xml(json::object(), "crash.xml"), "/file: ", "SimGrid has no routes from it ("},
             {xml({{"hosts", {"node-0", "node-9"}}}), "/hosts/1: ",
              "no host is called \"node-9\" (those of "
              "the file are node-0, node-1, node-2, node-3, node-4). Use one of them"},
             {xml({{"hosts", {"node-0", "node-0"}}}), "/hosts/1: ", "a second time"},
             {xml({{"hosts", {"node-0", "node-1"}}}), ": ", "2 hosts for 4 nodes"},
             {xml({{"prefix", "gpu"}}), ": ", "0 hosts for 4 nodes"},
             {xml({{"prefix", "n"}, {"hosts", {"node-0"}}}), "/prefix: ", "Keep one of them"},
             {xml({{"host", 1}}), "/host: ", "unknown key"},
             {json{{"simgrid_xml", json::object()}}, ": ", "\"file\" is missing"}}) {
      CAPTURE(network.dump());
      ProgramRun const run = run_factosim("run '" + small_scenario(folder, network).string() + "'");
      testing::check_refused(run, "s.json#/network/simgrid_xml" + where, says);
    }
    ProgramRun const run = run_factosim("run '" + small_scenario(folder, with_nic).string() + "'");
    CHECK(run.code == 2);
    CHECK(testing::contains(run.err, "s.json#/network/nic: has no effect beside \"simgrid_xml\""));
  }
}
