#pragma once

#include "simulator/front/check/recorded_run.hpp"
#include "tests/cli/program.hpp"

namespace factosim::testing {

/// Runs a shipped scenario with `factosim run` in its own process and returns its output.
inline RecordedRun recorded_run(std::string const& scenario, std::string const& options = "") {
  TemporaryFolder const folder;
  ProgramRun const run = run_factosim("run '" + (repository() / "scenarios" / scenario).string() +
                                      "' --out '" + folder.path().string() + "' " + options);
  CAPTURE(run.err);
  REQUIRE(run.code == 0);
  return read_recorded_run(folder.path());
}

/// Returns all findings of an audit, one per line.
inline std::string findings(audit::AuditReport const& report) {
  std::string out;
  for (audit::Check const& c : report.checks())
    for (audit::Finding const& f : c.findings)
      out += c.name + ": " + f.where + ": " + f.what + "; expected " + f.expected + "\n";
  return out;
}

inline audit::Check const* find_check(audit::AuditReport const& report, std::string const& name) {
  auto const found = std::find_if(report.checks().begin(), report.checks().end(),
                                  [&](audit::Check const& c) { return c.name == name; });
  return found == report.checks().end() ? nullptr : &*found;
}

}  // namespace factosim::testing
