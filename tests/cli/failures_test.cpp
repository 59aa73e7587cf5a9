// Failures of disks, folders, memory, and signals: a message or a clean end, no incomplete files, and nothing
// existing is lost.

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "tests/cli/program.hpp"
#include "tests/engine/without_simgrid.hpp"

using namespace factosim;
using testing::quoted;
using testing::run_script;
using testing::says;
namespace fs = std::filesystem;

namespace {

std::set<std::string> files_below(fs::path const& folder) {
  std::set<std::string> names;
  for (auto const& entry : fs::recursive_directory_iterator(folder))
    if (!entry.is_directory()) names.insert(entry.path().lexically_relative(folder).string());
  return names;
}

/// Starts the program in its own process group and sends it a signal after a while. Returns its status.
int status_after(int signal, std::chrono::milliseconds after, std::vector<std::string> arguments) {
  pid_t const child = ::fork();
  if (child == 0) {
    ::setpgid(0, 0);
    std::string program = testing::program();
    std::vector<char*> words{program.data()};
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    int const nowhere = ::open("/dev/null", O_WRONLY);  // freopen would print the buffered output of the test
    ::dup2(nowhere, STDOUT_FILENO);
    ::dup2(nowhere, STDERR_FILENO);
    ::execv(program.c_str(), words.data());
    ::_exit(127);
  }
  std::this_thread::sleep_for(after);
  ::kill(child, signal);
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

/// Runs a script in its own file system, mounted at "$mnt", if permitted here; otherwise returns code 99.
std::string mounted(std::string const& options, std::string const& script) {
  return "mnt=$(mktemp -d)\nexport mnt factosim=\"$1\"\n"
         "unshare -rm sh -c '\n"
         "mount -t tmpfs -o " +
         options + " none \"$mnt\" || exit 99\n" + script + "' || exit $?\n";
}

bool skipped(testing::ProgramRun const& run) {
  bool const cannot = run.code == 99 || says(run, "unshare");
  if (cannot) MESSAGE("skipped: no file system can be mounted here: ", run.err);
  return cannot;
}

}  // namespace

TEST_SUITE("scenario") {
  TEST_CASE("a result that cannot be printed is an error") {
    auto const run = run_script("\"$1\" run " + quoted(testing::first_scenario()) + " --json >/dev/full\n");
    CHECK(run.code == 2);
    CHECK(run.err ==
          "factosim: standard output cannot be written (No space left on device). Make room, or print "
          "elsewhere\n");
  }

  TEST_CASE("a file size limit stops a run with a message and keeps existing files") {
    testing::TemporaryFolder const folder;
    std::string const out = quoted(folder / "out");
    REQUIRE(run_script("\"$1\" run " + quoted(testing::first_scenario()) + " --out " + out).code == 0);
    auto const before = files_below(folder / "out");
    std::string const result = testing::text_of(folder / "out/result.json");
    auto const run =
        run_script("ulimit -f 4\n\"$1\" run " + quoted(testing::first_scenario()) + " --force --out " + out);
    CHECK(run.code == 2);
    CHECK(says(run, "run.trace#: cannot be written (File too large). Check the folder"));
    CHECK(files_below(folder / "out") == before);
    CHECK(testing::text_of(folder / "out/result.json") == result);
  }

  TEST_CASE("a full disk stops a run with a message and no file") {
    for (std::string const outputs : {"trace", "chrome", "starpu", "paje"}) {
      CAPTURE(outputs);
      auto const run = run_script(mounted(
          "size=8k", "\"$factosim\" run " + quoted(testing::first_scenario()) + " --set /outputs/" + outputs +
                         "=true --out \"$mnt/out\"\n"
                         "code=$?; find \"$mnt\" -type f; exit $code"));
      if (skipped(run)) return;
      CHECK(run.code == 2);
      CHECK(says(run, "No space left on device"));
      CHECK(run.out.empty());
    }
  }

  TEST_CASE("a read-only folder stops every command that writes") {
    std::string const map = " --chameleon \"$mnt/map.txt\"", out = " --out \"$mnt/out\"";
    std::string const sweep = quoted(testing::repository() / "scenarios/lu_icpads20/fig13.sweep.json");
    for (std::string const& command :
         {"run " + quoted(testing::first_scenario()) + out,
          "distribute " + quoted(testing::lille_scenario()) + map, "sweep " + sweep + out}) {
      CAPTURE(command);
      auto const run = run_script(mounted("ro", "\"$factosim\" " + command));
      if (skipped(run)) return;
      CHECK(run.code == 2);
      CHECK(says(run, "Read-only file system"));
    }
  }

  TEST_CASE("a signal ends a run at once without leaving files") {
    for (int const milliseconds : {50, 1000})  // while it reads, and while SimGrid simulates
      for (int const signal : {SIGINT, SIGTERM, SIGKILL}) {
        CAPTURE_ALL(signal, milliseconds);
        testing::TemporaryFolder const folder;
        int const status =
            status_after(signal, std::chrono::milliseconds(milliseconds),
                         {"run", testing::lille_scenario().string(), "--set", "/application/nt=150", "--set",
                          "/outputs/trace=true", "--out", (folder / "out").string()});
        CHECK(WIFSIGNALED(status));
        CHECK(WTERMSIG(status) == signal);
        if (fs::exists(folder / "out")) CHECK(files_below(folder / "out").empty());
      }
  }

  TEST_CASE("a signal ends a sweep and its processes and keeps finished points") {
    for (int const signal : {SIGINT, SIGTERM}) {
      testing::TemporaryFolder const folder;
      std::string const study =
          folder
              .write("study.json", fmt::format(R"({{"format": "factosim-sweep", "version": 1,
          "scenario": "{}", "points": {{"/seed": {{"from": 1, "to": 12}}}}, "set": {{"/application/nt": 40}}}})",
                                               testing::lille_scenario().string()))
              .string();
      std::string const out = (folder / "out").string();
      int const status =
          status_after(signal, std::chrono::milliseconds(300), {"sweep", study, "--jobs", "2", "--out", out});
      CHECK(WIFSIGNALED(status));
      auto const resumed = run_script(fmt::format("\"$1\" sweep '{}' --resume --out '{}'", study, out));
      CHECK(resumed.code == 0);
      CHECK(testing::contains(resumed.out, "12 of 12 points done"));
      for (std::string const& name : files_below(folder / "out")) CHECK(!name.ends_with(".part"));
    }
  }

  TEST_CASE("exhausted memory ends a forced run with a message") {
    if (testing::sanitized) return;
    testing::TemporaryFolder const folder;
    auto const run = run_script(
        fmt::format("ulimit -v 400000\n\"$1\" run {} --set /application/nt=250 --set "
                    "/application/task_graph=stored --set /network/model=constant --force-large --out "
                    "'{}'\n",
                    quoted(testing::lille_scenario()), (folder / "out").string()));
    CHECK(run.code == 2);
    CHECK(says(run, "factosim: the memory is exhausted ("));
    if (fs::exists(folder / "out")) CHECK(files_below(folder / "out").empty());
  }

  TEST_CASE("a module that cannot be loaded ends a run that needs it with a message and no other run") {
    if (testing::without_simgrid()) return;
    testing::TemporaryFolder const folder;
    folder.write("factosim_simgrid.so", "no library");
    auto const run = [&](std::string const& command) {
      return run_script(fmt::format("LD_LIBRARY_PATH='{}' \"$1\" {} {}", folder.path().string(), command,
                                    quoted(testing::first_scenario())));
    };
    CHECK(run("bounds").code == 0);
    auto const refused = run("run --json");
    CHECK(refused.code == 2);
    CHECK(says(refused, "factosim_simgrid.so: cannot be loaded ("));
    CHECK(says(refused, "the network model \"simgrid\""));
  }

  TEST_CASE("an error is one line whatever characters the input has") {
    testing::TemporaryFolder const folder;
    std::string const scenario = testing::text_of(testing::first_scenario());
    for (std::string const& arguments :
         {"run " + quoted(testing::first_scenario()) + R"( --set '/application/type="l\nu\u001b[31m\u009b"')",
          std::string("run \"$(printf 'no\\nsuch\\033[31mfile')\""),
          std::string("run x \"$(printf 'a\\nb\\033')\"")}) {
      auto const run = run_script("\"$1\" " + arguments + "\n");
      CAPTURE(run.err);
      CHECK(run.code == 2);
      CHECK(run.err.find('\x1b') == std::string::npos);
      CHECK(says(run, "\\n"));
      CHECK(says(run, "\\x1b"));
      CHECK(run.err.find("\n") >= run.err.find("\\x1b"));
    }
  }

  TEST_CASE("closed standard output or error ends a run cleanly") {
    testing::TemporaryFolder const folder;
    std::string const run = "\"$1\" run " + quoted(testing::first_scenario()) + " --out ";
    CHECK(run_script(run + quoted(folder / "none") + " >&- 2>&-\n").code == 2);
    CHECK(run_script(run + quoted(folder / "out") + " >&-\n").code == 2);
    CHECK(run_script(run + quoted(folder / "err") + " 2>&-\n").code == 0);
    for (char const* name : {"none", "out", "err"})
      CHECK(nlohmann::json::parse(testing::text_of(folder / name / "result.json")).is_object());
    CHECK(run_script("\"$1\" run /none.json 2>&-\n").code == 2);
  }

  TEST_CASE("force replaces regular files that are no input and nothing else") {
    testing::TemporaryFolder const folder;
    fs::path const scenario = folder.write("s.json", testing::text_of(testing::lille_scenario()));
    std::string const distribute = fmt::format(
        "cp -r {} {}\ncd {}\nmkfifo fifo; ln -s victim link; ln -s /dev/null null; echo kept >victim\n\"$1\" "
        "distribute ",
        quoted(testing::repository() / "scenarios"), quoted(folder / "scenarios"),
        quoted(folder / "scenarios/lille"));
    for (char const* target : {"block_cyclic_2x11.json", "fifo", "link", "null", "/dev/null"}) {
      CAPTURE(target);
      auto const run =
          run_script(distribute + "block_cyclic_2x11.json --force --chameleon " + std::string(target) + "\n");
      CHECK(run.code == 2);
      CHECK((says(run, "only regular files are replaced") || says(run, "is an input of this command")));
      CHECK(testing::text_of(folder / "scenarios/lille/victim") == "kept\n");
      CHECK(testing::text_of(folder / "scenarios/lille/block_cyclic_2x11.json") ==
            testing::text_of(testing::lille_scenario()));
      fs::remove_all(folder / "scenarios");
    }
    CHECK(fs::is_character_file("/dev/null"));
  }

  TEST_CASE("a folder in which a run writes is locked for other runs") {
    testing::TemporaryFolder const folder;
    std::string const run =
        "\"$1\" run " + quoted(testing::first_scenario()) + " --force --out " + quoted(folder / "out");
    REQUIRE(run_script(run).code == 0);
    auto const refused = run_script("flock " + quoted(folder / "out") + " " + run + "\n");
    CHECK(refused.code == 2);
    CHECK(says(refused, "/out#: is in use by another run (the files of both would be mixed). Wait for it"));
    int const killed = status_after(SIGKILL, std::chrono::milliseconds(500),
                                    {"run", testing::first_scenario().string(), "--set", "/application/nt=60",
                                     "--force", "--out", (folder / "out").string()});
    CHECK(WIFSIGNALED(killed));
    CHECK(run_script(run).code == 0);
  }

  TEST_CASE("no name in an input leads out of the folder of the results") {
    testing::TemporaryFolder const folder;
    std::string const evil = "../../evil";
    folder.write("study.json", fmt::format(R"({{"format": "factosim-sweep", "version": 1, "name": "{0}",
        "scenario": "{1}", "set": {{"/name": "{0}"}},
        "points": {{"list": [{{"/application/nt": 2, "labels": {{"{0}": 1}}}}, {{"/application/nt": 3, "labels": {{"{0}": 2}}}}]}},
        "plots": [{{"x": "{0}", "y": "makespan_s"}}, {{"x": "application/nt", "y": "makespan_s", "series": "{0}"}}]}})",
                                           evil, testing::first_scenario().string()));
    auto const before = files_below(folder.path());
    auto const swept = run_script(
        fmt::format("cd '{}' && \"$1\" sweep study.json --report --out a/b/out", folder.path().string()));
    CAPTURE(swept.err);
    CHECK(swept.code == 0);
    auto const run = run_script(fmt::format("cd '{}' && \"$1\" run {} --set '/name=\"{}\"' --out a/b/run",
                                            folder.path().string(), quoted(testing::first_scenario()), evil));
    CHECK(run.code == 0);
    for (std::string const& name : files_below(folder.path()))
      CHECK((before.contains(name) || name.starts_with("a/b/out/") || name.starts_with("a/b/run/")));
    CHECK(!fs::exists(folder.path().parent_path() / "evil"));
  }

  TEST_CASE("memory that ends between loading and main ends with a message") {
    if (testing::sanitized) return;
    auto const run = run_script(
        "for kilobytes in $(seq 13000 20 18500); do\n"
        "  (ulimit -v $kilobytes; \"$1\" --version > /dev/null 2>&1; echo $?)\n"
        "done\n");
    std::istringstream codes(run.out);
    int loaded = 0, unloaded = 0, others = 0;
    for (int code = 0; codes >> code;) ++(code == 0 || code == 2 ? loaded : code == 127 ? unloaded : others);
    CHECK(loaded > 0);
    CHECK(unloaded > 0);
    CHECK(others == 0);
  }
}
