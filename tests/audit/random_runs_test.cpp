// Random platforms, applications, maps, policies, memories and networks: the auditor finds nothing in what is
// simulated, and what should change nothing changes nothing. rapidcheck makes a case that fails as small as
// it can. More cases: RC_PARAMS="max_success=1000 seed=7".

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/audit/random_case.hpp"
#include "tests/engine/without_simgrid.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

/// Checks the claim on random cases that have a solution.
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

double makespan(RecordedRun const& run) { return run.result["makespan_s"]; }

/// Dates are rounded to the picosecond, which may decide which of two events comes first; a policy that then
/// chooses otherwise makes another schedule.
bool close(double a, double b) { return std::abs(a - b) <= 1e-6 * std::max(a, b); }

}  // namespace

TEST_SUITE("property") {
  TEST_CASE("the auditor finds nothing in random runs") {
    CHECK(holds("audited", [](RandomCase const& c) {
      RC_CLASSIFY(c.nodes() > 1, "several nodes");
      RC_CLASSIFY(c.gpus > 0, "GPUs");
      expect_sound(audit_run(simulated(c)));
    }));
  }

  TEST_CASE("the auditor finds nothing in random runs over SimGrid") {
    if (testing::without_simgrid()) return;
    int left = 12;  // a process each; what fails is then made smaller
    bool failed = false;
    CHECK(holds("audited", [&](RandomCase const& c) {
      if (left-- <= 0 && !failed) return;
      TemporaryFolder const folder;
      auto const file = write_case(folder, c, {.simgrid = true}, own_names(c));
      ProgramRun const run =
          run_factosim("run '" + file.string() + "' --out '" + (folder / "out").string() + "'");
      if (run.code == 4) RC_DISCARD("no solution");
      failed = true;
      if (run.code != 0) RC_FAIL(run.err);
      expect_sound(audit_run(read_recorded_run(folder / "out")));
      failed = false;
    }));
  }

  TEST_CASE("all times twice as long make the makespan twice as long") {
    CHECK(holds("scaled", [](RandomCase c) {
      // What the runtime system bounds by a fixed time, page-locking for messages, does not scale.
      c.overheads = c.overheads && (c.nodes() == 1 || c.gpus == 0);
      double const once = makespan(simulated(c)), twice = makespan(simulated(c, {.times = 2}));
      RC_ASSERT(close(twice, 2 * once));
    }));
  }

  TEST_CASE("twice the bytes over twice the bandwidth change nothing") {
    CHECK(holds("bytes", [](RandomCase c) {
      // Allocators treat small and large tiles differently: they cost nothing here, and find room.
      c.overheads = false;
      c.gpu_tiles = 1000;
      RecordedRun const a = simulated(c), b = simulated(c, {.bytes = 2});
      RC_ASSERT(close(makespan(a), makespan(b)));
      RC_ASSERT(2 * a.result["bytes_sent"].get<std::int64_t>() == b.result["bytes_sent"].get<std::int64_t>());
    }));
  }

  TEST_CASE("other names of nodes change nothing") {
    CHECK(holds("renamed", [](RandomCase const& c) {
      RecordedRun const a = simulated(c), b = simulated(c, {.suffix = "-of-another-name"});
      RC_ASSERT(a.trace->start_s == b.trace->start_s);
      RC_ASSERT(a.trace->end_s == b.trace->end_s);
      RC_ASSERT(a.trace->worker == b.trace->worker);
      RC_ASSERT(a.result["transfers"] == b.result["transfers"]);
    }));
  }

  TEST_CASE("nodes of one kind in another order do the same work and send as much") {
    CHECK(holds("permuted", [](RandomCase const& c) {
      std::vector<int> names = own_names(c);
      std::reverse(names.begin(), names.begin() + c.fast_nodes);
      std::reverse(names.begin() + c.fast_nodes, names.end());
      RecordedRun const a = simulated(c), b = simulated(c, {}, names);
      expect_sound(audit_run(b));
      for (char const* const key : {"tasks", "tasks_by_kernel", "tiles_sent", "bytes_sent"})
        RC_ASSERT(a.result[key] == b.result[key]);
      for (int n = 0; n < c.nodes(); ++n)
        for (char const* const key : {"tasks", "tiles_received"})
          RC_ASSERT(a.result["nodes"][static_cast<std::size_t>(n)][key] ==
                    b.result["nodes"][static_cast<std::size_t>(names[static_cast<std::size_t>(n)])][key]);
      for (char const* const key : {"abe_s", "critical_path_s"})
        RC_ASSERT(close(a.result["bounds"][key], b.result["bounds"][key]));
    }));
  }
}
