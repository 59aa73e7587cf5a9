// Small hand-made traces, one for each feature of a format.

#include <zlib.h>

#include "simulator/traces/import/read_trace.hpp"
#include "simulator/traces/trace/native_trace.hpp"
#include "tests/trace/random_trace.hpp"
#include "tests/trace/trace_files.hpp"

using namespace factosim;
using testing::before;
using testing::finds;
using testing::paje_header;
using testing::refusal;

namespace {

std::string record(std::string const& name, std::string const& job, std::string const& more) {
  return "Name: " + name + "\nJobId: " + job + "\n" + more + "\n";
}
std::string timed(int worker, double start, double end, int memory = 0) {
  return "WorkerId: " + std::to_string(worker) + "\nMemoryNode: " + std::to_string(memory) +
         "\nSubmitTime: 1.0\nStartTime: " + std::to_string(start) + "\nEndTime: " + std::to_string(end) +
         "\nFootprint: ab\n";
}

void write_gzip(std::filesystem::path const& file, std::string const& text) {
  gzFile const gz = gzopen(file.c_str(), "wb");
  gzwrite(gz, text.data(), static_cast<unsigned>(text.size()));
  gzclose(gz);
}

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
  TEST_CASE("tasks.rec: jobs without times are contracted and each edge appears once") {
    testing::TemporaryFolder const folder;
    // a -> (sync) -> b and c, and a -> b directly; b and c -> (pre) -> (post) -> d.
    folder.write("tasks.rec", record("a", "1", "SubmitOrder: 1\n" + timed(0, 10, 20)) +
                                  record("_starpu_sync_task", "2", "DependsOn: 1\n") +
                                  record("b", "3", "SubmitOrder: 2\nDependsOn: 2 1\n" + timed(0, 20, 30)) +
                                  record("c", "4", "SubmitOrder: 3\nDependsOn: 2\n" + timed(1, 21, 31)) +
                                  "JobId: 5\nDependsOn: 3 4\n\n" +
                                  "JobId: 6\nDependsOn: 5\nDepLabels: ghost\n\n" +
                                  record("d", "7", "SubmitOrder: 4\nDependsOn: 6\n" + timed(1, 32, 40)));
    Trace const t = read_trace(folder.path());
    REQUIRE(t.task_count() == 4);
    CHECK(t.format == "starpu-rec");
    CHECK(before(t, 1) == std::vector<std::uint32_t>{0});
    CHECK(before(t, 2) == std::vector<std::uint32_t>{0});
    CHECK(before(t, 3) == std::vector<std::uint32_t>{1, 2});
    CHECK(t.start_s[0] == doctest::Approx(0.010));
    CHECK(t.workers.size() == 2);
    CHECK(t.footprint[0] == 0xab);
  }

  TEST_CASE("tasks.rec: jobs without times that join too many tasks are refused in bounded time") {
    testing::TemporaryFolder const folder;
    constexpr int jobs = 8000;  // a chain of jobs without times, and as many tasks that wait for its end
    std::string text = record("a", "1", timed(0, 1, 2));
    for (int j = 2; j <= jobs; ++j)
      text += record("_starpu_sync_task", std::to_string(j), "DependsOn: " + std::to_string(j - 1) + "\n");
    for (int j = jobs + 1; j <= 2 * jobs; ++j)
      text +=
          record("b", std::to_string(j), "DependsOn: " + std::to_string(jobs) + "\n" + timed(0, j, j + 1));
    auto const file = folder.write("tasks.rec", text);
    std::string const message = testing::message_of([&] { (void)read_trace(file); });
    CAPTURE(message);
    CHECK(message.starts_with(file.string() +
                              "#: has more than 50000000 dependencies through tasks without times"));
  }

  TEST_CASE("tasks.rec: a worker with its own memory and a number below the workers of the RAM is a GPU") {
    testing::TemporaryFolder const folder;
    folder.write("tasks.rec", record("a", "1", timed(0, 1, 2, 1)) + record("b", "2", timed(1, 1, 2, 0)) +
                                  record("c", "3", timed(2, 1, 2, 0)));
    Trace const t = read_trace(folder / "tasks.rec");
    REQUIRE(t.workers.size() == 3);
    CHECK(t.workers[0].name == "cuda0");
    CHECK(t.workers[0].device == Trace::Device::gpu);
    CHECK(t.workers[2].name == "cpu1");
    CHECK(t.memory_nodes.size() == 2);
    CHECK(finds(t, "names no workers"));
  }

  TEST_CASE(
      "tasks.rec: accesses keep their modes and scratch data is ignored and accesses to one handle are "
      "merged") {
    testing::TemporaryFolder const folder;
    folder.write("tasks.rec",
                 record("a", "1",
                        timed(0, 1, 2) + "Parameters: M8x8x8 M8x8x8 V4x8 M8x8x8\nHandles: aa bb cc aa\n"
                                         "Modes: R RWC S W\nSizes: 512 256 32 512\n"));
    Trace const t = read_trace(folder.path());
    REQUIRE(t.accesses.size() == 2);
    CHECK(t.accesses[0].mode() == Access::read_write);
    CHECK(t.accesses[1].mode() == Access::read_write);
    CHECK(t.handles[t.accesses[1].handle().index()].size == Bytes{256});
    CHECK(t.handles[t.accesses[0].handle().index()].shape == "M8x8x8");
  }

  TEST_CASE(
      "two ranks: the tag of a tile identifies its handle and a message joins its writer and its reader") {
    testing::TemporaryFolder const folder;
    std::string const access = "Handles: aa\nModes: RW\nSizes: 800\n";
    folder.write("data.rec",
                 "Handle: aa\nMPIRank: 0\nSize: 800\nCoordinates: 3 4\nMPIOwner: 0\nMPITag: 7\n\n"
                 "Handle: bb\nMPIRank: 1\nSize: 800\nMPIOwner: 0\nMPITag: 7\n\n");
    folder.write("tasks.rec", record("w", "0_1", timed(0, 1, 2) + access + "MPIRank: 0\n") +
                                  "JobId: 0_2\nDependsOn: 0_1\n\nJobId: 1_1\n\n" +
                                  record("r", "1_2",
                                         "DependsOn: 1_1\n" + timed(0, 4, 5) +
                                             "Handles: bb\nModes: R\nSizes: 800\nMPIRank: 1\n"));
    SUBCASE("by the jobs that send and receive") {
      folder.write("comms.rec",
                   "Src: 0\nDst: 1\nTag: 7\nSendTime: 2.1\nRecvTime: 3.9\nSendHandle: aa\n"
                   "RecvHandle: bb\nSendJobId: 0_2\nRecvJobId: 1_1\nSize: 800\n\n");
    }
    SUBCASE("by what it carries") {
      folder.write("comms.rec", "Src: 0\nDst: 1\nTag: 7\nSendTime: 2.1\nRecvTime: 3.9\nSize: 800\n\n");
    }
    Trace const t = read_trace(folder.path());
    REQUIRE(t.handles.size() == 1);
    CHECK(t.handles[0].m == 3);
    CHECK(t.handles[0].owner == NodeId{0});
    REQUIRE(t.messages.size() == 1);
    CHECK(t.messages[0].producer == TaskId{0});
    CHECK(t.messages[0].consumer == TaskId{1});
    CHECK(before(t, 1) == std::vector<std::uint32_t>{0});
  }

  TEST_CASE("tasks.rec: errors are reported with their line") {
    testing::TemporaryFolder const folder;
    auto const message = [](std::string const& text) { return testing::refusal("tasks.rec", text); };
    CHECK(message("Name: a\nJobId: x\n\n").starts_with("#line 2: \"x\" where the number of a job"));
    CHECK(message("Name: a\nJobId: 1\nStartTime: 1e999\n\n").starts_with("#line 3: \"1e999\""));
    CHECK(message("Name: a\nJobId: 1\nEndTime: 12").starts_with("#line 3: has no line end"));
    CHECK(message("Name: a\nno key here\n\n").starts_with("#line 2: is no \"Key: value\""));
    CHECK(message("Name: a\nPriority: 3\n\n").starts_with("#line 3: a record without JobId"));
    CHECK(testing::contains(message("Name: a\nJobId: 1\nStartTime: 5\nEndTime: 4\n\n"),
                            "would end before it starts"));
    CHECK(testing::contains(message(record("a", "1", timed(0, 1, 2) + "Handles: aa bb\nModes: R\n")),
                            "2 handles, 1 modes"));
    CHECK(message("Name: a\xff\nJobId: 1\n\n").starts_with("#line 1: byte 8 is 0xff"));
    CHECK(message(std::string("Name: a\0b\nJobId: 1\n\n", 20)).starts_with("#line 1: byte 8 is 0x00"));
    CHECK(message("Name: " + std::string(2 << 20, 'x') + "\n")
              .starts_with("#line 1: has more than 1048576 bytes"));
    CHECK(message("").starts_with("#: is no trace that is known (it is empty)"));
    CHECK(message("Name: a\nJobId: 1\n\n").starts_with("#: has no task with a start and an end"));
    CHECK(message("hello\n").starts_with("#: is no trace that is known"));
    CHECK(message("kind: a list in YAML\nother: 1\n")
              .starts_with("#: is no trace that is known (its first line"));
    CHECK(message("{\"traceEvents\":[]}\n").starts_with("#: has no task with a start and an end"));
    CHECK(message("#Paraver (22/11/2026 at 10:00):1:1(2):1:1(1:1)\n")
              .starts_with("#: is no trace that is known (it is a trace of Paraver)"));
    CHECK(
        testing::contains(testing::message_of([&] { (void)read_trace(folder / "none"); }), "cannot be read"));
  }

  TEST_CASE("a truncated or damaged gzip file is reported with its last line") {
    testing::TemporaryFolder const folder;
    std::string text;
    for (int i = 1; i < 3000; ++i)
      text += record("a" + std::to_string(i % 7), std::to_string(i), timed(0, i, i + 1));
    write_gzip(folder / "whole.gz", text);
    std::string const packed = testing::text_of(folder / "whole.gz");
    folder.write("tasks.rec.gz", packed.substr(0, packed.size() / 2));
    CHECK(testing::contains(testing::message_of([&] { (void)read_trace(folder.path()); }),
                            "the gzip stream ends here"));
    std::string damaged = packed;
    for (std::size_t i = 0; i < 40; ++i) damaged[packed.size() / 2 + i] = static_cast<char>(i * 37);
    folder.write("tasks.rec.gz", damaged);
    CHECK(testing::contains(testing::message_of([&] { (void)read_trace(folder.path()); }), "#line "));
  }

  TEST_CASE("StarVZ: columns may be in any order and rows may be short and dag.csv adds edges") {
    testing::TemporaryFolder const folder;
    folder.write(
        "rec.tasks.csv",
        "EndTime,Name,WorkerId,JobId,StartTime\n20,a,0,0_1,10\n,_starpu_sync_task,,0_2\n40,b,1,0_3,30\n");
    folder.write("dag.csv", "Dependent,JobId\n0_1,0_2\n0_2,0_3\n");
    write_gzip(folder / "paje.worker_state.csv.gz",
               "Nature, ResourceId, Type, Start, End, Duration, Depth, Value, JobId\n"
               "State, 0_CPU0, Worker State, 10.0, 10.0, 0.0, 0.0, a\n"
               "State, 0_CPU0, Worker State, 10.0, 20.0, 10.0, 0.0, a, 0_1\n"
               "State, 0_CUDA0_0, Worker State, 30.0, 40.0, 10.0, 0.0, b, 0_3, more, than, it, should\n"
               "State, 0_CPU0, Worker State, 20.0, 25.0, 5.0, 0.0, Idle\n");
    Trace const t = read_trace(folder.path());
    REQUIRE(t.task_count() == 2);
    CHECK(before(t, 1) == std::vector<std::uint32_t>{0});
    CHECK(t.workers[0].name == "cuda0");
    CHECK(t.worker[1] == WorkerId{0});
    REQUIRE(t.states.size() == 1);
    CHECK(t.state_names[t.states[0].name] == "Idle");
    CHECK(finds(t, "has no column Handles"));
    // Any of its tables identifies the directory.
    CHECK(read_trace(folder / "rec.tasks.csv").task_count() == 2);
  }

  TEST_CASE("StarVZ: without rec.tasks.csv the states with a job are the tasks") {
    testing::TemporaryFolder const folder;
    folder.write("paje.worker_state.csv",
                 "Value, ResourceId, Start, End, JobId\na, CPU0, 1, 2, 5\nIdle, CPU0, 2, 3\n");
    Trace const t = read_trace(folder.path());
    CHECK(t.task_count() == 1);
    CHECK(t.states.size() == 1);
    folder.write("paje.worker_state.csv", "Value, ResourceId, End, JobId\na, CPU0, 2, 5\n");
    CHECK(testing::contains(testing::message_of([&] { (void)read_trace(folder.path()); }),
                            "has no column Start"));
  }

  TEST_CASE("Paje: lines may be in any order of time and tasks are found by their JobId") {
    testing::TemporaryFolder const folder;
    auto const file = folder.write("paje.trace", paje_header +
                                                     "10 30.0 w0 WS Idle\n20 5.0 w0 WS \"dgemm\" 0_2\n"
                                                     "10 12.0 w0 WS Idle\n20 20.0 w0 WS \"dtrsm\" 0_3\n");
    Trace const t = read_trace(file);
    REQUIRE(t.task_count() == 2);
    CHECK(t.start_s[0] == doctest::Approx(0.005));
    CHECK(t.end_s[0] == doctest::Approx(0.012));
    CHECK(t.end_s[1] == doctest::Approx(0.030));
    CHECK(t.kernels[t.kernel[0]].timing == "gemm");
    CHECK(t.workers[0].name == "cpu0");
  }

  TEST_CASE("Paje: an undefined line and a truncated line are reported with their number") {
    testing::TemporaryFolder const folder;
    auto const message = [](std::string const& end) { return testing::refusal("t.paje", paje_header + end); };
    CHECK(testing::contains(message("99 1 2 3\n"), "#line 34: starts with 99"));
    CHECK(testing::contains(message("10 1.0 w0 WS\n"), "#line 34: is a PajeSetState without Value"));
    CHECK(testing::contains(message("10 1.0 w9 WS Idle\n"), "w9 is no container"));
    CHECK(testing::contains(message("10 1.0 w0 WS \"Id"), "#line 34"));
  }

  TEST_CASE("CSV: units and nodes and dependencies by id") {
    testing::TemporaryFolder const folder;
    auto const file =
        folder.write("run.csv",
                     "worker,task,end_ms,start_ms,node,id,depends_on\n"
                     "cpu0,potrf,12,10,0,1,\n\"gpu, big\",trsm,20,13,1,2,1\ncpu1,trsm,15,12.5,0,3,1 9\n");
    Trace const t = read_trace(file);
    REQUIRE(t.task_count() == 3);
    CHECK(t.format == "csv");
    CHECK(t.nodes.size() == 2);
    CHECK(t.start_s[0] == doctest::Approx(0.010));
    CHECK(before(t, 1) == std::vector<std::uint32_t>{0});
    CHECK(t.workers[t.worker[2].index()].device == Trace::Device::gpu);
    CHECK(t.workers[t.worker[2].index()].name == "gpu, big");
    CHECK(finds(t, "1 dependencies on jobs"));
    auto const bad = folder.write("bad.csv", "task,worker,start\na,cpu0,1\n");
    CHECK(
        testing::contains(testing::message_of([&] { (void)read_trace(bad); }), "#line 1: has no column end"));
    auto const back = folder.write("back.csv", "task,worker,start,end\na,cpu0,2,1\n");
    CHECK(testing::contains(testing::message_of([&] { (void)read_trace(back); }),
                            "#line 2: the task would end before"));
  }

  TEST_CASE("findings: overlaps and violated dependencies and clock skew and constant durations") {
    testing::TemporaryFolder const folder;
    std::string text = "task,worker,start,end,id,depends_on\n";
    for (int i = 0; i < 12; ++i)
      text += "k,cpu0," + std::to_string(2 * i) + "," + std::to_string(2 * i + 1) + "," +
              std::to_string(i + 1) + ",\n";
    text += "x,cpu1,0,5,20,\nx,cpu1,4,6,21,\ny,cpu2,3,7,22,20\n";
    Trace const t = read_trace(folder.write("t.csv", text));
    CHECK(finds(t, "this is the trace of a simulation"));
    CHECK(finds(t, "1 tasks start on a core that still runs another, by up to 1e+03 ms"));
    CHECK(finds(t, "1 dependencies are violated"));
    CHECK(finds(t, "rest on fewer than 10 executions"));
  }

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
