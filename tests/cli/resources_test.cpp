// Resources: limits of what is read, estimates before long work, and memory, processes or files that are exhausted
// end with a message.

#include <zlib.h>

#include "simulator/base/core/input_limits.hpp"
#include "tests/cli/program.hpp"

using namespace factosim;
using testing::quoted;
using testing::run_script;
using testing::says;
namespace fs = std::filesystem;

namespace {

std::string repeated(std::string_view text, std::size_t times) {
  std::string out;
  out.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

/// Writes a file, compressed if its name ends in .gz.
void write_input(fs::path const& file, std::string const& text) {
  if (file.extension() == ".gz") {
    gzFile const gz = gzopen(file.c_str(), "wb9");
    REQUIRE(gz != nullptr);
    gzwrite(gz, text.data(), static_cast<unsigned>(text.size()));
    gzclose(gz);
  } else {
    std::ofstream(file, std::ios::binary) << text;
  }
}

struct InputFile {
  std::string name, text;
};

/// A small input that would take much memory, and a command that reads it from the folder "$d".
struct Bomb {
  std::string what, command;
  std::vector<InputFile> files;
  std::string limit;         // that refuses it
  std::string limits_given;  // in the environment: the usual limits need larger files
};

std::string const csv = "task,worker,start,end\n";
std::string const row = "a,0,0,1\n";
std::string const exported = " --format paje -o \"$d/out.paje\"";

std::vector<Bomb> bombs() {
  std::string const long_row = std::string(100, 'a') + ",0,0,1\n";
  std::string const paje = "%EventDef PajeDefineContainerType 0\n% Alias string\n%EndEventDef\n";
  std::string const mapped =
      R"({"format":"factosim-scenario","version":1,"application":{"type":"lu","nt":2,"nb":8},)"
      R"("distribution":{"type":"file","file":"m","speeds":[1,1]}})";
  std::string const record =
      R"({"format":"factosim-sweep-results","version":1,"name":"x","points":100000,"columns":["a","b"],)"
      R"("parameters":[],"keys":[],"values":{},"plots":[],"comparisons":[],"origin":{},"provenance":{}})";
  return {
      {"equal rows, compressed",
       "export \"$d/t.csv.gz\"" + exported,
       {{"t.csv.gz", csv + repeated(long_row, 300'000)}},
       "expansion",
       ""},
      {"equal lines of records, compressed",
       "export \"$d\"" + exported,
       {{"tasks.rec.gz", "%rec: task\n" + repeated('#' + std::string(100, 'a') + '\n', 300'000)}},
       "expansion",
       ""},
      {"rows of CSV",
       "export \"$d/t.csv\"" + exported,
       {{"t.csv", csv + repeated(row, 20'000)}},
       "rows",
       "rows=1e4"},
      {"rows of StarVZ",
       "export \"$d\"" + exported,
       {{"rec.tasks.csv", "JobId,StartTime,EndTime\n" + repeated("\n", 20'000)}},
       "rows",
       "rows=1e4"},
      {"lines of Paje",
       "export \"$d/t.trace\"" + exported,
       {{"t.trace", paje + repeated("# a\n", 20'000)}},
       "rows",
       "rows=1e4"},
      {"a long line",
       "export \"$d/t.csv\"" + exported,
       {{"t.csv", csv + std::string(3U << 20U, 'x') + "\n"}},
       "line",
       ""},
      {"columns",
       "export \"$d/t.csv\"" + exported,
       {{"t.csv", repeated("x,", 20'000) + "\n" + row}},
       "columns",
       ""},
      {"a large file",
       "export \"$d/t.csv\"" + exported,
       {{"t.csv", csv + repeated(row, 20'000)}},
       "bytes",
       "bytes=100kB"},
      {"the header of a run.trace",
       "export \"$d/run.trace\"" + exported,
       {{"run.trace", R"({"format":"factosim-trace")" + std::string(3U << 20U, ' ')}},
       "text",
       "text=1MB"},
      {"names in a run.trace",
       "export \"$d/run.trace\"" + exported,
       {{"run.trace", R"({"format":"factosim-trace","shapes":[)" + repeated("[],", 200'000) + "0]}\n"}},
       "values",
       "values=1e5"},
      {"values of JSON",
       "run \"$d/s.json\"",
       {{"s.json", "[" + repeated("[],", 200'000) + "[]]"}},
       "values",
       "values=1e5"},
      {"nested values", "run \"$d/s.json\"", {{"s.json", std::string(200'000, '[')}}, "nesting", ""},
      {"a long text",
       "run \"$d/s.json\"",
       {{"s.json", '"' + std::string(3U << 20U, 'x') + '"'}},
       "text",
       "text=1MB"},
      {"bus files",
       "import starpu-platform \"$d\" --host h -o \"$d/out\"",
       {{"h.config", repeated("1 # Number of CPUs\n", 100'000)}},
       "text",
       "text=1MB"},
      {"a map",
       "distribute \"$d/s.json\"",
       {{"s.json", mapped}, {"m", repeated("2 2\n1 1\n1 1\n", 100'000)}},
       "text",
       "text=1MB"},
      {"points of a sweep",
       "report \"$d\" -o \"$d/out\"",
       {{"sweep.json", record}, {"sweep.jsonl", repeated("{}\n", 100'000)}},
       "cells",
       "cells=1e5"},
  };
}

}  // namespace

TEST_SUITE("scenario") {
  TEST_CASE("small inputs that would take much memory are refused by the limit that they exceed") {
    for (Bomb const& bomb : bombs()) {
      CAPTURE(bomb.what);
      testing::TemporaryFolder const folder;
      for (InputFile const& file : bomb.files) write_input(folder / file.name, file.text);
      // The limit of memory shows that the input is refused before all of it is held.
      auto const run = run_script(
          fmt::format("export FACTOSIM_INPUT_LIMITS={}\nd={}\n{}timeout 60 \"$1\" {}\n", bomb.limits_given,
                      quoted(folder / "."), testing::sanitized ? "" : "ulimit -v 300000\n", bomb.command));
      CAPTURE(run.err);
      CHECK(run.code == 2);
      CHECK(says(run, fmt::format("(the limit \"{}\" of inputs). Raise it with FACTOSIM_INPUT_LIMITS={}=",
                                  bomb.limit, bomb.limit)));
    }
  }

  TEST_CASE("elements of XML are counted and their nesting is found before it is parsed") {
    auto const refused = [](std::string const& xml) {
      return testing::message_of([&] { check_xml(xml, "x#"); });
    };
    CHECK(refused("<?x \" ?><!-- <a><a> --><a b='/>'><c/></a><![CDATA[<d>]]>").empty());
    for (std::string const element :
         {"<a>", "<a b='/>'>", "<a b=\"/>\" c='\"'>", "<!-- ' --><a>", "<? \" ?><a>"}) {
      CAPTURE(element);
      CHECK(refused(repeated(element, 100)).empty());
      CHECK(refused(repeated(element, 101)).starts_with("x#: has more than 100 levels"));
    }
    CHECK(refused(repeated("<a/>", 200)).empty());
    CHECK(refused(repeated("<a></a>", 200)).empty());
  }

  TEST_CASE("values of JSON are counted and their nesting is found before it is parsed") {
    auto const refused = [](std::string const& json) {
      return testing::message_of([&] { check_json(json, "x#"); });
    };
    CHECK(refused(R"({"[[": "\\\"[", "b": [1, 2]})").empty());
    CHECK(refused("{\"a\": \"" + repeated("[", 200) + "\"}").empty());
    CHECK(refused("{\"a\": \"\\\"" + repeated("[", 200) + "\"}").empty());
    CHECK(refused("[" + repeated("[{}],", 200) + "1]").empty());
    for (std::string const value : {"[", "{\"a\":", "[\"]\",", "[\"\\\"]\","}) {
      CAPTURE(value);
      CHECK(refused(repeated(value, 100)).empty());
      CHECK(refused(repeated(value, 101)).starts_with("x#: has more than 100 levels"));
    }
    CHECK(refused("\"" + std::string("\\")).empty());  // ends within an escape
  }

  TEST_CASE("limits of inputs can be raised and a wrong one is an error") {
    for (auto const& [limits, code, text] :
         {std::tuple{"values=10", 2, "has more than 10 values (the limit \"values\""},
          {"values=1e6,text=1GB", 0, ""},
          {"", 0, ""},
          {"lines=7", 2, "FACTOSIM_INPUT_LIMITS: \"lines=7\" is no limit"},
          {"rows=-1", 2, "\"rows=-1\" has no number from 1 to 2000000000"},
          {"rows", 2, "\"rows\" has no number"},
          {"nesting=1e9", 2, "\"nesting=1e9\" has no number from 1 to 1000"}}) {
      CAPTURE(limits);
      auto const run = run_script(fmt::format("FACTOSIM_INPUT_LIMITS='{}' \"$1\" run {}\n", limits,
                                              quoted(testing::first_scenario())));
      CAPTURE(run.err);
      CHECK(run.code == code);
      CHECK(says(run, text));
    }
  }

  TEST_CASE("a compressed trace that expands as much as those of real runs is read") {
    testing::TemporaryFolder const folder;
    std::string text = csv;
    for (int i = 0; i < 20'000; ++i) text += fmt::format("gemm,{},{},{}\n", i % 24, i, i + 1);
    write_input(folder / "t.csv.gz", text);
    auto const run =
        run_script(fmt::format("d={}\n\"$1\" export \"$d/t.csv.gz\"{}\n", quoted(folder / "."), exported));
    CAPTURE(run.err);
    CHECK(run.code == 0);
  }

  TEST_CASE("long sweeps are counted at once and refused with an estimate before they are listed") {
    testing::TemporaryFolder const folder;
    std::string const axis = "[" + repeated("1,", 999) + "1]";
    write_input(
        folder / "s.json",
        fmt::format(R"({{"format":"factosim-sweep","version":1,"scenario":"{}","max_points":1000000000000,)"
                    R"("points":{{"/application/nt":{},"/application/nb":{},"/seed":{}}}}})",
                    testing::first_scenario().string(), axis, axis, axis));
    std::string const sweep =
        fmt::format("timeout 20 \"$1\" sweep {} --out {}", quoted(folder / "s.json"), quoted(folder / "out"));
    auto const counted = run_script(sweep + " --count\n");
    CHECK(counted.code == 0);
    CHECK(counted.out == "1000000000 points (1000000000 combinations before filters, 1 replica each)\n");
    CHECK(testing::contains(run_script(sweep + " --count --json\n").out, "\"points\":1000000000,"));
    for (char const* const option : {"", " --memory 1GB"}) {
      auto const refused = run_script(sweep + option + "\n");
      CAPTURE(refused.err);
      CHECK(refused.code == 2);
      CHECK(says(refused, "#/points: would take about 1 thousand million points, "));
      CHECK(says(refused, "Leave values out, or --force-large"));
    }
    auto const filtered = run_script(sweep + " --filter '[\"<\", \"/seed\", 0]'\n");
    CHECK(filtered.code == 2);
    CHECK(says(filtered, "combinations to filter"));
    CHECK(!fs::exists(folder / "out"));
  }

  TEST_CASE("studies of excessive size are refused with an estimate") {
    std::string const scenarios = testing::repository().string() + "/scenarios/";
    testing::TemporaryFolder const folder;
    nlohmann::json times = nlohmann::json::array();
    for (int i = 0; i < 90'000; ++i) times.push_back(1 + 1e-5 * i);
    write_input(
        folder / "grid.json",
        fmt::format(R"({{"format":"factosim-scenario","version":1,"application":{{"type":"lu","nt":30,)"
                    R"("nb":200}},"distribution":{{"type":"het-grid","p":300,"q":300,)"
                    R"("cycle_times":{}}}}})",
                    times.dump()));
    std::string const many_nodes =
        " --set '/platform/nodes=[{\"type\":\"chetemi\",\"count\":5000},"
        "{\"type\":\"chifflet\",\"count\":5000}]'";
    for (auto const& [command, text] :
         {std::pair{"run '" + scenarios + "lille/block_cyclic_2x11.json' --replicas 1000000",
                    std::string("--replicas: would take about 1 million simulations, ")},
          {"run '" + scenarios + "lille/block_cyclic_2x11.json' --sensitivity 1000000",
           "--sensitivity: would take about 1 million simulations, "},
          {"distribute '" + scenarios + "lille/block_cyclic_2x11.json' --evaluations 1000000",
           "--evaluations: would take about 1 million simulations, "},
          {"advise '" + scenarios + "lille/block_cyclic_2x11.json'" + many_nodes,
           "#/platform/nodes: would take about 25 million sets of nodes and tile sizes, "},
          {"advise '" + scenarios + "lille/block_cyclic_2x11.json' --exhaustive --set /application/nt=300" +
               " --set "
               "'/platform/nodes=[{\"type\":\"chetemi\",\"count\":20},{\"type\":\"chifflet\",\"count\":20}]'",
           "--exhaustive: would take about "},
          {"distribute " + quoted(folder / "grid.json"),
           "#/distribution: would take about 90000 nodes on the grid, "},
          {"run '" + scenarios +
               "balance/three_machines.json' --set "
               "'/application/loop={\"kernel\":\"matmul\",\"chunks\":100000000,"
               "\"operations_per_chunk\":1e9}' --set "
               "'/application/balancer={\"type\":\"greedy\",\"fixed_block\":1e-8}'",
           "#/application: would take about 100 million blocks, "}}) {
      CAPTURE(command);
      auto const run = run_script("ulimit -v 10000000\ntimeout 60 \"$1\" " + command + "\n");
      CAPTURE(run.err);
      CHECK(run.code == 2);
      CHECK(says(run, text));
      CHECK(says(run, "--force-large"));
    }
    auto const fast = run_script("timeout 60 \"$1\" distribute " + quoted(folder / "grid.json") +
                                 " --set '/distribution/method=\"heuristic\"' --json >/dev/null\n");
    CAPTURE(fast.err);
    CHECK(fast.code == 0);
  }

  TEST_CASE("a FIFO or device in the place of an input is refused and pipes of the shell are read") {
    testing::TemporaryFolder const folder;
    std::string const scenario = quoted(testing::first_scenario());
    std::string const map =
        R"({"format":"factosim-scenario","version":1,"application":{"type":"lu","nt":2,"nb":8},)"
        R"("distribution":{"type":"file","file":"fifo","speeds":[1,1]}})";
    write_input(folder / "map.json", map);
    write_input(folder / "sweep.json",
                R"({"format":"factosim-sweep","version":1,"scenario":"fifo","points":{"/seed":[1]}})");
    std::string const prepared = fmt::format(
        "cd {} && mkfifo fifo && mkdir run && mkfifo run/result.json run/run.trace\n", quoted(folder / "."));
    REQUIRE(run_script(prepared).code == 0);
    for (std::string const command :
         {"run fifo", "bounds fifo", "distribute map.json", "sweep sweep.json --out out",
          "sweep fifo --out out", "advise fifo", "export fifo --format paje -o out.paje",
          "export run --format paje -o out.paje", "compare run run",
          "compare run/result.json run/result.json", "check run", "report run -o out.html",
          "report run/result.json -o out.html", "import starpu-timings fifo --host h -o out",
          "import starpu-platform run --host h -o out", "run /dev/zero", "run /dev/null",
          "export /dev/zero --format paje -o out.paje"}) {
      CAPTURE(command);
      auto const run =
          run_script(fmt::format("cd {}\ntimeout 20 \"$1\" {}\n", quoted(folder / "."), command));
      CAPTURE(run.err);
      CHECK(run.code == 2);
      CHECK(says(run, "factosim: "));
    }
    // Paths in a scenario start from its folder, here that of the pipe.
    std::string const given =
        " --json --set '/platform=" + (testing::repository() / "platforms/mirage.json").string() + "'";
    for (std::string const& input : {"/dev/stdin <" + scenario, "/dev/stdin < <(cat " + scenario + ")",
                                     "<(cat " + scenario + ")", "/proc/self/fd/3 3<" + scenario}) {
      CAPTURE(input);
      write_input(folder / "pipe.bash", "\"$1\" run" + given + " " + input + "\n");
      auto const run = run_script(fmt::format("timeout 20 bash {} \"$1\"\n", quoted(folder / "pipe.bash")));
      CAPTURE(run.err);
      CHECK(run.code == 0);
    }
  }

  TEST_CASE("every command ends with a result or a message whatever memory it is given") {
    if (testing::sanitized) return;
    testing::TemporaryFolder const folder;
    std::string const scenario = quoted(testing::first_scenario());
    std::string const run_folder = quoted(folder / "run");
    REQUIRE(run_script(fmt::format("\"$1\" run {} --out {}\n", scenario, run_folder)).code == 0);
    write_input(
        folder / "s.json",
        fmt::format(
            R"({{"format":"factosim-sweep","version":1,"scenario":"{}","points":{{"/application/nt":[2,40]}}}})",
            testing::first_scenario().string()));
    std::string const ring = quoted(testing::repository() / "scenarios/ring/toy.json");
    // A thread of the BLAS library once waited for memory for ever.
    for (int const kilobytes : {16'000, 20'000, 30'000, 45'000, 60'000, 80'000, 120'000, 200'000, 400'000}) {
      for (std::string const& command :
           {std::string("--version"), "run " + scenario, "run " + quoted(testing::lille_scenario()),
            "run " + ring, "bounds " + scenario,
            "bounds " + quoted(testing::repository() / "scenarios/exageostat_icpp21/fig08_gpu_nodes.json"),
            fmt::format("compare {0} {0}", run_folder), "check " + run_folder,
            fmt::format("report {} -o {}", run_folder, quoted(folder / fmt::format("{}.html", kilobytes))),
            fmt::format("sweep {} --out {}", quoted(folder / "s.json"),
                        quoted(folder / fmt::format("{}", kilobytes)))}) {
        CAPTURE_ALL(kilobytes, command);
        auto const run = run_script(fmt::format("ulimit -v {}\ntimeout 60 \"$1\" {}\n", kilobytes, command));
        CAPTURE(run.err);
        bool const loader = run.code == 127 && says(run, "error while loading shared libraries");
        CHECK((run.code == 0 || run.code == 2 || loader));
        CHECK((run.code == 0 || !run.err.empty()));
      }
    }
  }

  TEST_CASE("exhausted processes and files end with a message") {
    if (testing::sanitized) return;
    testing::TemporaryFolder const folder;
    std::string const scenario = quoted(testing::first_scenario());
    for (auto const& [limit, command] :
         {std::pair{"ulimit -n 4", "run " + scenario + " --out " + quoted(folder / "a")},
          {"ulimit -n 5", "run " + scenario + " --out " + quoted(folder / "b")},
          {"ulimit -n 5", "advise " + scenario + " --set nt=4 --runs 2 --jobs 2"},
          {"ulimit -f 0", "advise " + scenario + " --set nt=4 --runs 2 --jobs 2"},
          {"ulimit -n 8", "sweep " +
                              quoted(testing::repository() / "scenarios/lu_icpads20/fig13.sweep.json") +
                              " --points 0:3 --jobs 4 --out " + quoted(folder / "c")}}) {
      CAPTURE_ALL(limit, command);
      // Through a pipe: a limit of the size of files would hold for messages too.
      std::ofstream(folder / "limited.bash") << fmt::format(
          "({}\ntimeout 60 \"$1\" {}) 2>&1 | cat >&2\nexit ${{PIPESTATUS[0]}}\n", limit, command);
      auto const run = run_script(fmt::format("bash {} \"$1\"\n", quoted(folder / "limited.bash")));
      CAPTURE(run.err);
      bool const loader = run.code == 127 && says(run, "error while loading shared libraries");
      CHECK((run.code == 2 || run.code == 0 || loader));
      CHECK((run.code == 0 || !run.err.empty()));
    }
  }
}
