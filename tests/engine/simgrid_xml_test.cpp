// Networks that follow the routes of a user's SimGrid platform file.

#include "simulator/runtime/engine/simgrid.hpp"

#include "tests/engine/random_plan.hpp"
#include "tests/engine/without_simgrid.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

using Names = std::vector<std::string>;

std::filesystem::path written(TemporaryFolder const& folder, std::string const& content) {
  return folder.write("p.xml",
                      "<?xml version=\"1.0\"?>\n"
                      "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                      "<platform version=\"4.1\">" +
                          content + "</platform>\n");
}

Names hosts_of(std::string const& content) {
  TemporaryFolder const folder;
  return hosts_of_simgrid_xml(written(folder, content));
}

/// A node of its own for each host of the file.
Platform platform_over(std::string const& content) {
  TemporaryFolder const folder;
  auto const file = written(folder, content);
  Platform platform = platform_with({node_type(0, {BytesPerSecond{1}, Seconds{1}})});
  Names const hosts = hosts_of_simgrid_xml(file);
  platform.nodes.assign(hosts.size(), 0);
  platform.network.routes = std::make_shared<RouteTable>(routes_of_simgrid_xml(file, hosts));
  return platform;
}

std::string refusal(std::string const& content, Names const& hosts) {
  TemporaryFolder const folder;
  auto const file = written(folder, content);
  return message_of([&] { (void)routes_of_simgrid_xml(file, hosts); });
}

std::string const hosts_a_and_b = "<host id=\"a\" speed=\"1Gf\"/><host id=\"b\" speed=\"1Gf\"/>";

/// `nodes` hosts, each with a link each way of 1 GB/s and 1 us.
std::string cluster(int nodes, std::string const& more = "") {
  return "<cluster id=\"c\" prefix=\"n-\" suffix=\"\" radical=\"0-" + std::to_string(nodes - 1) +
         "\" speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\" " + more + "/>";
}

std::string with_backbone(std::string const& policy) {
  return cluster(6, "bb_bw=\"600MBps\" bb_lat=\"10us\" bb_sharing_policy=\"" + policy + "\"");
}

/// Two clusters of three joined by one link, which both ways share.
std::string const two_zones =
    "<zone id=\"all\" routing=\"Full\">"
    "<cluster id=\"A\" prefix=\"a-\" suffix=\"\" radical=\"0-2\" speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\"/>"
    "<cluster id=\"B\" prefix=\"b-\" suffix=\"\" radical=\"0-2\" speed=\"1Gf\" bw=\"2GBps\" lat=\"2us\"/>"
    "<link id=\"wan\" bandwidth=\"1200MBps\" latency=\"1ms\"/>"
    "<zoneRoute src=\"A\" dst=\"B\" gw_src=\"a-A_router\" gw_dst=\"b-B_router\"><link_ctn "
    "id=\"wan\"/></zoneRoute>"
    "</zone>";

constexpr std::int64_t size = 30'000'000;
constexpr double bytes = size;

constexpr LinkRate rate_of_all{BytesPerSecond{1e9}, Seconds{1e-6}};

/// A fabric, and the attributes of SimGrid's cluster that is the same.
struct Twins {
  int nodes;
  Fabric fabric;
  std::string parameters;
};

/// With one link to each switch above: of several, SimGrid chooses the one down by the sender.
Twins random_tree(Dice& dice) {
  FatTree tree;
  Twins out{.nodes = 1, .fabric = {}, .parameters = {}};
  int const levels = dice.between(1, 3);
  std::string down, up = "1", parallel = "1";
  for (int l = 0; l < levels; ++l) {
    FatTreeLevel const level{.down = static_cast<std::uint32_t>(dice.between(1, 4)),
                             .up = static_cast<std::uint32_t>(dice.between(1, 3)),
                             .uplink = rate_of_all};
    tree.levels.push_back(level);
    out.nodes *= static_cast<int>(level.down);
    down += std::to_string(level.down) + ",";
    up += "," + std::to_string(level.up);
    parallel += ",1";
  }
  int const subtrees = dice.between(1, 4);
  out.nodes *= subtrees;
  out.fabric = tree;
  out.parameters = "topology=\"FAT_TREE\" topo_parameters=\"" + std::to_string(levels + 1) + ";" + down +
                   std::to_string(subtrees) + ";" + up + ";" + parallel + "\"";
  return out;
}

/// With one chassis: SimGrid's groups are then joined in pairs as ours.
Twins random_dragonfly(Dice& dice) {
  int const groups = dice.between(1, 4), switches = dice.between(groups, 5), nodes = dice.between(1, 3);
  int const local = dice.between(1, 3), global = dice.between(1, 3);  // links as wide as several
  Dragonfly d{.switches = static_cast<std::uint32_t>(switches),
              .nodes_per_switch = static_cast<std::uint32_t>(nodes),
              .local = rate_of_all,
              .global = rate_of_all};
  d.local.bandwidth.value *= local;
  d.global.bandwidth.value *= global;
  return {groups * switches * nodes, d,
          "topology=\"DRAGONFLY\" topo_parameters=\"" + std::to_string(groups) + "," +
              std::to_string(global) + ";1,1;" + std::to_string(switches) + "," + std::to_string(local) +
              ";" + std::to_string(nodes) + "\""};
}

/// Checks that links of the one correspond to links of the other such that all routes and latencies are the same.
void check_same_routes(Topology const& a, Topology const& b) {
  std::map<std::uint32_t, std::uint32_t> in_b, in_a;
  for (std::uint32_t from = 0; from < a.node_count(); ++from)
    for (std::uint32_t to = 0; to < a.node_count(); ++to) {
      if (from == to) continue;
      Topology::RouteBuffer of_a, of_b;
      auto const one = a.route(MemoryNodeId{from}, MemoryNodeId{to}, of_a);
      auto const other = b.route(MemoryNodeId{from}, MemoryNodeId{to}, of_b);
      REQUIRE(one.links.size() == other.links.size());
      CHECK(one.latency.value == close_to(other.latency.value));
      for (std::size_t l = 0; l < one.links.size(); ++l) {
        CHECK(in_b.try_emplace(one.links[l], other.links[l]).first->second == other.links[l]);
        CHECK(in_a.try_emplace(other.links[l], one.links[l]).first->second == one.links[l]);
        CHECK(a.links()[one.links[l]].rate.bandwidth == b.links()[other.links[l]].rate.bandwidth);
      }
    }
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("hosts come in the order of the numbers in their names") {
    if (testing::without_simgrid()) return;
    CHECK(hosts_of(cluster(12)) ==
          Names{"n-0", "n-1", "n-2", "n-3", "n-4", "n-5", "n-6", "n-7", "n-8", "n-9", "n-10", "n-11"});
    CHECK(hosts_of("<zone id=\"z\" routing=\"Full\"><host id=\"b2\" speed=\"1Gf\"/><host id=\"b10\" "
                   "speed=\"1Gf\"/><host id=\"b02\" speed=\"1Gf\"/><host id=\"a20\" speed=\"1Gf\"/><host "
                   "id=\"b\" speed=\"1Gf\"/></zone>") == Names{"a20", "b", "b02", "b2", "b10"});
    CHECK(hosts_of("<zone id=\"z\" routing=\"Full\"><host id=\"r1n10\" speed=\"1Gf\"/><host id=\"r1n1\" "
                   "speed=\"1Gf\"/><host id=\"r1n2\" speed=\"1Gf\"/></zone>") ==
          Names{"r1n1", "r1n2", "r1n10"});
  }

  TEST_CASE("only links that a route crosses are kept and equal routes are kept once") {
    if (testing::without_simgrid()) return;
    TemporaryFolder const folder;
    RouteTable const table = routes_of_simgrid_xml(written(folder, two_zones), {"b-1", "a-0"});
    CHECK(table.hosts == Names{"b-1", "a-0"});
    REQUIRE(table.links.size() == 5);
    CHECK(table.links[0].name == "B_link_1_UP");
    CHECK(table.links[1].name == "wan");
    CHECK(table.links[1].bandwidth == BytesPerSecond{1.2e9});
    CHECK(table.latency.size() == 2);
    CHECK(table.latency[0].value == close_to(1.003e-3));
    std::string const one_link =
        "<zone id=\"z\" routing=\"Full\">" + hosts_a_and_b +
        "<link id=\"l\" bandwidth=\"1GBps\" latency=\"1us\"/><route src=\"a\" dst=\"b\"><link_ctn id=\"l\"/>"
        "</route></zone>";
    RouteTable const both = routes_of_simgrid_xml(written(folder, one_link), {"a", "b"});
    CHECK(both.latency.size() == 1);
    CHECK(both.route_between(0, 1) == both.route_between(1, 0));
  }

  TEST_CASE("one transfer alone lasts the latency of its route plus size over the least bandwidth") {
    if (testing::without_simgrid()) return;
    Platform const star = platform_over(cluster(4));
    Platform const zones = platform_over(two_zones);
    Platform const fatpipe = platform_over(with_backbone("FATPIPE"));
    for (NamedNetwork const& network : every_network) {
      CAPTURE(network.name);
      CHECK(ends_of(network, star, {{{0, 3, size}}})[0] == close_to(2e-6 + bytes / 1e9));
      CHECK(ends_of(network, star, {{{2, 1, 0, 1.0}}})[0] == close_to(1 + 2e-6));
      CHECK(ends_of(network, zones, {{{0, 3, size}}})[0] == close_to(1.003e-3 + bytes / 1e9));
      CHECK(ends_of(network, zones, {{{3, 5, size}}})[0] == close_to(4e-6 + bytes / 2e9));
      CHECK(ends_of(network, fatpipe, {{{0, 1, size}}})[0] == close_to(1.2e-5 + bytes / 6e8));
    }
  }

  TEST_CASE("the two directions of a split link do not share and those of a shared one do") {
    if (testing::without_simgrid()) return;
    auto const zone = [](std::string const& policy) {
      return "<zone id=\"z\" routing=\"Full\">" + hosts_a_and_b +
             "<link id=\"l\" bandwidth=\"1GBps\" latency=\"1us\" sharing_policy=\"" + policy +
             "\"/><route src=\"a\" dst=\"b\"><link_ctn id=\"l\"" +
             (policy == "SPLITDUPLEX" ? " direction=\"UP\"" : "") + "/></route></zone>";
    };
    Platform const split = platform_over(zone("SPLITDUPLEX"));
    Platform const shared = platform_over(zone("SHARED"));
    for (NamedNetwork const& network : sharing_networks) {
      CAPTURE(network.name);
      Plan const plan{{{0, 1, size}, {1, 0, size}}};
      for (double const end : ends_of(network, split, plan)) CHECK(end == close_to(1e-6 + bytes / 1e9));
      for (double const end : ends_of(network, shared, plan)) CHECK(end == close_to(1e-6 + 2 * bytes / 1e9));
    }
  }

  TEST_CASE("transfers share a shared backbone and each gets all of a fat pipe") {
    if (testing::without_simgrid()) return;
    Platform const shared = platform_over(with_backbone("SHARED"));
    Platform const fatpipe = platform_over(with_backbone("FATPIPE"));
    Plan const plan{{{0, 3, size}, {1, 4, size}, {2, 5, size}}};
    Plan const into_one{{{0, 3, size}, {1, 3, size}, {2, 4, size}}};
    for (NamedNetwork const& network : sharing_networks) {
      CAPTURE(network.name);
      for (double const end : ends_of(network, shared, plan))
        CHECK(end == close_to(1.2e-5 + 3 * bytes / 6e8));
      for (double const end : ends_of(network, fatpipe, plan)) CHECK(end == close_to(1.2e-5 + bytes / 6e8));
      auto const ends = ends_of(network, fatpipe, into_one);
      CHECK(ends[0] == close_to(1.2e-5 + 2 * bytes / 1e9));
      CHECK(ends[1] == close_to(1.2e-5 + 2 * bytes / 1e9));
      CHECK(ends[2] == close_to(1.2e-5 + bytes / 6e8));
    }
  }

  TEST_CASE("what SimGrid refuses is reported in its words and changes nothing here") {
    if (testing::without_simgrid()) return;
    std::string const zone = "<zone id=\"z\" routing=\"Full\">" + hosts_a_and_b;
    CHECK(contains(refusal(zone + "<link id=\"l\" bandwidth=\"1GB\" latency=\"1us\"/></zone>", {"a"}),
                   "unknown unit: GB"));
    CHECK(refusal(zone + "<host id=\"a\" speed=\"1Gf\"/></zone>", {"a"}) ==
          "Refusing to create a second host named 'a'.");
    CHECK(refusal(zone + "<link id=\"l\" bandwidth=\"1GBps\" latency=\"-1s\"/><route src=\"a\" dst=\"b\">"
                         "<link_ctn id=\"l\"/></route></zone>",
                  {"a", "b"}) == "the link l has a latency of -1 s, which is negative");
    CHECK(refusal(zone, {"a"}).starts_with("Start-end tags mismatch at byte "));
    CHECK(refusal(zone + "</zone>", {"a", "b"}) == "no link lies between a and b");
    CHECK_FALSE(refusal("", {"a"}).empty());  // SimGrid 3.32 ends by a signal
    for (char const* many : {"0-99999999", "0-150000,200000-300000", "1-18446744073709551615"})
      CHECK(contains(
          refusal("<zone id=\"z\" routing=\"Full\"><cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"" +
                      std::string(many) + "\" speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\"/></zone>",
                  {"n0"}),
          "#: has more than 200000 hosts in its clusters (the limit \"simgrid_hosts\""));
    std::string nested;
    for (int i = 0; i < 100'000; ++i) nested = "<zone>" + std::move(nested);
    for (int i = 0; i < 100'000; ++i) nested += "</zone>";
    CHECK(contains(refusal(nested, {"a"}), "#: has more than 100 levels of values in values"));
    CHECK(contains(refusal(zone + "</zone>", {"c"}), "'c'"));
    CHECK(hosts_of(zone + "</zone>") == Names{"a", "b"});
  }
}

TEST_SUITE("unit") {
  TEST_CASE("settings and profiles and included files of a SimGrid file have no effect and are named") {
    if (testing::without_simgrid()) return;
    TemporaryFolder const folder;
    auto const victim = folder.write("victim", "precious");
    std::string const path = victim.string();
    std::string const zone = "<zone id=\"z\" routing=\"Full\">" + hosts_a_and_b +
                             "<link id=\"l\" bandwidth=\"1GBps\" latency=\"1us\" bandwidth_file=\"" + path +
                             "\"/><route src=\"a\" dst=\"b\"><link_ctn id=\"l\"/></route></zone>";
    std::string const tracing = "<prop id=\"tracing\" value=\"yes\"/><prop id=\"tracing/filename\" value=\"" +
                                path + "\"/><prop id=\"tracing/uncategorized\" value=\"yes\"/>";
    for (std::string const& config :
         {"<config>" + tracing + "</config>", "<config id=\"General\">" + tracing + "</config>",
          std::string("<config><prop id=\"network/model\" value=\"guess\"/></config>"),
          std::string("<config><prop id=\"network/TCP_gamma\" value=\"obsolete\"/></config>")}) {
      CAPTURE(config);
      auto const file = written(folder, config + "<!-- -->" + zone);
      CHECK(hosts_of_simgrid_xml(file) == Names{"a", "b"});
      RouteTable const table = routes_of_simgrid_xml(file, {"a", "b"});
      CHECK(table.links[0].bandwidth == BytesPerSecond{1e9});
      CHECK(table.findings ==
            Names{"p.xml: left out: bandwidth_file, config (only hosts, links and routes are read)"});
      CHECK(testing::text_of(victim) == "precious");
    }
    CHECK(routes_of_simgrid_xml(written(folder, two_zones), {"a-0", "b-0"}).findings.empty());
  }
}

TEST_SUITE("property") {
  TEST_CASE("SimGrid and the own max-min agree on the routes of XML files") {
    if (testing::without_simgrid()) return;
    for (std::string const& content :
         {cluster(5), with_backbone("SHARED"), with_backbone("FATPIPE"), two_zones}) {
      CAPTURE(content);
      Platform const platform = platform_over(content);
      Topology const topology(platform);
      for (int seed = 1; seed <= 3; ++seed) {
        CAPTURE(seed);
        Dice dice(static_cast<std::uint64_t>(seed));
        Plan const plan = random_plan(dice, topology);
        auto const expected = ends_of(maxmin_network, platform, plan);
        for (NamedNetwork const& network : simgrid_networks) {
          CAPTURE(network.name);
          CHECK(distance(ends_of(network, platform, plan), expected) < simgrid_rounding);
        }
      }
    }
  }

  TEST_CASE("the own fat trees and dragonflies have the routes and times of SimGrid's") {
    if (testing::without_simgrid()) return;
    for (int seed = 1; seed <= 16; ++seed) {
      CAPTURE(seed);
      Dice dice(static_cast<std::uint64_t>(seed));
      Twins const twins = seed % 2 == 0 ? random_tree(dice) : random_dragonfly(dice);
      CAPTURE(twins.parameters);
      Platform const theirs =
          platform_over(cluster(twins.nodes, twins.parameters + " sharing_policy=\"SPLITDUPLEX\""));
      Platform own = platform_with({node_type(0, rate_of_all)});
      own.nodes.assign(static_cast<std::size_t>(twins.nodes), 0);
      own.network.fabric = twins.fabric;
      Topology const a(own), b(theirs);
      check_same_routes(a, b);
      if (twins.nodes < 2) continue;
      Plan const plan = random_plan(dice, a);
      CHECK(distance(ends_of(maxmin_network, own, plan), ends_of(maxmin_network, theirs, plan)) < 1e-9);
      CHECK(distance(ends_of(simgrid_network, own, plan), ends_of(maxmin_network, theirs, plan)) <
            simgrid_rounding);
    }
  }
}
