// Where independent links differ from max-min, by formula.

#include "tests/engine/network_harness.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

constexpr double nic_bandwidth = 1e9;
constexpr double nic_latency = 3e-6;

Platform cluster(std::size_t nodes, NetworkSpec network = {}) {
  Platform platform = platform_with({node_type(0, {BytesPerSecond{nic_bandwidth}, Seconds{nic_latency}})},
                                    std::move(network));
  platform.nodes.assign(nodes, 0);
  return platform;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("independent links share a link equally where another link holds back some transfers") {
    // The link down of 2 gives each of three a third. Max-min would give 0 -> 3 two thirds of the link up of 0,
    // independent links share it equally until 0 -> 3 has been carried.
    Plan const plan{{{0, 2, 30'000'000}, {1, 2, 30'000'000}, {4, 2, 30'000'000}, {0, 3, 30'000'000}}};
    double const latency = 2 * nic_latency;
    auto const exact = ends_of(maxmin_network, cluster(5), plan);
    auto const ends = ends_of(independent_links, cluster(5), plan);
    CHECK(exact[3] == close_to(latency + 1.5 * 3e7 / nic_bandwidth));
    CHECK(ends[3] == close_to(latency + 2 * 3e7 / nic_bandwidth));
    for (std::size_t t = 0; t < 3; ++t) CHECK(ends[t] == close_to(latency + 9e7 / nic_bandwidth));
  }

  TEST_CASE("a backbone of independent links carries no more than its bandwidth") {
    // 2e7 and 1e7 bytes share it equally; then 1e7 bytes are left for it, but for the longer one's own links, which
    // have carried on at full speed, none.
    constexpr double backbone = 1.2e9, backbone_latency = 1e-5;
    Platform const platform =
        cluster(4, {.subnets = {}, .backbone = {BytesPerSecond{backbone}, Seconds{backbone_latency}}});
    double const latency = 2 * nic_latency + backbone_latency;
    auto const ends = ends_of(independent_links, platform, {{{0, 1, 10'000'000}, {2, 3, 20'000'000}}});
    CHECK(ends[0] == close_to(latency + 2 * 1e7 / backbone));
    CHECK(ends[1] == close_to(latency + 3e7 / backbone));
  }
}
