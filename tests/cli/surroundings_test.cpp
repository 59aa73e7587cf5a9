// The same bytes whatever surrounds the program: locale, time zone, umask, home, working and temporary folder,
// terminal, limits.

#include <sys/stat.h>

#include "tests/cli/program.hpp"

using namespace factosim;
using testing::quoted;
namespace fs = std::filesystem;

namespace {

/// Shell words before the calls, and variables of the calls.
struct Surroundings {
  std::string before, variables;
};

/// Removes what differs between two runs: the block of the simulation's costs.
std::string without_costs(std::string text) {
  std::size_t const begin = text.find("\"simulation\": {");
  if (begin != std::string::npos) text.erase(begin, text.find('}', begin) - begin);
  return text;
}

/// The files that the commands have written, by their paths.
std::map<std::string, std::string> written_below(fs::path const& folder) {
  std::map<std::string, std::string> out;
  for (auto const& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().parent_path().filename() != "points")
      out[entry.path().lexically_relative(folder)] = without_costs(testing::text_of(entry.path()));
  return out;
}

/// Locales whose numbers, letters or sorting differ from those of C, made where `localedef` is there.
class Locales {
 public:
  Locales() {
    for (char const* name : {"de_DE", "fr_FR", "tr_TR", "ar_SA", "fa_IR"}) {
      std::string const made = (folder_ / (std::string(name) + ".UTF-8")).string();
      if (testing::run_script(
              fmt::format("localedef -c -i {} -f UTF-8 '{}'\ntest -d '{}'\n", name, made, made))
              .code == 0)
        names_.push_back(std::string(name) + ".UTF-8");
    }
  }
  /// Returns variables that choose each locale.
  [[nodiscard]] std::vector<std::string> variables() const {
    std::vector<std::string> out;
    for (std::string const& name : names_)
      out.push_back(fmt::format("LOCPATH={} LC_ALL={}", quoted(folder_.path()), name));
    return out;
  }

 private:
  testing::TemporaryFolder folder_;
  std::vector<std::string> names_;
};

std::vector<Surroundings> all_surroundings() {
  static Locales const locales;
  std::vector<Surroundings> out{
      {"", "LANG=C"},
      {"", "LC_ALL=POSIX TZ=Pacific/Apia"},
      {"", "LC_ALL=none_NONE TZ=:/etc/passwd"},
      {"", "TZ=XYZ-99:99 TERM=dumb COLUMNS=1 LINES=1 NO_COLOR=1"},
      {"", "-u TERM -u HOME -u PATH -u LANG"},
      {"", "-i"},
      {"umask 000", ""},
      {"umask 077", ""},
      {"umask 037", "HOME=/proc TMPDIR=/proc XDG_CACHE_HOME=/proc"},
      {"cd /proc", "HOME=/nonexistent TMPDIR=/nonexistent"},
      {"mkdir -p gone && cd gone && rmdir ../gone", "PWD=/nonexistent"},
      {"ulimit -s 1024; ulimit -n 40; ulimit -c 0", "OMP_NUM_THREADS=7 OPENBLAS_NUM_THREADS=2"},
      {"exec <&-", "MALLOC_PERTURB_=165 MALLOC_ARENA_MAX=1 POSIXLY_CORRECT=1"},
      {"exec <&-; trap '' HUP PIPE", "MALLOC_PERTURB_=90 LD_BIND_NOW=1 CLICOLOR_FORCE=1"}};
  for (std::string const& variables : locales.variables()) {
    out.push_back({"", variables});
    out.push_back(
        {"umask 077; cd /proc", variables + " TZ=Asia/Kathmandu HOME=/nonexistent TMPDIR=/nonexistent"});
  }
  return out;
}

/// Runs commands that read and write every kind of file, in a folder that is then removed; pictures, which take
/// seconds each, only if asked for. `code` is that of the first one that failed.
struct Written {
  testing::ProgramRun run;
  std::map<std::string, std::string> files;
  mode_t mode = 0;  // of result.json
};
Written write_all(fs::path const& folder, Surroundings const& around, bool pictures) {
  std::string const out = (folder / "out").string(), in = folder.string();
  std::string script = "mkdir -p '" + out + "'\ncd '" + in + "'\n" + around.before + "\nf() { env " +
                       around.variables + " \"$@\" || exit $?; }\n";
  std::vector<std::string> commands{
      "run IN/s.json --out OUT/run",
      "bounds IN/s.json >OUT/bounds.txt",
      "run IN/s.json --json --set /noise=lognormal --replicas 3 --out OUT/replicas >/dev/null",
      "distribute IN/s.json --json --chameleon OUT/map.txt >OUT/distribute.json",
      "sweep IN/w.json --out OUT/sweep --jobs 2 >/dev/null",
      "report OUT/run/trace.paje -o OUT/page.html >OUT/report.txt",
      "calibrate REPO/scenarios/replay/lu_5x5 --name here --out OUT/k.json --platform OUT/p.json "
      ">OUT/calibrate.txt",
      "export OUT/run/starpu --format paje -o OUT/again.paje >OUT/export.txt"};
  if (pictures)
    for (char const* const drawn :
         {"distribute IN/s.json --svg OUT/map.svg >/dev/null",
          "sweep IN/w.json --out OUT/drawn --jobs 2 --report >/dev/null",
          "report OUT/run/trace.paje --figure workers,ready -o OUT/figure.svg >/dev/null"})
      commands.emplace_back(drawn);
  for (std::string const& command : commands) {
    std::string line = "f \"$1\" " + command + "\n";
    for (auto const& [name, path] : {std::pair<std::string, std::string>("IN/", in + "/"),
                                     {"OUT/", out + "/"},
                                     {"REPO/", testing::repository().string() + "/"}})
      for (std::size_t at = 0; (at = line.find(" " + name, at)) != std::string::npos ||
                               (at = line.find(">" + name)) != std::string::npos;)
        line.replace(at + 1, name.size(), path);
    script += line;
  }
  Written written{testing::run_script(script), {}, 0};
  written.files = written_below(out);
  struct stat status {};
  if (::stat((out + "/run/result.json").c_str(), &status) == 0) written.mode = status.st_mode & 0777U;
  testing::run_script("chmod -R u+rwx '" + out + "'\n");
  fs::remove_all(out);
  return written;
}

}  // namespace

TEST_SUITE("scenario") {
  TEST_CASE("locale and time zone and umask and folders and terminal and limits change no byte of any file") {
    testing::TemporaryFolder const folder;
    folder.write("s.json", fmt::format(R"({{"format": "factosim-scenario", "version": 1,
        "platform": {{"file": "{}", "nodes": [{{"type": "chifflet", "count": 2}}, {{"type": "chetemi", "count": 1}}]}},
        "application": {{"type": "cholesky", "nt": 5, "nb": 960}}, "network": {{"model": "maxmin"}},
        "outputs": {{"trace": true, "starpu": true, "paje": true, "chrome": true, "dot": true,
        "series": {{"points": 50}}}}}})",
                                       (testing::repository() / "platforms/lille.json").string()));
    folder.write("w.json", R"({"format": "factosim-sweep", "version": 1, "scenario": "s.json", "replicas": 2,
        "points": {"product": [{"/application/nt": [3, 4]}, {"/scheduler/type": ["eager", "dmdas"]}]}})");
    Written const plain = write_all(folder.path(), {}, false), drawn = write_all(folder.path(), {}, true);
    REQUIRE_MESSAGE(plain.run.code == 0, plain.run.err);
    REQUIRE_MESSAGE(drawn.run.code == 0, drawn.run.err);
    CHECK(drawn.files.size() > 30);
    auto const combinations = all_surroundings();
    std::size_t same = 0, locales = 0;
    for (std::size_t i = 0; i < combinations.size(); ++i) {
      Surroundings const& around = combinations[i];
      bool const pictures = i % 10 == 0;
      Written const& expected = pictures ? drawn : plain;
      CAPTURE_ALL(around.before, around.variables);
      Written const written = write_all(folder.path(), around, pictures);
      CHECK_MESSAGE(written.run.code == 0, written.run.err);
      CHECK(written.run.err == expected.run.err);
      for (auto const& [name, text] : expected.files)
        CHECK_MESSAGE((written.files.contains(name) && written.files.at(name) == text), name);
      same += written.files == expected.files ? 1 : 0;
      locales += around.variables.starts_with("LOCPATH") ? 1 : 0;
      if (around.before == "umask 000") CHECK(written.mode == 0666);
      if (around.before == "umask 077") CHECK(written.mode == 0600);
    }
    CHECK(same == combinations.size());
    MESSAGE(
        fmt::format("{} of {} surroundings, {} of them with other locales, gave the same bytes of {} files",
                    same, combinations.size(), locales, drawn.files.size()));
    if (locales == 0) MESSAGE("skipped: no locale could be made (apt-get install locales)");
  }
}
