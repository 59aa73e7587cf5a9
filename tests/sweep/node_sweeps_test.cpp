// Sweeps over counts of nodes.

#include "tests/cli/program.hpp"

using namespace factosim;
using testing::ProgramRun;
using testing::quoted;
using testing::run_factosim;
using testing::TemporaryFolder;

namespace {

nlohmann::json sweep_of(nlohmann::json const& platform, nlohmann::json const& points) {
  return {{"scenario", {{"platform", platform}, {"application", {{"type", "lu"}, {"nt", 4}, {"nb", 960}}}}},
          {"points", points}};
}

std::string counted(nlohmann::json const& sweep) {
  TemporaryFolder const folder;
  ProgramRun const run = run_factosim("sweep " + quoted(folder.write("s.json", sweep.dump())) + " --count");
  CAPTURE(run.err);
  CHECK(run.code == 0);
  return run.out.substr(0, run.out.find(' '));
}

}  // namespace

TEST_SUITE("scenario") {
  TEST_CASE("the short and the long form of a platform give the same points of a sweep over nodes") {
    nlohmann::json const points = {
        {"strong_scaling", {{"nodes", {{{"type", "mirage"}, {"count", {1, 2, 3}}}}}}}};
    for (nlohmann::json const& platform : {nlohmann::json("mirage"), nlohmann::json{{"file", "mirage"}}}) {
      TemporaryFolder const folder;
      std::string const file = quoted(folder.write("s.json", sweep_of(platform, points).dump()));
      std::string const out = quoted(folder / "out");
      ProgramRun const run = run_factosim("sweep " + file + " --jobs 1 --out " + out);
      CAPTURE(run.err);
      CHECK(run.code == 0);
      CHECK(testing::contains(run.out, "3 of 3 points done; 3 simulated"));
      ProgramRun const again = run_factosim("sweep " + file + " --resume --out " + out);
      CHECK(testing::contains(again.out, "3 of 3 points done; nothing to do: all results are there\n"));
    }
  }

  TEST_CASE("a count of zero leaves a type out in every sweep of counts") {
    nlohmann::json const platform = {
        {"file", "lille"},
        {"nodes", {{{"type", "chetemi"}, {"count", 1}}, {{"type", "chifflet"}, {"count", 1}}}}};
    CHECK(counted(sweep_of(platform, {{"/platform/nodes/1/count", {0, 2, 4}}})) == "3");
    CHECK(counted(sweep_of(
              platform,
              {{"zip", {{{"/platform/nodes/0/count", {0, 1}}}, {{"/platform/nodes/1/count", {1, 0}}}}}})) ==
          "2");
    // Without any node a point fails, with the reason.
    TemporaryFolder const folder;
    ProgramRun const none = run_factosim(
        "sweep " +
        quoted(folder.write(
            "s.json",
            sweep_of("mirage", {{"/platform/nodes", {{{{"type", "mirage"}, {"count", 0}}}}}}).dump())) +
        " --count");
    CHECK(none.code == 2);
    CHECK(testing::contains(none.err, "no nodes (nothing could compute)"));
  }

  TEST_CASE("counts of types can be combined as a grid without the set of no node") {
    nlohmann::json const nodes = {{{"type", "chetemi"}, {"count", {0, 2, 4}}},
                                  {{"type", "chifflet"}, {"count", {0, 1}}},
                                  {{"type", "chifflot"}, {"count", {0, 1, 2}}}};
    CHECK(counted(sweep_of("lille", {{"strong_scaling", {{"nodes", nodes}, {"combine", "product"}}}})) ==
          "17");
    CHECK(counted(
              sweep_of("lille", {{"product",
                                  {{{"weak_scaling", {{"nodes", nodes}, {"combine", "product"}, {"nt", 4}}}},
                                   {{"/scheduler/type", {"ws", "dmdas"}}}}}})) == "34");
  }

  TEST_CASE("no internal error shows in a sweep whose pointers do not fit") {
    for (char const* const pointer :
         {"/application/nt/x", "/~2", "/application/~", "/platform/nodes/7/count"}) {
      CAPTURE(pointer);
      TemporaryFolder const folder;
      ProgramRun const run = run_factosim(
          "sweep " + quoted(folder.write("s.json", sweep_of("mirage", {{pointer, {1, 2}}}).dump())) +
          " --count");
      CHECK(run.code == 2);
      CHECK(!testing::contains(run.err, "json.exception"));
    }
  }
}
