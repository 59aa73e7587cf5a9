// Names, suggestions, short settings, standard streams, and the commands list, help, validate and init.

#include "simulator/runtime/policies/policies.hpp"
#include "simulator/scenario/keys/application_keys.hpp"
#include "simulator/scenario/placement/distribution_keys.hpp"
#include "tests/cli/program.hpp"

using namespace factosim;
using testing::json_of;
using testing::ProgramRun;
using testing::quoted;
using testing::run_factosim;
using testing::run_script;
using testing::says;
using testing::TemporaryFolder;

namespace {

constexpr char const* smallest =
    R"({"platform": "mirage", "application": {"type": "lu", "nt": 4, "nb": 960}})";

double makespan(std::string const& arguments) {
  return json_of("run " + arguments + " --json")["makespan_s"];
}

}  // namespace

TEST_SUITE("scenario") {
  TEST_CASE("lists name exactly what scenarios accept") {
    auto const names = [](nlohmann::json const& list) {
      std::vector<std::string> out;
      for (auto const& entry : list) {
        CHECK_FALSE(entry["description"].get<std::string>().empty());
        out.push_back(entry["name"]);
      }
      return out;
    };
    CHECK(names(json_of("list policies --json")) == names_of(described_policies()));
    CHECK(names(json_of("list distributions --json")) == distribution_names());
    CHECK(names(json_of("list applications --json")) == names_of(application_types()));
    CHECK(names(json_of("list --json")).size() == 10);
    for (auto const& kind : json_of("list --json")) {
      std::string const name = kind["name"];
      CAPTURE(name);
      ProgramRun const text = run_factosim("list " + name);
      CHECK(text.code == 0);
      CHECK(testing::occurrences(text.out, "\n") == json_of("list " + name + " --json").size());
      CHECK(!testing::contains(text.out, "cannot be read"));
    }
    // Each platform that is listed can be named by a scenario, but for those of other applications.
    TemporaryFolder const folder;
    for (auto const& platform : json_of("list platforms --json")) {
      std::string const name = platform["name"];
      CAPTURE(name);
      ProgramRun const run =
          run_factosim("bounds " + quoted(folder.write("s.json", smallest)) + " --set platform=" + name);
      CHECK_FALSE(says(run, "cannot be read"));
      CHECK_FALSE(says(run, "no platform is called"));
    }
  }

  TEST_CASE("a platform by name is the one by path and is recorded") {
    TemporaryFolder const folder;
    std::string const file =
        quoted(folder.write("mirage.json", smallest));  // the scenario has the platform's name
    auto const named = json_of("run " + file + " --json");
    std::string const path = (testing::repository() / "platforms/mirage.json").string();
    auto const by_path = json_of("run " + file + " --json --set platform=" + path);
    CHECK(named["makespan_s"] == by_path["makespan_s"]);
    CHECK(std::filesystem::equivalent(named["provenance"]["platform"].get<std::string>(), path));
    CHECK_FALSE(by_path["provenance"].contains("platform"));
    ProgramRun const miss = run_factosim("run " + file + " --set platform=mirag");
    CHECK(miss.code == 2);
    CHECK(says(miss, "mirage.json#/platform: no platform is called \"mirag\" (searched: "));
    CHECK(says(miss, "Did you mean \"mirage\"?"));
  }

  TEST_CASE("the folder of the file comes before FACTOSIM_PATH and that before what is installed") {
    TemporaryFolder const folder;
    nlohmann::json platform =
        nlohmann::json::parse(testing::text_of(testing::repository() / "platforms/mirage.json"));
    nlohmann::json& type = platform["node_types"]["mirage"];
    type["kernels"] = "mirage";  // by name as well
    std::filesystem::create_directories(folder / "data/platforms");
    type["cores"] = 3;
    folder.write("data/platforms/mirage.json", platform.dump());
    type["cores"] = 5;
    std::filesystem::create_directories(folder / "own");
    std::string const scenario = folder.write("own/s.json", smallest).string();
    auto const file_of = [&](std::string const& environment) {
      ProgramRun const run = run_script(environment + " \"$1\" run '" + scenario + "' --json\n");
      return std::filesystem::path(json_of(run)["provenance"]["platform"].get<std::string>());
    };
    CHECK(file_of("") == testing::repository() / "platforms/mirage.json");
    CHECK(file_of("FACTOSIM_PATH='/nowhere:" + (folder / "data").string() + "'") ==
          folder / "data/platforms/mirage.json");
    folder.write("own/mirage.json", platform.dump());
    CHECK(file_of("FACTOSIM_PATH='" + (folder / "data").string() + "'") == folder / "own/mirage.json");
  }

  TEST_CASE("format and version may be left out and remarks may be put in") {
    TemporaryFolder const folder;
    std::string const plain = quoted(folder.write("a.json", smallest));
    std::string const full = quoted(folder.write(
        "b.json",
        R"({"$schema": "x", "$comment": ["a", "b"], "format": "factosim-scenario", "version": 1, "platform": "mirage",
            "application": {"$comment": "c", "type": "lu", "nt": 4, "nb": 960}})"));
    CHECK(makespan(plain) == makespan(full));
    for (std::string const wrong :
         {"version=2", "format=factosim-platform", "application/schema=1", "$schema=1"}) {
      CAPTURE(wrong);
      CHECK(run_factosim("run " + full + " --set '/" + wrong + "'").code == 2);
    }
  }

  TEST_CASE("misspelt commands options keys and values have suggestions and exit code 2") {
    std::string const file = quoted(testing::first_scenario());
    struct Case {
      std::string arguments, says;
    };
    for (auto const& [arguments, part] : std::vector<Case>{
             {"rnu x", "rnu: is no command of factosim. Did you mean \"run\"? Use one of: "},
             {"lits --help", "Did you mean \"list\"?"},
             {"import starpu-modle x", "starpu-modle: is no command of factosim import"},
             {"help rnu", "Did you mean \"run\"?"},
             {"help setings", "Did you mean \"settings\"?"},
             {"list polices", "Did you mean \"policies\"?"},
             {"--versoin", "--versoin: is no option of factosim. Did you mean \"--version\"?"},
             {"run " + file + " --jsno", "--jsno: is no option of factosim run. Did you mean \"--json\"?"},
             {"run " + file + " --nt 50",
              "A key of the scenario is set by --set nt=50. See factosim run --help"},
             {"run " + file + " --nt=50", "--set nt=50"},
             {"sweep x --engine slrum", "Did you mean \"slurm\"?"},
             {"run " + file + " --set /scheduler/type=dmdass", "Did you mean \"dmdas\"?"},
             {"run " + file + " --set /application/nT=3",
              "unknown key (nothing reads it, so it would be ignored). Did "
              "you mean \"nt\"?"},
             {"run " + file + " --set /distribution/type=1D1D", "Did you mean \"1d1d\"?"},
             {"run " + file + " --set scheduler=dmads", "#/scheduler/type: \"dmads\" is not known. Did you"},
             {"run " + file + R"( --set '/platform/nodes=[{"type":"miraje","count":1}]')",
              "mean \"mirage\"?"},
             {"run " + file + " --set /network/preset=infiniband-edrr", "mean \"infiniband-edr\"?"},
             {"run " + file + " --set '/platform/node_types={\"x\":{\"of\":\"mirag\"}}'", "mean \"mirage\"?"},
             {"run " + file + " --set push_cost_s='1 GB'", "is a size of data (here a time is needed)"},
             {"report . -o y.svg --figure nodse", "Did you mean \"nodes\"?"},
             {"run " + file + " --set /application/type=data-paralel",
              "Did you mean \"data-parallel\"? Use one of: lu, cholesky, qr, gemm, syrk, exageostat, trace, "
              "graph, ring"}}) {
      CAPTURE(arguments);
      ProgramRun const run = run_factosim(arguments);
      CAPTURE(run.err);
      CHECK(run.code == 2);
      CHECK(run.out.empty());
      CHECK(says(run, part));
    }
  }

  TEST_CASE("a setting may be the end of a pointer where one key ends so") {
    std::string const file = quoted(testing::first_scenario());
    auto const settings = [&](std::string const& list) {
      return json_of("run " + file + " --set nt=4 --json " + list)["provenance"]["settings"];
    };
    CHECK(settings("") == nlohmann::json{"/application/nt=4"});
    CHECK(settings("--set scheduler/type=ws")[1] == "/scheduler/type=ws");
    CHECK(settings("--set alpha=2")[1] == "/scheduler/alpha=2");  // of a part that the file lacks
    CHECK(settings("--set broadcast=binomial")[1] == "/network/broadcast=binomial");
    CHECK(settings("--set seed=3")[1] == "/seed=3");
    ProgramRun const several = run_factosim("run " + file + " --set type=lu");
    CHECK(several.code == 2);
    CHECK(says(several, "/application/type, "));
    CHECK(says(several, "/scheduler/type"));
    // The keys of a scenario that is not complete yet.
    TemporaryFolder const folder;
    std::string const empty = quoted(folder.write("s.json", R"({"application": {"type": "lu"}})"));
    CHECK(makespan(empty + " --set platform=mirage --set nt=4 --set nb=960") ==
          makespan(quoted(folder.write("t.json", smallest))));
  }

  TEST_CASE("a setting into a short form makes an object of it and no internal error shows") {
    TemporaryFolder const folder;
    std::string const file = quoted(folder.write("s.json", smallest));
    auto const nodes =
        json_of("run " + file + " --json --set '/platform/nodes=[{\"type\":\"mirage\",\"count\":2}]'");
    CHECK(nodes["nodes"].size() == 2);
    CHECK(nodes["provenance"].contains("platform"));
    CHECK(json_of("run " + file + " --json --set /noise=normal --set /noise/scale=2")["provenance"]["options"]
                                                                                     ["noise"]["scale"] == 2);
    for (std::string const setting : {"scheduler=lws", "/scheduler=lws", "/scheduler/type=lws"})
      CHECK(json_of("run " + file + " --json --set alpha=2 --set " + setting +
                    " --set /scheduler/beta=3 --set "
                    "distribution=1d1d")["provenance"]["options"]["scheduler"]["beta"] == 3);
    CHECK(json_of("run " + file +
                  " --json --set nt=3 --set scheduler=lws")["provenance"]["options"]["scheduler"] ==
          json_of("run " + file +
                  " --json --set nt=3 --set scheduler/type=lws")["provenance"]["options"]["scheduler"]);
    for (std::string const wrong : {"/application/nt/x=1", "/application/nt/0=1", "/~2=1", "/application/~=1",
                                    "/platform/nodes/7/count=1"}) {
      CAPTURE(wrong);
      ProgramRun const run = run_factosim("run " + file + " --set '" + wrong + "'");
      CHECK(run.code == 2);
      CHECK_FALSE(says(run, "json.exception"));
    }
  }

  TEST_CASE("- is standard input and standard output") {
    TemporaryFolder const folder;
    std::string const file = folder.write("s.json", smallest).string();
    CHECK(json_of(run_script("\"$1\" run - --json < '" + file + "'\n"))["makespan_s"] ==
          makespan("'" + file + "'"));
    // Relative paths start from the current folder.
    std::filesystem::copy_file(testing::repository() / "platforms/mirage.json", folder / "here.json");
    nlohmann::json platform = nlohmann::json::parse(testing::text_of(folder / "here.json"));
    platform["node_types"]["mirage"]["kernels"] = "mirage";
    folder.write("here.json", platform.dump());
    CHECK(run_script("cd '" + (folder / "").string() +
                     "' && \"$1\" bounds - --set platform=./here.json < s.json\n")
              .code == 0);
    // A mistake has its pointer, and an empty input is no scenario.
    ProgramRun const wrong = run_script("\"$1\" run - --set nt=0 < '" + file + "'\n");
    CHECK(wrong.code == 2);
    CHECK(says(wrong, "-#/application/nt: is 0"));
    CHECK(run_script("\"$1\" run - < /dev/null\n").code == 2);

    CHECK(run_factosim("run '" + file + "' --out '" + (folder / "r").string() + "'").code == 0);
    std::string const run = "'" + (folder / "r").string() + "'";
    ProgramRun const page = run_script("cd '" + (folder / "").string() + "' && \"$1\" report r -o -\n");
    CHECK(page.code == 0);
    CHECK(page.out.starts_with("<!DOCTYPE html>"));
    CHECK(page.out.ends_with("</html>\n"));
    CHECK_FALSE(std::filesystem::exists(folder / "-"));
    ProgramRun const figure = run_factosim("report " + run + " -o - --figure nodes");
    CHECK(figure.out.find("<svg") < 300);  // after its declarations
    CHECK(figure.out.ends_with("</svg>\n"));
    ProgramRun const table = run_factosim("export " + run + " --format paje -o -");
    CHECK(table.out.starts_with("%EventDef"));
    CHECK(says(table, "standard output: "));
    CHECK(run_factosim("export " + run + " --format starpu -o -").code == 2);
    // Both together; and a closed standard output is an error.
    CHECK(run_script("\"$1\" init -o - --nt 4 | \"$1\" distribute - --chameleon - | head -1\n").out ==
          "4 4\n");
    CHECK(run_script("\"$1\" report " + run + " -o - > /dev/full\n").code == 2);
    ProgramRun const check = run_script("\"$1\" run - --out '" + (folder / "q").string() + "' < '" + file +
                                        "' > /dev/null && \"$1\" check '" + (folder / "q").string() + "'\n");
    CHECK(check.code == 2);
    CHECK(says(check, "was read from standard input"));
  }

  TEST_CASE("validate reports every mistake in keys and values") {
    TemporaryFolder const folder;
    std::string const file = quoted(folder.write("s.json", R"({"platform": "mirage", "seeds": 1,
      "application": {"type": "lu", "nt": 0, "precision": "quarter"},
      "scheduler": {"type": "dmdass", "alpha": -1}, "runtime": {"prefetch": 1}})"));
    ProgramRun const run = run_factosim("validate " + file + " --json");
    CHECK(run.code == 2);
    auto const problems = nlohmann::json::parse(run.out)[0]["problems"].get<std::vector<std::string>>();
    for (std::string const place :
         {"#/seeds: unknown key", "#/application/nt: is 0", "#/application/nb: the key",
          "#/application/precision: \"quarter\"", "#/scheduler/type: \"dmdass\"", "#/scheduler/alpha: is -1",
          "#/runtime/prefetch: 1 is not a boolean"}) {
      CAPTURE(place);
      CHECK(std::ranges::count_if(problems, [&](auto const& p) { return testing::contains(p, place); }) == 1);
    }
    CHECK(problems.size() == 7);
    // What only the whole scenario shows.
    ProgramRun const size = run_factosim("validate " + quoted(folder.write("t.json", R"({"platform": "mirage",
      "application": {"type": "lu", "nt": 4, "nb": 961}})")));
    CHECK(size.code == 2);
    CHECK(says(size, "tiles of 961 cannot run on mirage"));
    CHECK(run_factosim("validate " + quoted(folder.write("u.json", "{\"a\": 1}"))).code == 2);
    CHECK(run_factosim("validate " + quoted(folder / "none.json")).code == 2);
  }

  TEST_CASE("validate accepts every file that is shipped") {
    std::string files;
    for (std::string const folder : {"platforms", "models/kernels", "scenarios"})
      for (auto const& entry : std::filesystem::recursive_directory_iterator(testing::repository() / folder))
        if (entry.path().extension() == ".json" &&
            testing::contains(testing::text_of(entry.path()), "\"factosim-"))
          files += " " + quoted(entry.path());
    ProgramRun const run = run_factosim("validate" + files);
    CHECK_MESSAGE(run.code == 0, run.err);
  }

  TEST_CASE("init writes a scenario with comments that runs") {
    TemporaryFolder const folder;
    std::string const file = quoted(folder / "s.json");
    for (std::string const choice :
         {"--nt 4", "--nt 4 --platform sirocco-v100 --nodes 3 --application cholesky --scheduler ws",
          "--nt 4 --platform lille --distribution 1d1d", "--nt 4 --precision single"}) {
      CAPTURE(choice);
      ProgramRun const init = run_factosim("init --force -o " + file + " " + choice);
      CAPTURE(init.err);
      CHECK(init.code == 0);
      CHECK(testing::contains(testing::text_of(folder / "s.json"), "$comment"));
      CHECK(makespan(file) > 0);
    }
    CHECK(run_factosim("init -o " + file).code == 2);  // it is there already
    CHECK(run_factosim("init --nb 961 -o " + quoted(folder / "t.json")).code == 2);
    CHECK_FALSE(std::filesystem::exists(folder / "t.json"));
  }

  TEST_CASE("helps fit a terminal and tell choices without the library's marks") {
    for (std::string const& command : testing::all_commands) {
      CAPTURE(command);
      std::string const help = run_factosim(command + " --help").out;
      for (std::string const artefact : {"{false}", "kb(=1024b)", " in ["})
        CHECK(!testing::contains(help, artefact));
      std::istringstream lines(help);
      for (std::string line; std::getline(lines, line);) CHECK_MESSAGE(line.size() <= 80, line);
    }
    CHECK(testing::contains(run_factosim("init --help").out, "het-grid,"));
    for (std::string const command : {"run", "sweep", "compare", "advise", "distribute"})
      CHECK(!testing::contains(run_factosim(command + " --help").out, "TEXT"));
  }

  TEST_CASE("every example is copied and does what its last line says") {
    TemporaryFolder const folder;
    nlohmann::json const examples = json_of("list examples --json");
    CHECK(examples.size() >= 10);
    for (auto const& example : examples) {
      auto const name = example["name"].get<std::string>();
      CAPTURE(name);
      std::string const file = quoted(folder / (name + ".json"));
      ProgramRun const copied = run_factosim("init --example " + name + " -o " + file);
      REQUIRE(copied.code == 0);
      CHECK(testing::contains(copied.out, example["description"].get<std::string>()));
      std::string const verb = testing::contains(copied.out, "factosim sweep") ? "sweep " : "run ";
      CHECK(run_factosim(verb + file + " --out " + quoted(folder / name)).code == 0);
    }
    CHECK(says(run_factosim("init --example tracee -o -"), "Did you mean \"trace\"?"));
    CHECK(says(run_factosim("init --example trace -o -"), "has a second file"));
    CHECK(says(run_factosim("init --example trace --nt 4"), "--example excludes --nt"));
  }

  TEST_CASE("quiet hides warnings and color marks them and help knows commands and topics") {
    TemporaryFolder const folder;
    std::string const file = quoted(folder.write("s.json", smallest));
    CHECK(says(run_factosim("run " + file + " --replicas 2"), "warning: all 2 replicas"));
    CHECK(run_factosim("run " + file + " --replicas 2 --quiet").err.empty());
    ProgramRun const marked = run_factosim("run " + file + " --replicas 2 --color always");
    CHECK(marked.err.starts_with("\033[33mwarning:\033[0m all"));
    CHECK(run_factosim("help").out == run_factosim("--help").out);
    CHECK(run_factosim("help run").out == run_factosim("run --help").out);
    CHECK(run_factosim("help import starpu").out == run_factosim("import starpu --help").out);
    for (auto const& topic : json_of("list topics --json"))
      CHECK_FALSE(run_factosim("help " + topic["name"].get<std::string>()).out.empty());
    std::string const help = run_factosim("run --help").out;
    CHECK(testing::contains(help, "--set KEY=VALUE"));
    CHECK(help.find("--out ") < help.find("More options:"));
    CHECK(help.find("More options:") < help.find("--force-large "));
  }
}
