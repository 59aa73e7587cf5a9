// What the keys of tile formats refuse: one line with the position of the mistake, exit code 2.

#include "tests/cli/refusal.hpp"

#include "simulator/scenario/keys/cluster_keys.hpp"
#include "simulator/scenario/keys/removed.hpp"
#include "simulator/scenario/keys/scenario.hpp"
#include "simulator/tasks/plan/options.hpp"
#include "tests/cli/program.hpp"

using namespace factosim;
using nlohmann::json;

namespace {

using nlohmann::json;

RuntimeOptions options_of(json const& runtime) {
  return read_runtime(JsonReader(runtime, "s.json", "/runtime"));
}

}  // namespace

TEST_SUITE("scenario") {
  TEST_CASE("tile formats that make no sense are refused where they are written") {
    testing::TemporaryFolder const folder;
    auto const csv = [&](std::string const& name, std::string const& text) {
      return json{{"file", folder.write(name, text).filename().string()}};
    };
    json const last = {{"precision", "single"}};
    json const covariance = {{"samples", 8}};
    struct Case {
      json formats;
      std::string where;
      std::string says;
    };
    std::vector<Case> const cases = {
        {json::object(), "/tile_formats: ", "needs one of \"bands\", \"file\" and \"tolerance\""},
        {{{"bands", {last}}, {"file", "f.csv"}}, "/tile_formats: ", "Give one"},
        {{{"bands", json::array()}}, "/tile_formats/bands: ", "is empty"},
        {{{"bands", {{{"below", 2}}}}}, "/tile_formats/bands/0/below: ", "leaves tiles without a format"},
        {{{"bands", {{{"precision", "double"}}, last}}}, "/tile_formats/bands/0: ", "has no \"below\""},
        {{{"bands", {{{"below", 2}}, {{"below", 2}}, last}}},
         "/tile_formats/bands/1/below: ",
         "the band before ends at 2"},
        {{{"bands", {{{"rank", 5}}}}}, "/tile_formats/bands/0/rank: ", "which potrf needs in full"},
        {{{"bands", {{{"below", 2}}, {{"rank", 101}}}}},
         "/tile_formats/bands/1/rank: ",
         "tiles have 100 rows"},
        {{{"bands", {{{"precision", "quarter"}}}}}, "/tile_formats/bands/0/precision: ", "is not known"},
        {{{"bands", {last}}, {"conversion", "nowhere"}}, "/tile_formats/conversion: ", "sender, receiver"},
        {{{"bands", {last}}, {"max_rank", 3}}, "/tile_formats/max_rank: ", "there is no \"tolerance\""},
        {{{"tolerance", 1e-4}}, "/tile_formats: ", "has a \"tolerance\" and no \"covariance\""},
        {{{"tolerance", 1e-4}, {"covariance", covariance}, {"precisions", {"single", "double"}}},
         "/tile_formats/precisions: ",
         "do not fall"},
        {{{"tolerance", 1e-4}, {"covariance", covariance}, {"precisions", json::array()}},
         "/tile_formats/precisions: ",
         "is empty"},
        {{{"tolerance", 1e-4}, {"covariance", {{"smoothness", 1}}}},
         "/tile_formats/covariance/smoothness: ",
         "has no closed form"},
        {{{"file", "nowhere.csv"}}, "nowhere.csv#", "cannot be read"},
        {csv("names.csv", "a,b\n"), "names.csv#1", "the names of the columns"},
        {csv("few.csv", "m,n,precision,rank\n1,0,single\n"), "few.csv#2", "has 3 values"},
        {csv("above.csv", "m,n,precision,rank\n0,1,single,0\n"), "above.csv#2", "an integer from 0 to 0"},
        {csv("none.csv", "m,n,precision,rank\n1,0,quarter,0\n"), "none.csv#2", "\"quarter\", which is none"},
        {csv("diagonal.csv", "m,n,precision,rank\n\n1,1,single,4\n"), "diagonal.csv#3", "on the diagonal"},
    };
    for (auto const& [formats, where, says] : cases) {
      json const application = {{"type", "cholesky"}, {"nt", 6}, {"nb", 100}, {"tile_formats", formats}};
      json const distribution = {{"type", "1d1d"}, {"speeds", {1, 1, 1, 1}}};
      auto const file = folder.write("s.json", json{{"format", "factosim-scenario"},
                                                    {"version", 1},
                                                    {"application", application},
                                                    {"distribution", distribution}}
                                                   .dump());
      CAPTURE(formats);
      auto const run = testing::run_factosim("distribute " + testing::quoted(file.string()));
      testing::check_refused(run, where, says);
    }
  }

  TEST_CASE("tile formats and parts of tasks are refused with what they are not known of") {
    struct Case {
      std::string settings, where, says;
    };
    std::string const fugaku = "run scenarios/mixed_precision/fugaku.json ";
    std::string const nested = R"(--set 'application/nested={"tile": 300}' )";
    std::vector<Case> const cases = {
        {"run scenarios/mixed_precision/cluster.json --set application/variant=starpu-mpi",
         "/application/tile_formats: ", "which drops received tiles"},
        {fugaku + R"(--set 'distribution={"type": "layers", "layers": 2}')",
         "/distribution/type: ", "of low rank"},
        {"run scenarios/mixed_precision/band.json --set detail/type=sampled",
         "/detail/type: ", "several formats"},
        {fugaku + nested + "--set detail/type=sampled", "/detail/type: ", "are split"},
        {fugaku + nested + "--set application/task_graph=formulas", "/application/task_graph: ", "are split"},
        {fugaku + nested + "--set runtime/out_of_core=true", "/runtime/out_of_core: ", "parts of a tile"},
        {R"(run scenarios/mixed_precision/band.json --set 'application/nested={"tile": 400}')",
         "/application/nested: ", "has GPUs"},
        {R"(advise scenarios/first/lu_mirage.json --set 'application/nested={"tile": 320}' --set runtime/max_gpus=0)",
         "/application/nested: ", "simulated one by one"}};
    for (auto const& [settings, where, says] : cases) {
      CAPTURE(settings);
      std::string const script =
          "cd " + testing::quoted(testing::repository().string()) + " && \"$1\" " + settings;
      testing::check_refused(testing::run_script(script), where, says);
    }
  }

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

TEST_SUITE("unit") {
  TEST_CASE("what was removed, or is StarPU's alone, is refused at its place, with what to use instead") {
    struct Case {
      char const *setting, *place, *instead, *why = "removed in version";
    };
    for (Case const& c :
         {Case{"/scheduler/type=modular-heft", "#/scheduler/type: is \"modular-heft\"", "\"dmdas\"",
               "StarPU"},
          Case{"/detail/type=steps", "#/detail/type: is \"steps\"", "\"sampled\""},
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
      CHECK(testing::contains(message, c.why));
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
