#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "factosim/id.hpp"
#include "factosim/kernel_model.hpp"
#include "simulator/base/core/finding.hpp"
#include "simulator/traces/trace/trace.hpp"

namespace factosim {

/// Identifies a timing; a kernel file is sorted by it.
struct TimingSubject {
  std::string kernel, application;
  Precision precision;
  std::string worker;  // kind of worker: "cpu", "cuda0"
  int nb;
  auto operator<=>(TimingSubject const&) const = default;
};

/// A worker in one of several runs.
struct RunWorker {
  std::size_t run;
  WorkerId worker;
  auto operator<=>(RunWorker const&) const = default;
};

struct Execution {
  RunWorker by;
  double seconds;
  int busy_cores = 0;  // of the node when it starts, its own included: see busy_cores_at_start
};

struct KernelExecutions {
  std::vector<Execution> first, later;  // first: of the kernel on that worker in that run
};

/// Returns, for each task, how many cores of its node run tasks when it starts, its own included, as the
/// simulator counts them for a slow-down: cores that drive GPUs do not count. 0 for tasks that no worker ran.
/// `by_start`: all tasks in order of start; of tasks that start at one date the first does not see the
/// others.
[[nodiscard]] std::vector<int> busy_cores_at_start(Trace const& trace,
                                                   std::vector<std::uint32_t> const& by_start);

using KernelSamples = std::map<TimingSubject, KernelExecutions>;

/// Adds the executions of each kernel of a run. Kernels without a known tile size are left out, with a finding.
void add_samples(KernelSamples& samples, Trace const& trace, std::size_t run, std::vector<Finding>& findings);

}  // namespace factosim
