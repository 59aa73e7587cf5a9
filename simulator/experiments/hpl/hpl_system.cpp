#include "simulator/experiments/hpl/hpl_system.hpp"

#include <algorithm>

#include "simulator/runtime/node/random_factor.hpp"

namespace factosim {

HplSystem::HplSystem(HplScenario const& s) : problem_(s.problem), noise_(s.noise) {
  auto const count = static_cast<std::size_t>(problem_.processes());
  nodes_.resize(count);
  costs_.resize(count);
  factors_.resize(count);
  std::vector<std::size_t> of_type(s.platform.types.size());  // processes, and those seen so far
  auto const per_node = static_cast<std::size_t>(s.processes_per_node);
  for (std::uint32_t const type : s.platform.nodes) of_type[type] += per_node;
  std::vector<std::size_t> seen(of_type.size());
  double const of_run = run_factor(noise_.run_speed_deviation, noise_.seed);
  for (std::size_t rank = 0; rank < count; ++rank) {
    auto const q = static_cast<std::size_t>(problem_.q), p = static_cast<std::size_t>(problem_.p);
    std::size_t const process = problem_.mapping == HplMapping::row_major
                                    ? number(static_cast<int>(rank / q), static_cast<int>(rank % q))
                                    : number(static_cast<int>(rank % p), static_cast<int>(rank / p));
    auto const node = static_cast<std::uint32_t>(rank / per_node);
    std::uint32_t const type = s.platform.nodes[node];
    HplMachineCosts const& costs = s.costs.machines.at(s.platform.types[type].name);
    double factor = of_run;
    if (!costs.factors.empty())
      factor *=
          costs
              .factors[std::min(seen[type] * costs.factors.size() / of_type[type], costs.factors.size() - 1)];
    if (noise_.worker_speed_deviation > 0)
      factor *=
          lognormal_factor(noise_.worker_speed_deviation, uniform(noise_.seed, RandomStream::worker, rank));
    ++seen[type];
    nodes_[process] = node;
    costs_[process] = &costs;
    factors_[process] = factor;
    updates_vary_ = updates_vary_ || (costs.deviation > 0 && noise_.scale > 0 &&
                                      noise_.distribution != NoiseDistribution::none);
  }
}

double HplSystem::update_factor(std::size_t process, std::uint64_t update) const {
  double const deviation = noise_.scale * costs_[process]->deviation;
  if (!updates_vary_ || deviation == 0) return 1;
  double const u = uniform(noise_.seed, RandomStream::task, update * nodes_.size() + process);
  return noise_.distribution == NoiseDistribution::lognormal ? lognormal_factor(deviation, u)
                                                             : normal_factor(deviation, u);
}

double HplSystem::update_s(std::size_t process, std::int64_t rows, std::int64_t columns, int width,
                           bool copies_u) const {
  if (columns <= 0) return 0;
  HplMachineCosts const& costs = *costs_[process];
  auto const m = static_cast<double>(rows), n = static_cast<double>(columns);
  double const k = width;
  double seconds = costs.trsm.call + costs.trsm.mmn * k * k * n;
  if (rows > 0)
    seconds += costs.gemm.call + costs.gemm.mnk * m * n * k + costs.gemm.mn * m * n + costs.gemm.mk * m * k +
               costs.gemm.nk * n * k;
  seconds *= factors_[process];
  return copies_u ? seconds + copy_s(process, k * n) : seconds;
}

double HplSystem::panel_s(std::size_t process, std::int64_t rows, int width) const {
  HplMachineCosts::Panel const& panel = costs_[process]->panel;
  double const w = width;
  double const flops = std::max(static_cast<double>(rows) * w * w - w * w * w / 3, w * w * w / 3);
  return factors_[process] * (flops / panel.flops_per_s + panel.column * w);
}

}  // namespace factosim
