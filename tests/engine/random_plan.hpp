#pragma once

#include "tests/engine/network_harness.hpp"

namespace factosim::testing {

// SimGrid 3.32 ends flows that are within 1e-9 s of each other together; dates here are at least 1e-2 s.
inline constexpr double simgrid_rounding = 1e-6;

/// The same numbers on every machine: std's distributions promise none.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  int between(int minimum, int maximum) {
    return minimum + static_cast<int>(engine_() % static_cast<std::uint64_t>(maximum - minimum + 1));
  }
  bool chance(int percent) { return between(1, 100) <= percent; }
  double real(double minimum, double maximum) {
    return minimum + (maximum - minimum) * static_cast<double>(engine_() >> 11) * 0x1p-53;
  }
  /// Evenly spread over the orders of magnitude.
  double magnitude(double minimum, double maximum) {
    return minimum * std::pow(maximum / minimum, real(0, 1));
  }

 private:
  std::mt19937_64 engine_;
};

struct Pair {
  std::uint32_t from, to;
};

/// The pairs of memory nodes that a route joins.
inline std::vector<Pair> joined_pairs(Topology const& topology) {
  std::vector<Pair> pairs;
  auto const is_ram = [&](MemoryNodeId m) { return topology.ram_of(topology.node_of(m)) == m; };
  for (std::uint32_t a = 0; a < topology.memory_node_count(); ++a)
    for (std::uint32_t b = 0; b < topology.memory_node_count(); ++b) {
      MemoryNodeId const from{a}, to{b};
      bool const joined =
          topology.same_node(from, to) ? !topology.bus_route(from, to).empty() : is_ram(from) && is_ram(to);
      if (joined) pairs.push_back({a, b});
    }
  return pairs;
}

inline Plan random_plan(Dice& dice, Topology const& topology) {
  auto const pairs = joined_pairs(topology);
  Plan plan;
  int const transfers = dice.between(30, 300);
  double const busy = dice.magnitude(0.05, 2);  // seconds over which they start
  for (int t = 0; t < transfers; ++t) {
    Pair const pair = pairs[static_cast<std::size_t>(dice.between(0, static_cast<int>(pairs.size()) - 1))];
    std::int64_t const size = dice.chance(5) ? 0 : static_cast<std::int64_t>(dice.magnitude(1, 1e8));
    int const after = t > 0 && dice.chance(30) ? dice.between(0, t - 1) : nothing;
    double const start =
        t > 0 && dice.chance(10) ? plan.transfers.back().start : dice.real(0.01, 0.01 + busy);
    plan.transfers.push_back({pair.from, pair.to, size, start, after});
  }
  int const events = dice.between(0, 50);
  for (int e = 0; e < events; ++e) plan.events.push_back(dice.chance(20) ? 0.5 : dice.real(0, busy));
  return plan;
}

/// The largest relative distance of two runs' dates.
inline double distance(std::vector<double> const& a, std::vector<double> const& b) {
  REQUIRE(a.size() == b.size());
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    REQUIRE(a[i] > 0);
    REQUIRE(b[i] > 0);
    largest = std::max(largest, std::abs(a[i] - b[i]) / std::max(a[i], b[i]));
  }
  return largest;
}

}  // namespace factosim::testing
