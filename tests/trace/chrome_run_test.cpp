#include "simulator/traces/export/trace_formats.hpp"
#include "simulator/traces/import/read_trace.hpp"
#include "tests/trace/trace_files.hpp"

using namespace factosim;
using testing::before;
using testing::finds;

namespace {

std::string worker_of(Trace const& t, std::size_t task) {
  Trace::Worker const& w = t.workers[t.worker[task].index()];
  return std::to_string(w.node.value()) + " " + w.name;
}

std::vector<std::string> kernels_of(Trace const& t) {
  std::vector<std::string> out;
  for (std::uint16_t const k : t.kernel) out.push_back(t.kernels[k].name);
  return out;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("Chrome: slices and flows of any program are tasks and dependencies") {
    testing::TemporaryFolder const folder;
    // Interrupted: the array has no end.
    Trace const t = read_trace(folder.write("run.json", R"([
      {"ph": "M", "name": "thread_name", "pid": 7, "tid": 2, "args": {"name": "gpu0"}},
      {"ph": "X", "name": "gemm", "pid": 7, "tid": 2, "ts": 10.5, "dur": 4, "args": {"priority": 3, "m": 5}},
      {"ph": "B", "name": "trsm", "pid": 7, "tid": "main", "ts": 1},
      {"ph": "B", "name": "inner", "pid": 7, "tid": "main", "ts": 2},
      {"ph": "E", "pid": 7, "tid": "main", "ts": 3},
      {"ph": "E", "pid": 7, "tid": "main", "ts": 9},
      {"ph": "E", "pid": 7, "tid": "main", "ts": 9},
      {"ph": "X", "name": "last", "pid": 12, "tid": 1, "ts": 20, "dur": 1},
      {"ph": "s", "id": 1, "cat": "d", "name": "d", "pid": 7, "tid": "main", "ts": 8},
      {"ph": "t", "id": 1, "cat": "d", "name": "d", "pid": 7, "tid": 2, "ts": 11},
      {"ph": "f", "id": 1, "cat": "d", "name": "d", "pid": 12, "tid": 1, "ts": 15},
      {"ph": "f", "id": 2, "cat": "d", "name": "d", "pid": 12, "tid": 9, "ts": 15},
      {"ph": "C", "name": "memory", "pid": 7, "ts": 3, "args": {"bytes": 1}},
    )"));
    CHECK(t.format == "chrome");
    CHECK(kernels_of(t) == std::vector<std::string>{"trsm", "gemm", "last"});
    CHECK(t.start_s[1] == doctest::Approx(10.5e-6));
    CHECK(t.end_s[0] == doctest::Approx(9e-6));
    CHECK(t.nodes.size() == 2);
    CHECK(worker_of(t, 1) == "0 gpu0");
    CHECK(t.workers[t.worker[1].index()].device == Trace::Device::gpu);
    CHECK(worker_of(t, 2).starts_with("1 "));
    CHECK(t.priority[1] == 3);
    CHECK(t.indices[1].m == 5);
    CHECK(before(t, 1) == std::vector<std::uint32_t>{0});
    CHECK(before(t, 2) == std::vector<std::uint32_t>{1});  // the next slice of its thread
    CHECK(finds(t, "1 slices are no tasks"));
    CHECK(finds(t, "1 events that begin or end a slice have no partner"));
    CHECK(finds(t, "1 ends of flows are at no task"));
    CHECK(finds(t, "1 events of the phase \"C\""));
  }

  TEST_CASE("Chrome: a run that is exported is read back") {
    testing::TemporaryFolder const folder;
    Trace const run = read_trace(folder.write("run.csv",
                                              "worker,task,start,end,node,id,depends_on\n"
                                              "cuda0,potrf,0,1,0,1,\ncpu1,trsm,1,2.5,0,2,1\n"
                                              "cpu0,trsm,1.25,2,1,3,1\ncpu0,gemm,3,4,1,4,2 3\n"));
    for (char const* name : {"run.json", "run.json.gz"}) {
      CAPTURE(name);
      write_chrome(folder.path() / name, run, {.dependencies = true});
      Trace const back = read_trace(folder.path() / name);
      CHECK(kernels_of(back) == kernels_of(run));
      CHECK(back.start_s == run.start_s);
      CHECK(back.end_s == run.end_s);
      for (std::uint32_t task = 0; task < 4; ++task) {
        CHECK(worker_of(back, task) == worker_of(run, task));
        CHECK(before(back, task) == before(run, task));
      }
    }
  }

  TEST_CASE("Chrome: mistakes are reported with the number of the event") {
    auto const refused = [](std::string const& text, std::string const& message) {
      std::string const said = testing::refusal("bad.json", text);
      CHECK_MESSAGE(testing::contains(("bad.json" + said), message), said);
    };
    refused(R"({"a": 1})", "bad.json#: is JSON without \"traceEvents\"");
    refused(R"([{"ph": "M"}, 3])", "bad.json#/traceEvents/1: is no object");
    refused(R"([{"ph": "X", "name": "a"}])", "bad.json#/traceEvents/0: has no \"ts\"");
    refused(R"([{"ph": "X", "name": "a", "ts": "1"}])", "has \"ts\" without a date");
    refused(R"([{"ph": "X", "name": "a", "ts": 1e300}])", "has \"ts\" without a date");
    refused(R"([{"ph": "X", "name": "a", "ts": 1, "dur": -1}])", "has a negative \"dur\"");
    refused(R"([{"ph": "B", "name": "a", "ts": 2}, {"ph": "E", "ts": 1}])", "ends before it begins");
    refused(R"({"traceEvents": []})", "bad.json");
    refused(R"([{"ph": "X",)", "is not valid JSON");
  }
}
