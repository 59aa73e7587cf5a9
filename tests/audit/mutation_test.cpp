// The auditor reports nothing for correct runs, and finds each kind of injected fault by the check that covers it. Each
// run stands for its own repetition.

#include "simulator/front/check/repetition.hpp"
#include "tests/audit/planted_faults.hpp"

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

/// Collects pointers to all numbers and truth values of the result that depend on the run.
void collect(nlohmann::json const& json, std::string const& pointer, std::vector<std::string>& out) {
  if (pointer == "/simulation" || pointer == "/provenance" || pointer.starts_with("/replicas")) return;
  // Parts that are only compared with the makespan, and an estimate.
  if (pointer.starts_with("/bounds/problem") || pointer.starts_with("/bounds/distribution")) return;
  if (pointer == "/diagnosis") return;
  if (json.is_object())
    for (auto const& [key, value] : json.items()) collect(value, pointer + "/" + key, out);
  else if (json.is_array())
    for (std::size_t i = 0; i < json.size(); ++i) collect(json[i], fmt::format("{}/{}", pointer, i), out);
  else if (json.is_number() || json.is_boolean())
    out.push_back(pointer);
}

struct Planted {
  unsigned injected = 0, caught = 0, by_rules = 0;
};

/// Audits a run with the rules, and against the run that it was before.
audit::AuditReport audit_against(RecordedRun const& before, RecordedRun const& run) {
  audit::AuditReport report = audit_run(run);
  check_repetition(run, {.result = before.result, .series = before.series, .trace = before.trace}, report);
  return report;
}

/// Injects a kind of fault three times into each run, with seeds `factor` n + `first`, and audits them. "any" check
/// counts as the one that covers the fault. Calls `missed` with the place and the report of each fault that is not
/// found.
template <class Missed>
Planted plant(Kind const& kind, unsigned factor, unsigned first, Missed const& missed) {
  constexpr unsigned tries = 3;
  Planted out;
  for (Base const& base : bases())
    for (unsigned seed = 0; seed < tries; ++seed) {
      RecordedRun run = base.run;
      Random random(seed * factor + first);
      if (!kind.inject(run, random)) continue;
      ++out.injected;
      audit::AuditReport const report = audit_against(base.run, run);
      audit::Check const* const check = find_check(report, kind.check);
      out.by_rules += report.broken() > find_check(report, "repetition")->broken ? 1 : 0;
      bool const found = kind.check == "any" ? report.broken() > 0 : check != nullptr && check->broken > 0;
      out.caught += found ? 1 : 0;
      if (!found) missed(fmt::format("{}, seed {}", base.name, seed), report);
    }
  return out;
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
      auto const [injected, caught, by_rules] =
          plant(kind, 7919, 1, [&](std::string const& where, auto const& report) {
            FAIL_CHECK(kind.what << " in " << where << "\n" << findings(report).substr(0, 1000));
          });
      CHECK_MESSAGE(injected > 0, kind.what);
      table += fmt::format("{:<36}{:<14}{:>8}{:>8}\n", kind.what, kind.check, injected, caught);
      all_injected += injected, all_caught += caught;
    }
    table += fmt::format("{:<50}{:>8}{:>8}\n", "all", all_injected, all_caught);
    MESSAGE(table);
  }

  // Any finding counts. Columns that no run of the simulator fills are named in the table.
  TEST_CASE("the auditor finds all changes of columns of the trace and further faults") {
    std::vector<Kind> planted = further_kinds();
    for (std::string const& name : columns())
      planted.push_back(
          {name, "any", in_trace([name](Trace& t, Random& r) { return change_column(t, name, r); })});
    std::string table =
        fmt::format("\n{:<44}{:>8}{:>8}{:>9}\n", "fault, or changed column", "planted", "caught", "by rules");
    int kinds_planted = 0;
    for (Kind const& kind : planted) {
      auto const [injected, caught, by_rules] =
          plant(kind, 104729, 7,
                [&](std::string const& where, auto const&) { FAIL_CHECK(kind.what << " in " << where); });
      table += fmt::format("{:<44}{:>8}{:>8}{:>9}\n", kind.what, injected, caught, by_rules);
      kinds_planted += injected > 0 ? 1 : 0;
    }
    MESSAGE(table);
    CHECK(kinds_planted + kinds().size() >= 100);
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

  TEST_CASE("the auditor finds every modified number of a result") {
    // All numbers of a result at once: one finding for each.
    std::uint64_t all_injected = 0, all_caught = 0;
    for (Base const& base : bases()) {
      std::vector<std::string> pointers;
      collect(base.run.result, "", pointers);
      RecordedRun run = base.run;
      for (std::string const& pointer : pointers) {
        nlohmann::json& value = run.result[nlohmann::json::json_pointer(pointer)];
        if (value.is_boolean())
          value = !value.get<bool>();
        else if (value.is_number_integer())
          value = value.get<std::int64_t>() + (pointer.ends_with("memory_bytes") ? 8'000'000'000 : 1);
        else
          value = value.get<double>() * 1.000001 + 1e-6;
      }
      audit::AuditReport const report = audit_run(run);
      std::uint64_t const caught = find_check(report, "summary")->broken;
      CHECK_MESSAGE(caught == pointers.size(), base.name << "\n" << findings(report));
      all_injected += pointers.size();
      all_caught += caught;
    }
    MESSAGE(fmt::format("numbers of results changed: {}, caught: {}", all_injected, all_caught));
  }
}
