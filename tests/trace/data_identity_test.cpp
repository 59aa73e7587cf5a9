// Data of several nodes and their sizes, from records that tell more or less of them.

#include "simulator/traces/import/read_trace.hpp"
#include "tests/trace/stripped_records.hpp"

using namespace factosim;
using testing::finds;
using testing::Strip;

namespace {

/// A datum of the example, as the record of one rank.
struct Datum {
  char const* address;
  int rank, m, n, owner, tag;
};

std::string data_record(Datum const& d, std::int64_t size) {
  return fmt::format(
      "Handle: {}\nHomeNode: 0\nMPIRank: {}\nSize: {}\nCoordinates: {} {}\nMPIOwner: {}\nMPITag: {}\n\n",
      d.address, d.rank, size, d.m, d.n, d.owner, d.tag);
}

std::string task_record(std::string const& kernel, std::string const& job, int rank, double start,
                        std::string const& footprint, std::string const& handles, std::string const& modes,
                        std::string const& sizes) {
  return fmt::format(
      "Name: {}\nJobId: {}\nSubmitOrder: 1\nWorkerId: 0\nMemoryNode: 0\nSubmitTime: {}\nStartTime: {}\n"
      "EndTime: {}\nFootprint: {}\nHandles: {}\nModes: {}\nSizes: {}\nMPIRank: {}\n\n",
      kernel, job, start, start, start + 1, footprint, handles, modes, sizes, rank);
}

std::string message_record(int from, int to, int tag, double sent, char const* send, char const* receive,
                           std::string const& jobs, std::int64_t size) {
  return fmt::format(
      "Src: {}\nDst: {}\nTag: {}\nSendTime: {}\nRecvTime: {}\nSendHandle: {}\nRecvHandle: {}\n{}Size: {}\n\n",
      from, to, tag, sent, sent + 0.5, send, receive, jobs, size);
}

constexpr std::int64_t tile = std::int64_t{5} << 30;  // 5 GiB: more than 32 bits hold

/// Two ranks with two tiles. Rank 0 factors (0,0) and sends it; rank 1 updates (0,1) with it and sends that
/// back; rank 0 reads both. A third tile, (1,1), never leaves rank 1.
void write_exchange(testing::TemporaryFolder const& folder) {
  std::string data, tasks;
  for (Datum const& d : {Datum{"a00", 0, 0, 0, 0, 7},
                         {"b00", 1, 0, 0, 0, 7},
                         {"b01", 1, 0, 1, 1, 8},
                         {"a01", 0, 0, 1, 1, 8},
                         {"b11", 1, 1, 1, 1, 9}})
    data += data_record(d, tile);
  folder.write("full/data.rec", data);
  std::string const one = std::to_string(tile), two = one + " " + one;
  tasks += task_record("getrf", "0_1", 0, 1, "aa", "a00", "RW", one);
  tasks += task_record("trsm", "1_2", 1, 4, "bb", "b00 b01", "R RW", two);
  tasks += task_record("gemm", "0_3", 0, 7, "cc", "a01 a00", "R RW", two);
  tasks += task_record("trsm", "1_4", 1, 8, "bb", "b00 b11", "R RW", two);
  folder.write("full/tasks.rec", tasks);
  folder.write("full/comms.rec",
               message_record(0, 1, 7, 2.5, "a00", "b00", "SendJobId: 0_1\nRecvJobId: 1_2\n", tile) +
                   message_record(1, 0, 8, 5.5, "b01", "a01", "SendJobId: 1_2\nRecvJobId: 0_3\n", tile));
}

/// "0 1 (0,0) 5368709120; ..."
std::string messages_of(Trace const& t) {
  std::string out;
  for (Trace::Message const& m : t.messages) {
    Trace::Handle const h = m.handle.valid() ? t.handles[m.handle.index()] : Trace::Handle{};
    out += fmt::format("{} {} ({},{}) {}; ", m.from.value(), m.to.value(), h.m, h.n, m.size.value);
  }
  return out;
}

std::int64_t total_bytes(Trace const& t) {
  std::int64_t sum = 0;
  for (Trace::Handle const& h : t.handles) sum += h.size.value;
  for (Trace::Message const& m : t.messages) sum += m.size.value;
  return sum;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("a tile and its size are found by whatever the records of two ranks tell of it") {
    testing::TemporaryFolder const folder;
    write_exchange(folder);
    std::vector<Strip> const strips{
        {},
        {.tags = true},
        {.tags = true, .data_sizes = true},
        {.tags = true, .data_sizes = true, .message_names = true},
        {.tags = true, .data_sizes = true, .message_jobs = true},
        {.data_sizes = true, .message_names = true, .message_jobs = true},
        {.tags = true, .message_names = true, .message_sizes = true},
        {.message_names = true, .message_jobs = true, .message_sizes = true},
    };
    for (std::size_t s = 0; s < strips.size(); ++s) {
      CAPTURE(s);
      std::string const to = "strip" + std::to_string(s);
      testing::strip_records(folder / "full", folder / to, strips[s]);
      Trace const t = read_trace(folder / to);
      CHECK(t.handles.size() == 3);
      CHECK(messages_of(t) == "0 1 (0,0) 5368709120; 1 0 (0,1) 5368709120; ");
      CHECK(total_bytes(t) == 5 * tile);
      // The first reader of each message; without jobs all readers, since DependsOn would tell the others.
      CHECK(t.predecessors.size() == (strips[s].message_jobs ? 3 : 2));
      CHECK(finds(t, "no file tells the size of 1 pieces of data: they have that of data") ==
            strips[s].data_sizes);
      CHECK(!finds(t, "messages name"));
    }
  }

  TEST_CASE("tiles of two matrices are not joined between nodes unless a tag tells them apart") {
    testing::TemporaryFolder const folder;
    write_exchange(folder);
    std::string const second =
        data_record({"a99", 0, 0, 0, 0, 99}, tile) + data_record({"b99", 1, 0, 0, 0, 99}, tile);
    folder.write("full/data.rec", testing::text_of(folder / "full/data.rec") + second);
    Trace const tagged = read_trace(folder / "full");
    CHECK(tagged.handles.size() == 4);
    CHECK(!finds(tagged, "several matrices"));
    testing::strip_records(folder / "full", folder / "bare", {.tags = true, .message_names = true});
    Trace const bare = read_trace(folder / "bare");
    CHECK(finds(bare, "1 tiles have the coordinates and the owner of another one (several matrices?)"));
    CHECK(bare.handles.size() == 6);  // (0,0) twice on each rank; (0,1), (1,1)
    // Names in messages still tell which of them was sent.
    testing::strip_records(folder / "full", folder / "named", {.tags = true});
    Trace const named = read_trace(folder / "named");
    CHECK(named.handles.size() == 5);
    CHECK(messages_of(named) == messages_of(tagged));
  }

  TEST_CASE("keys that contradict each other are not used and reported") {
    testing::TemporaryFolder const folder;
    write_exchange(folder);
    // All tiles have one tag.
    folder.write("tags/data.rec",
                 testing::changed_lines(testing::text_of(folder / "full/data.rec"), [](auto line) {
                   return line.starts_with("MPITag:") ? std::string("MPITag: 0") : line;
                 }));
    for (char const* name : {"tasks.rec", "comms.rec"})
      folder.write(std::string("tags/") + name, testing::text_of(folder / (std::string("full/") + name)));
    Trace const tags = read_trace(folder / "tags");
    CHECK(tags.handles.size() == 3);
    CHECK(finds(tags, "1 MPI tags belong to data with different coordinates"));
    CHECK(messages_of(tags) == messages_of(read_trace(folder / "full")));

    // A name is given to another tile once its first one is gone.
    write_exchange(folder);
    folder.write("full/data.rec", testing::text_of(folder / "full/data.rec") +
                                      data_record({"a00", 0, 5, 5, 0, 55}, 64) +
                                      data_record({"b55", 1, 5, 5, 0, 55}, 64));
    Trace const renamed = read_trace(folder / "full");
    CHECK(finds(renamed, "1 names of data are given to other data later on"));
    CHECK(renamed.handles.size() == 4);
    CHECK(messages_of(renamed) == messages_of(tags));
  }

  TEST_CASE("data without bytes keep 0 and unknown sizes are reported") {
    testing::TemporaryFolder const folder;
    folder.write("tasks.rec", task_record("analysis", "1", -1, 1, "0", "a b", "RW R", "0 0"));
    folder.write("data.rec", "Handle: a\nHomeNode: 0\nSize: 0\n\nHandle: b\nHomeNode: 0\nSize: 800\n\n");
    Trace const t = read_trace(folder.path());
    CHECK(t.handles[0].size == Bytes{0});
    CHECK(t.handles[1].size == Bytes{800});
    CHECK(!finds(t, "size"));
    folder.write("data.rec", "Handle: a\nHomeNode: 0\nSize: 0\nCoordinates: 2 3\n\n");
    Trace const tile_without_size = read_trace(folder.path());
    CHECK(tile_without_size.handles[0].size.value < 0);
    CHECK(finds(tile_without_size, "no file tells the size of 2 of 2 pieces of data that tasks use"));
  }

  TEST_CASE("hostile messages are reported or refused") {
    testing::TemporaryFolder const folder;
    write_exchange(folder);
    // No name, no tag, no job and no size that means anything.
    testing::strip_records(
        folder / "full", folder / "bare",
        {.tags = true, .message_names = true, .message_jobs = true, .message_sizes = true});
    Trace const bare = read_trace(folder / "bare");
    CHECK(finds(bare, "2 of 2 messages name neither tasks nor data that tasks use"));
    CHECK(finds(bare, "no file tells the size of 2 of 2 messages"));
    CHECK(bare.messages.front().size.value < 0);

    std::string endless;
    for (int i = 0; i < 5000; ++i)
      endless += message_record(0, 1, 7, 2.5, "a00", "b00", "", std::int64_t{1} << 50);
    folder.write("full/comms.rec", endless);
    CHECK_THROWS_WITH_AS((void)read_trace(folder / "full"), doctest::Contains("more than 2^62"), InputError);

    folder.write("full/comms.rec", message_record(0, 1, 7, 2.5, "a00", "b00", "", 800));
    Trace const other = read_trace(folder / "full");
    CHECK(finds(other, "1 messages have another size than their data"));
    CHECK(other.messages.front().size == Bytes{800});
    CHECK(other.handles.front().size == Bytes{tile});
  }

  TEST_CASE("tasks of StarPU itself are no tasks of the application in any format") {
    testing::TemporaryFolder const folder;
    folder.write("tasks.rec", task_record("execute_on_all_wrapper", "1", -1, 0, "0", "", "", "") +
                                  task_record("gemm", "2", -1, 5, "1", "a", "RW", "800"));
    folder.write("states/paje.worker_state.csv",
                 "ResourceId,Type,Start,End,Value,JobId\nCPU0,Worker State,0,1,init_cublas,1\n"
                 "CPU0,Worker State,5,6,gemm,2\n");
    folder.write("t.csv",
                 "task,worker,start,end,id,depends_on\ngemm,cpu0,0,1,1,\nempty_task,cpu0,1,2,2,1\n"
                 "gemm,cpu0,5,6,3,2\n");
    folder.write("plain.trace", testing::paje_header +
                                    "10 0 w0 WS execute_on_all_wrapper\n10 1 w0 WS Idle\n10 5 w0 WS gemm\n"
                                    "10 6 w0 WS Idle\n");
    folder.write("jobs.trace", testing::paje_header +
                                   "20 0 w0 WS execute_on_all_wrapper 1\n10 1 w0 WS Idle\n"
                                   "20 5 w0 WS gemm 2\n10 6 w0 WS Idle\n");
    for (char const* name : {"tasks.rec", "states", "plain.trace", "jobs.trace"}) {
      CAPTURE(name);
      Trace const t = read_trace(folder / name);
      CHECK(t.task_count() == 1);
      CHECK(t.kernels.size() == 1);
      CHECK(t.start_s.front() == doctest::Approx(0.005));
    }
    Trace const table = read_trace(folder / "t.csv");
    CHECK(table.task_count() == 2);
    CHECK(table.predecessors.size() == 1);  // across the task that is left out
  }

  TEST_CASE("records of tasks alone say that they tell no messages between nodes") {
    testing::TemporaryFolder const folder;
    write_exchange(folder);
    Trace const alone =
        read_trace(folder.write("alone/tasks.rec", testing::text_of(folder / "full/tasks.rec")));
    CHECK(finds(alone, "has tasks on 2 nodes and no messages"));
    CHECK(!finds(read_trace(folder / "full"), "no messages"));
  }
}
