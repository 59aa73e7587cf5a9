// Every network model on a two-level fat tree, where dates follow from a formula.

#include "tests/engine/network_harness.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

constexpr double nic_bandwidth = 1e9;
constexpr double uplink_bandwidth = 1.5e9;
constexpr double inside = 2 * 3e-6;           // latency of a message of one leaf
constexpr double across = inside + 2 * 5e-6;  // and between leaves
constexpr std::int64_t size = 30'000'000;
constexpr double bytes = size;

/// Leaves of four nodes: 0 to 3, 4 to 7, 8 to 11.
Platform fat_tree(std::uint32_t uplinks) {
  NetworkSpec network;
  network.fabric = leaves_of(4, uplinks, {BytesPerSecond{uplink_bandwidth}, Seconds{5e-6}});
  Platform platform = platform_with({node_type(0, {BytesPerSecond{nic_bandwidth}, Seconds{3e-6}})}, network);
  platform.nodes.assign(12, 0);
  return platform;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("one transfer alone in a fat tree lasts latency plus size over the least bandwidth") {
    Platform narrow = fat_tree(2);
    std::get<FatTree>(narrow.network.fabric).levels[0].uplink.bandwidth = BytesPerSecond{4e8};
    for (NamedNetwork const& network : every_network) {
      CAPTURE(network.name);
      CHECK(ends_of(network, fat_tree(2), {{{0, 4, size}}})[0] == close_to(across + bytes / nic_bandwidth));
      CHECK(ends_of(network, narrow, {{{0, 4, size}}})[0] == close_to(across + bytes / 4e8));
      CHECK(ends_of(network, narrow, {{{0, 3, size}}})[0] == close_to(inside + bytes / nic_bandwidth));
    }
  }

  TEST_CASE("transfers through one uplink share it") {
    for (NamedNetwork const& network : sharing_networks) {
      CAPTURE(network.name);
      // 4, 6 and 10 are even: one link up; 5 is odd: the other one
      auto const ends =
          ends_of(network, fat_tree(2), {{{0, 4, size}, {1, 6, size}, {2, 10, size}, {3, 5, size}}});
      for (int t : {0, 1, 2})
        CHECK(ends[static_cast<std::size_t>(t)] == close_to(across + 3 * bytes / uplink_bandwidth));
      CHECK(ends[3] == close_to(across + bytes / nic_bandwidth));
    }
  }

  TEST_CASE("transfers to one leaf share the link down that their destinations choose") {
    for (NamedNetwork const& network : sharing_networks) {
      CAPTURE(network.name);
      auto const ends = ends_of(network, fat_tree(2), {{{0, 4, size}, {8, 6, size}, {9, 7, size}}});
      CHECK(ends[0] == close_to(across + 2 * bytes / uplink_bandwidth));
      CHECK(ends[1] == close_to(across + 2 * bytes / uplink_bandwidth));
      CHECK(ends[2] == close_to(across + bytes / nic_bandwidth));
    }
  }

  TEST_CASE("transfers inside a leaf and the other way leave an uplink alone") {
    for (NamedNetwork const& network : sharing_networks) {
      CAPTURE(network.name);
      auto const ends = ends_of(network, fat_tree(1),
                                {{{0, 4, size}, {1, 2, size}, {3, 1, size}, {5, 2, 0}, {6, 3, size}}});
      CHECK(ends[0] == close_to(across + bytes / nic_bandwidth));
      CHECK(ends[1] == close_to(inside + bytes / nic_bandwidth));
      CHECK(ends[2] == close_to(inside + bytes / nic_bandwidth));
      CHECK(ends[4] == close_to(across + bytes / nic_bandwidth));
    }
  }

  TEST_CASE("nodes with different NICs send and receive each at its own speed") {
    Platform platform = fat_tree(4);
    platform.types.push_back(node_type(0, {BytesPerSecond{2.5e8}, Seconds{2e-5}}));
    platform.nodes[1] = platform.nodes[5] = 1;
    double const mixed = across - 3e-6 + 2e-5;
    for (NamedNetwork const& network : every_network) {
      CAPTURE(network.name);
      auto const ends =
          ends_of(network, platform, {{{0, 4, size}, {2, 5, size}, {1, 6, size}, {3, 2, size}}});
      CHECK(ends[0] == close_to(across + bytes / nic_bandwidth));
      CHECK(ends[1] == close_to(mixed + bytes / 2.5e8));
      CHECK(ends[2] == close_to(mixed + bytes / 2.5e8));
      CHECK(ends[3] == close_to(inside + bytes / nic_bandwidth));
    }
  }
}
