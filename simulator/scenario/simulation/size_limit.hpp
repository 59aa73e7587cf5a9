#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "simulator/scenario/keys/scenario.hpp"
#include "simulator/scenario/placement/distribution.hpp"

namespace factosim {

/// Limits of a simulation.
struct SizeLimit {
  std::optional<std::int64_t> memory_bytes{};  // by default the available memory of this computer
  bool forced = false;                         // only tasks that cannot be numbered are refused
};

/// More tasks, and run.trace (110 bytes each, and as much memory) is only kept if it is asked for.
inline constexpr std::size_t max_tasks_traced_by_default = 1'000'000;

/// Processor seconds beyond which work begins on demand (--force-large) only: before a simulation, and of simulations.
inline constexpr double max_preparation_s = 3600, max_simulations_s = 86400;

/// An estimate of work, made before it begins.
struct WorkEstimate {
  double count = 0;
  std::string_view things = "tasks";
  double memory_bytes = 0;  // 0: not worth mentioning
  double cpu_s = 0;
  double sharing_s = 0;  // that SimGrid may take besides, if the network limits

  /// Returns whether it takes many seconds or gigabytes.
  [[nodiscard]] bool large() const { return cpu_s > 20 || memory_bytes > 1e9 || long_sharing(); }
  /// Returns whether SimGrid may take many minutes.
  [[nodiscard]] bool long_sharing() const { return sharing_s > 600; }
  /// Returns "about 21.4 million tasks, 2.4 GB of memory and 150 s"
  [[nodiscard]] std::string description() const;
};

/// Estimates a simulation by closed forms of the number of tasks and by measured costs of a task, a tile and a
/// node (tests/robustness.md); for applications without a task graph that of their own work. O(nodes).
[[nodiscard]] WorkEstimate estimate_size(Scenario const& scenario);

/// Estimates so many simulations, one after the other, as replicas and perturbed runs of one scenario.
[[nodiscard]] WorkEstimate repetitions_of(WorkEstimate const& one, double runs);

/// Throws InputError if the work needs more memory than the limit or more than `max_s` processor seconds, unless it is
/// forced. `remedy`: "Leave values out".
void check_work(WorkEstimate const& work, double max_s, SizeLimit const& limit, std::string const& where,
                std::string_view remedy);

/// Throws InputError if the nodes of a grid are too many to be arranged. `speeds`: the number of different speeds if the
/// distribution does not list them.
void check_arrangement(DistributionDescription const& distribution, std::size_t speeds,
                       SizeLimit const& limit);

/// Throws InputError if the simulation needs more memory than the limit or, without a task graph, more time than
/// `max_preparation_s` or `max_simulations_s`, unless it is forced, or more tasks or kernels than can be numbered.
void check_size(Scenario const& scenario, SizeLimit const& limit);
/// Checks a graph without a platform; messages name `file`.
void check_size(Application const& application, ApplicationParameters const& parameters,
                SizeLimit const& limit, std::string const& file);

}  // namespace factosim
