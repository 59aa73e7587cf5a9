// What earlier versions had and this one has not: scenarios that name it are refused, and learn what to use instead.

#include "simulator/scenario/keys/removed.hpp"
#include "simulator/scenario/keys/scenario.hpp"
#include "tests/prelude.hpp"

using namespace factosim;

TEST_SUITE("unit") {
  TEST_CASE("what was removed is refused at its place, with what to use instead") {
    struct Case {
      char const *setting, *place, *instead;
    };
    for (Case const& c :
         {Case{"/detail/type=steps", "#/detail/type: is \"steps\"", "\"sampled\""},
          Case{"/application/recursive={\"tile\": 320}", "#/application/recursive: ", "application/nested"},
          Case{"/scheduler/type=hp", "#/scheduler/type: is \"hp\"", "\"heteroprio\""},
          Case{"/scheduler/type=hp-lookahead", "#/scheduler/type: is \"hp-lookahead\"", "\"heft\""},
          Case{"/network/model=independent_links", "#/network/model: is \"independent_links\"", "\"maxmin\""},
          Case{R"(/distribution={"type": "1d1d-l", "schedules": 6})",
               "#/distribution/schedules: ", "\"simulations\""},
          Case{R"(/distribution={"type": "1d1d-l", "workers": "any-idle"})",
               "#/distribution/workers: ", "Leave it out"},
          Case{R"(/distribution={"type": "1d1d-l", "without": ["steps"]})",
               "#/distribution/without: ", "\"1d1d-c\""},
          Case{"/application/type=hpl", "#/application/type: is \"hpl\"", "\"lu\""},
          Case{"/outputs/csv=true", "#/outputs/csv: ", "factosim.write_csv"},
          Case{"/outputs/starvz=false", "#/outputs/starvz: ", "factosim.write_starvz"},
          Case{"/runtime/min_free_gpu_memory=0.1",
               "#/runtime/min_free_gpu_memory: ", "gpu_memory_fraction"}}) {
      CAPTURE(c.setting);
      std::string message;
      try {
        (void)read_scenario(testing::repository() / "scenarios/first/lu_mirage.json", {c.setting});
      } catch (InputError const& error) {
        message = error.what();
      }
      CAPTURE(message);
      CHECK(testing::contains(message, c.place));
      CHECK(testing::contains(message, "removed in version"));
      CHECK(testing::contains(message, c.instead));
    }
  }

  TEST_CASE("removed names outside scenarios have a reason and what to use instead") {
    CHECK(testing::contains(why_removed(RemovedFrom::commands, "duel"), "Use \"sweep\""));
    CHECK(testing::contains(why_removed(RemovedFrom::file_formats, "factosim-hpl-costs"),
                            "\"factosim-kernels\""));
    CHECK(testing::contains(why_removed(RemovedFrom::file_endings, ".tex"), "pandas"));
    CHECK(testing::contains(why_removed(RemovedFrom::trace_formats, "csv"), "factosim.write_csv"));
    CHECK(why_removed(RemovedFrom::trace_formats, "duel").empty());
  }
}
