#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "simulator/scenario/scenario.hpp"

namespace factosim {

/// Limits of a simulation.
struct SizeLimit {
  std::optional<std::int64_t> memory_bytes{};  // by default the available memory of this computer
  bool forced = false;                         // only tasks that cannot be numbered are refused
};

/// More tasks, and run.trace (110 bytes each, and as much memory) is only kept if it is asked for.
inline constexpr std::size_t max_tasks_traced_by_default = 1'000'000;

/// An estimate of a simulation, made before its graph.
struct SizeEstimate {
  double tasks = 0;
  double memory_bytes = 0;
  double cpu_s = 0;

  /// Returns whether it takes many seconds or gigabytes.
  [[nodiscard]] bool large() const;
  /// Returns "about 21.4 million tasks, 2.4 GB of memory and 150 s"
  [[nodiscard]] std::string description() const;
};

/// Estimates the size by closed forms of the number of tasks and by measured costs of a task, a tile and a node
/// (tests/robustness.md); 0 of applications without a task graph. O(nodes).
[[nodiscard]] SizeEstimate estimate_size(Scenario const& scenario);

/// Throws InputError if the simulation needs more memory than the limit, unless it is forced, or more tasks
/// than can be numbered.
void check_size(Scenario const& scenario, SizeLimit const& limit);
/// Checks a graph without a platform; messages name `file`.
void check_size(Application const& application, ApplicationParameters const& parameters,
                SizeLimit const& limit, std::string const& file);

}  // namespace factosim
