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

/// Something in a run that cannot be, or is not what the result says.
struct Finding {
  std::string what;      // "starts before its input came"
  std::string where;     // "task 12 gemm on 0:cuda1", "node 3", "/makespan_s"
  std::string expected;  // "not before 1.25 s"
  TaskId task{};         // in submission order, where it is about one
  double time_s = std::numeric_limits<double>::quiet_NaN();  // when, where it has a date
};

/// One rule, how often it was held against the run, and what broke it.
struct Check {
  std::string name;     // "inputs"
  std::string rule;     // what must hold, in words
  std::string skipped;  // why it could not be checked; empty: it was
  std::uint64_t cases = 0;
  std::uint64_t broken = 0;
  std::vector<Finding> findings{};  // the first ones

  static constexpr std::size_t max_findings = 20;  // kept of one check; all are counted

  void add(Finding finding) {
    if (++broken <= max_findings) findings.push_back(std::move(finding));
  }
  void skip(std::string why) {
    if (skipped.empty()) skipped = std::move(why);
  }
};

/// All checks of one run, in the order in which they were made.
class AuditReport {
 public:
  /// The check of that name, one of those that have a rule; asked for again it goes on. References stay
  /// valid.
  Check& check(std::string_view name);
  /// Nothing can be said about what only a trace tells.
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
