#include "simulator/traces/import/read_trace.hpp"
#include "simulator/traces/trace/native_trace.hpp"
#include "tests/trace/random_trace.hpp"
#include "tests/trace/trace_files.hpp"

using namespace factosim;
using testing::refusal;

namespace {

std::string native_refusal(Trace const& trace) {
  testing::TemporaryFolder const folder;
  write_native(folder / "run.trace", trace);
  return testing::message_of([&] { (void)read_trace(folder / "run.trace"); });
}

std::string job(int id, std::string const& depends_on, bool timed) {
  return "Name: k\nJobId: " + std::to_string(id) + "\nDependsOn: " + depends_on + "\n" +
         (timed ? "WorkerId: 0\nMemoryNode: 0\nStartTime: 1\nEndTime: 2\n" : "") + "\n";
}

constexpr char const* csv_header = "id,task,node,worker,start_s,end_s,depends_on\n";
constexpr char const* circle = "wait for each other in a circle";

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("a task that depends on itself is refused at its line by every reader") {
    CHECK(refusal("run.csv", csv_header + std::string("1,a,0,cpu0,0,1,\n2,b,0,cpu0,1,2,2\n"))
              .starts_with("#line 3: 1 tasks wait"));
    std::string const recorded = refusal("tasks.rec", job(1, "", true) + job(2, "2", true));
    CHECK(recorded.starts_with("#line 16: 1 tasks wait"));
    std::string const starvz =
        refusal("rec.tasks.csv", "Name,JobId,StartTime,EndTime,WorkerId,DependsOn\na,1,1,2,0,1\n");
    CHECK(starvz.starts_with("#line 2: 1 tasks wait"));
    Trace trace = testing::random_trace(4, 10);
    trace.predecessor_begin.assign(trace.task_count() + 1, 1);
    trace.predecessor_begin[0] = 0;
    trace.predecessors = {TaskId{0}};
    CHECK(testing::contains(native_refusal(trace), "#task 0: 1 tasks wait"));
  }

  TEST_CASE("circles through jobs without times are refused") {
    CHECK(testing::contains(refusal("tasks.rec", job(1, "2", true) + job(2, "1", false)), circle));
    CHECK(testing::contains(refusal("tasks.rec", job(1, "", true) + job(2, "3", false) + job(3, "2", false)),
                            circle));
    CHECK(refusal("tasks.rec", job(1, "", true) + job(2, "2", false)).starts_with("#line 12: "));
    CHECK(refusal("tasks.rec", job(1, "", true) + job(2, "1", false) + job(3, "2", true)).empty());
  }

  TEST_CASE("dates that no run has are refused at their line by every reader") {
    for (std::string const date : {"1e308", "-1e308", "1e19", "nan", "inf", "-inf"}) {
      CAPTURE(date);
      CHECK(refusal("run.csv", csv_header + ("1,a,0,cpu0," + date + ",1e307,\n")).starts_with("#line 2: \""));
      CHECK(
          refusal("tasks.rec", "Name: a\nJobId: 1\nSubmitTime: " + date + "\n\n").starts_with("#line 3: \""));
      CHECK(refusal("rec.tasks.csv", "Name,JobId,StartTime,EndTime,WorkerId\na,1," + date + ",2,0\n")
                .starts_with("#line 2: \""));
      CHECK(refusal("t.paje", testing::paje_header + ("10 " + date + " w0 WS k\n"))
                .starts_with("#line 34: \""));
    }
    for (double const date : {1e308, -1e308, std::numeric_limits<double>::infinity()}) {
      Trace trace = testing::random_trace(5, 10);
      trace.start_s[3] = date;
      CHECK(testing::contains(native_refusal(trace), "has a date that is not within"));
      trace = testing::random_trace(5, 10);
      trace.messages[0].end_s = date;
      CHECK(testing::contains(native_refusal(trace), "has a date that is not within"));
    }
  }
}
