// What the keys of tile formats refuse: one line with the position of the mistake, exit code 2.

#include "tests/cli/refusal.hpp"

using namespace factosim;
using nlohmann::json;

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
}
