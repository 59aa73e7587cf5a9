#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "simulator/analysis/run_comparison.hpp"

namespace factosim {

/// How far a quantity of the second run may be from that of the first.
struct Tolerance {
  std::string metric;   // one of tolerance_metrics()
  double relative = 0;  // 0.02: 2 %
};

/// What can be given a tolerance: makespan, tasks, abe, critical_path, busy, idle, kernel_mean, messages,
/// message_bytes, copy_bytes.
[[nodiscard]] std::vector<std::string> tolerance_metrics();

/// "makespan=2%,kernel_mean=5%"; a share without a name is the makespan's. Throws InputError.
[[nodiscard]] std::vector<Tolerance> parse_tolerances(std::string_view text);

/// One quantity held against its tolerance.
struct ToleranceCheck {
  std::string metric, what;  // what: the kernel, the node, the link; empty: the whole run
  double a = 0, b = 0;
  double relative = 0;  // (b - a) / a; infinite where only a is 0
  double limit = 0;
  [[nodiscard]] bool ok() const;
};

/// `kernel_mean` holds for each kernel and resource that both runs have, `busy` and `idle` for each node.
[[nodiscard]] std::vector<ToleranceCheck> check_tolerances(RunComparison const& comparison,
                                                           std::vector<Tolerance> const& tolerances);

}  // namespace factosim
