#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "factosim/id.hpp"

namespace factosim::audit {

/// A violation: an impossible event, or a number of the result that does not follow from the run.
struct Finding {
  std::string what;      // "starts before its input came"
  std::string where;     // "task 12 gemm on 0:cuda1", "node 3", "/makespan_s"
  std::string expected;  // "not before 1.25 s"
  TaskId task{};         // the task concerned, in submission order, if it is one
  double time_s = std::numeric_limits<double>::quiet_NaN();  // date, if it has one
};

/// One rule, the number of times it was checked, and its violations.
struct Check {
  std::string name;     // "inputs"
  std::string rule;     // the rule as a sentence
  std::string skipped;  // reason for skipping the check; empty: it was made
  std::uint64_t cases = 0;
  std::uint64_t broken = 0;
  std::vector<Finding> findings{};  // the first findings

  static constexpr std::size_t max_findings = 20;  // stored per check; all are counted

  void add(Finding finding) {
    if (++broken <= max_findings) findings.push_back(std::move(finding));
  }
  void skip(std::string why) {
    if (skipped.empty()) skipped = std::move(why);
  }
};

/// All checks of one run, in order of execution.
class AuditReport {
 public:
  /// Returns the check of that name, which must have a rule, and creates it at the first call. References
  /// stay valid.
  Check& check(std::string_view name);
  /// Marks all checks that need a trace as skipped.
  void skip_trace_checks(std::string const& why);
  [[nodiscard]] std::deque<Check> const& checks() const { return checks_; }
  [[nodiscard]] std::uint64_t broken() const {
    std::uint64_t sum = 0;
    for (Check const& c : checks_) sum += c.broken;
    return sum;
  }

 private:
  std::deque<Check> checks_;
};

}  // namespace factosim::audit
