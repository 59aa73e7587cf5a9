#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "simulator/report/analysis/run_comparison.hpp"

namespace factosim {

/// The accepted relative difference of a quantity of the second run from that of the first.
struct Tolerance {
  std::string metric;   // one of tolerance_metrics()
  double relative = 0;  // 0.02: 2 %
};

/// Returns the names of the quantities that may have a tolerance: makespan, tasks, abe, critical_path,
/// busy, idle, kernel_mean, messages, message_bytes, copy_bytes.
[[nodiscard]] std::vector<std::string> tolerance_metrics();

/// Parses "makespan=2%,kernel_mean=5%"; a number without a name applies to the makespan. Throws InputError.
[[nodiscard]] std::vector<Tolerance> parse_tolerances(std::string_view text);

/// The comparison of one quantity with its tolerance.
struct ToleranceCheck {
  std::string metric, what;  // what: the kernel, the node, the link; empty: the whole run
  double a = 0, b = 0;
  double relative = 0;  // (b - a) / a; infinite where only a is 0
  double limit = 0;
  [[nodiscard]] bool ok() const;
};

/// Checks all tolerances. `kernel_mean` applies to each kernel and resource that both runs have, `busy` and
/// `idle` to each node.
[[nodiscard]] std::vector<ToleranceCheck> check_tolerances(RunComparison const& comparison,
                                                           std::vector<Tolerance> const& tolerances);

}  // namespace factosim
