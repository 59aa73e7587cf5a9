#include "simulator/report/analysis/report_colors.hpp"
#include "simulator/report/analysis/run_summary.hpp"
#include "simulator/report/analysis/time_breakdown.hpp"
#include "simulator/report/analysis/trace_levels.hpp"
#include "simulator/report/page/page_file.hpp"
#include "tests/prelude.hpp"
#include "tests/report/unpacked.hpp"
#include "tests/trace/random_trace.hpp"

using namespace factosim;

namespace {

/// CIE 1976 difference of two sRGB colours in L*a*b*, D65: 2.3 is just noticeable.
double difference(Color a, Color b) {
  auto const lab = [](Color c) {
    auto const linear = [](int v) {
      double const s = v / 255.0;
      return s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4);
    };
    double const r = linear(c.red), g = linear(c.green), b = linear(c.blue);
    auto const f = [](double t) { return t > 216.0 / 24389 ? std::cbrt(t) : (t * 24389 / 27 + 16) / 116; };
    double const x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047),
                 y = f(0.2126 * r + 0.7152 * g + 0.0722 * b),
                 z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883);
    return std::array{116 * y - 16, 500 * (x - y), 200 * (y - z)};
  };
  auto const p = lab(a), q = lab(b);
  return std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("averages over intervals equal values computed by hand") {
    TimeBins bins(4, 4);
    bins.add(0.5, 2.25, 2);  // half of the first second, all of the second, a quarter of the third
    bins.add(3, 9, 1);       // cut off at the end
    bins.add(-1, 0.25, 4);
    CHECK(bins.averages() == std::vector<float>{2, 2, 0.5, 1});
  }

  TEST_CASE("a cell has the colour with the largest share and the share of all colours") {
    CellCounter counter(2, 2, 3, 4);
    counter.add(0, 1, 0, 1);
    counter.add(0, 2, 1, 1.5);
    counter.add(1, 0, 1, 3);
    CellRows const cells = counter.cells();
    CHECK(cells.color == std::vector<std::uint8_t>{1, CellRows::empty, 0, 0});
    CHECK(cells.share == std::vector<std::uint8_t>{191, 0, 128, 128});
    CHECK(counter.maximum() == doctest::Approx(0.75));
    CellRows const one = coarser(cells, 1, 1);
    CHECK(one.color == std::vector<std::uint8_t>{0});
    CHECK(one.share == std::vector<std::uint8_t>{(191 + 128 + 128) / 4});
  }

  TEST_CASE("kernels of a family have different shades that depend on their names only") {
    auto const a = kernel_colors({"gemm", "trsm_ll", "trsm_ru", "getrf"});
    auto const b = kernel_colors({"getrf", "trsm_ru", "trsm_ll", "gemm"});
    CHECK(a[0] == b[3]);
    CHECK(a[1] == b[2]);
    CHECK(a[1] != a[2]);
    CHECK(hex_of(a[0]) == "#009e73");
  }

  TEST_CASE("no wait looks like a kernel and waits and kernels differ among themselves") {
    // Names of each family, more of them than it has shades, and unknown ones.
    std::vector<std::string> const names{"getrf",  "potrf",  "trsm_ll", "trsm_ru", "trsm_x", "gemm",
                                         "tsmqr",  "ttmqr",  "syrk",    "ormqr",   "dcmg",   "other1",
                                         "other2", "other3", "other4",  "other5",  "other6"};
    std::vector<Color> const kernels = kernel_colors(names);
    for (NamedColor const& wait : wait_colors()) {
      CAPTURE(wait.name);
      for (std::size_t k = 0; k < names.size(); ++k) {
        CAPTURE(names[k]);
        CHECK(difference(wait.color, kernels[k]) > 20);
      }
      for (std::string_view const state :
           {"Idle", "Sleep", "Fetching", "Scheduling", "Overhead", "PushingOutput", "?"})
        for (Color const& kernel : kernels) CHECK(difference(state_color(state, 0), kernel) > 20);
      for (NamedColor const& other : wait_colors())
        if (other.name != wait.name) CHECK(difference(wait.color, other.color) > 10);
    }
  }

  TEST_CASE("the program of the page is built from the sources beside it") {
    std::string const folder = (testing::repository() / "simulator/report/page/web").string();
    testing::TemporaryFolder const work;
    std::string const sum = (work / "sum").string();
    REQUIRE(
        std::system(("cd '" + folder +
                     "' && cat source/*.js source/style.css package-lock.json | sha256sum | cut -c 1-64 >'" +
                     sum + "'")
                        .c_str()) == 0);
    std::string hash = testing::text_of(sum);
    hash.pop_back();
    std::string const program = testing::text_of(folder + "/report.js");
    CHECK_MESSAGE(testing::contains(program, hash),
                  "report.js is older than its sources: run simulator/report/page/web/build.sh");
    CHECK(testing::contains(program, "Leon Sorokin"));  // the licence of uPlot asks for it
    if (!std::filesystem::exists(folder + "/node_modules/.bin/esbuild")) {
      MESSAGE("byte for byte skipped: no node_modules (npm ci in simulator/report/page/web)");
      return;
    }
    CHECK(std::system(("'" + folder + "/build.sh' --check").c_str()) == 0);
  }
}
