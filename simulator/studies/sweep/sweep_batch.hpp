#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "simulator/studies/sweep/point_store.hpp"
#include "simulator/studies/sweep/sweep.hpp"

namespace factosim {

/// Points first to last, inclusive.
struct PointRange {
  std::size_t first = 0, last = 0;
};

/// Command line for a process that simulates a part of a sweep.
struct BatchCommand {
  std::filesystem::path program, sweep, out;  // absolute
  std::vector<std::string> settings, filters;
  int replicas = 0;  // 0: the sweep's own
  std::size_t max_points = 0;
  std::string jobs;  // simulations at once, as shell text; empty: one per core
  bool force_large = false;

  /// Throws InputError if a name or a value has control characters, such as the end of a line.
  void require_lines() const;
  /// Returns the shell command, in which every name and value is quoted; `points` is "FIRST:LAST" or an expression that expands to it.
  [[nodiscard]] std::string text(std::string const& points) const;
};

/// Divides the points into chunks and returns the chunks that the store does not contain completely.
[[nodiscard]] std::vector<PointRange> open_chunks(Sweep const& sweep, PointStore const& store,
                                                  std::size_t chunk);

struct SlurmOptions {
  std::size_t chunk = 1;
  bool wait = true;
  std::vector<std::string> sbatch_options;  // passed to sbatch
};

/// Submits a job array with a task for each open chunk and, if requested, waits until all have ended,
/// successfully or not. Writes DIR/slurm/job.sh and, by Slurm, a log per task. Returns the job's number.
/// Throws InputError if sbatch is missing or rejects the job.
std::string submit_to_slurm(Sweep const& sweep, PointStore const& store, BatchCommand const& command,
                            SlurmOptions const& options);

/// Quotes a word for the shell.
[[nodiscard]] std::string shell_quoted(std::string const& word);

}  // namespace factosim
