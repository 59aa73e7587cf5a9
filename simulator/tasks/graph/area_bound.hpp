#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "factosim/quantity.hpp"

namespace factosim {

/// Identical workers.
struct WorkerClass {
  std::uint32_t count = 0;
  std::vector<double> durations;  // [kernels] seconds; infinity: cannot run
};

struct AreaBound {
  Seconds makespan;
  std::vector<double> shares;  // [kernels][classes] number of tasks in the optimum
  /// [kernels] time that a task adds to the optimum: an optimal solution of the dual program. By weak duality
  /// any numbers of tasks n(k) have an area bound of at least the sum of n(k) prices[k]. 0 without a worker.
  std::vector<double> prices;
};

/// Computes the area bound estimation (ABE): the minimum time of the tasks if only the workers' time limits them,
/// as the exact optimum of the linear program
///
///   min T   subject to   sum over c of n(k, c) = N(k) for each kernel k,
///                        sum over k of n(k, c) d(k, c) <= T count(c) for each class c,   n >= 0.
///
/// `tasks[k]`: number of tasks of kernel k. Throws InfeasibleError if no class can run a kernel with tasks.
/// Source: Nesi, Schnorr, Legrand, ICPADS 2020, section IV; solved by Clp.
AreaBound area_bound(std::span<std::uint64_t const> tasks, std::span<WorkerClass const> classes);
/// The same for amounts of work, in units of the classes' durations, instead of whole tasks.
AreaBound area_bound(std::span<double const> work, std::span<WorkerClass const> classes);

}  // namespace factosim
