// Fat trees, dragonflies, cards and efficiencies in platform and network files.

#include "platforms/platform_json.hpp"
#include "platforms/presets.hpp"
#include "platforms/shipped_files.hpp"
#include "tests/prelude.hpp"

namespace factosim {

namespace {

using nlohmann::json;
using testing::message_of;
using testing::TemporaryFolder;

json const link = {{"bandwidth_Bps", 5e9}, {"latency_s", 1e-7}};
json const dragonfly = {{"groups", 3},          {"switches_per_group", 4}, {"nodes_per_switch", 2},
                        {"local", link},        {"global_links", 2},       {"global", link},
                        {"routing", "adaptive"}};
json const dragonfly_plus = {{"groups", 3},         {"leaves_per_group", 4}, {"spines_per_group", 2},
                             {"nodes_per_leaf", 2}, {"local", link},         {"global_links", 2},
                             {"global", link},      {"routing", "valiant"}};
json const tree = {{"levels",
                    {{{"down", 4}, {"up", 2}, {"parallel", 2}, {"uplink", link}},
                     {{"down", 3}, {"up", 3}, {"parallel", 1}, {"uplink", link}}}},
                   {"routing", "adaptive"}};

json platform_with(json const& network) {
  return {{"format", "factosim-platform"},
          {"version", 1},
          {"node_types", {{"m", {{"cores", 2}, {"cycle_time_s", 1}, {"nic", link}, {"nics", 4}}}}},
          {"network", network},
          {"nodes", json::array({{{"type", "m"}, {"count", 3}}})}};
}

std::string refusal(json const& network) {
  TemporaryFolder const folder;
  auto const file = folder.write("p.json", platform_with(network).dump());
  std::string const message = message_of([&] { (void)read_platform(file); });
  return message.starts_with(file.string()) ? message.substr(file.string().size()) : message;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("fabrics, cards and efficiencies are read and written back identical") {
    TemporaryFolder const folder;
    for (json const& network :
         {json{{"dragonfly", dragonfly}, {"efficiency", {{"half_bandwidth_bytes", 280000.0}}}},
          json{{"dragonfly_plus", dragonfly_plus}, {"gpu_direct", "both"}},
          json{{"fat_tree", tree}, {"efficiency", {{"bytes", {10, 20}}, {"bandwidth_Bps", {1e9, 2e9}}}}}}) {
      Platform const read = read_platform(folder.write("p.json", platform_with(network).dump()));
      CHECK(read.types[0].nics == 4);
      std::string const text = platform_json(read, folder.path());
      for (auto const& [key, value] : network.items()) CHECK(json::parse(text)["network"][key] == value);
      CHECK(platform_json(read_platform(folder.write("q.json", text)), folder.path()) == text);
    }
  }

  TEST_CASE("mistakes in fabrics and efficiencies are named with a remedy") {
    json const subnets = json::array({{{"name", "a"}, {"uplink", link}}});
    CHECK(refusal({{"dragonfly", dragonfly}, {"subnets", subnets}}) ==
          "#/network/dragonfly: a dragonfly and subnets (a node would be behind two switches at once). Keep "
          "\"dragonfly\" or \"subnets\"");
    CHECK(refusal({{"dragonfly", dragonfly}, {"fat_tree", tree}})
              .starts_with("#/network/dragonfly: a second fabric"));
    json both = tree;
    both["uplinks"] = 2;
    CHECK(refusal({{"fat_tree", both}}).starts_with("#/network/fat_tree/uplinks: stands beside \"levels\""));
    json many = tree;
    for (int i = 0; i < 3; ++i) many["levels"].push_back(tree["levels"][0]);
    CHECK(refusal({{"fat_tree", many}}).starts_with("#/network/fat_tree/levels: has 5 levels"));
    many["levels"] = json::array();
    CHECK(refusal({{"fat_tree", many}}).starts_with("#/network/fat_tree/levels: has 0 levels"));
    CHECK(refusal({{"efficiency", {{"bytes", json::array()}, {"bandwidth_Bps", json::array()}}}})
              .starts_with("#/network/efficiency/bytes: has 0 sizes"));
    json valiant = tree;
    valiant["routing"] = "valiant";
    CHECK(refusal({{"fat_tree", valiant}}).starts_with("#/network/fat_tree/routing: "));
    json missing = dragonfly;
    missing.erase("local");
    CHECK(refusal({{"dragonfly", missing}}).starts_with("#/network/dragonfly: the key \"local\" is missing"));
    CHECK(refusal({{"efficiency", {{"half_bandwidth_bytes", 1}, {"bytes", {1}}}}})
              .starts_with("#/network/efficiency/half_bandwidth_bytes: stands beside measured sizes"));
    CHECK(refusal({{"efficiency", {{"bytes", {1, 2}}, {"bandwidth_Bps", {1}}}}})
              .starts_with("#/network/efficiency/bandwidth_Bps: 1 bandwidths for 2 sizes"));
    CHECK(refusal({{"efficiency", {{"bytes", {2, 2}}, {"bandwidth_Bps", {1, 2}}}}})
              .starts_with("#/network/efficiency/bytes/1: is not above the size before it"));
    CHECK(refusal({{"efficiency", json::object()}}).starts_with("#/network/efficiency: the key \"bytes\""));
  }

  TEST_CASE("named clusters give their nodes cards and switches") {
    for (auto const& [name, file] : shipped_files(ShippedKind::network)) {
      CAPTURE(name);
      NetworkPreset const network = read_network_file(file);
      CHECK(network.spec.estimate);
      TemporaryFolder const folder;
      Platform const p = read_platform(folder.write("p.json", platform_with({{"preset", name}}).dump()));
      CHECK(p.types[0].nics == network.nics);
      CHECK(p.network.fabric == network.spec.fabric);
    }
    auto const files = shipped_files(ShippedKind::network);
    NetworkPreset const lumi = read_network_file(files.at("lumi-g"));
    CHECK(lumi.nics == 4);
    CHECK(std::get<Dragonfly>(lumi.spec.fabric).groups == 24);
  }
}

}  // namespace factosim
