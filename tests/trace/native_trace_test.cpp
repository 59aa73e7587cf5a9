#include "simulator/traces/trace/native_trace.hpp"
#include "simulator/traces/import/read_trace.hpp"
#include "tests/prelude.hpp"
#include "tests/trace/random_trace.hpp"

using namespace factosim;

namespace {

std::string bytes_of(std::filesystem::path const& file) { return testing::text_of(file); }

}  // namespace

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

TEST_SUITE("unit") {
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
