#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "simulator/sweep/point_store.hpp"
#include "simulator/sweep/sweep.hpp"

namespace factosim {

/// Points [first, last], both included.
struct PointRange {
  std::size_t first = 0, last = 0;
};

/// How another process is told to simulate a part of a sweep.
struct BatchCommand {
  std::filesystem::path program, sweep, out;  // absolute
  std::vector<std::string> settings, filters;
  std::size_t max_points = 0;
  std::string jobs;  // simulations at once, as a shell reads it; empty: one a core

  /// As a shell reads it; `points` is "FIRST:LAST", or what expands to it.
  [[nodiscard]] std::string text(std::string const& points) const;
};

/// The points in pieces of `chunk`, without those pieces in which the store has all points already.
[[nodiscard]] std::vector<PointRange> open_chunks(Sweep const& sweep, PointStore const& store,
                                                  std::size_t chunk);

struct SlurmOptions {
  std::size_t chunk = 1;
  bool wait = true;
  std::vector<std::string> sbatch_options;  // as given to sbatch
};

/// Submits a job array with a task for each open chunk and, if asked to, waits until all have ended, however
/// they end. Writes DIR/slurm/job.sh and, by Slurm, a log a task. Returns the job's number. Throws InputError
/// where sbatch is missing or refuses the job.
std::string submit_to_slurm(Sweep const& sweep, PointStore const& store, BatchCommand const& command,
                            SlurmOptions const& options);

/// A word as a shell reads it back.
[[nodiscard]] std::string shell_quoted(std::string const& word);

}  // namespace factosim
