// Traces that are written and read again in every format that has a reader.

#include <initializer_list>

#include "simulator/traces/export/trace_formats.hpp"
#include "simulator/traces/import/read_trace.hpp"
#include "simulator/traces/trace/native_trace.hpp"
#include "tests/cli/program.hpp"
#include "tests/trace/random_trace.hpp"

using namespace factosim;

namespace {

/// What a format has a place for, beside tasks and messages.
struct KeptByFormat {
  char const* name;
  bool data = true, dependencies = true;
  bool ends = true;  // of messages
  bool copies = true;
  bool fields = true;  // of tasks: priority, footprint, date of submission
};
constexpr KeptByFormat kept_by_formats[] = {
    {.name = "trace"},
    {.name = "starpu", .copies = false},
    {.name = "paje", .data = false, .dependencies = false, .ends = false, .fields = false}};

std::int64_t nanoseconds(double s) { return std::isnan(s) ? -1 : std::llround(1e9 * s); }

std::string tile_text(Trace const& t, HandleId h) {
  if (!h.valid()) return "none";
  Trace::Handle const& handle = t.handles[h.index()];
  return fmt::format("({},{}) {} of {}", handle.m, handle.n, handle.size.value,
                     handle.owner.valid() ? static_cast<int>(handle.owner.value()) : -1);
}

std::string task_text(Trace const& t, TaskId task) {
  if (!task.valid()) return "none";
  Trace::Worker const& w = t.workers[t.worker[task.index()].index()];
  return fmt::format("{} on {} of {} at {}", t.kernels[t.kernel[task.index()]].name, w.name, w.node.value(),
                     nanoseconds(t.start_s[task.index()]));
}

/// One sorted line for each task, edge and message, which do not depend on any numbering.
std::vector<std::string> contents(Trace const& t, KeptByFormat const& kept) {
  std::vector<std::string> out;
  for (std::uint32_t i = 0; i < t.task_count(); ++i) {
    std::string task = fmt::format("task {} to {}", task_text(t, TaskId{i}), nanoseconds(t.end_s[i]));
    if (kept.fields)
      task += fmt::format(", {} {:x} {}", t.priority[i], t.footprint[i], nanoseconds(t.submit_s[i]));
    if (kept.data)
      for (DataAccess const a : t.accesses_of(TaskId{i}))
        task += fmt::format(", {} {}", static_cast<int>(a.mode()), tile_text(t, a.handle()));
    out.push_back(std::move(task));
    if (!kept.dependencies) continue;
    for (TaskId const p : t.predecessors_of(TaskId{i}))
      out.push_back("edge " + task_text(t, p) + " -> " + task_text(t, TaskId{i}));
  }
  for (Trace::Message const& m : t.messages) {
    std::string message =
        fmt::format("message {} to {} from {} to {}, {} bytes", m.from.value(), m.to.value(),
                    nanoseconds(m.start_s), nanoseconds(m.end_s), m.size.value);
    if (kept.data) message += ", " + tile_text(t, m.handle);
    if (kept.ends) message += fmt::format(": {} -> {}", task_text(t, m.producer), task_text(t, m.consumer));
    out.push_back(std::move(message));
  }
  if (kept.copies)
    for (Trace::Copy const& c : t.copies)
      out.push_back(fmt::format("copy on {} from {} to {}, {} bytes",
                                t.memory_nodes[c.from.index()].node.value(), nanoseconds(c.start_s),
                                nanoseconds(c.end_s), c.size.value));
  std::sort(out.begin(), out.end());
  return out;
}

void check_round_trip(Trace const& trace, KeptByFormat const& kept) {
  CAPTURE(std::string(kept.name));
  testing::TemporaryFolder const folder;
  TraceFormat const& format = trace_format(kept.name);
  std::filesystem::path const path = folder.path() / format.run_name;
  if (format.folder) std::filesystem::create_directory(path);
  format.write(path, trace);
  std::vector<std::string> const before = contents(trace, kept), after = contents(read_trace(path), kept);
  REQUIRE(before.size() == after.size());
  auto const [first, second] = std::ranges::mismatch(before, after);
  if (first != before.end()) CHECK(*first == *second);
}

/// Writes a trace as StarPU's records and what is read of them once more: the same text. Returns what is read.
Trace check_records_twice(Trace const& trace, std::initializer_list<char const*> files) {
  testing::TemporaryFolder const folder;
  for (char const* const name : {"once", "twice"}) std::filesystem::create_directory(folder / name);
  starpu_format.write(folder / "once", trace);
  Trace again = read_trace(folder / "once");
  starpu_format.write(folder / "twice", again);
  for (char const* const file : files)
    CHECK(testing::text_of(folder / "once" / file) == testing::text_of(folder / "twice" / file));
  return again;
}

void check_round_trips(Trace const& trace) {
  for (KeptByFormat const& kept : kept_by_formats) check_round_trip(trace, kept);
}

/// Gives the message ends on its nodes, along a dependency.
void connect_message(Trace& trace) {
  auto const node = [&](TaskId t) { return trace.workers[trace.worker[t.index()].index()].node; };
  Trace::Message& m = trace.messages.front();
  for (std::uint32_t t = 0; t < trace.task_count(); ++t)
    for (TaskId const p : trace.predecessors_of(TaskId{t}))
      if (node(p) == m.from && node(TaskId{t}) == m.to) m.producer = p, m.consumer = TaskId{t};
}

/// A trace with data that some formats identify with difficulty.
Trace with_ambiguous_names(Trace trace) {
  for (Trace::Handle& h : trace.handles) {
    h.tag = -1;
    h.address = 0xabc;  // nodes that run the same program give the same names
  }
  return trace;
}

std::string bytes_of(std::filesystem::path const& file) { return testing::text_of(file); }

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("tasks and tiles and sizes and messages are the same after a way through any format") {
    Trace trace = testing::random_trace(7, 60);
    trace.repeats.clear();
    trace.handles[2].size = trace.messages[0].size = Bytes{std::int64_t{5} << 30};
    connect_message(trace);
    check_round_trips(trace);
    check_round_trips(with_ambiguous_names(trace));
  }

  TEST_CASE("names of any characters are the same after a way through any format") {
    Trace trace = testing::random_trace(7, 60);
    trace.repeats.clear();
    connect_message(trace);
    for (std::string const name :
         {"a\"b,c", "two\nlines", "back\\slash\\n", " spaces ", "na\xc3\xafve \xe2\x98\x83", "%0A%22%",
          "=1+1", "-x", "+x", "@x", "\ttab\r", "\x1b[31m", "</text><script>&'", "Name: x\n\nName: y"}) {
      CAPTURE(name);
      trace.kernels[1].name = name;
      trace.handles[2].shape = name;
      check_round_trips(trace);
      Trace workers = trace;
      workers.workers[2].name = name;
      workers.nodes[0].type = name;
      for (KeptByFormat const& kept : kept_by_formats)
        if (std::string_view(kept.name) != "starpu") check_round_trip(workers, kept);
    }
  }

  TEST_CASE("the folder of a run and its trace are read alike") {
    testing::TemporaryFolder const folder;
    write_native(folder / "run.trace", testing::random_trace(3, 10));
    CHECK(read_trace(folder.path()).end_s == read_trace(folder / "run.trace").end_s);
  }

  TEST_CASE("a file that is not a native trace is refused with a remedy") {
    testing::TemporaryFolder const folder;
    CHECK_THROWS_WITH_AS(static_cast<void>(read_native(folder.write("x", "{}"))),
                         ((folder / "x").string() + "#: is no trace of factosim's own. Write it again, with "
                                                    "factosim run --out or factosim export")
                             .c_str(),
                         InputError);
  }
}

TEST_SUITE("scenario") {
  TEST_CASE("runs on one node and on 22 are the same after a way through any format") {
    for (auto const& scenario : {testing::first_scenario(), testing::lille_scenario()}) {
      testing::TemporaryFolder const folder;
      testing::ProgramRun const run =
          testing::run_factosim("run " + testing::quoted(scenario) + " --set /application/nt=8 --out " +
                                testing::quoted(folder / "run"));
      REQUIRE_MESSAGE(run.code == 0, run.err);
      Trace const trace = read_trace(folder / "run");
      CHECK((trace.nodes.size() == 1 || trace.messages.size() > 50));
      check_round_trips(trace);
      // The records list no workers without tasks, whose numbers on several nodes then change.
      if (trace.nodes.size() == 1)
        (void)check_records_twice(trace, {"data.rec", "tasks.rec"});
      else
        (void)check_records_twice(trace, {"data.rec"});
    }
  }
}

TEST_SUITE("published") {
  TEST_CASE("recorded runs are the same after a way through any format") {
    auto const data = testing::real_data();
    if (!data) {
      MESSAGE("skipped: FACTOSIM_DATA does not tell where real runs lie");
      return;
    }
    check_round_trips(read_trace(*data / "traces/lu_trace_simgrid"));
    check_round_trips(read_trace(*data / "local_runs/mpi_lu_b320_nb10_lws_p2_r0"));
    int runs = 0;
    for (auto const& entry : std::filesystem::directory_iterator(*data / "local_runs")) {
      if (!std::filesystem::exists(entry.path() / "tasks.rec.gz")) continue;
      CAPTURE(entry.path().string());
      Trace const trace = read_trace(entry.path());
      check_round_trip(trace, kept_by_formats[1]);
      Trace const again = check_records_twice(trace, {"tasks.rec"});
      CHECK(trace.job == again.job);
      CHECK(trace.submit_order == again.submit_order);
      CHECK(trace.tag == again.tag);
      CHECK(trace.wont_use.size() == again.wont_use.size());
      ++runs;
    }
    CHECK(runs >= 19);
  }
}

TEST_SUITE("property") {
  TEST_CASE("the native trace is read back identical to the last bit") {
    for (unsigned seed = 0; seed < 20; ++seed) {
      CAPTURE(seed);
      testing::TemporaryFolder const folder;
      Trace trace = testing::random_trace(seed, 2 + static_cast<int>(seed) * 7);
      trace.submit_s[0] = unknown;
      trace.worker[0] = {};
      write_native(folder / "a", trace);
      Trace const again = read_native(folder / "a");
      CHECK(again.worker == trace.worker);
      CHECK(again.end_s == trace.end_s);
      CHECK(again.handles[3].shape == "M960x960x8");
      CHECK(again.kernels[1].timing == "trsm");
      CHECK(again.messages[0].consumer == TaskId{1});
      CHECK(again.writes_back == trace.writes_back);
      CHECK(again.places.size() == trace.places.size());
      CHECK(again.has_places == (seed % 2 == 0));  // older versions do not store them
      write_native(folder / "b", again);
      CHECK(bytes_of(folder / "a") == bytes_of(folder / "b"));
    }
  }

  TEST_CASE("a native trace that was truncated or modified anywhere is refused") {
    testing::TemporaryFolder const folder;
    Trace const full = testing::random_trace(1, 30);
    Trace without_tags = full;  // runs may have columns without elements
    without_tags.tag = {};
    without_tags.flops = {};
    write_native(folder / "full", full);
    write_native(folder / "without_tags", without_tags);
    std::mt19937 random(7);
    for (int i = 0; i < 600; ++i) {
      CAPTURE(i);
      std::string const whole = bytes_of(folder / (i % 2 == 0 ? "full" : "without_tags"));
      std::string damaged = whole;
      if (i % 3 == 0)
        damaged.resize(random() % whole.size());
      else
        damaged[random() % whole.size()] ^= static_cast<char>(1 + random() % 255);
      auto const file = folder.write("damaged", damaged);
      CHECK_THROWS_AS(static_cast<void>(read_native(file)), InputError);
    }
  }
}
