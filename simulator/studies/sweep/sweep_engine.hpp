#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
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
