#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "simulator/sweep/point_store.hpp"
#include "simulator/sweep/sweep.hpp"

namespace factosim {

struct LocalEngineOptions {
  int jobs = 0;                                // simulations at once; 0: one a core
  std::optional<std::int64_t> memory_bytes{};  // for all of them; default: what is available at the start
};

/// What became of the points.
struct SweepProgress {
  std::size_t points = 0;         // simulated now
  std::size_t kept = 0;           // were there already
  std::size_t failed = 0;         // of those simulated now
  double wall_s = 0, busy_s = 0;  // busy: summed over the processes
  double cpu_s = 0;               // of the processes
  int jobs = 0;
};

/// Simulates the points that the store lacks, each in a process of its own, the longest first, and writes
/// them to the store. A point that fails is written as such and does not stop the others; one whose process
/// was killed (by a system short of memory, say) is tried once more when nothing else runs.
/// Throws InputError where results cannot be written any more: what was written stays.
SweepProgress simulate_points(Sweep const& sweep, std::span<SweepPoint const> points, PointStore const& store,
                              LocalEngineOptions const& options);

/// Simulates one scenario in this process: the result, or why there is none. Does not throw.
[[nodiscard]] PointRecord simulate_point(SweepPoint const& point, std::string const& scenario_file);

/// Estimates the number of tasks of a scenario, from which its cost and its memory are estimated.
[[nodiscard]] double guess_tasks(nlohmann::json const& scenario);

}  // namespace factosim
