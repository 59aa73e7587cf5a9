#include "simulator/experiments/hpl/closed_form.hpp"

#include <cmath>
#include <limits>

namespace factosim {

namespace {

/// The best of the nodes in use.
struct BestNode {
  double seconds_per_flop = std::numeric_limits<double>::infinity();
  double memory = 0;  // bytes per second
  double latency = std::numeric_limits<double>::infinity(),
         per_double = std::numeric_limits<double>::infinity();
};

BestNode best_node(HplScenario const& s) {
  BestNode best;
  for (std::uint32_t const index : s.platform.nodes) {
    NodeType const& type = s.platform.types[index];
    HplMachineCosts const& costs = s.costs.machines.at(type.name);
    best.seconds_per_flop = std::min(best.seconds_per_flop, costs.gemm.mnk / 2);
    best.memory = std::max(best.memory, costs.memory.value);
    best.latency =
        std::min(best.latency, 2 * type.nic.latency.value + s.platform.network.backbone.latency.value);
    best.per_double = std::min(best.per_double, 8 / type.nic.bandwidth.value);
  }
  return best;
}

}  // namespace

Seconds hpl_closed_form(HplScenario const& s) {
  BestNode const best = best_node(s);
  auto const n = static_cast<double>(s.problem.n);
  double const p = s.problem.p, q = s.problem.q, nb = s.problem.nb;
  double const messages = s.problem.processes() > 1 ? 1 : 0;
  return {2 * best.seconds_per_flop * n * n * n / (3 * p * q) +
          messages * best.per_double * n * n * (3 * p + q) / (2 * p * q) +
          messages * best.latency * n * ((nb + 1) * std::log2(p) + p) / nb};
}

Seconds hpl_back_substitution(HplScenario const& s) {
  BestNode const best = best_node(s);
  auto const n = static_cast<double>(s.problem.n);
  double const messages = s.problem.processes() > 1 ? 1 : 0;
  return {4 * n * n / s.problem.processes() / best.memory +
          messages * n * (best.latency / s.problem.nb + 2 * best.per_double)};
}

}  // namespace factosim
