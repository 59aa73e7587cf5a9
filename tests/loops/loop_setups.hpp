#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "factosim/platform.hpp"
#include "simulator/experiments/balance/balancers.hpp"
#include "simulator/experiments/loops/data_parallel.hpp"
#include "simulator/runtime/engine/network_factory.hpp"

namespace factosim::testing {

/// Nodes of a CPU and some accelerators each, cards of 4 GB/s.
inline Platform loop_platform(std::vector<int> const& accelerators) {
  Platform platform;
  for (int const count : accelerators) {
    NodeType type;
    type.name = "n" + std::to_string(platform.types.size());
    type.cores = 8;
    type.nic = {.bandwidth = {4e9}, .latency = {1e-6}};
    std::size_t const memories = static_cast<std::size_t>(count) + 1;
    type.bus.routes.resize(memories * memories);
    for (std::size_t m = 1; m < memories; ++m) {
      type.gpus.push_back({"accelerator", Bytes{1LL << 33}});
      for (std::size_t const route : {m, m * memories}) {
        type.bus.routes[route] = {static_cast<std::uint32_t>(type.bus.links.size())};
        type.bus.links.push_back({"pci" + std::to_string(route), {{10e9}, {1e-5}}});
      }
    }
    platform.nodes.push_back(static_cast<std::uint32_t>(platform.types.size()));
    platform.types.push_back(type);
  }
  return platform;
}

/// A loop on such nodes; the curves go to the CPU and the accelerators of one node after the other.
struct LoopSetup {
  Platform platform;
  Topology topology;
  DataParallelLoop loop;

  LoopSetup(std::vector<int> const& accelerators, LoopCost const& cost, std::vector<CostCurve> const& curves)
      : platform(loop_platform(accelerators)), topology(platform) {
    loop.cost = cost;
    std::size_t next = 0;
    for (std::uint32_t n = 0; n < platform.nodes.size(); ++n)
      for (std::uint32_t m = 0; m < platform.types[n].memory_node_count(); ++m)
        loop.units.push_back({.name = std::to_string(n) + (m == 0 ? ":cpu" : ":cuda" + std::to_string(m - 1)),
                              .unit_class = m == 0 ? "cpu" : "gpu",
                              .node = NodeId{n},
                              .memory = MemoryNodeId{topology.ram_of(NodeId{n}).value() + m},
                              .curve = curves.at(next++)});
  }

  [[nodiscard]] StaticOptimum optimum() const {
    return static_optimum(undisturbed_times(loop, topology), loop.cost.chunks);
  }
  [[nodiscard]] DataParallelOutcome run(Balancer& balancer) const {
    return simulate_loop(loop, balancer, topology, make_network({.model = NetworkModel::maxmin}, topology));
  }
  [[nodiscard]] DataParallelOutcome run(std::string const& type) const {
    return run(*make_balancer({.type = type}, loop.units.size(), loop.cost.chunks, optimum()));
  }
};

inline double uniform_between(std::mt19937& random, double low, double high) {
  return low + (high - low) * static_cast<double>(random()) / 4294967296.0;
}

/// A curve of one of the three kinds of a unit of that speed (operations per second); `second` is what a run
/// of about 100 s calls a second, in operations.
inline CostCurve random_curve(std::mt19937& random, double speed) {
  double const startup = uniform_between(random, 0, 0.3);  // s
  switch (random() % 3) {
    case 0:
      return {.startup = {startup}, .rate = speed};
    case 1:
      return {.type = CostCurve::Type::saturating,
              .startup = {startup},
              .rate = speed,
              .ramp = speed * uniform_between(random, 0.01, 1)};
    default:
      break;
  }
  // Slower on large blocks (caches) or faster (threads): time ~ size^power, from 20 ms to 200 s.
  CostCurve samples{.type = CostCurve::Type::samples};
  double const power = uniform_between(random, 0.9, 1.15);
  for (double seconds = 0.02; seconds < 200; seconds *= 3) {
    samples.work.push_back(seconds * speed);
    samples.seconds.push_back({startup + 10 * std::pow(seconds / 10, power)});
  }
  return samples;
}

/// One to six nodes, two to eighteen units of all kinds of curves, speeds over two orders of magnitude, some
/// 100 s of work, transfers of up to a fifth of it, noise of up to 10 %. The slowest unit can do one chunk
/// within the optimum; otherwise no bound could hold for a balancer, which has to try each worker.
inline LoopSetup random_setup(std::uint32_t seed) {
  std::mt19937 random(seed);
  while (true) {
    std::vector<int> accelerators(1 + random() % 6);
    for (int& count : accelerators) count = static_cast<int>(random() % 3);
    if (accelerators.size() == 1 && accelerators[0] == 0) continue;
    std::vector<CostCurve> curves;
    double speeds = 0;
    for (int const count : accelerators)
      for (int unit = 0; unit <= count; ++unit) {
        double const speed = 1e10 * std::pow(100, uniform_between(random, 0, 1));
        speeds += speed;
        curves.push_back(random_curve(random, speed));
      }
    auto const chunks = static_cast<std::int64_t>(500 * std::pow(100, uniform_between(random, 0, 1)));
    double const bytes = 4e9 * 100 * uniform_between(random, 0, 0.1) / static_cast<double>(chunks);
    LoopSetup setup(accelerators,
                    {.chunks = chunks,
                     .work = speeds * 100 / static_cast<double>(chunks),
                     .bytes_in = bytes,
                     .bytes_out = bytes},
                    curves);
    setup.loop.deviation = uniform_between(random, 0, 0.1);
    setup.loop.noise.distribution = NoiseDistribution::lognormal;
    setup.loop.noise.seed = seed;
    double slowest = 0;
    for (TrueBlockTime const& time : undisturbed_times(setup.loop, setup.topology))
      slowest = std::max(slowest, time(1));
    if (slowest <= setup.optimum().makespan.value) return setup;
  }
}

}  // namespace factosim::testing
