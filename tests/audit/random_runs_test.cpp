// Random platforms, applications, maps, policies, memories and networks: the auditor finds nothing in their
// runs, and transformations that must not change the result do not. rapidcheck shrinks failing cases. More
// cases: RC_PARAMS="max_success=1000 seed=7".

#include "tests/audit/random_case.hpp"

#include "tests/engine/without_simgrid.hpp"

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

nlohmann::json random_formats(std::mt19937& draw, bool full = false) {
  auto const one_of = [&](std::vector<std::string> const& words) { return words[draw() % words.size()]; };
  nlohmann::json out = {{"conversion", one_of({"sender", "receiver", "fewest-bytes"})}};
  if (!full && draw() % 4 == 0) {
    out["tolerance"] = 1e-4;
    out["precisions"] = {"double", "single"};
    out["max_rank"] = 20;
    out["covariance"] = {{"samples", 24}, {"seed", draw() % 10}};
    return out;
  }
  int const first = 1 + static_cast<int>(draw() % 3);
  nlohmann::json bands = nlohmann::json::array();
  bands.push_back({{"below", first}, {"precision", one_of({"double", "single"})}});
  bands.push_back({{"below", first + 2}, {"precision", one_of({"double", "single"})}});
  bands.push_back({{"precision", one_of({"double", "single"})}});
  for (std::size_t b : {1, 2})
    if (draw() % 3 == 0 && !full) bands[b]["rank"] = 10 + static_cast<int>(draw() % 50);
  out["bands"] = bands;
  return out;
}

/// A case without formats, on 1 to 4 nodes.
RandomCase random_case(std::mt19937& draw) {
  RandomCase c{.application = 1, .nt = 1 + static_cast<int>(draw() % 9)};
  c.fast_nodes = 1 + static_cast<int>(draw() % 3);
  c.slow_nodes = static_cast<int>(draw() % 2);
  c.cores = 1 + static_cast<int>(draw() % 4);
  c.gpus = static_cast<int>(draw() % 3);
  c.gpu_tiles = 12 + static_cast<int>(draw() % 20);
  c.policy = static_cast<int>(draw() % 12);
  c.noise = draw() % 4 == 0;
  for (int m = 0; m < c.nt * c.nt; ++m) c.map.push_back(static_cast<int>(draw() % 7));
  return c;
}

void check_audit(RandomCase const& c) {
  CAPTURE(c);
  audit::AuditReport const report = audit_run(simulated(c));
  INFO(findings(report));
  CHECK(report.broken() == 0);
  CHECK(find_check(report, "graph")->cases > 0);
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

  TEST_CASE("the auditor finds nothing in random runs over SimGrid") {
    if (testing::without_simgrid()) return;
    int left = 12;  // one process per case; a failing case is shrunk afterwards
    bool failed = false;
    CHECK(holds("audited", [&](RandomCase const& c) {
      if (left-- <= 0 && !failed) return;
      TemporaryFolder const folder;
      auto const file = write_case(folder, with_odd_links(c), {.simgrid = true}, own_names(c));
      ProgramRun const run =
          run_factosim("run '" + file.string() + "' --out '" + (folder / "out").string() + "'");
      if (run.code == 4) RC_DISCARD("no solution");
      failed = true;
      if (run.code != 0) RC_FAIL(run.err);
      expect_sound(audit_run(read_recorded_run(folder / "out")));
      failed = false;
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

  TEST_CASE("the auditor finds nothing in runs on tiles of several formats") {
    std::mt19937 draw(20261124);
    for (int i = 0; i < 40; ++i) {
      RandomCase c = random_case(draw);
      c.tile_formats = random_formats(draw);
      check_audit(c);
    }
  }

  TEST_CASE("the auditor finds nothing in runs with parts of tasks") {
    std::mt19937 draw(20261126);
    for (int i = 0; i < 40; ++i) {
      RandomCase c = random_case(draw);
      c.gpus = 0;
      c.parts = draw() % 2 == 0 ? 2 : 4;
      c.contention = draw() % 4 == 0;
      c.window = draw() % 4 == 0 ? 10 : 0;
      c.unrolling = static_cast<int>(draw() % 3);
      c.application = static_cast<int>(draw() % 2);
      bool const on_layers = draw() % 3 == 0;
      if (on_layers) c.layers = 1 + static_cast<int>(draw() % static_cast<unsigned>(c.nodes()));
      if (c.application == 1 && draw() % 3 != 0) c.tile_formats = random_formats(draw, on_layers);
      check_audit(c);
    }
  }

  TEST_CASE("the auditor finds nothing in runs on layers of tiles in several precisions") {
    std::mt19937 draw(20261127);
    for (int i = 0; i < 25; ++i) {
      RandomCase c = random_case(draw);
      c.layers = 1 + static_cast<int>(draw() % static_cast<unsigned>(c.nodes()));
      c.tile_formats = random_formats(draw, true);
      check_audit(c);
    }
  }
}
