// Reads every recorded trace of the project and checks the counts by other means: the closed forms of tiled
// LU and Cholesky, the notes made with the run, and the number of lines.

#include "models/applications/application.hpp"
#include "simulator/traces/import/line_reader.hpp"
#include "simulator/traces/import/read_trace.hpp"
#include "tests/applications/graph_tasks.hpp"
#include "tests/trace/trace_files.hpp"

using namespace factosim;
using nlohmann::json;
using testing::finds;
namespace fs = std::filesystem;

namespace {

std::optional<fs::path> data(char const* folder) {
  auto const root = testing::real_data();
  if (root && fs::exists(*root / folder)) return *root / folder;
  MESSAGE("skipped: FACTOSIM_DATA names no folder with " << std::string(folder));
  return std::nullopt;
}

double makespan(Trace const& t) {
  return *std::max_element(t.end_s.begin(), t.end_s.end()) -
         *std::min_element(t.start_s.begin(), t.start_s.end());
}

/// Number of lines of the file that contain `text`.
int lines_with(fs::path const& file, std::string_view text) {
  LineReader lines(file);
  int count = 0;
  for (std::string_view line; lines.next(line);) count += line.find(text) != std::string_view::npos;
  return count;
}

std::size_t between_nodes(Trace const& t) {
  auto const node = [&](std::size_t task) { return t.workers[t.worker[task].index()].node; };
  std::size_t count = 0;
  for (std::size_t task = 0; task < t.task_count(); ++task)
    for (std::uint32_t e = t.predecessor_begin[task]; e < t.predecessor_begin[task + 1]; ++e)
      count += node(t.predecessors[e].index()) != node(task);
  return count;
}

}  // namespace

TEST_SUITE("published") {
  TEST_CASE(
      "real StarPU runs: tasks and edges and makespan match the notes of the run and the closed forms") {
    auto const runs = data("local_runs");
    if (!runs) return;
    int count = 0;
    for (auto const& run : fs::directory_iterator(*runs)) {
      if (!fs::exists(run.path() / "tasks.rec.gz")) continue;
      CAPTURE(run.path().string());
      json const meta = json::parse(testing::text_of(run.path() / "meta.json"));
      Trace const t = read_trace(run.path());
      std::size_t const nt = meta["nblocks"];
      bool const lu = testing::contains(meta["app"].get<std::string>(), "LU");
      // LU: sum of k^2; Cholesky: nt(nt+1)(nt+2)/6. Each gemm has three predecessors, each trsm two, ...
      CHECK(t.task_count() == (lu ? nt * (nt + 1) * (2 * nt + 1) / 6 : nt * (nt + 1) * (nt + 2) / 6));
      TaskGraph const graph =
          testing::graph_on_one_node(lu ? "lu" : "cholesky", {.nt = static_cast<int>(nt), .nb = 320});
      CHECK(t.predecessors.size() == graph.edge_count());
      CHECK(t.predecessors.size() - between_nodes(t) == meta["trace"]["n_edges"]);
      CHECK(1e3 * makespan(t) ==
            doctest::Approx(meta["trace"]["makespan_trace_ms"].get<double>()).epsilon(1e-5));
      CHECK(t.handles.size() == (lu ? nt * nt : nt * (nt + 1) / 2));
      CHECK(t.wont_use.size() ==
            static_cast<std::size_t>(lines_with(run.path() / "tasks.rec.gz", "Control: WontUse")));
      CHECK(t.kernels.size() == 4);
      ++count;

      Trace const paje = read_trace(run.path() / "paje.trace.gz");
      CHECK(paje.task_count() == t.task_count());
      CHECK(1e3 * makespan(paje) == doctest::Approx(1e3 * makespan(t)).epsilon(1e-6));
      CHECK(paje.workers.size() == t.workers.size());
      CHECK(paje.messages.size() == t.messages.size());
    }
    CHECK(count == 19);
  }

  TEST_CASE("the real run over two processes: each message has its writer and its readers") {
    auto const runs = data("local_runs");
    if (!runs) return;
    fs::path const folder = *runs / "mpi_lu_b320_nb10_lws_p2_r0";
    Trace const t = read_trace(folder);
    CHECK(t.messages.size() == 54);  // tiled LU of 10 x 10 on 1 x 2 nodes
    CHECK(t.messages.size() == static_cast<std::size_t>(lines_with(folder / "comms.rec.gz", "Src:")));
    for (Trace::Message const& m : t.messages) {
      REQUIRE(m.producer.valid());
      REQUIRE(m.consumer.valid());
      CHECK(t.workers[t.worker[m.producer.index()].index()].node == m.from);
      CHECK(t.workers[t.worker[m.consumer.index()].index()].node == m.to);
      CHECK(m.size.value == 320 * 320 * 8);
    }
    CHECK(finds(t, "15 messages come before they are sent"));
  }

  TEST_CASE(
      "the sample of StarVZ: two nodes of 19 cores and 35 messages and a simulation within its deviations") {
    auto const traces = data("traces");
    if (!traces) return;
    fs::path const folder = *traces / "lu_trace_simgrid";
    Trace const t = read_trace(folder);
    CHECK(t.task_count() == 204 + 64);  // LU of 8 x 8 tiles and their generation
    // Generation adds an edge for each tile.
    CHECK(t.predecessors.size() == testing::graph_on_one_node("lu", {.nt = 8, .nb = 960}).edge_count() + 64);
    CHECK(t.messages.size() == 35);
    CHECK(t.messages.size() ==
          static_cast<std::size_t>(lines_with(folder / "paje.link.csv.gz", "MPI communication,")));
    CHECK(t.workers.size() == 38);
    CHECK(t.handles.size() == 64);
    CHECK(1e3 * t.end_s.back() > 0);
    CHECK(finds(t, "this is the trace of a simulation"));
    CHECK(std::all_of(t.messages.begin(), t.messages.end(),
                      [](Trace::Message const& m) { return m.producer.valid() && m.consumer.valid(); }));
    Trace const pmtool = read_trace(folder / "pmtool_states.csv");
    CHECK(pmtool.task_count() == 268);
    CHECK(1e6 * makespan(pmtool) == doctest::Approx(862742).epsilon(1e-5));  // pmtool.csv
  }

  TEST_CASE("the real run of qr_mumps: 4839 tasks on 10 cores in 15778.5 ms") {
    auto const traces = data("traces");
    if (!traces) return;
    fs::path const folder = *traces / "qr_trace";
    Trace const t = read_trace(folder);
    CHECK(t.task_count() == 4839);
    CHECK(t.workers.size() == 10);
    CHECK(1e3 * makespan(t) == doctest::Approx(15778.5).epsilon(1e-6));
    CHECK(!finds(t, "simulation"));
    CHECK(!finds(t, "violated"));
    // Rows of the table with a worker, a start and an end.
    CHECK(lines_with(folder / "rec.tasks.csv.gz", "lapack_tpmqrt,") ==
          std::count_if(t.kernel.begin(), t.kernel.end(),
                        [&](std::uint16_t k) { return t.kernels[k].name == "lapack_tpmqrt"; }));
  }
}
