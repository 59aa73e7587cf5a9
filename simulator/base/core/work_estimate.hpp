#pragma once

#include <string>
#include <string_view>

namespace factosim {

/// Processor seconds beyond which work begins on demand (--force-large) only: before a simulation, and of simulations.
inline constexpr double max_preparation_s = 3600, max_simulations_s = 86400;

/// Memory of the program with the shipped files (tests/robustness.md).
inline constexpr double program_bytes = 40e6;

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

/// Formats an amount with three digits, in its largest unit: "2.4 GB", "21.4 million", "150 s", "1 hour".
[[nodiscard]] std::string about_bytes(double bytes);
[[nodiscard]] std::string about_count(double count);
[[nodiscard]] std::string about_seconds(double seconds);

}  // namespace factosim
