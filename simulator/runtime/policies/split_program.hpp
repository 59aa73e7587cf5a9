#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace factosim {

/// Durations of the kernels of an application, and of those that its tasks are split into, on one node.
struct SplitCosts {
  struct Kernel {
    double core_s, gpu_s;  // mean over the workers that can run it; infinity: none can
  };
  double cores = 0, gpus = 0;
  std::vector<Kernel> coarse, fine;
  std::vector<std::vector<double>> children;  // [coarse][fine] tasks of that kernel in a split task
  std::vector<double> chain_s;                // [coarse] longest chain of the children, on cores
  std::vector<double> split_s;                // [coarse] time of a core to submit the children
};

/// Ratio of a kernel without a ready task.
inline constexpr double no_ready_task = -1;

/// Returns for each coarse kernel the share of its ready tasks that are split in an optimum of
///
///   min T   where   n(k) ready tasks of coarse kernel k = split(k) + on cores(k) + on GPUs(k),
///                   n(f) ready tasks and the children of all split tasks, of fine kernel f = on cores(f) + on GPUs(f),
///                   time on cores <= T cores, with the submission of the children,
///                   time on GPUs <= T GPUs,
///                   at least 1 task for each core and 4 for each GPU, if that is possible.
///
/// Source: StarPU 1.5 `profiling/splitter_bound.c` and its defaults of STARPU_CPU_TASK_FACTOR and
/// STARPU_CUDA_TASK_FACTOR, for one level of splitting. The objective is the one described, the makespan T; there its
/// coefficient is on another column when a node has cores and GPUs. Costs are those of the simulated run.
[[nodiscard]] std::vector<double> split_ratios(SplitCosts const& costs, std::span<std::uint64_t const> ready);

}  // namespace factosim
