#pragma once

#include <span>

#include "simulator/plan/machine.hpp"

namespace factosim {

/// Sets the part of its GPU that each kernel uses while it runs alone: its rate of operations over the best one for that GPU
/// and precision, of all kernels and tile sizes that the kernel file and the application have. 1 of kernels that are bound by
/// memory or have no operations. Durations must be those without power caps.
void set_gpu_parts(Machine::Type& type, KernelModel const& model, std::span<Kernel const> kernels,
                   TimingKey const& key);

}  // namespace factosim
