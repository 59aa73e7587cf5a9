// Damaged traces: truncated anywhere, with modified bytes or wrong encoding. Each is read or refused with
// InputError.

#include <doctest/doctest.h>
#include <zlib.h>

#include <random>
#include <string>

#include "factosim/error.hpp"
#include "simulator/traces/import/line_reader.hpp"
#include "simulator/traces/import/read_trace.hpp"
#include "tests/data/test_files.hpp"
#include "tests/trace/trace_files.hpp"

using namespace factosim;
using testing::unpacked;
namespace fs = std::filesystem;

namespace {

/// Reads a damaged trace, which must succeed or throw InputError.
void read_damaged(fs::path const& file) {
  try {
    Trace const t = read_trace(file);
    CHECK(t.task_count() > 0);
  } catch (InputError const& error) {
    CHECK(std::string(error.what()).find(file.parent_path().string()) == 0);
  }
}

void damage(std::string const& name, std::string const& text, int times) {
  testing::TemporaryFolder const folder;
  std::mt19937 random(42);
  auto const place = [&] { return std::uniform_int_distribution<std::size_t>(0, text.size() - 1)(random); };
  for (int i = 0; i < times; ++i) {
    std::size_t const at = place();
    CAPTURE(name);
    CAPTURE(i);
    read_damaged(folder.write(name, text.substr(0, at)));  // truncated
    std::string changed = text;
    for (int k = 0; k < 5; ++k) changed[place()] = static_cast<char>(random());
    read_damaged(folder.write(name, changed));
    std::string printable = text;  // printable characters get past the check of the encoding
    for (int k = 0; k < 20; ++k) printable[place()] = static_cast<char>(32 + random() % 95);
    read_damaged(folder.write(name, printable));
    std::string shuffled = text;  // a moved piece
    std::size_t const from = place(), length = std::min<std::size_t>(300, text.size() - from);
    shuffled.insert(place(), text.substr(from, length));
    read_damaged(folder.write(name, shuffled));
  }
}

constexpr char const* records = R"(Name: dgemm
JobId: 0_1
SubmitOrder: 1
Priority: 3
Tag: 0
WorkerId: 0
MemoryNode: 0
SubmitTime: 1.5
StartTime: 2.5
EndTime: 3.5
Footprint: cea37d6d
Iteration: 0 1
Parameters: M320x320x8 M320x320x8
Handles: aa bb
Modes: R RW
Sizes: 819200 819200
MPIRank: 0

Control: WontUse
JobId: 1
SubmitOrder: 2
SubmitTime: 1.6
Handles: bb
MPIRank: 0

Name: _starpu_sync_task
JobId: 0_3
DependsOn: 0_1
DepLabels: task

Name: dtrsm
JobId: 1_4
DependsOn: 0_3 0_1
WorkerId: 1
MemoryNode: 1
StartTime: 4.5
EndTime: 5.5
MPIRank: 1

)";

}  // namespace

TEST_SUITE("property") {
  TEST_CASE("small damaged traces of every format are read or refused") {
    damage("tasks.rec", records, 400);
    damage("rec.tasks.csv",
           "Name,JobId,WorkerId,StartTime,EndTime,DependsOn,Handles,Modes,Sizes\n"
           "a,0_1,0,1,2,,aa bb,R RW,8 8\nb,0_2,1,2,3,0_1,\"aa\",RW,8\n,0_3,,,,0_2,,,\n",
           400);
    damage("t.csv", "task,worker,start,end,node,id,depends_on\nk,cpu0,0,1,0,1,\nk,cuda1,1,2,1,2,1\n", 400);
    damage("t.json",
           R"([{"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"cuda0"}},
{"ph":"X","cat":"task","name":"k","pid":1,"tid":2,"ts":1,"dur":2,"args":{"priority":1,"submitted_us":0}},
{"ph":"B","cat":"task","name":"k","pid":2,"tid":"a","ts":4},{"ph":"E","pid":2,"tid":"a","ts":5},
{"ph":"s","id":1,"cat":"d","pid":1,"tid":2,"ts":2},{"ph":"f","bp":"e","id":1,"cat":"d","pid":2,"tid":"a","ts":4.5}])",
           400);
  }

  TEST_CASE("damaged copies of real traces are read or refused") {
    auto const root = testing::real_data();
    if (!root || !fs::exists(*root / "local_runs")) {
      MESSAGE("skipped: FACTOSIM_DATA names no folder with local_runs");
      return;
    }
    fs::path const run = *root / "local_runs/mpi_lu_b320_nb10_lws_p2_r0";
    damage("tasks.rec", unpacked(run / "tasks.rec.gz"), 8);
    damage("paje.trace", unpacked(run / "paje.trace.gz"), 5);
    damage("rec.tasks.csv", unpacked(*root / "traces/lu_trace_simgrid/rec.tasks.csv.gz"), 8);
    damage("paje.worker_state.csv", unpacked(*root / "traces/qr_trace/paje.worker_state.csv.gz"), 2);
    damage("tasks.rec.gz", testing::text_of(run / "tasks.rec.gz"), 30);  // the compressed bytes
  }

  TEST_CASE("a file of one repeated character needs no memory beyond a line") {
    testing::TemporaryFolder const folder;
    gzFile const gz = gzopen((folder / "tasks.rec.gz").c_str(), "wb");
    std::string const block(1 << 20, 'x');
    for (int i = 0; i < 64; ++i) gzwrite(gz, block.data(), static_cast<unsigned>(block.size()));
    gzclose(gz);
    CHECK(testing::message_of([&] { (void)read_trace(folder.path()); }).find("#line 1: has more than") !=
          std::string::npos);
  }
}
