#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "simulator/scenario/scenario.hpp"

namespace factosim {

/// What a simulation may take at most.
struct SizeLimit {
  std::optional<std::int64_t> memory_bytes{};  // else what the machine has available
  bool forced = false;                         // no limit but what can be counted
};

/// What a simulation is believed to take, before anything of it is made.
struct SizeEstimate {
  double tasks = 0;
  double memory_bytes = 0;
  double cpu_s = 0;

  /// Worth telling before it starts: many seconds, or gigabytes.
  [[nodiscard]] bool large() const;
  /// "about 21.4 million tasks, 2.4 GB of memory and 150 s"
  [[nodiscard]] std::string description() const;
};

/// By closed forms of tasks, and by what a task, a tile and a node took where it was measured
/// (tests/robustness.md). Of a replay: what its trace has. O(1).
[[nodiscard]] SizeEstimate estimate_size(Scenario const& scenario);

/// Throws InputError where the simulation would take more memory than there is, unless its scenario is
/// forced; and, forced or not, where it has more tasks than can be numbered.
void check_size(Scenario const& scenario, SizeLimit const& limit);
/// The same of a graph alone, which belongs to no platform; `file` is what the message names.
void check_size(Application const& application, ApplicationParameters const& parameters,
                SizeLimit const& limit, std::string const& file);

}  // namespace factosim
