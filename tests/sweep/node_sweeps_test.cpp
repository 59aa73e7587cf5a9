// Sweeps over counts of nodes.

#include "tests/cli/program.hpp"

#include "tests/sweep/sweep_study.hpp"

using namespace factosim;
using testing::ProgramRun;
using testing::quoted;
using testing::run_factosim;
using testing::Study;
using testing::TemporaryFolder;
namespace fs = std::filesystem;

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

  TEST_CASE("a job script with hostile names runs the sweep and nothing else") {
    Study const study(R"("points": {"product": [{"/application/nt": [2, 3, 4]}]})");
    // Runs the tasks of the job array at once.
    study.folder.write("bin/sbatch", R"(#!/bin/sh
echo "$@" >"$SANDBOX/arguments"
for script; do :; done
for task in 0 1; do SLURM_ARRAY_TASK_ID=$task SLURM_CPUS_ON_NODE=2 bash "$script" >"$SANDBOX/log" 2>&1; done
echo 7
)");
    fs::permissions(study.folder / "bin/sbatch", fs::perms::owner_all);
    auto const sweep = [&](std::string const& file, std::string const& out) {
      return testing::run_script(
          fmt::format("export SANDBOX='{}'\ncd \"$SANDBOX\"\nPATH=\"$SANDBOX/bin:$PATH\"\n"
                      "file={}\nout={}\ncp study.json \"$file\"\n"
                      "\"$1\" sweep \"$file\" --out \"$out\" --engine slurm --chunk 20 --filter '[\"<\", "
                      "\"/application/nt\", 4]' "
                      "--set '/name=\"$(touch ran1); `touch ran2` \\u0027; touch ran3 #\"'\n",
                      study.folder.path().string(), file, out));
    };
    auto const ran = [&] {
      std::vector<std::string> names;
      for (auto const& entry : fs::recursive_directory_iterator(study.folder.path()))
        if (entry.path().filename().string().starts_with("ran")) names.push_back(entry.path().string());
      return names;
    };
    auto const quoted = sweep(R"("\$(touch ran4)'; touch ran5; '\"; touch ran6; \".json")",
                              R"("o%j ' #SBATCH \`touch ran7\` & touch ran8")");
    CAPTURE_ALL(quoted.err, testing::text_of(study.folder / "log"));
    CHECK(quoted.code == 0);
    CHECK(testing::contains(quoted.out, "2 of 2 points done"));
    CHECK(ran().empty());
    CHECK(testing::contains(testing::text_of(study.folder / "arguments"), "/o%%j ' #SBATCH"));
    std::string const lines = "\"$(printf 'x\\ntouch ran9\\n#SBATCH --nodes=99\\n#')\"";
    for (auto const& [file, out] : {std::pair{lines, std::string("out1")}, {"plain.json", lines}}) {
      auto const refused = sweep(file, out);
      CAPTURE(refused.err);
      CHECK(refused.code == 2);
      CHECK(testing::contains(refused.err, "is a file name with control characters"));
      CHECK(!fs::exists(study.folder / "out1"));
      CHECK(ran().empty());
    }
    CHECK(sweep("plain.json", R"('back\slash')").code == 2);
  }
}
