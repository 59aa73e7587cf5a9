#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "factosim/scheduler.hpp"

namespace factosim {

/// `RunControl::on_progress` has stopped a simulation.
class RunStopped : public std::runtime_error {
 public:
  RunStopped() : std::runtime_error("the simulation was stopped before its end") {}
};

/// What a program wants of a simulation besides its result.
struct RunControl {
  /// Makes the policy of each node instead of the policy that the simulation names. A policy that pops a task which was
  /// not pushed, or was popped before, names no worker of its node, or keeps tasks for ever ends the simulation with an
  /// InputError.
  SchedulerMaker scheduler = {};
  std::string scheduler_name = "own";  // of that policy, in results and messages
  std::vector<std::pair<std::string, OptionValue>> scheduler_values = {};  // its options, for results
  int replicas = 1;  // simulations with the seeds that follow the scenario's; the result states their spread
  int perturbed =
      0;  // further ones, with what is known of durations and overheads changed within its precision
  double interval = 0.95;  // probability that the prediction interval of replicas holds one further run
  int jobs = 0;            // replicas at once, if memory allows; 0: as many as cores
  /// Called every few thousand tasks with the tasks done and all tasks. Returns false to stop: `simulate` then
  /// throws RunStopped. May throw.
  std::function<bool(std::uint64_t done, std::uint64_t total)> on_progress = {};
  std::function<void(std::string const& text)> on_summary = {};  // called with what `factosim run` prints
  /// Folder to write the run to, as `factosim run --out` does: result.json, run.trace, series.json, and what else a
  /// scenario asks for. Empty: nothing is written.
  std::filesystem::path out = {};
  bool force = false;              // replace a result that is there
  std::optional<bool> trace = {};  // keep run.trace; without: as the scenario says, or up to a million tasks
  std::optional<std::size_t> series_points =
      {};  // of series.json, 0: none; without: as the scenario says, or none
};

}  // namespace factosim
