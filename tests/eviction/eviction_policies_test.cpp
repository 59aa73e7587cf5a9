#include "simulator/runtime/eviction/eviction_policies.hpp"

#include "tests/cli/program.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

/// One mirage node whose GPUs hold a fifth of the matrix each.
std::string short_of_memory(std::string const& policy, std::string const& eviction) {
  return "run " + quoted(first_scenario()) +
         " --json --set /application/nt=12 --set /network/model=maxmin --set "
         "/runtime/gpu_memory_fraction=0.04" +
         " --set /scheduler/type=" + policy + " --set /runtime/eviction=" + eviction;
}

}  // namespace

TEST_SUITE("scenario") {
  TEST_CASE("every eviction policy ends runs of every scheduling policy and check finds nothing") {
    for (DescribedName const& eviction : described_evictions())
      for (char const* const policy : {"eager", "lws", "dmdar", "dmdas", "darts", "heteroprio"}) {
        CAPTURE_ALL(eviction.name, policy);
        TemporaryFolder const folder;
        ProgramRun const run =
            run_factosim(short_of_memory(policy, eviction.name) + " --out " + quoted(folder / "run"));
        CHECK(run.code == 0);
        CHECK(run_factosim("check " + quoted(folder / "run")).code == 0);
      }
  }

  TEST_CASE("an unknown eviction policy is refused with the names of all") {
    ProgramRun const run = run_factosim(short_of_memory("eager", "mru"));
    CHECK(run.code == 2);
    CHECK(says(run, "/runtime/eviction"));
    CHECK(says(run, "belady"));
  }

  TEST_CASE("lru is the default except with darts") {
    for (char const* const policy : {"eager", "dmdar"})
      CHECK(json_of(short_of_memory(policy, "lru"))["makespan_s"] ==
            json_of(short_of_memory(policy, "default"))["makespan_s"]);
    CHECK(json_of(short_of_memory("darts", "luf"))["makespan_s"] ==
          json_of(short_of_memory("darts", "default"))["makespan_s"]);
  }
}
