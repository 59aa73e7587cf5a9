// Job scripts of sweeps, run by a stand-in for Slurm in a folder of their own.

#include "tests/sweep/sweep_study.hpp"

using namespace factosim;
using testing::Study;
namespace fs = std::filesystem;

TEST_SUITE("scenario") {
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
