// Writes traces for StarPU and reads them again.

#include "simulator/traces/export/trace_formats.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "simulator/traces/import/read_trace.hpp"
#include "tests/cli/program.hpp"

using namespace factosim;
using testing::quoted;

namespace {

namespace fs = std::filesystem;

constexpr double nanosecond = 1e-9;

/// Simulates and returns the trace of the run.
Trace simulated(testing::TemporaryFolder const& folder, std::string const& arguments) {
  testing::ProgramRun const run =
      testing::run_factosim("run " + arguments + " --out '" + (folder / "run").string() + "'");
  REQUIRE_MESSAGE(run.code == 0, run.err);
  return read_trace(folder / "run");
}

bool same_text(fs::path const& a, fs::path const& b) { return testing::text_of(a) == testing::text_of(b); }

void check_same(Trace const& a, Trace const& b) {
  REQUIRE(a.task_count() == b.task_count());
  CHECK(a.nodes.size() == b.nodes.size());
  REQUIRE(a.handles.size() == b.handles.size());
  CHECK(a.messages.size() == b.messages.size());
  CHECK(a.predecessor_begin == b.predecessor_begin);
  CHECK(a.predecessors == b.predecessors);
  CHECK(a.priority == b.priority);
  CHECK(a.footprint == b.footprint);
  CHECK(a.access_begin == b.access_begin);
  std::size_t wrong = 0;
  for (std::size_t t = 0; t < a.task_count(); ++t) {
    Trace::Worker const &in_a = a.workers[a.worker[t].index()], &in_b = b.workers[b.worker[t].index()];
    bool const same = a.kernels[a.kernel[t]].name == b.kernels[b.kernel[t]].name && in_a.node == in_b.node &&
                      in_a.device == in_b.device && a.indices[t].k == b.indices[t].k &&
                      std::abs(a.submit_s[t] - b.submit_s[t]) < nanosecond &&
                      std::abs(a.start_s[t] - b.start_s[t]) < nanosecond &&
                      std::abs(a.end_s[t] - b.end_s[t]) < nanosecond;
    wrong += same ? 0 : 1;
  }
  CHECK(wrong == 0);
  std::size_t other_data = 0;
  for (std::size_t i = 0; i < std::min(a.accesses.size(), b.accesses.size()); ++i) {
    Trace::Handle const &in_a = a.handles[a.accesses[i].handle().index()],
                        &in_b = b.handles[b.accesses[i].handle().index()];
    bool const same = a.accesses[i].mode() == b.accesses[i].mode() && in_a.m == in_b.m && in_a.n == in_b.n &&
                      in_a.size == in_b.size;
    other_data += same ? 0 : 1;
  }
  CHECK(other_data == 0);
}

}  // namespace

TEST_SUITE("scenario") {
  TEST_CASE("a run written as tasks.rec is read back identical to the nanosecond") {
    for (std::string const& arguments : {quoted(testing::first_scenario()) + " --set /application/nt=10",
                                         quoted(testing::lille_scenario()) + " --set /application/nt=12"}) {
      CAPTURE(arguments);
      testing::TemporaryFolder const folder;
      Trace const trace = simulated(folder, arguments);
      fs::create_directory(folder / "rec");
      write_starpu(folder / "rec", trace);
      Trace const again = read_trace(folder / "rec");
      check_same(trace, again);
      // Writing the trace that was read gives the same text if every worker executed a task: the files list
      // no others.
      fs::create_directory(folder / "twice");
      write_starpu(folder / "twice", again);
      CHECK(same_text(folder / "rec/data.rec", folder / "twice/data.rec"));
      if (trace.nodes.size() == 1) CHECK(same_text(folder / "rec/tasks.rec", folder / "twice/tasks.rec"));
    }
  }

  TEST_CASE("every real tasks.rec is written back with all known fields") {
    auto const data = testing::real_data();
    if (!data) {
      MESSAGE("skipped: FACTOSIM_DATA does not tell where real runs lie");
      return;
    }
    int runs = 0;
    for (auto const& entry : fs::directory_iterator(*data / "local_runs")) {
      if (!fs::exists(entry.path() / "tasks.rec.gz")) continue;
      CAPTURE(entry.path().string());
      testing::TemporaryFolder const folder;
      fs::create_directory(folder / "rec");
      fs::create_directory(folder / "twice");
      Trace const trace = read_trace(entry.path());
      write_starpu(folder / "rec", trace);
      Trace const again = read_trace(folder / "rec");
      check_same(trace, again);
      CHECK(trace.job == again.job);
      CHECK(trace.submit_order == again.submit_order);
      CHECK(trace.tag == again.tag);
      CHECK(trace.wont_use.size() == again.wont_use.size());
      write_starpu(folder / "twice", again);
      CHECK(testing::text_of(folder / "rec" / "tasks.rec") ==
            testing::text_of(folder / "twice" / "tasks.rec"));
      ++runs;
    }
    CHECK(runs >= 19);
  }
}
