// The auditor reports nothing for correct runs, and finds each kind of injected fault by the check that covers it. Each
// run stands for its own repetition.

#include "simulator/front/check/recorded_run.hpp"
#include "tests/audit/injected_faults.hpp"

using namespace factosim;
using namespace factosim::testing;
using namespace factosim::testing::faults;

namespace {

struct Base {
  std::string name;
  RecordedRun run;
};

/// GPUs with little memory; two node types over SimGrid; phases, barriers and kernels that only cores can
/// run.
std::vector<Base> const& bases() {
  static std::vector<Base> const runs = [] {
    std::vector<Base> out;
    out.push_back({"one node with GPUs",
                   recorded_run("first/lu_mirage.json",
                                "--set /application/nt=7 --set /runtime/gpu_memory_fraction=0.03")});
    out.push_back({"six nodes", recorded_run("lille/block_cyclic_2x11.json",
                                             "--set /application/nt=12 --set '/platform/nodes=[{\"type\":"
                                             "\"chifflet\",\"count\":2},{\"type\":\"chetemi\",\"count\":4}]' "
                                             "--set /distribution/p=2 --set /distribution/q=3")});
    out.push_back(
        {"likelihood with barriers", recorded_run("exageostat_icpp21/fig05_workload_60.json",
                                                  "--set /application/nt=8 --set /application/n=7680 --set "
                                                  "/application/asynchronous=none")});
    return out;
  }();
  return runs;
}

/// Audits a run with the rules, and against the run that it was before.
audit::AuditReport audit_against(RecordedRun const& before, RecordedRun const& run) {
  audit::AuditReport report = audit_run(run);
  check_repetition(run, {.result = before.result, .series = before.series, .trace = before.trace}, report);
  return report;
}

/// Injects a kind of fault three times into each run, and audits them. Calls `missed` with the place and the report of each
/// fault that is not found by the check that covers it. Returns how many were injected, and found.
template <class Missed>
std::pair<unsigned, unsigned> plant(Kind const& kind, Missed const& missed) {
  constexpr unsigned tries = 3;
  unsigned injected = 0, caught = 0;
  for (Base const& base : bases())
    for (unsigned seed = 0; seed < tries; ++seed) {
      RecordedRun run = base.run;
      Random random(seed * 7919 + 1);
      if (!kind.inject(run, random)) continue;
      ++injected;
      audit::AuditReport const report = audit_against(base.run, run);
      audit::Check const* const check = find_check(report, kind.check);
      bool const found = check != nullptr && check->broken > 0;
      caught += found ? 1 : 0;
      if (!found) missed(fmt::format("{}, seed {}", base.name, seed), report);
    }
  return {injected, caught};
}

}  // namespace

TEST_SUITE("property") {
  TEST_CASE("the auditor finds nothing in correct runs") {
    for (Base const& base : bases()) {
      audit::AuditReport const report = audit_against(base.run, base.run);
      CHECK_MESSAGE(report.broken() == 0, base.name << "\n" << findings(report));
      for (audit::Check const& c : report.checks()) CHECK_MESSAGE(c.skipped.empty(), c.name << c.skipped);
    }
  }

  TEST_CASE("the auditor finds every injected fault by the check that covers it") {
    std::string table = fmt::format("\n{:<36}{:<14}{:>8}{:>8}\n", "fault", "check", "injected", "caught");
    std::uint64_t all_injected = 0, all_caught = 0;
    for (Kind const& kind : kinds()) {
      auto const [injected, caught] = plant(kind, [&](std::string const& where, auto const& report) {
        FAIL_CHECK(kind.what << " in " << where << "\n" << findings(report).substr(0, 1000));
      });
      CHECK_MESSAGE(injected > 0, kind.what);
      table += fmt::format("{:<36}{:<14}{:>8}{:>8}\n", kind.what, kind.check, injected, caught);
      all_injected += injected, all_caught += caught;
    }
    table += fmt::format("{:<50}{:>8}{:>8}\n", "all", all_injected, all_caught);
    MESSAGE(table);
  }

  TEST_CASE("the auditor finds a diagnosis that the run cannot have") {
    for (Base const& base : bases()) {
      bool const several = base.run.result["nodes"].size() > 1;
      auto const broken = [&](char const* limit, double share) {
        RecordedRun run = base.run;
        run.result["diagnosis"] = {{"limit", limit}, {"share", share}, {"text", ""}};
        return find_check(audit_run(run), "summary")->broken;
      };
      CHECK(broken("none", 0.05) == 0);
      CHECK(broken("none", 0.3) == 1);
      CHECK(broken("scheduling", 0.3) == 0);
      CHECK(broken("scheduling", 0.05) == 1);
      CHECK(broken("submission", 1.5) == 1);
      CHECK(broken("luck", 0.5) == 1);
      CHECK(broken("network", 0.5) == (several ? 0 : 1));
    }
  }
}
