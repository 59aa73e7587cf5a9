#pragma once

#include <random>
#include <string>

#include "simulator/experiments/hpl/closed_form.hpp"
#include "simulator/experiments/hpl/hpl_links.hpp"
#include "simulator/experiments/hpl/hpl_run.hpp"
#include "simulator/experiments/hpl/hpl_steps.hpp"

namespace factosim::testing {

/// A cluster of equal nodes with 10 GB/s cards, whose processes do dgemm at 1 TFlop/s.
inline HplScenario hpl_scenario(HplProblem const& problem, int processes_per_node = 1) {
  HplScenario s;
  s.problem = problem;
  s.processes_per_node = processes_per_node;
  NodeType& type = s.platform.types.emplace_back();
  type.name = "node";
  type.cores = 8;
  type.nic = {.bandwidth = {1e10}, .latency = {5e-7}};
  int const nodes = (problem.processes() + processes_per_node - 1) / processes_per_node;
  s.platform.nodes.assign(static_cast<std::size_t>(nodes), 0);
  HplMachineCosts& costs = s.costs.machines["node"];
  costs.gemm = {.call = 1e-6, .mnk = 2e-12};
  costs.trsm = {.call = 1e-6, .mmn = 1.5e-12};
  costs.panel = {.flops_per_s = 1e11, .column = 1e-6};
  costs.memory = {1e11};
  costs.local = {.bandwidth = {2e10}, .latency = {2e-7}};
  s.network.model = NetworkModel::maxmin;
  return s;
}

inline HplOutcome by_steps(HplScenario const& s) {
  HplSystem const system(s);
  return simulate_hpl_steps(system, HplLinks(system, s.platform));
}

inline HplOutcome by_messages(HplScenario const& s) {
  HplSystem const system(s);
  Topology const topology(s.platform);
  return simulate_hpl_messages(system, topology, make_network(s.network, topology),
                               TimeGrid::for_makespan(hpl_closed_form(s)));
}

}  // namespace factosim::testing
