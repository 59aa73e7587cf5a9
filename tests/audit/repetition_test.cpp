// A sound run is as its repetition; whatever is changed in its files is found.

#include "simulator/front/check/recorded_run.hpp"

#include "tests/audit/recorded_runs.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

constexpr char const* options =
    "--set /application/nt=4 --set /network/model=maxmin --set /outputs/series=true --set /outputs/paje=true "
    "--set /noise/distribution=normal --replicas 3 --sensitivity 2 --interval 0.9";

RecordedRun const& sound_run() {
  static RecordedRun const run = recorded_run("first/lu_mirage.json", options);
  return run;
}

Repetition const& repetition() {
  static Repetition const again = repeat(sound_run());
  return again;
}

/// Returns the places of the findings in a run that is changed.
template <class Change>
std::vector<std::string> found(Change const& change) {
  RecordedRun run = sound_run();
  change(run);
  audit::AuditReport report;
  check_repetition(run, repetition(), report);
  std::vector<std::string> out;
  for (audit::Finding const& f : find_check(report, "repetition")->findings) out.push_back(f.where);
  return out;
}

using Places = std::vector<std::string>;

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("the repetition of a run with replicas and series gives the same files") {
    CHECK(found([](RecordedRun&) {}) == Places{});
    CHECK(repetition().trace);
    CHECK(repetition().series.is_object());
    CHECK(repetition().result["replicas"]["count"] == 3);
    CHECK(repetition().result["sensitivity"]["interval"] == 0.9);
  }

  TEST_CASE("a change of any file is found where it is") {
    CHECK(found([](RecordedRun& r) { r.result["diagnosis"]["text"] = "fine"; }) ==
          Places{"result.json#/diagnosis/text"});
    CHECK(found([](RecordedRun& r) { r.result.erase("findings"); }).size() ==
          repetition().result.count("findings"));
    CHECK(found([](RecordedRun& r) { r.result["replicas"]["makespan_s"]["values"][1] = 1; }) ==
          Places{"result.json#/replicas/makespan_s/values/1"});
    CHECK(found([](RecordedRun& r) { r.result["simulation"]["files"].erase("trace.paje"); }) ==
          Places{"result.json#/simulation/files/trace.paje"});
    CHECK(found([](RecordedRun& r) { r.series["more"] = 1; }) == Places{"series.json#/more"});
    CHECK(found([](RecordedRun& r) { r.trace->nodes[0].type = "sirocco"; }) ==
          Places{"run.trace#/nodes/0/type"});
    CHECK(found([](RecordedRun& r) { r.trace->start_s[5] -= 5e-7; }) == Places{"run.trace task.start_s[5]"});
    CHECK(found([](RecordedRun& r) { r.trace->handles[2].shape += "x8"; }) ==
          Places{"run.trace handle.shape[2]"});
    CHECK(found([](RecordedRun& r) { r.trace->copies.pop_back(); }).front() ==
          "run.trace number of copy.from");
  }

  TEST_CASE("the folder of installed files may differ") {
    CHECK(found([](RecordedRun& r) {
            r.result["provenance"]["timings"][0]["file"] = "/elsewhere/mirage.json";
          }) == Places{});
    CHECK(found([](RecordedRun& r) {
            r.result["provenance"]["timings"][0]["file"] = "/elsewhere/other.json";
          }).size() == 1);
  }

  TEST_CASE("a run of another version is not repeated; its two files name the same one") {
    RecordedRun run = sound_run();
    audit::AuditReport other;
    run.result["provenance"]["factosim"] = "0.1.0";
    run.trace->program.clear();
    check_by_repetition(run, other);
    audit::Check const& skipped = *find_check(other, "repetition");
    CHECK(skipped.cases == 0);
    CHECK(contains(skipped.skipped, "factosim 0.1.0 ("));
    audit::AuditReport mixed;
    run.trace->program = sound_run().trace->program;
    check_by_repetition(run, mixed);
    CHECK(find_check(mixed, "repetition")->broken == 1);
    CHECK(find_check(mixed, "repetition")->findings.front().where == "run.trace#/program");
  }
}

TEST_SUITE("scenario") {
  TEST_CASE("names of kernels that hold characters of JSON pointers pass the audit") {
    TemporaryFolder const folder;
    folder.write("g.jsonl", R"({"task":1,"kernel":"blas/gemm","cpu_s":1})"
                            "\n"
                            R"({"task":2,"kernel":"a~b","cpu_s":1})"
                            "\n");
    folder.write("s.json", R"({"platform":"mirage","application":{"type":"graph","file":"g.jsonl"},)"
                           R"("network":{"model":"maxmin"}})");
    std::string const run = (folder / "run").string();
    REQUIRE(run_factosim("run '" + (folder / "s.json").string() + "' --out '" + run + "'").code == 0);
    ProgramRun const check = run_factosim("check '" + run + "'");
    CHECK_MESSAGE(check.code == 0, check.out << check.err);
  }
}
