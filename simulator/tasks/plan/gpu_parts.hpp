#pragma once

#include <span>
#include <string>
#include <vector>

#include "factosim/kernel_model.hpp"
#include "factosim/task_graph.hpp"

namespace factosim {

/// Returns the part of its GPU that each kernel uses while it runs alone, [kernels][workers]: its rate of operations over the
/// best one for that GPU and precision, of all kernels and tile sizes that the kernel file and the application have. 1 of
/// kernels that are bound by memory or have no operations, and on cores. `durations`: [kernels][workers], without power caps;
/// `gpus`: names in the kernel file of the first workers; `precision`: of kernels without one of their own.
[[nodiscard]] std::vector<double> gpu_parts(KernelModel const& model, std::span<Kernel const> kernels,
                                            Precision precision, std::span<double const> durations,
                                            std::span<std::string const> gpus);

}  // namespace factosim
