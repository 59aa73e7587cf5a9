#include "simulator/traces/export/trace_formats.hpp"

#include "tests/cli/program.hpp"
#include "tests/trace/random_trace.hpp"

using namespace factosim;

namespace {

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
