#include "platforms/platform_json.hpp"

#include "platforms/bus_rates.hpp"
#include "tests/prelude.hpp"

namespace factosim {

namespace {

using nlohmann::json;
using testing::message_of;
using testing::TemporaryFolder;

/// Two GPUs without a direct route behind one shared link; a type without GPUs; two groups of nodes.
json small_platform() {
  return json::parse(R"({
    "format": "factosim-platform", "version": 1,
    "node_types": {
      "slow": {"cores": 20, "ram_bytes": 1000000, "kernels": "kernels/slow.json", "subnet": "far",
               "nic": {"bandwidth_Bps": 1.25e9, "latency_s": 1e-5}},
      "fast": {"cores": 28, "gpus": [{"model": "A", "memory_bytes": 11}, {"model": "B", "memory_bytes": 12}],
               "ram_bytes": 2000000, "kernels": "../fast.json", "nic": {"bandwidth_Bps": 3e9, "latency_s": 0},
               "bus": {"links": [{"name": "host", "bandwidth_Bps": 12e9, "latency_s": 0},
                                 {"name": "a", "bandwidth_Bps": 8e9, "latency_s": 1e-5},
                                 {"name": "b", "bandwidth_Bps": 6e9, "latency_s": 2e-5}],
                       "routes": [{"from": "ram", "to": "cuda0", "links": ["a", "host"]},
                                  {"from": "cuda0", "to": "ram", "links": ["a", "host"]},
                                  {"from": "ram", "to": "cuda1", "links": ["b", "host"]},
                                  {"from": "cuda1", "to": "ram", "links": ["b", "host", "host", "host"]}]},
               "estimate": true, "provenance": "made up"}},
    "network": {"subnets": [{"name": "far", "uplink": {"bandwidth_Bps": 1e9, "latency_s": 2e-6}}],
                "backbone": {"bandwidth_Bps": 288e9, "latency_s": 1e-6}},
    "nodes": [{"type": "slow", "count": 2}, {"type": "fast", "count": 1}, {"type": "slow", "count": 1}]})");
}

/// Returns the message for the small platform with one change (a JSON patch operation); empty if it is
/// accepted.
std::string rejection(std::string const& operation, std::string const& pointer, json const& value = nullptr) {
  TemporaryFolder folder;
  json const patch = json::array({{{"op", operation}, {"path", pointer}, {"value", value}}});
  auto const file = folder.write("p.json", small_platform().patch(patch).dump());
  std::string const message = message_of([&] { (void)read_platform(file); });
  return message.starts_with(file.string()) ? message.substr(file.string().size()) : message;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("a platform is read completely") {
    TemporaryFolder folder;
    Platform const p = read_platform(folder.write("p.json", small_platform().dump()));
    REQUIRE(p.types.size() == 2);
    NodeType const& fast = p.types[0];  // by name
    CHECK(fast.name == "fast");
    CHECK(fast.cores == 28);
    CHECK(fast.gpus[1].model == "B");
    CHECK(fast.gpus[1].memory == Bytes{12});
    CHECK(fast.kernels_file == (folder.path().parent_path() / "fast.json").string());
    CHECK(fast.nic.bandwidth == BytesPerSecond{3e9});
    CHECK(fast.estimate);
    CHECK(fast.provenance == "made up");
    CHECK(fast.bus.routes.size() == 9);
    CHECK(fast.bus.routes[0 * 3 + 1] == std::vector<std::uint32_t>{1, 0});
    CHECK(fast.bus.routes[2 * 3 + 0] == std::vector<std::uint32_t>{2, 0, 0, 0});
    CHECK(fast.bus.routes[1 * 3 + 2].empty());
    CHECK(p.types[1].bus.links.empty());
    CHECK(p.types[1].subnet == "far");
    CHECK_FALSE(p.types[1].estimate);
    CHECK(p.nodes == std::vector<std::uint32_t>{1, 1, 0, 1});
    CHECK(p.type_of(NodeId{2}).name == "fast");
    CHECK(p.network.subnets[0].uplink.bandwidth == BytesPerSecond{1e9});
    CHECK(p.network.backbone.bandwidth == BytesPerSecond{288e9});
    CHECK(p.network.backbone.latency == Seconds{1e-6});
  }

  TEST_CASE("missing predictions are computed for a single copy on its route") {
    TemporaryFolder folder;
    Bus const bus = read_platform(folder.write("p.json", small_platform().dump())).types[0].bus;
    CHECK(bus.predicted[0 * 3 + 1].bandwidth == BytesPerSecond{8e9});
    CHECK(bus.predicted[0 * 3 + 1].latency == Seconds{1e-5});
    // crosses the host link three times
    CHECK(bus.predicted[2 * 3 + 0].bandwidth == BytesPerSecond{4e9});
    // through the RAM: 1 / (1/8 + 1/6)
    CHECK(bus.predicted[1 * 3 + 2].bandwidth.value == doctest::Approx(24e9 / 7).epsilon(1e-12));
    CHECK(bus.predicted[1 * 3 + 2].latency.value == doctest::Approx(3e-5).epsilon(1e-12));
    CHECK(bus.predicted[0].bandwidth == BytesPerSecond{0});
  }

  TEST_CASE("a platform is written and read back identical") {
    TemporaryFolder folder;
    json with_matrices = small_platform();
    with_matrices["node_types"]["fast"]["bus"]["predicted"] = {
        {"bandwidth_Bps", {{0, 1e9 / 3, 2e9}, {3e9, 0, 4e9}, {5e9, 6e9, 0}}},
        {"latency_s", {{0, 1e-6, 2e-6}, {3e-6, 0, 4e-6}, {5e-6, 1e-6 / 7, 0}}}};
    Platform const p = read_platform(folder.write("p.json", with_matrices.dump()));
    std::string const text = platform_json(p, folder.path());
    Platform const again = read_platform(folder.write("q.json", text));
    CHECK(platform_json(again, folder.path()) == text);
    CHECK(again.nodes == p.nodes);
    CHECK(again.types[0].kernels_file == p.types[0].kernels_file);
    CHECK(again.types[0].bus.routes == p.types[0].bus.routes);
    CHECK(again.types[0].bus.predicted == p.types[0].bus.predicted);
    CHECK(again.types[1].subnet == "far");
    CHECK(testing::contains(text, R"(          {"from": "ram", "to": "cuda0", "links": ["a", "host"]},)"));
    CHECK(testing::contains(text, R"("kernels": "kernels/slow.json")"));
  }

  TEST_CASE("NUMA nodes come before the GPUs and both have their powers") {
    json numa = small_platform();
    json& fast = numa["node_types"]["fast"];
    fast["numa_nodes"] = 2;
    fast["power"] = {{"core_W", 5}, {"gpu_W", 150.5}, {"idle_W", 90}, {"off_W", 7}};
    fast["bus"]["routes"].push_back({{"from", "ram"}, {"to", "ram1"}, {"links", {"host"}}});
    TemporaryFolder folder;
    auto const without_way_back = folder.write("q.json", numa.dump());
    CHECK(testing::contains(message_of([&] { (void)read_platform(without_way_back); }),
                            "no route from ram1 to ram "));
    fast["bus"]["routes"].push_back({{"from", "ram1"}, {"to", "ram"}, {"links", {"host"}}});
    Platform const p = read_platform(folder.write("p.json", numa.dump()));
    NodeType const& type = p.types[0];
    CHECK(type.memory_node_count() == 4);
    CHECK(memory_node_name(type, 1) == "ram1");
    CHECK(memory_node_name(type, 2) == "cuda0");
    CHECK(type.bus.routes[0 * 4 + 1] == std::vector<std::uint32_t>{0});
    CHECK(type.bus.routes[1 * 4 + 2].empty());  // through the first RAM
    CHECK(type.bus.predicted[1 * 4 + 2].latency.value == doctest::Approx(1e-5));
    CHECK(type.power.core == 5);
    CHECK(type.power.gpu == 150.5);
    CHECK(type.power.idle == 90);
    CHECK(type.power.off == 7);
    std::string const written = platform_json(p, folder.path());
    CHECK(platform_json(read_platform(folder.write("r.json", written)), folder.path()) == written);
    CHECK(testing::contains(written, "\"numa_nodes\": 2"));
  }

  TEST_CASE("a fat tree is read and written back identical") {
    json const tree = {
        {"nodes_per_leaf", 24}, {"uplinks", 4}, {"uplink", {{"bandwidth_Bps", 5e9}, {"latency_s", 1e-7}}}};
    json p = small_platform();
    p["network"].erase("subnets");
    p["network"]["fat_tree"] = tree;
    p["node_types"]["slow"].erase("subnet");
    TemporaryFolder folder;
    Platform const read = read_platform(folder.write("p.json", p.dump()));
    REQUIRE(std::holds_alternative<FatTree>(read.network.fabric));
    CHECK(std::get<FatTree>(read.network.fabric).levels ==
          std::vector<FatTreeLevel>{{.down = 24, .up = 4, .uplink = {BytesPerSecond{5e9}, Seconds{1e-7}}}});
    std::string const text = platform_json(read, folder.path());
    CHECK(json::parse(text)["network"]["fat_tree"] == tree);
    CHECK(platform_json(read_platform(folder.write("q.json", text)), folder.path()) == text);

    CHECK(rejection("add", "/network/fat_tree", tree) ==
          "#/network/fat_tree: a fat tree and subnets (a node would be behind two switches at once). Keep "
          "\"fat_tree\" or \"subnets\"");
    json wrong = tree;
    wrong["uplinks"] = 0;
    CHECK(rejection("add", "/network/fat_tree", wrong).starts_with("#/network/fat_tree/uplinks: is 0 "));
    wrong = tree;
    wrong.erase("nodes_per_leaf");
    CHECK(rejection("add", "/network/fat_tree", wrong)
              .starts_with("#/network/fat_tree: the key \"nodes_per_leaf\" is missing"));
    wrong = tree;
    wrong["uplink"]["width"] = 1;
    CHECK(rejection("add", "/network/fat_tree", wrong)
              .starts_with("#/network/fat_tree/uplink/width: unknown key"));
  }

  TEST_CASE("the wire, the sockets and the communication thread are read and written back identical") {
    json p = small_platform();
    p["network"]["wire"] = "fifo";
    p["network"]["provenance"] = "TCP";
    p["node_types"]["slow"]["sockets"] = 2;
    json const thread = {{"per_message_s", 5e-6}, {"per_byte_s", 2e-10}, {"worker_share", 0.75}};
    p["node_types"]["slow"]["communication_thread"] = thread;
    TemporaryFolder folder;
    Platform const read = read_platform(folder.write("p.json", p.dump()));
    NodeType const &fast = read.types[0], &slow = read.types[1];
    CHECK(read.network.wire == Wire::fifo);
    CHECK(read.network.provenance == "TCP");
    CHECK(slow.socket_count() == 2);
    CHECK(slow.communication.time_of(Bytes{1'000'000}).value == doctest::Approx(5e-6 + 2e-4));
    CHECK(slow.communication.worker_share == 0.75);
    CHECK_FALSE(fast.communication.takes_time());
    std::string const text = platform_json(read, folder.path());
    CHECK(json::parse(text)["node_types"]["slow"]["communication_thread"] == thread);
    CHECK(platform_json(read_platform(folder.write("q.json", text)), folder.path()) == text);

    TemporaryFolder plain;
    CHECK(read_platform(plain.write("p.json", small_platform().dump())).network.wire == Wire::shared);
    CHECK(rejection("add", "/network/wire", "tcp").starts_with("#/network/wire: "));
    auto const thread_with = [](char const* key, json const& value) {
      return rejection("add", "/node_types/slow/communication_thread", {{key, value}});
    };
    CHECK(thread_with("per_message_s", -1)
              .starts_with("#/node_types/slow/communication_thread/per_message_s: is -1 "));
    CHECK(
        thread_with("worker_share", 0.4) ==
        "#/node_types/slow/communication_thread/worker_share: is 0.4 (it must lie between 0.5 and 1). Give a "
        "value in that range");
    CHECK(testing::contains(thread_with("worker_share", 1.1), "it must lie between 0.5 and 1"));
    CHECK(testing::contains(thread_with("cores", 1), "unknown key"));
    CHECK(rejection("add", "/node_types/slow/sockets", 0).starts_with("#/node_types/slow/sockets: is 0 "));
  }

  TEST_CASE("a backbone that never limits keeps its latency") {
    TemporaryFolder folder;
    json p = small_platform();
    p["network"]["backbone"].erase("bandwidth_Bps");
    Platform const read = read_platform(folder.write("p.json", p.dump()));
    CHECK(read.network.backbone.bandwidth == BytesPerSecond{0});
    CHECK(read.network.backbone.latency == Seconds{1e-6});
    Platform const again = read_platform(folder.write("q.json", platform_json(read, folder.path())));
    CHECK(again.network.backbone.bandwidth == BytesPerSecond{0});
    CHECK(again.network.backbone.latency == Seconds{1e-6});
  }

  TEST_CASE(
      "a list of nodes in the scenario replaces the list of the file and its mistakes are reported there") {
    TemporaryFolder folder;
    auto const file = folder.write("p.json", small_platform().dump());
    auto const with_nodes = [&](char const* nodes) {
      json const platform{{"file", file.string()}, {"nodes", json::parse(nodes)}};
      return read_platform(JsonReader(platform, "s.json", "/platform"));
    };
    CHECK(with_nodes(R"([{"type": "fast", "count": 3}])").nodes == std::vector<std::uint32_t>{0, 0, 0});
    CHECK(message_of([&] {
            (void)with_nodes(R"([{"type": "fast", "count": 3}, {"type": "quick", "count": 1}])");
          }) ==
          "s.json#/platform/nodes/1/type: no node type is called \"quick\" (the platform does not describe "
          "it). Use one "
          "of: fast, slow");
  }

  TEST_CASE("without a list one node type means one node and several are a mistake") {
    CHECK(rejection("remove", "/nodes") ==
          "#: the key \"nodes\" is missing (there are 2 node types to choose from). Add [{\"type\", "
          "\"count\"}, ...] here or "
          "in the scenario");
    TemporaryFolder folder;
    json one = small_platform();
    one.erase("nodes");
    one["node_types"].erase("fast");
    CHECK(read_platform(folder.write("p.json", one.dump())).nodes == std::vector<std::uint32_t>{0});
  }

  TEST_CASE("mistakes in a platform are reported at their position") {
    std::string const bus = "/node_types/fast/bus";
    CHECK(rejection("replace", bus + "/routes/1/links/0", "c") ==
          "#/node_types/fast/bus/routes/1/links/0: no link is called \"c\" (a route crosses links of this "
          "bus). Use a name "
          "of \"links\"");
    CHECK(rejection("replace", bus + "/routes/1/to", "cuda2") ==
          "#/node_types/fast/bus/routes/1/to: \"cuda2\" is no memory of this node (\"numa_nodes\" and "
          "\"gpus\" make them). Use one of: ram, cuda0, cuda1");
    CHECK(rejection("remove", bus + "/routes/3") ==
          "#/node_types/fast/bus/routes: no route from cuda1 to ram (every memory must reach the RAM "
          "both ways). Add it");
    CHECK(rejection("replace", bus + "/routes/1/from", "ram")
              .starts_with("#/node_types/fast/bus/routes/1: a route from a"));
    CHECK(rejection("replace", bus + "/routes/2/to", "cuda0")
              .starts_with("#/node_types/fast/bus/routes/2: a second route"));
    CHECK(rejection("replace", bus + "/routes/0/links", json::array())
              .starts_with("#/node_types/fast/bus/routes/0/links: a route without links"));
    CHECK(rejection("replace", bus + "/links/1/name", "host")
              .starts_with("#/node_types/fast/bus/links/1/name: a second link"));
    CHECK(rejection("replace", bus + "/links/1/bandwidth_Bps", 0) ==
          "#/node_types/fast/bus/links/1/bandwidth_Bps: is 0 (it must be above zero). Give a positive "
          "number");
    CHECK(rejection("replace", bus + "/links/1/latency_s", -1e-6)
              .starts_with("#/node_types/fast/bus/links/1/latency_s: "));
    CHECK(rejection("add", bus + "/predicted", {{"bandwidth_Bps", {{0, 1}, {1, 0}}}, {"latency_s", {{0}}}}) ==
          "#/node_types/fast/bus/predicted/bandwidth_Bps: 2 rows (this node has 3 memories: the RAM and its "
          "GPUs). Give 3 "
          "rows");
    CHECK(rejection("add", bus + "/predicted",
                    {{"bandwidth_Bps", {{0, 1, 1}, {1, 0}, {1, 1, 0}}}, {"latency_s", {{0}}}}) ==
          "#/node_types/fast/bus/predicted/bandwidth_Bps/1: 2 values (this node has 3 memories: the RAM "
          "and its GPUs). Give "
          "3 values");
    CHECK(rejection("remove", bus)
              .starts_with("#/node_types/fast: the key \"bus\" is missing (the node has several memories)"));
    CHECK(rejection("add", "/node_types/slow/bus", json::object())
              .starts_with("#/node_types/slow/bus: a bus without GPUs"));
    CHECK(rejection("replace", "/node_types/slow/cores", 0).starts_with("#/node_types/slow/cores: is 0 "));
    CHECK(rejection("replace", "/node_types/slow/ram_bytes", -5)
              .starts_with("#/node_types/slow/ram_bytes: is -5 "));
    CHECK(rejection("add", "/node_types/slow/power", {{"core_W", 5}, {"off_W", 7}}) ==
          "#/node_types/slow/power/off_W: is above \"idle_W\" (0) (powering off would cost energy). Give "
          "\"idle_W\", or less");
    CHECK(rejection("add", "/node_types/slow/gpu", 1).starts_with("#/node_types/slow/gpu: unknown key"));
    CHECK(rejection("replace", "/node_types/slow/subnet", "near") ==
          "#/node_types/slow/subnet: no subnet is called \"near\" (its uplink would be unknown). Add it to "
          "network/subnets, or "
          "leave it out for the core switch");
    CHECK(rejection("replace", "/node_types/slow/nic/bandwidth_Bps", -1)
              .starts_with("#/node_types/slow/nic/bandwidth_Bps: "));
    CHECK(rejection("add", "/network/subnets/1",
                    {{"name", "far"}, {"uplink", {{"bandwidth_Bps", 1}, {"latency_s", 0}}}})
              .starts_with("#/network/subnets/1/name: a second subnet"));
    CHECK(rejection("replace", "/network/subnets/0/name", "")
              .starts_with("#/network/subnets/0/name: is empty"));
    CHECK(rejection("replace", "/nodes/1/count", 0) == "");  // leaves the type out
    CHECK(rejection("replace", "/nodes/1/count", -1) ==
          "#/nodes/1/count: is -1 (it must lie between 0 and 1000000). Give a value in that range");
    CHECK(rejection("replace", "/nodes", json::array())
              .starts_with("#/nodes: no nodes (nothing could compute)"));
    CHECK(rejection("replace", "/node_types", json::object()).starts_with("#/node_types: no node types"));
    CHECK(rejection("replace", "/version", 2).starts_with("#/version: is 2 "));
    CHECK(rejection("replace", "/version", 1) == "");
  }
}

TEST_SUITE("published") {
  TEST_CASE("StarPU perfmodels: mirage has 12 cores and 3 M2070 and asymmetric links") {
    Platform const p = read_platform(testing::repository() / "platforms/mirage.json");
    NodeType const& mirage = p.types.at(0);
    CHECK(mirage.cores == 12);
    REQUIRE(mirage.gpus.size() == 3);
    CHECK(mirage.gpus[0].memory == Bytes{5636554752});
    // Links come from the XML, predictions from the matrix: two calibrations.
    auto const& down = mirage.bus.routes[0 * 4 + 1];
    CHECK(mirage.bus.links[down[0]].name == "RAM-CUDA0");
    CHECK(mirage.bus.links[down[0]].rate.bandwidth == BytesPerSecond{6010679672.232608});
    CHECK(mirage.bus.predicted[0 * 4 + 1].bandwidth == BytesPerSecond{6030996807});
    CHECK(mirage.bus.predicted[1 * 4 + 0].latency == Seconds{10.565859e-6});
    // Between GPUs of different sockets the host link is crossed twice.
    auto const& across = mirage.bus.routes[1 * 4 + 2];
    CHECK(std::count_if(across.begin(), across.end(),
                        [&](auto l) { return mirage.bus.links[l].name == "Host"; }) == 2);
  }

  TEST_CASE("StarPU perfmodels: every copy on sirocco crosses the Host link") {
    NodeType const sirocco = read_platform(testing::repository() / "platforms/sirocco.json").types.at(0);
    CHECK(sirocco.cores == 24);
    CHECK(sirocco.gpus.size() == 4);
    for (std::size_t pair = 0; pair < 25; ++pair) {
      if (pair / 5 == pair % 5) continue;
      auto const& route = sirocco.bus.routes[pair];
      CHECK(std::count_if(route.begin(), route.end(),
                          [&](auto l) { return sirocco.bus.links[l].name == "Host"; }) == 1);
    }
  }

  TEST_CASE("ICPADS20 and ICPP21: the machines of Lille") {
    Platform const p = read_platform(testing::repository() / "platforms/lille.json");
    REQUIRE(p.types.size() == 3);
    CHECK(p.types[0].cores == 20);
    CHECK(p.types[1].cores == 28);
    CHECK(p.types[1].gpus.size() == 2);
    CHECK(p.types[2].subnet == "chifflot");
    CHECK(p.types[2].nic.bandwidth == BytesPerSecond{25e9 / 8});
    CHECK(p.nodes.size() == 14 + 7);
    for (NodeType const& type : p.types) CHECK(type.estimate);
  }
}

}  // namespace factosim
