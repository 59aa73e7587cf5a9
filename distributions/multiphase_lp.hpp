#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace factosim {

/// Identical workers of all nodes of one type.
struct PhaseGroup {
  std::uint32_t node_type = 0;  // numbering of the caller
  std::string name;             // "chifflet cuda0"
  bool gpu = false;
  /// [kernels] w: seconds per task with all workers of the group computing; infinity: cannot run.
  std::vector<double> seconds;
};

/// Groups and the nodes that they belong to. Kernel 0 is the generation.
struct PhaseGroups {
  std::vector<PhaseGroup> groups;
  std::vector<std::uint32_t> type_of;  // [nodes] node type
  std::vector<double> flops;           // [kernels] of one task
};

/// Number of tasks of each kernel in each step: [steps][kernels].
using PhaseSteps = std::vector<std::vector<double>>;

/// Optimum of the linear program.
struct PhaseLoads {
  double objective_sum = 0;                               // (12): the sum of all G and F, seconds
  double makespan_s = 0;                                  // F of the last step
  double generation_end_s = 0;                            // G of the last step
  std::vector<double> generation_end, factorization_end;  // [steps] G and F, seconds
  std::vector<std::vector<double>> tasks;                 // [groups][kernels] alpha, summed over the steps
  std::vector<double> generation, factorization;          // [nodes] tiles to generate; flops to factorize
};

/// Assigns tasks of overlapping phases to groups of workers:
///
///   min sum over s of G(s) + F(s)                                                               (12)
///   sum over r of alpha(s, t, r) = Q(s, t)                                                      (13)
///   G(s - 1) + alpha(s, dcmg, r) w(dcmg, r) <= G(s), s > 1                                      (14)
///   G(s) + sum over t != dcmg of alpha(s, t, r) w(t, r) <= F(s)                                 (15)
///   F(s - 1) + sum over t != dcmg of alpha(s, t, r) w(t, r) <= F(s), s > 1                      (16)
///   sum over z <= s and t of alpha(z, t, r) w(t, r) <= F(s)                                     (17)
///   min over r of w(dcmg, r) <= G(1)                                                            (18)
///
/// Solved by Clp; the sums of (17) are variables of their own, which keeps the program sparse. Nodes of one
/// type share the load of their groups equally. Throws InfeasibleError if a kernel with tasks runs on no
/// group. Source: Nesi, Legrand, Schnorr, ICPP 2021, section 4.3.
[[nodiscard]] PhaseLoads phase_loads(PhaseSteps const& steps, PhaseGroups const& groups);

}  // namespace factosim
