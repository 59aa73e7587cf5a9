// The version of the runtime system: defaults of its options, and what a result records of them.

#include "simulator/scenario/keys/cluster_keys.hpp"
#include "simulator/tasks/plan/options.hpp"
#include "tests/cli/program.hpp"

using namespace factosim;

namespace {

using nlohmann::json;

RuntimeOptions options_of(json const& runtime) {
  return read_runtime(JsonReader(runtime, "s.json", "/runtime"));
}

}  // namespace

TEST_SUITE("scenario") {
  TEST_CASE("the defaults are those of version 1.4") {
    RuntimeOptions const defaults;
    CHECK(defaults.version == RuntimeVersion::v1_4);
    for (VersionedSwitch const& versioned : versioned_switches)
      CHECK(defaults.*versioned.option == versioned.v1_4);
    CHECK(written(options_of({{"version", "1.4"}})) == written(defaults));
  }

  TEST_CASE("a version sets its defaults and keys replace them") {
    RuntimeOptions const v1_5 = options_of({{"version", "1.5"}});
    CHECK(v1_5.version == RuntimeVersion::v1_5);
    for (VersionedSwitch const& versioned : versioned_switches)
      CHECK(v1_5.*versioned.option == versioned.v1_5);
    RuntimeOptions const late = options_of({{"late_receive_buffers", true}, {"version", "1.5"}});
    CHECK(late.late_receive_buffers);
    CHECK(late.parallel_sends == v1_5.parallel_sends);
    RuntimeOptions const back = with_version(with_version({}, RuntimeVersion::v1_5), RuntimeVersion::v1_4);
    CHECK(written(back) == written(RuntimeOptions{}));
  }

  TEST_CASE("effective options name the version and later keys only where they are not the default") {
    auto const plain = written(RuntimeOptions{});
    CHECK_FALSE(plain.contains("version"));
    CHECK_FALSE(plain.contains("late_receive_buffers"));
    auto const set = written(options_of({{"version", "1.5"}, {"late_receive_buffers", true}}));
    CHECK(set["version"] == "1.5");
    CHECK(set["late_receive_buffers"] == true);
    CHECK_FALSE(set.contains("buffer_round_s"));
    CHECK(written(options_of({{"buffer_round_s", 0.002}}))["buffer_round_s"] == 0.002);
  }

  TEST_CASE("effective options are read back as the same options") {
    json const given = {{"version", "1.5"}, {"parallel_sends", true}, {"buffer_round_s", 0.002}};
    auto const once = written(options_of(given));
    CHECK(written(options_of(json(once))) == once);
  }

  TEST_CASE("an unknown version is bad input") {
    auto const run = testing::run_factosim("run '" + testing::lille_scenario().string() +
                                           "' --set '/runtime/version=\"1.6\"'");
    CHECK(run.code == 2);
    CHECK(testing::contains(run.err, "/runtime/version"));
  }
}
