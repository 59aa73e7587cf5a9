#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "simulator/studies/sweep/point_store.hpp"
#include "simulator/studies/sweep/sweep.hpp"

namespace factosim {

struct LocalEngineOptions {
  int jobs = 0;                                // simulations at once; 0: one a core
  std::optional<std::int64_t> memory_bytes{};  // for all of them; default: what is available at the start
  bool force_large = false;                    // also points that need more memory than there is
};

struct SweepProgress {
  std::size_t points = 0;         // simulated now
  std::size_t kept = 0;           // stored before
  std::size_t failed = 0;         // of those simulated now
  double wall_s = 0, busy_s = 0;  // busy: summed over the processes
  double cpu_s = 0;               // of the processes
  int jobs = 0;
  std::vector<std::string> damaged{};  // why stored points were simulated again
};

/// Simulates the points that the store lacks, each in a child process, the longest first, and stores them. A
/// point that fails is stored as failed and does not stop the others. A point whose process was killed (for
/// instance by a system short of memory) is tried once more when nothing else runs.
/// Damaged points are simulated again. Throws InputError if results cannot be stored any more; those stored before
/// remain.
SweepProgress simulate_points(Sweep const& sweep, std::span<SweepPoint const> points, PointStore const& store,
                              LocalEngineOptions const& options);

/// Simulates a scenario in this process and returns its result as in result.json. `file`: for error messages.
/// Throws what reading, planning and simulating throw.
[[nodiscard]] nlohmann::ordered_json simulate_document(nlohmann::json const& document,
                                                       std::string const& file, SizeLimit const& limit = {});

/// Estimates the number of tasks of a scenario, from which its run time and memory are estimated.
[[nodiscard]] double guess_tasks(nlohmann::json const& scenario);

}  // namespace factosim
