#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "factosim/quantity.hpp"

namespace factosim {

/// Workers that are alike.
struct WorkerClass {
  std::uint32_t count = 0;
  std::vector<double> durations;  // [kernels] seconds; infinity: cannot run there
};

struct AreaBound {
  Seconds makespan;
  std::vector<double>
      shares;  // [kernels][classes] how many tasks of the kernel the class runs in the optimum
};

/// The area bound estimation (ABE): the least time in which the tasks can be done when nothing but the
/// workers' time limits them, as the exact optimum of the linear program
///
///   min T   subject to   sum over c of n(k, c) = N(k) for each kernel k,
///                        sum over k of n(k, c) d(k, c) <= T count(c) for each class c,   n >= 0.
///
/// `tasks[k]`: how many tasks of each kernel. Throws InfeasibleError if a kernel with tasks can run nowhere.
/// Source: Nesi, Schnorr, Legrand, ICPADS 2020, section IV; solved by Clp.
AreaBound area_bound(std::span<std::uint64_t const> tasks, std::span<WorkerClass const> classes);

}  // namespace factosim
