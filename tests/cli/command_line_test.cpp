// The command line: exit codes, messages, files.

#include "tests/cli/refusal.hpp"

using namespace factosim;
using testing::ProgramRun;
using testing::quoted;
using testing::run_factosim;
using testing::TemporaryFolder;

namespace {

nlohmann::json without_simulation(std::string const& text) {
  nlohmann::json result = nlohmann::json::parse(text);
  result.erase("simulation");
  return result;
}

}  // namespace

TEST_SUITE("scenario") {
  TEST_CASE("help and version succeed and every command has an example") {
    CHECK(run_factosim("--help").code == 0);
    ProgramRun const version = run_factosim("--version");
    CHECK(version.code == 0);
    CHECK(testing::contains(version.out, "factosim 0.3.0"));
    CHECK(testing::contains(version.out, FACTOSIM_SIMGRID != 0 ? "SimGrid 3." : "SimGrid none"));
    for (std::string const command : {"run", "bounds", "distribute", "export", "compare",
                                      "import starpu-model", "import starpu-platform"}) {
      CAPTURE(command);
      ProgramRun const help = run_factosim(command + " --help");
      CHECK(help.code == 0);
      CHECK(testing::contains(help.out, "Example: factosim " + command));
    }
  }

  TEST_CASE("a run writes a result and a trace and overwrites them only on request") {
    TemporaryFolder const folder;
    std::string const run = "run " + quoted(testing::first_scenario()) + " --set /application/nt=6 --out '" +
                            (folder / "r").string() + "'";
    CHECK(run_factosim(run).code == 0);
    std::string const written = testing::text_of(folder / "r" / "result.json");
    CHECK(nlohmann::json::parse(written)["tasks"] == 6 + 30 + 55);
    CHECK(testing::text_of(folder / "r" / "trace.paje").starts_with("%EventDef"));
    ProgramRun const again = run_factosim(run);
    CHECK(again.code == 2);
    CHECK(testing::contains(again.err, "exists already"));
    CHECK(testing::text_of(folder / "r" / "result.json") == written);
    CHECK(run_factosim(run + " --force").code == 0);
    CHECK(without_simulation(testing::text_of(folder / "r" / "result.json")) == without_simulation(written));
    CHECK(std::distance(std::filesystem::directory_iterator(folder / "r"), {}) == 3);
  }

  TEST_CASE("with JSON on standard output nothing else is printed there") {
    ProgramRun const run =
        run_factosim("run " + quoted(testing::first_scenario()) + " --json --set /application/nt=4");
    CHECK(run.code == 0);
    CHECK(run.err.empty());
    auto const printed = nlohmann::json::parse(run.out);
    for (char const* key :
         {"makespan_s", "gflops", "tasks", "tasks_by_kernel", "tiles_sent", "bytes_sent", "bounds",
          "utilization", "utilization_first_90", "nodes", "transfers", "simulation", "provenance"})
      CHECK(printed.contains(key));
  }

  TEST_CASE("a mistake gives exit code 2 and one line with position and problem and reason and remedy") {
    struct Case {
      std::string setting;
      std::string where;
      std::string says;
    };
    for (auto const& [setting, where, says] : std::vector<Case>{
             {"/application/nb=961", "#/application/nb: ", "320, 640, 960"},
             {"/application/precision=quarter", "#/application/precision: ", "\"quarter\" is not known"},
             {"/application/type=svd",
              "#/application/type: ", "Use one of: lu, cholesky, qr, gemm, syrk, exageostat"},
             {"/platform=nowhere.json", "nowhere.json#", "cannot be read"},
             {"/runtime/push_cost_s=-1", "#/runtime/push_cost_s: ", "must not be negative"},
             {"/network/nic/bandwidth_Bps=0", "#/network/nic/bandwidth_Bps: ", "must be above zero"},
             {"/network/model=tcp", "#/network/model: ", "simgrid, maxmin, constant"},
             {"/distribution={\"type\":\"block-cyclic\",\"p\":2}", "#/distribution: ", "a grid needs both"},
             {"/distribution={\"type\":\"block-cyclic\",\"p\":2,\"q\":2}",
              "#/distribution: ", "there are 1 nodes"},
             {"/distribution={\"type\":\"file\",\"file\":\"none.map\"}", "none.map#", "cannot be read"},
             {"/runtime/version=1.5", "#/runtime/version: ", "in a shell: '\"text\"'"},
             {"/network/optim=Lazy", "#/network/optim: ", "Leave it out, or use the model \"maxmin\""},
             {"nT=3",
              "--set: ", "is not a setting (this scenario has no key \"nT\"). Did you mean \"nt\"?"}}) {
      CAPTURE(setting);
      TemporaryFolder const folder;
      ProgramRun const run = run_factosim("run " + quoted(testing::first_scenario()) + " --set '" + setting +
                                          "' --out '" + (folder / "r").string() + "'");
      testing::check_refused(run, where, says);
      CHECK_FALSE(std::filesystem::exists(folder / "r"));
    }
  }

  TEST_CASE("null as a setting takes a key away") {
    auto const makespan = [](std::string const& settings) {
      return testing::json_of("run " + quoted(testing::first_scenario()) + " --json " +
                              settings)["makespan_s"];
    };
    CHECK(makespan(
              "--set network/model=maxmin --set scheduler=lws --set /scheduler=null --set /network=null") ==
          makespan("--set /scheduler=null"));
  }

  TEST_CASE("a GPU that cannot hold its pipeline ends with exit code 4") {
    ProgramRun const run = run_factosim("run " + quoted(testing::first_scenario()) +
                                        " --set /runtime/gpu_memory_fraction=0.005");
    CHECK(run.code == 4);
    CHECK(testing::contains(run.err, "cannot hold"));
    CHECK(testing::contains(run.err, "(tiles may use 0.005 of its "));
  }

  TEST_CASE("a node that cannot hold its tiles ends with exit code 4 before anything is simulated") {
    // 73 x 73 tiles of 7 372 800 bytes against 36 GiB.
    TemporaryFolder const folder;
    std::string const large = " --set /application/nt=73 --out '" + (folder / "r").string() + "'";
    ProgramRun const run = run_factosim("run " + quoted(testing::first_scenario()) + large);
    CHECK(run.code == 4);
    CHECK(run.err ==
          "factosim: node 0 (mirage) owns 39.3 GB of data and has a RAM of 38.7 GB (\"ram_bytes\" of its "
          "type). Use more nodes, a distribution that gives this one less data, or a smaller problem; or "
          "set runtime/out_of_core, "
          "so that its disk holds what the RAM cannot\n");
    CHECK_FALSE(std::filesystem::exists(folder / "r"));
    CHECK(run_factosim("bounds " + quoted(testing::first_scenario()) +
                       " --set /application/nt=73 --set /runtime/out_of_core=true")
              .code == 0);
  }

  TEST_CASE("invalid arguments give exit code 2") {
    for (std::string const words : {"", "fly", "run", "run --what x", "import starpu-model"}) {
      CAPTURE(words);
      CHECK(run_factosim(words).code == 2);
    }
  }

  TEST_CASE("distribute counts without simulating and writes a map that a scenario reads") {
    TemporaryFolder const folder;
    std::string const lille = quoted(testing::lille_scenario());
    std::string const map = (folder / "map.txt").string();
    ProgramRun const run = run_factosim("distribute " + lille + " --json --chameleon '" + map + "'");
    CHECK(run.code == 0);
    auto const printed = nlohmann::json::parse(run.out);
    CHECK(printed["tiles_sent"] == 55329);
    CHECK(printed["owner"].size() == 100);
    CHECK(printed["tiles_per_node"].size() == 22);
    ProgramRun const again = run_factosim(
        "distribute " + lille + " --json --set '/distribution={\"type\":\"file\",\"file\":\"" + map + "\"}'");
    CHECK(nlohmann::json::parse(again.out)["owner"] == printed["owner"]);
    CHECK(run_factosim("distribute " + lille + " --chameleon '" + map + "'").code == 2);
  }

  TEST_CASE("distribute draws a map and overwrites it only on request") {
    TemporaryFolder const folder;
    std::string const svg = (folder / "map.svg").string();
    std::string const draw = "distribute " + quoted(testing::first_scenario()) + " --svg '" + svg + "'";
    CHECK(run_factosim(draw).code == 0);
    std::string const written = testing::text_of(svg);
    CHECK(testing::contains(written, "block-cyclic 1 x 1 for lu"));
    CHECK(written.ends_with("</svg>\n"));
    ProgramRun const again = run_factosim(draw + " --chameleon '" + (folder / "map.txt").string() + "'");
    CHECK(again.code == 2);
    CHECK(testing::contains(again.err, "exists already"));
    CHECK_FALSE(std::filesystem::exists(folder / "map.txt"));
    CHECK(run_factosim(draw + " --force").code == 0);
    CHECK(testing::text_of(svg) == written);
  }
}
