// Random platforms, applications, maps, policies, memories and networks: the auditor finds nothing in their
// runs, and transformations that must not change the result do not. rapidcheck shrinks failing cases. More
// cases: RC_PARAMS="max_success=1000 seed=7".

#include "tests/audit/random_case.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

/// Checks the claim for random cases that have a solution.
template <class Claim>
bool holds(char const* claim, Claim const& check) {
  as_many_as("60");
  return rc::check(claim, [&](RandomCase const& c) {
    try {
      check(c);
    } catch (InfeasibleError const&) {
      RC_DISCARD("no solution");
    }
  });
}

void expect_sound(audit::AuditReport const& report) {
  if (report.broken() > 0) RC_FAIL(findings(report));
}

RandomCase with_odd_links(RandomCase c) {
  c.links = *rc::gen::inRange(0, 35);
  return c;
}

double makespan(RecordedRun const& run) { return run.result["makespan_s"]; }

/// Checks that two runs have the same dates, workers and copies.
void expect_same(RecordedRun const& a, RecordedRun const& b) {
  RC_ASSERT(a.trace->start_s == b.trace->start_s);
  RC_ASSERT(a.trace->end_s == b.trace->end_s);
  RC_ASSERT(a.trace->worker == b.trace->worker);
  RC_ASSERT(a.result["transfers"] == b.result["transfers"]);
}

/// Dates are rounded to ticks, which can swap two events; a policy may then produce another schedule.
bool close(double a, double b) { return std::abs(a - b) <= 1e-6 * std::max(a, b); }

/// Checks that nodes of one type in each other's place do the same work and send the same bytes as in the run.
void expect_permuted(RandomCase const& c, RecordedRun const& run) {
  std::vector<int> names = own_names(c);
  std::reverse(names.begin(), names.begin() + c.fast_nodes);
  std::reverse(names.begin() + c.fast_nodes, names.end());
  RecordedRun const permuted = simulated(c, {}, names);
  expect_sound(audit_run(permuted));
  for (char const* const key : {"tasks", "tasks_by_kernel", "tiles_sent", "bytes_sent"})
    RC_ASSERT(run.result[key] == permuted.result[key]);
  for (std::size_t n = 0; n < names.size(); ++n)
    for (char const* const key : {"tasks", "tiles_received"})
      RC_ASSERT(run.result["nodes"][n][key] ==
                permuted.result["nodes"][static_cast<std::size_t>(names[n])][key]);
  for (char const* const key : {"abe_s", "critical_path_s"})
    RC_ASSERT(close(run.result["bounds"][key], permuted.result["bounds"][key]));
}

}  // namespace

TEST_SUITE("property") {
  TEST_CASE("the auditor finds nothing in random runs, which do not depend on names and places of nodes") {
    CHECK(holds("audited", [](RandomCase const& c) {
      RC_CLASSIFY(c.nodes() > 1, "several nodes");
      RC_CLASSIFY(c.gpus > 0, "GPUs");
      RecordedRun const run = simulated(c);
      expect_sound(audit_run(run));
      expect_sound(audit_run(simulated(with_odd_links(c))));
      expect_same(run, simulated(c, {.suffix = "-of-another-name"}));
      expect_permuted(c, run);
    }));
  }

  TEST_CASE("twice the bytes over twice the bandwidth change nothing") {
    CHECK(holds("bytes", [](RandomCase c) {
      // Allocators treat small and large tiles differently: no overheads and sufficient memory here.
      c.overheads = false;
      c.gpu_tiles = 1000;
      RecordedRun const a = simulated(c), b = simulated(c, {.bytes = 2});
      RC_ASSERT(close(makespan(a), makespan(b)));
      RC_ASSERT(2 * a.result["bytes_sent"].get<std::int64_t>() == b.result["bytes_sent"].get<std::int64_t>());
    }));
  }
}
