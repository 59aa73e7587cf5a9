#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "factosim/run_control.hpp"
#include "simulator/base/os/atomic_file.hpp"
#include "simulator/scenario/keys/head_keys.hpp"
#include "simulator/scenario/simulation/run.hpp"

namespace factosim {

/// The folder that a run is written to. Other runs are kept out of it while this object lives.
class RunFolder {
 public:
  /// Makes the folder. Throws InputError if a result, or another output of the run, exists already, unless `force`, or
  /// if another run writes there.
  RunFolder(std::filesystem::path folder, OutputOptions outputs, bool force);

  /// Writes traces, series and at last result.json, which marks the run as complete. Returns its text.
  std::string write(RunRecord const& run) const;

 private:
  std::filesystem::path folder_;
  OutputOptions outputs_;
  FolderLock lock_;
};

/// Returns the names of the single files that are written beside the result of the run.
[[nodiscard]] std::vector<std::string> files_of(RunRecord const& run, OutputOptions const& outputs);

/// Runs the plan, and writes what `control` asks for, or else the scenario.
[[nodiscard]] RunRecord run_controlled(SimulationPlan const& plan, RunControl const& control);

/// Returns whether a run with that many tasks would keep run.trace only if it were asked for.
[[nodiscard]] bool leaves_out_trace(OutputOptions const& outputs, std::uint64_t tasks);

}  // namespace factosim
