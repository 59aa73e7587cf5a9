#include <fmt/format.h>

#include <cmath>
#include <string>

#include "factosim/error.hpp"
#include "simulator/base/core/json_reader.hpp"
#include "simulator/base/core/json_text.hpp"
#include "simulator/base/core/quantity_text.hpp"
#include "simulator/front/check/recorded_run.hpp"
#include "simulator/front/cli/command_line.hpp"

namespace factosim {

namespace {

struct CheckArguments {
  std::filesystem::path run;
  bool simulate = true, json = false;
};

std::string text(audit::Finding const& f) {
  std::string const date = std::isnan(f.time_s) ? "" : fmt::format(" at {:.9g} s", f.time_s);
  return fmt::format("    {}{}: {}; expected {}\n", f.where, date, f.what, f.expected);
}

std::string text(audit::AuditReport const& report) {
  std::string out = fmt::format("{:<14}{:>12}{:>12}\n", "check", "cases", "findings");
  for (audit::Check const& c : report.checks()) {
    if (!c.skipped.empty() && c.cases == 0)
      out += fmt::format("{:<14}{:>12}{:>12}   skipped: {}\n", c.name, "-", "-", c.skipped);
    else
      out += fmt::format("{:<14}{:>12}{:>12}   {}{}\n", c.name, grouped(c.cases), grouped(c.broken), c.rule,
                         c.skipped.empty() ? "" : "; in part: " + c.skipped);
    for (audit::Finding const& f : c.findings) out += text(f);
    if (c.broken > c.findings.size())
      out += fmt::format("    and {} more\n", grouped(c.broken - c.findings.size()));
  }
  return out;
}

nlohmann::ordered_json json(audit::AuditReport const& report) {
  nlohmann::ordered_json checks = nlohmann::ordered_json::array();
  for (audit::Check const& c : report.checks()) {
    nlohmann::ordered_json check = {
        {"name", c.name}, {"rule", c.rule}, {"cases", c.cases}, {"findings", c.broken}};
    if (!c.skipped.empty()) check["skipped"] = c.skipped;
    check["first"] = nlohmann::ordered_json::array();
    for (audit::Finding const& f : c.findings) {
      nlohmann::ordered_json finding = {{"where", f.where}, {"what", f.what}, {"expected", f.expected}};
      if (f.task.valid()) finding["task"] = f.task.value();
      if (!std::isnan(f.time_s)) finding["time_s"] = f.time_s;
      check["first"].push_back(finding);
    }
    checks.push_back(check);
  }
  return {{"format", "factosim-audit"}, {"version", 1}, {"findings", report.broken()}, {"checks", checks}};
}

/// Throws InputError if values of the result have kinds that no run writes.
audit::AuditReport report_of(CheckArguments const& arguments) {
  try {
    RecordedRun const run = read_recorded_run(arguments.run);
    audit::AuditReport report = audit_run(run);
    if (arguments.simulate) check_by_repetition(run, report);
    return report;
  } catch (nlohmann::json::exception const& error) {
    throw InputError((arguments.run / "result.json").string() + "#",
                     fmt::format("is damaged ({}). Simulate the run again", plain_text(error)));
  }
}

void check(CheckArguments const& arguments) {
  audit::AuditReport const report = report_of(arguments);
  fmt::print("{}", arguments.json ? json_text(json(report), 2) + "\n" : text(report));
  if (report.broken() > 0)
    throw ToleranceError(fmt::format("{} findings in {}", report.broken(), arguments.run.string()));
}

}  // namespace

void add_check_command(CLI::App& program) {
  auto [options, a] = add_command(
      program, "check",
      "Audit a finished run: check its files against rules and against a further simulation", check,
      "Example: factosim check results/lu30\n"
      "Exit code 0: all that was checked holds; 5: there are findings; 2: something cannot be read.\n"
      "What cannot be checked is listed as skipped. See simulator/audit/rules/README.md.");
  options.path("run", a.run, "Folder that factosim run --out has written")->required();
  options.flag("!--no-simulation", a.simulate, "Check the rules only: do not simulate the run again");
  options.json(a.json, "Print all checks and findings as JSON on standard output");
}

}  // namespace factosim
