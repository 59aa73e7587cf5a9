// Writers for viewers and tables.

#include <zlib.h>

#include "simulator/base/os/text_file.hpp"
#include "simulator/report/analysis/sweep_record.hpp"
#include "simulator/traces/export/trace_formats.hpp"
#include "simulator/traces/import/read_trace.hpp"
#include "tests/cli/program.hpp"
#include "tests/trace/random_trace.hpp"
#include "tests/trace/trace_files.hpp"

using namespace factosim;
using nlohmann::json;
using testing::unpacked;

namespace {

std::size_t count(std::string const& text, std::string const& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

std::size_t lines_with(std::string const& text, std::string const& start, std::string const& part) {
  std::istringstream in(text);
  std::size_t count = 0;
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(start) && testing::contains(line, part)) ++count;
  return count;
}

bool has_pj_dump() {
  bool const has = std::system("command -v pj_dump >/dev/null 2>&1") == 0;
  if (!has) MESSAGE("skipped: pj_dump (package pajeng) is not installed");
  return has;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("a compressed file contains the text and the same text gives the same bytes") {
    testing::TemporaryFolder const folder;
    std::string text;
    for (char const* name : {"a.gz", "b.gz", "plain"}) {
      TextFile out(folder / name);
      text.clear();
      for (int i = 0; i < 100'000; ++i) {
        out.put("{} is not {}\n", i, i + 1);
        text += std::to_string(i) + " is not " + std::to_string(i + 1) + "\n";
      }
      CHECK(!std::filesystem::exists(folder / name));
      out.commit();
    }
    CHECK(unpacked(folder / "a.gz") == text);
    CHECK(testing::text_of(folder / "plain") == text);
    CHECK(testing::text_of(folder / "a.gz") == testing::text_of(folder / "b.gz"));
  }

  TEST_CASE("a Chrome trace is JSON with a slice per task and an arrow with two ends per message") {
    testing::TemporaryFolder const folder;
    Trace const trace = testing::random_trace(5, 40);
    write_chrome(folder / "few.json", trace);
    write_chrome(folder / "all.json.gz", trace, {.dependencies = true});
    for (auto const& [text, arrows] :
         {std::pair{testing::text_of(folder / "few.json"), std::size_t{1}},
          std::pair{unpacked(folder / "all.json.gz"), trace.predecessors.size() + 1}}) {
      std::map<std::string, std::size_t> kinds;
      double busy = 0;
      json const document = json::parse(text);
      for (json const& event : document["traceEvents"]) {
        ++kinds[event["ph"]];
        if (event["ph"] == "X" && event["cat"] == "task") busy += event["dur"].get<double>();
      }
      CHECK(kinds["X"] == 40 + trace.states.size());
      CHECK(kinds["s"] == arrows);
      CHECK(kinds["f"] == arrows);
      CHECK(kinds["b"] == trace.messages.size() + trace.copies.size());
      CHECK(kinds["b"] == kinds["e"]);
      double expected = 0;
      for (std::size_t t = 0; t < 40; ++t) expected += (trace.end_s[t] - trace.start_s[t]) * 1e6;
      CHECK(busy == doctest::Approx(expected).epsilon(1e-6));
    }
  }

  TEST_CASE("DOT has a box per task and an edge per dependency and is refused for graphs too large to draw") {
    testing::TemporaryFolder const folder;
    Trace trace = testing::random_trace(6, 30);
    dot_format.write(folder / "tasks.dot", trace);
    std::string const text = testing::text_of(folder / "tasks.dot");
    CHECK(count(text, "[label=") == 30);
    CHECK(count(text, " -> ") == trace.predecessors.size());
    CHECK_THROWS_AS(dot_format.write(folder / "large.dot", testing::random_trace(6, 5001)), InputError);
    trace.predecessor_begin.clear();
    CHECK_THROWS_AS(dot_format.write(folder / "none.dot", trace), InputError);
    CHECK(!std::filesystem::exists(folder / "large.dot"));
  }

  TEST_CASE("names of any characters are text in labels of DOT and Chrome") {
    testing::TemporaryFolder const folder;
    Trace trace = testing::random_trace(6, 30);
    std::string const name = "a\"b\\N&amp;<\n\x1b";
    trace.kernels[1].name = trace.workers[0].name = name;
    dot_format.write(folder / "tasks.dot", trace);
    CHECK(testing::contains(testing::text_of(folder / "tasks.dot"), R"([label="a\"b\\N&amp;amp;<\n ()"));
    write_chrome(folder / "chrome.json", trace);
    bool slice = false, thread = false;
    json const document = json::parse(testing::text_of(folder / "chrome.json"));
    for (json const& event : document["traceEvents"]) {
      slice = slice || event["name"] == name;
      thread = thread || (event["name"] == "thread_name" && event["args"]["name"] == name);
    }
    CHECK(slice);
    CHECK(thread);
  }

  TEST_CASE("no text of a sweep's table is a formula of a spreadsheet") {
    Table const table{
        .columns = {"=x", "y"}, .parameters = {}, .rows = {{"=1+1", -5}, {"@a\"", "+b,c"}, {"'=d", "-"}}};
    CHECK(csv_text(table) == "'=x,y\n'=1+1,-5\n\"'@a\"\"\",\"'+b,c\"\n'=d,'-\n");
  }

  TEST_CASE("a folder whose second file cannot be written is removed") {
    testing::TemporaryFolder const folder;
    std::filesystem::create_directories(folder / "out/platform_file.rec/in_the_way");
    CHECK_THROWS_AS(starpu_format.write(folder / "out", testing::random_trace(9, 5)), InputError);
    CHECK(std::distance(std::filesystem::directory_iterator(folder / "out"), {}) <= 2);
  }

  TEST_CASE("every format has a unique name and writes traces with any optional part missing") {
    testing::TemporaryFolder const folder;
    Trace trace = testing::random_trace(10, 12);
    for (auto* column : {&trace.job, &trace.submit_order, &trace.footprint, &trace.access_begin})
      column->clear();
    trace.accesses.clear();
    trace.indices.clear();
    trace.priority.clear();
    trace.flops.clear();
    trace.tag.clear();
    trace.writes_back.clear();
    trace.submit_s[1] = unknown;
    trace.worker[2] = {};
    for (TraceFormat const& format : trace_formats()) {
      CAPTURE(std::string(format.name));
      if (format.folder) std::filesystem::create_directory(folder / std::string(format.run_name));
      format.write(folder / std::string(format.run_name), trace);
      CHECK(std::filesystem::exists(folder / std::string(format.run_name)));
    }
    CHECK_THROWS_AS(static_cast<void>(trace_format("pdf")), std::out_of_range);
  }
}

TEST_SUITE("scenario") {
  TEST_CASE("pj_dump and the picture of its output take names of any characters as text") {
    if (!has_pj_dump()) return;
    testing::TemporaryFolder const folder;
    Trace trace = testing::random_trace(7, 60);
    trace.workers[2].name = "</text><script>alert(1)</script>\",\n&";
    trace.kernels[1].name = "a\"b,c";
    paje_format.write(folder / "trace.paje", trace);
    auto const run = testing::run_script("cd '" + folder.path().string() + "'\npj_dump trace.paje\n'" +
                                         (testing::repository() / "scenarios/gantt.sh").string() +
                                         "' trace.paje >picture.svg\n");
    CHECK(run.code == 0);
    CHECK(run.err.empty());
    CHECK(testing::contains(run.out, "a%22b%2Cc"));
    std::string const picture = testing::text_of(folder / "picture.svg");
    CHECK(!testing::contains(picture, "<script"));
    CHECK(testing::contains(picture, "&lt;script&gt;"));
  }

  TEST_CASE("pj_dump reads a Paje trace without warnings and finds every task and transfer") {
    if (!has_pj_dump()) return;
    testing::TemporaryFolder const folder;
    std::string const lille = (testing::repository() / "scenarios/lille/block_cyclic_2x11.json").string();
    testing::ProgramRun const run = testing::run_factosim(
        "run '" + lille + "' --set /application/nt=12 --set /outputs/paje=true --json --out '" +
        (folder / "r").string() + "'");
    REQUIRE(run.code == 0);
    std::string const dump = (folder / "dump").string();
    CHECK(std::system(("pj_dump '" + (folder / "r" / "trace.paje").string() + "' >'" + dump + "' 2>'" + dump +
                       ".err'")
                          .c_str()) == 0);
    CHECK(testing::text_of(dump + ".err").empty());
    std::string const text = testing::text_of(dump);
    // 12 getrf, 66 trsm of each kind, 506 gemm.
    CHECK(lines_with(text, "State", "getrf") == 12);
    CHECK(lines_with(text, "State", "trsm_ll") == 66);
    CHECK(lines_with(text, "State", "trsm_ru") == 66);
    CHECK(lines_with(text, "State", "gemm") == 506);
    std::string const sent =
        "\"tiles_sent\": " + std::to_string(lines_with(text, "Link", "Network transfer")) + ",";
    CHECK(testing::contains(run.out, sent));
  }
}
