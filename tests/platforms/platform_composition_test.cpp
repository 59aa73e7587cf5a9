// Platforms merged from others, variants of node types, and usual networks.
#include "platforms/bus_rates.hpp"
#include "platforms/platform_json.hpp"
#include "platforms/presets.hpp"
#include "platforms/shipped_files.hpp"
#include "tests/prelude.hpp"

namespace factosim {

namespace {

using nlohmann::json;
using testing::message_of;
using testing::repository;
using testing::TemporaryFolder;

/// A platform file of one node type without GPUs.
std::string one_type(std::string const& name, std::string const& more = "",
                     std::string const& network = R"({"backbone": {"latency_s": 0}})") {
  return R"({"node_types": {")" + name + R"(": {"cores": 8, "ram_bytes": 1000, "kernels": "k.json",
    "nic": {"bandwidth_Bps": 1e9, "latency_s": 1e-6})" +
         more + R"(}}, "network": )" + network + "}";
}

/// Reads a scenario's "platform" that stands in a file of the folder.
Platform read(TemporaryFolder const& folder, json const& platform) {
  return read_platform(JsonReader(platform, (folder / "s.json").string(), "/platform"));
}

std::string refusal(TemporaryFolder const& folder, json const& platform) {
  std::string const message = message_of([&] { (void)read(folder, platform); });
  std::string const file = (folder / "s.json").string();
  return message.starts_with(file) ? message.substr(file.size()) : message;
}

NodeType const& type_named(Platform const& platform, std::string_view name) {
  auto const found = std::ranges::find(platform.types, name, &NodeType::name);
  REQUIRE(found != platform.types.end());
  return *found;
}

json nodes_of(std::vector<std::string> const& types) {
  json out = json::array();
  for (std::string const& type : types) out.push_back({{"type", type}, {"count", 1}});
  return out;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("merged platforms have the node types of all and each file resolves its own paths") {
    TemporaryFolder folder;
    folder.write("a/x.json", one_type("x", R"(, "estimate": true, "provenance": "made up")"));
    folder.write("b/y.json", one_type("y"));
    folder.write("b/both.json",
                 R"({"merge": ["y.json", "../a/x.json"], "nodes": [{"type": "x", "count": 2}]})");
    json const direct = {{"merge", {"a/x.json", "b/y.json"}}, {"nodes", nodes_of({"y", "x"})}};
    json const nested = {{"merge", {"b/both.json", "a/x.json"}}, {"nodes", nodes_of({"y", "x"})}};
    for (json const& given : {direct, nested}) {
      Platform const p = read(folder, given);
      REQUIRE(p.types.size() == 2);
      CHECK(type_named(p, "x").kernels_file == folder / "a/k.json");
      CHECK(type_named(p, "y").kernels_file == folder / "b/k.json");
      CHECK(type_named(p, "x").estimate);
      CHECK(type_named(p, "x").provenance == "made up");
      CHECK(p.type_of(NodeId{0}).name == "y");
      CHECK(p.findings.empty());
    }
    CHECK(read(folder, "b/both.json").nodes.size() == 2);  // its own nodes
  }

  TEST_CASE("a platform that is merged on two ways is there once and another one of its name is refused") {
    TemporaryFolder folder;
    folder.write("x.json", one_type("x"));
    folder.write("other/x.json", one_type("x"));
    CHECK(read(folder, {{"merge", {"x.json", "./other/../x.json"}}}).types.size() == 1);
    std::string const clash = refusal(folder, {{"merge", {"x.json", "other/x.json"}}});
    CHECK(clash.starts_with("#/platform/merge/1: has a node type \"x\""));
    json const renamed = {{"merge", {"x.json", {{"file", "other/x.json"}, {"prefix", "old-"}}}},
                          {"nodes", nodes_of({"old-x", "x"})}};
    Platform const p = read(folder, renamed);
    CHECK(type_named(p, "old-x").kernels_file == folder / "other/k.json");
  }

  TEST_CASE(
      "the network is that of the first platform with the subnets of all and differences are findings") {
    TemporaryFolder folder;
    std::string const subnets =
        R"({"subnets": [{"name": "far", "uplink": {"bandwidth_Bps": 1e8, "latency_s": 0}}], "wire": "fifo"})";
    folder.write("x.json", one_type("x"));
    folder.write("y.json", one_type("y", R"(, "subnet": "far")", subnets));
    json given = {{"merge", {"x.json", {{"file", "y.json"}, {"prefix", "p-"}}}},
                  {"nodes", nodes_of({"x", "p-y"})}};
    Platform const p = read(folder, given);
    CHECK(p.network.wire == Wire::shared);
    REQUIRE(p.network.subnets.size() == 1);
    CHECK(p.network.subnets[0].name == "p-far");
    CHECK(type_named(p, "p-y").subnet == "p-far");
    REQUIRE(p.findings.size() == 1);
    CHECK(p.findings[0].starts_with("the network between the nodes is that of x; y has another one"));

    given["network"] = {{"backbone", {{"latency_s", 2e-6}}}};
    Platform const own = read(folder, given);
    CHECK(own.findings.empty());
    CHECK(own.network.backbone.latency == Seconds{2e-6});
    CHECK(type_named(own, "p-y").subnet.empty());  // all nodes are on the one switch
  }

  TEST_CASE("a fat tree and subnets of other platforms are not joined silently") {
    TemporaryFolder folder;
    folder.write("x.json", one_type("x", "", R"({"fat_tree": {"nodes_per_leaf": 2, "uplinks": 1,
      "uplink": {"bandwidth_Bps": 1e9, "latency_s": 0}}})"));
    folder.write(
        "y.json",
        one_type("y", R"(, "subnet": "far")",
                 R"({"subnets": [{"name": "far", "uplink": {"bandwidth_Bps": 1e8, "latency_s": 0}}]})"));
    CHECK(refusal(folder, {{"merge", {"x.json", "y.json"}}})
              .starts_with("#/platform/merge/1: joins subnets to a fat tree"));
  }

  TEST_CASE("a variant has the values of its node type apart from its own keys") {
    TemporaryFolder folder;
    Platform const mirage = read_platform(repository() / "platforms/mirage.json");
    NodeType const& base = mirage.types[0];
    json const given = json::parse(R"({"file": "mirage", "node_types": {
      "cpu": {"of": "mirage", "gpus": 0, "cores": 10},
      "one": {"of": "mirage", "gpus": 1, "ram_bytes": 5, "subnet": "", "kernels": "other.json"},
      "small": {"of": "one", "cores": 4, "estimate": true, "provenance": "mine"},
      "large": {"of": "cpu", "cores": 24},
      "mirage": {"of": "mirage", "nic": {"bandwidth_Bps": 7, "latency_s": 8}}}})");
    json with_nodes = given;
    with_nodes["nodes"] = nodes_of({"cpu", "one", "small", "large", "mirage"});
    Platform const p = read(folder, with_nodes);
    NodeType const& cpu = type_named(p, "cpu");
    CHECK(cpu.gpus.empty());
    CHECK(cpu.cores == 10);
    CHECK(cpu.bus.routes.empty());
    CHECK(cpu.ram == base.ram);
    CHECK_FALSE(cpu.estimate);
    CHECK(cpu.provenance == "mirage with gpus 0, cores 10. " + base.provenance);
    NodeType const& one = type_named(p, "one");
    CHECK(one.gpus.size() == 1);
    CHECK(one.bus.routes.size() == 4);
    CHECK(one.bus.predicted[1].bandwidth == base.bus.predicted[1].bandwidth);
    CHECK(one.kernels_file == folder / "other.json");
    CHECK(type_named(p, "small").provenance == "mine");
    CHECK(type_named(p, "small").gpus.size() == 1);
    CHECK(type_named(p, "large").estimate);  // more cores than were measured
    CHECK(type_named(p, "mirage").nic == LinkRate{{7}, {8}});
    CHECK(cpu.nic == LinkRate{{7}, {8}});  // of the type of that name in the same object
  }

  TEST_CASE("mistakes in merges and variants name their place") {
    TemporaryFolder folder;
    folder.write("x.json", one_type("x"));
    folder.write("self.json", R"({"merge": ["x.json", "self.json"]})");
    folder.write("a.json", R"({"merge": ["b.json"]})");
    folder.write("b.json", R"({"merge": ["a.json"]})");
    struct Case {
      char const* platform;
      char const* start;
    };
    for (Case const& c : {
             Case{R"({"merge": []})", "#/platform/merge: "},
             Case{R"({"merge": "x.json"})", "#/platform/merge: "},
             Case{R"({"merge": [7]})", "#/platform/merge/0: "},
             Case{R"({"merge": [{"prefix": "x"}]})", "#/platform/merge/0: "},
             Case{R"({"merge": ["no_such_machine"]})", "#/platform/merge/0: no platform is called"},
             Case{R"({"merge": ["x.json"], "file": "x.json"})", "#/platform/file: unknown key"},
             Case{R"({"merge": ["x.json"], "node_types": {"v": {"of": "w"}}})",
                  "#/platform/node_types/v/of: no node type is called \"w\""},
             Case{R"({"merge": ["x.json"], "node_types": {"v": {"of": "u"}, "u": {"of": "v"}}})",
                  "#/platform/node_types/"},
             Case{R"({"merge": ["x.json"], "node_types": {"v": {"of": "v"}}})",
                  "#/platform/node_types/v/of: no node type is called \"v\""},
             Case{R"({"merge": ["x.json"], "node_types": {"v": {"of": "x", "gpus": 1}}})",
                  "#/platform/node_types/v/gpus: is 1"},
             Case{R"({"merge": ["x.json"], "node_types": {"v": {"of": "x", "cycle_time_s": 1}}})",
                  "#/platform/node_types/v/cycle_time_s: stands in a variant"},
             Case{R"({"merge": ["x.json"], "node_types": {"v": {"of": "x", "subnet": "far"}}})",
                  "#/platform/node_types/v/subnet: no subnet is called \"far\""},
             Case{R"({"merge": ["x.json"], "node_types": {"v": {"of": "x", "nic": "token-ring"}}})",
                  "#/platform/node_types/v/nic: no network is called \"token-ring\""},
             Case{R"({"merge": ["x.json"], "node_types": {"x": {"cores": 1, "ram_bytes": 1,
                    "nic": {"bandwidth_Bps": 1, "latency_s": 0}}}})",
                  "#/platform/node_types/x: describes a second node type"},
             Case{R"({"merge": ["x.json"], "node_types": {"v": {"of": "x"}}})",
                  "#/platform: the key \"nodes\" is missing"},
             Case{R"({"merge": ["x.json"], "network": {"preset": "token-ring"}})",
                  "#/platform/network/preset: "},
         }) {
      CAPTURE(c.platform);
      std::string const message = refusal(folder, json::parse(c.platform));
      CAPTURE(message);
      CHECK(message.starts_with(c.start));
    }
    for (char const* const file : {"self.json", "a.json"})
      CHECK(testing::contains(refusal(folder, file), "merges this file again"));
  }

  TEST_CASE("every shipped network has a plausible card and says where it comes from") {
    auto const networks = shipped_files(ShippedKind::network);
    CHECK(networks.size() >= 8);
    double slowest = 1e30;
    for (auto const& [name, file] : networks) {
      CAPTURE(name);
      NetworkPreset const network = read_network_file(file);
      CHECK(network.nic.bandwidth.value > 1e8);
      CHECK(network.nic.bandwidth.value < 1e11);
      CHECK(network.nic.latency.value >= 5e-7);
      CHECK(network.nic.latency.value <= 1e-4);
      CHECK(network.spec.estimate);
      CHECK(network.spec.provenance.size() > 100);
      slowest = std::min(slowest, network.nic.bandwidth.value);
    }
    // 1 Gb/s less the headers of frames of 1500 bytes: the 941 Mb/s that TCP is known to reach.
    CHECK(slowest * 8 / 1e6 == doctest::Approx(941).epsilon(0.001));
  }

  TEST_CASE("a usual network gives its card to all nodes except to variants with one of their own") {
    TemporaryFolder folder;
    folder.write("x.json", one_type("x"));
    json const given = json::parse(R"({"merge": ["x.json"], "network": {"preset": "infiniband-hdr"},
      "node_types": {"v": {"of": "x", "nic": "ethernet-10g"}, "u": {"of": "x", "cores": 2}},
      "nodes": [{"type": "x", "count": 1}, {"type": "u", "count": 1}, {"type": "v", "count": 1}]})");
    Platform const p = read(folder, given);
    NetworkPreset const hdr = read_network_file(repository() / "platforms/networks/infiniband-hdr.json");
    NetworkPreset const ethernet = read_network_file(repository() / "platforms/networks/ethernet-10g.json");
    CHECK(type_named(p, "x").nic == hdr.nic);
    CHECK(type_named(p, "u").nic == hdr.nic);
    CHECK(type_named(p, "v").nic == ethernet.nic);
    CHECK(p.network.wire == Wire::fifo);
    CHECK(p.network.estimate);
    CHECK(type_named(p, "v").nic_estimate);
    CHECK_FALSE(type_named(p, "v").estimate);  // on one node the card does nothing
  }

  TEST_CASE("a merged platform is written as one file that reads as the same machines") {
    TemporaryFolder folder;
    json const given = json::parse(R"({"merge": ["mirage", "sirocco"], "network": {"preset": "slingshot-11"},
      "node_types": {"m": {"of": "mirage", "gpus": 2}},
      "nodes": [{"type": "m", "count": 2}, {"type": "sirocco", "count": 1}]})");
    Platform const p = read(folder, given);
    Platform const again = read_platform(folder.write("whole.json", platform_json(p, folder.path())));
    CHECK(again.nodes == p.nodes);
    CHECK(platform_json(again, folder.path()) == platform_json(p, folder.path()));
    CHECK(again.network.estimate);
  }

  TEST_CASE(
      "rates of routes follow from their slowest link and shared parts from the links of several GPUs") {
    Platform const mirage = read_platform(repository() / "platforms/mirage.json");
    NodeType const& type = mirage.types[0];
    CHECK(route_rate(type, 0, 1).bandwidth.value == doctest::Approx(6010679672.232608));
    CHECK(route_rate(type, 0, 1).latency.value == doctest::Approx(1e-5));
    auto const shared = shared_links(type);
    REQUIRE(shared.size() >= 2);  // all GPUs on the host link; two of them behind one PCI switch
    CHECK(shared[0].gpus == std::vector<std::size_t>{0, 1, 2});
    CHECK(shared[1].gpus == std::vector<std::size_t>{1, 2});
    for (SharedLinks const& part : shared) CHECK(part.bandwidth.value > 5e9);
    CHECK(gpus_text(type) == "3 Tesla M2070 (5.64 GB)");
  }
}

}  // namespace factosim
