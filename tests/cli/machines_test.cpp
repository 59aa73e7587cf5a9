// From StarPU's files of an unknown machine to a figure of two distributions on a mixed cluster, and platforms as users
// describe and see them.
#include <pugixml.hpp>

#include "tests/cli/program.hpp"

namespace factosim {

namespace {

using nlohmann::json;
using testing::ProgramRun;
using testing::quoted;
using testing::repository;
using testing::run_factosim;
using testing::says;
using testing::TemporaryFolder;

/// Runs a command in the folder, which must succeed without an internal error.
ProgramRun run_in(TemporaryFolder const& folder, std::string const& arguments) {
  ProgramRun run = testing::run_script(fmt::format("cd {} && \"$1\" {}", quoted(folder.path()), arguments));
  CAPTURE_ALL(arguments, run.err);
  CHECK(run.code == 0);
  CHECK(!testing::contains(run.err, "json.exception"));
  return run;
}

json parsed(std::filesystem::path const& file) { return json::parse(testing::text_of(file)); }

/// Follows the eight commands of scenarios/guide/mixed_cluster.md with the files of one host: two of its nodes, and four
/// without GPUs and with fewer cores.
void compare_distributions(std::filesystem::path const& starpu, std::string const& host,
                           std::string const& application) {
  CAPTURE(host);
  TemporaryFolder folder;
  run_in(folder,
         fmt::format("import starpu-model {} --host {} -o machine_kernels.json", quoted(starpu), host));
  run_in(folder,
         fmt::format("import starpu-platform {} --host {} --name machine --kernels machine_kernels.json "
                     "--nic infiniband-edr --ram 128GB -o machine.json",
                     quoted(starpu), host));
  json const machine = parsed(folder / "machine.json");
  int const cores = machine["node_types"]["machine"]["cores"];
  folder.write(
      "cluster.json",
      json{{"merge", {"machine.json"}},
           {"node_types", {{"slim", {{"of", "machine"}, {"gpus", 0}, {"cores", std::max(2, cores / 2)}}}}},
           {"nodes", {{{"type", "machine"}, {"count", 2}}, {{"type", "slim"}, {"count", 4}}}}}
          .dump());
  run_in(folder, "platform show cluster.json -o cluster.svg");
  run_in(folder, "init --platform cluster.json --application " + application + " --nt 16 -o scenario.json");
  run_in(folder, "run scenario.json --out block_cyclic");
  run_in(folder, "run scenario.json --set distribution/type=1d1d-c --out 1d1d_c");
  ProgramRun const compared = run_in(folder, "compare block_cyclic 1d1d_c");
  CHECK(testing::contains(compared.out, "load balance between nodes"));
  run_in(folder, "report block_cyclic 1d1d_c --figure workers -o figure.svg");
  CHECK(pugi::xml_document().load_file((folder / "figure.svg").c_str()));
  json const result = parsed(folder / "1d1d_c/result.json");
  REQUIRE(result["nodes"].size() == 6);
  CHECK(result["estimate"] == (result["tiles_sent"] > 0));  // the network card is not measured
  CHECK(testing::contains(result["findings"].dump(), "infiniband-edr"));
  auto const workers = [&](int node) {
    return result["nodes"][static_cast<std::size_t>(node)]["workers"].get<int>();
  };
  CHECK(workers(5) == std::max(2, cores / 2) - 1);  // one core handles messages
  CHECK(workers(0) == cores - 1);
}

}  // namespace

TEST_SUITE("scenario") {
  TEST_CASE("StarPU's files of a machine lead to a figure of two distributions on a mixed cluster") {
    compare_distributions(repository() / "scenarios/guide/starpu", "visu", "cholesky");
    auto const data = testing::real_data();
    if (!data) {
      MESSAGE("skipped for real machines: FACTOSIM_DATA is not set");
      return;
    }
    auto const perfmodels = *data / "perfmodels";
    compare_distributions(perfmodels / "starpu-master/mirage", "mirage", "lu");
    compare_distributions(perfmodels / "chameleon-1.2/sirocco-p100", "sirocco-p100", "cholesky");
    compare_distributions(perfmodels / "chameleon-1.2/sirocco-v100", "sirocco-v100", "lu");
  }

  TEST_CASE("several hosts are imported at once with names and cards and sizes that the user states") {
    TemporaryFolder folder;
    std::string const starpu = quoted(repository() / "scenarios/guide/starpu");
    run_in(folder,
           "import starpu-model " + starpu + " --host visu --host calc --name big --name small -o kernels/");
    CHECK(parsed(folder / "kernels/big.json")["machine"] == "big");
    CHECK(parsed(folder / "kernels/small.json")["machine"] == "small");
    ProgramRun const import =
        run_in(folder, "import starpu-platform " + starpu +
                           " --host visu --host calc --name big --name small --kernels kernels "
                           "--nic 100Gb/s,1.5us --ram 192GB -o cluster.json");
    CHECK(import.err.empty());
    json const platform = parsed(folder / "cluster.json");
    CHECK_FALSE(platform.contains("findings"));
    for (char const* const name : {"big", "small"}) {
      json const& type = platform["node_types"][name];
      CHECK(type["estimate"] == false);
      CHECK(type["nic"] == json{{"bandwidth_Bps", 12500000000}, {"latency_s", 1.5e-6}});
      CHECK(type["ram_bytes"] == 192'000'000'000);
      CHECK(type["kernels"] == fmt::format("kernels/{}.json", name));
    }
    CHECK(platform["nodes"].size() == 2);
  }

  TEST_CASE("a kernel or a codelet takes the timings of another one by --rename") {
    TemporaryFolder folder;
    std::string const starpu = quoted(repository() / "scenarios/guide/starpu");
    std::filesystem::create_directories(folder / "few");
    auto const codelets = repository() / "scenarios/guide/starpu/sampling/codelets/45";
    for (char const* const file : {"dgemm.visu", "dpotrf.visu"})
      std::filesystem::copy_file(codelets / file, folder / "few" / file);
    std::filesystem::copy_file(codelets / "dtrsm.visu", folder / "few/my_solver.visu");
    run_in(folder, "import starpu-model few --rename gemm=syrk --rename my_solver=dtrsm -o kernels.json");
    json const kernels = parsed(folder / "kernels.json")["kernels"];
    REQUIRE(kernels.contains("syrk"));
    CHECK(kernels["trsm"].size() == 6);
    CHECK(kernels["syrk"].size() == kernels["gemm"].size());
    for (std::size_t i = 0; i < kernels["gemm"].size(); ++i)
      CHECK(kernels["syrk"][i]["mean_s"] == kernels["gemm"][i]["mean_s"]);
    for (char const* const rename : {"gem=syrk", "gemm", "=x", "my_solver=dtrs"}) {
      ProgramRun const run = testing::run_script(fmt::format(
          "cd {} && \"$1\" import starpu-model few --rename {} -o x.json", quoted(folder.path()), rename));
      CAPTURE(run.err);
      CHECK(run.code == 2);
      CHECK(says(run, "--rename#: "));
    }
  }

  TEST_CASE("mistakes in the options of imports say what to give") {
    TemporaryFolder folder;
    std::string const starpu = quoted(repository() / "scenarios/guide/starpu");
    struct Case {
      char const* arguments;
      char const* message;
    };
    for (Case const& c :
         {Case{"starpu-platform STARPU --nic fast -o x.json", "--nic#: no network is called \"fast\""},
          Case{"starpu-platform STARPU --nic 10,x -o x.json", "--nic#: \"10,x\" is no network card"},
          Case{"starpu-platform STARPU --nic -1GB/s,1us -o x.json", "is no network card"},
          Case{"starpu-platform STARPU --ram 0GB -o x.json", "--ram#: "},
          Case{"starpu-platform STARPU --host viso -o x.json", "Did you mean \"visu\""},
          Case{"starpu-platform STARPU --name a -o x.json", "--name#: 1 names for 2 hosts"},
          Case{"starpu-platform . -o x.json", "holds no bus measurements"},
          Case{"starpu-model STARPU -o x.json", "Choose some with --host: calc, visu"},
          Case{"starpu-model STARPU --host visu --host calc -o -", "--output#: "}}) {
      std::string arguments = c.arguments;
      if (auto const at = arguments.find("STARPU"); at != std::string::npos) arguments.replace(at, 6, starpu);
      CAPTURE(arguments);
      ProgramRun const run =
          testing::run_script(fmt::format("cd {} && \"$1\" import {}", quoted(folder.path()), arguments));
      CAPTURE(run.err);
      CHECK(run.code == 2);
      CHECK(says(run, c.message));
      CHECK_FALSE(std::filesystem::exists(folder / "x.json"));
    }
  }

  TEST_CASE("platforms are shown as a table and a picture and one file") {
    TemporaryFolder folder;
    folder.write("odd.json", R"({"merge": ["mirage", "lille"], "network": {"preset": "slingshot-11"},
      "node_types": {"<b> & \"c\"": {"of": "mirage", "gpus": 1}}, "nodes": [{"type": "<b> & \"c\"", "count": 3}]})");
    for (std::string const& platform :
         std::vector<std::string>{"mirage", "lille", "plb-hac", "spr2c", "odd.json",
                                  "'" + testing::first_scenario().string() + "'"}) {
      CAPTURE(platform);
      if (platform == "mirage" || platform == "odd.json") {  // a picture takes seconds
        std::string const picture = run_in(folder, "platform show " + platform + " -o -").out;
        pugi::xml_document document;
        CHECK(document.load_string(picture.c_str()));
        CHECK(testing::contains(picture, "&lt;b&gt; &amp; ") == (platform == "odd.json"));
      }
      CHECK(run_in(folder, "platform show " + platform).out.starts_with("machine"));
      folder.write("whole.json", run_in(folder, "platform show " + platform + " --json").out);
      CHECK(testing::contains(run_in(folder, "validate whole.json").out, "no problem"));
      std::filesystem::remove(folder / "whole.json");
    }
    ProgramRun const ring =
        run_factosim("platform show " + quoted(repository() / "scenarios/ring/lyon.platform.json"));
    CHECK(ring.code == 2);
    CHECK(says(ring, "is a graph of processors"));
  }

  TEST_CASE("a network that is not the machines' marks runs on several nodes and not on one") {
    std::string const scenario = quoted(testing::first_scenario());
    json const one = testing::json_of("run " + scenario + " --set nt=4 --json");
    CHECK(one["estimate"] == false);
    CHECK_FALSE(one["provenance"].contains("network"));
    std::string const two = " --set nt=4 --set '/platform/nodes=[{\"type\":\"mirage\",\"count\":2}]'";
    json const several = testing::json_of("run " + scenario + two + " --json");
    CHECK(several["estimate"] == true);
    CHECK(
        several["provenance"]["network"]["description"].get<std::string>().starts_with("NOT the machine's"));
    CHECK(testing::contains(run_factosim("run " + scenario + two).out, "ESTIMATE"));
  }

  TEST_CASE("workers that no kernel can run on are a finding") {
    TemporaryFolder folder;
    json kernels = parsed(repository() / "models/kernels/mirage.json");
    for (json& timings : kernels["kernels"])
      for (std::size_t i = timings.size(); i-- > 0;)
        if (timings[i]["worker"] == "cpu") timings.erase(i);
    kernels["findings"] = json::array();
    for (json& timings : kernels["kernels"])
      for (json& timing : timings) timing.erase("findings");
    folder.write("gpus.json", kernels.dump());
    folder.write(
        "s.json",
        R"({"platform": {"file": "mirage", "node_types": {"m": {"of": "mirage", "kernels": "gpus.json"}},
      "nodes": [{"type": "m", "count": 1}]}, "application": {"type": "cholesky", "nt": 4, "nb": 960, "precision": "single"}})");
    json const result = testing::json_of("run " + quoted(folder / "s.json") + " --json");
    REQUIRE(result.contains("findings"));
    CHECK(testing::contains(result["findings"].dump(),
                            "9 of 12 workers can run no kernel of this application"));
  }

  TEST_CASE("sweeps take their replicas from the command line") {
    TemporaryFolder folder;
    folder.write("sweep.json", R"({"scenario": {"platform": "mirage", "noise": "lognormal",
      "application": {"type": "lu", "nt": 3, "nb": 960}}, "points": {"/application/nt": [3, 4]}, "replicas": 2})");
    json const counted = json::parse(run_in(folder, "sweep sweep.json --count --json --replicas 5").out);
    CHECK(counted["points"] == 10);
    CHECK(testing::contains(run_in(folder, "sweep sweep.json --replicas 3 --out r --engine list").out,
                            "--replicas 3"));
  }

  TEST_CASE("no pointer of a setting or a sweep brings an error of the JSON library to light") {
    TemporaryFolder folder;
    folder.write("s.json",
                 R"({"platform": {"merge": ["mirage", "sirocco"], "nodes": [{"type": "mirage", "count": 1}]},
      "application": {"type": "lu", "nt": 3, "nb": 960}})");
    for (std::string const pointer :
         {"/platform/nodes/00/count", "/platform/nodes/18446744073709551616/count",
          "/platform/nodes/-/count/0", "/platform/merge/00", "/platform/nodes/1e3", "/platform/~",
          "/platform/nodes/0/count/x", "/seed/0/1", "/platform/nodes/-1/count", "//",
          "/platform/merge/0/file"}) {
      CAPTURE(pointer);
      for (std::string const document : {"[1, 2]", "[null]", "[[]]", "[{}]", "[\"x\"]"}) {
        folder.write("sweep.json", R"({"scenario": "s.json", "points": {")" + pointer + "\": " + document +
                                       R"(}, "filters": [["<", ")" + pointer + R"(", 3]]})");
        ProgramRun const sweep = run_factosim("sweep " + quoted(folder / "sweep.json") + " --count");
        CAPTURE(sweep.err);
        CHECK((sweep.code == 0 || sweep.code == 2));
        CHECK_FALSE(says(sweep, "json.exception"));
      }
      ProgramRun const run =
          run_factosim("bounds " + quoted(folder / "s.json") + " --set '" + pointer + "=3'");
      CAPTURE(run.err);
      CHECK(run.code == 2);
      CHECK_FALSE(says(run, "json.exception"));
    }
  }
}

}  // namespace factosim
