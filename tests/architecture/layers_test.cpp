// The rules of simulator/README.md for includes.

#include "tests/prelude.hpp"

using namespace factosim;

namespace {

namespace fs = std::filesystem;

/// Wings from the lowest to the highest, each with its rooms from the lowest to the highest: includes go to the same room, to
/// a lower room of the wing, or to a lower wing.
std::vector<std::pair<std::string, std::vector<std::string>>> const wings = {
    {"simulator/include", {"simulator/include/factosim"}},
    {"simulator/base",
     {"simulator/base/core", "simulator/base/os", "simulator/base/plugin", "simulator/base/solver"}},
    {"platforms", {"platforms"}},
    {"distributions", {"distributions/ring", "distributions"}},
    {"models", {"models", "models/applications"}},
    {"simulator/tasks",
     {"simulator/tasks/graph", "simulator/tasks/plan", "simulator/tasks/bounds", "simulator/tasks/schedule"}},
    {"simulator/traces",
     {"simulator/traces/trace", "simulator/traces/import", "simulator/traces/programs",
      "simulator/traces/export", "simulator/traces/record"}},
    {"simulator/runtime",
     {"simulator/runtime/engine", "simulator/runtime/policies", "simulator/runtime/eviction",
      "simulator/runtime/node", "simulator/runtime/cluster"}},
    {"simulator/experiments",
     {"simulator/experiments", "simulator/experiments/balance", "simulator/experiments/loops",
      "simulator/experiments/ring"}},
    {"simulator/report",
     {"simulator/report/analysis", "simulator/report/diagnosis", "simulator/report/text",
      "simulator/report/json", "simulator/report/figures", "simulator/report/page"}},
    {"simulator/scenario",
     {"simulator/scenario/placement", "simulator/scenario/replay", "simulator/scenario/keys",
      "simulator/scenario/simulation"}},
    {"simulator/studies",
     {"simulator/studies/calibration", "simulator/studies/sweep", "simulator/studies/search"}},
    {"simulator/audit", {"simulator/audit/reference", "simulator/audit/rules"}},
    {"simulator/front",
     {"simulator/front/check", "simulator/front/runs", "simulator/front/reference", "simulator/front/cli",
      "simulator/front/python"}}};

/// Number of each room in the order of includes.
std::map<std::string, int> layers_of_rooms() {
  std::map<std::string, int> out;
  for (auto const& [wing, rooms] : wings)
    for (std::string const& room : rooms) out.emplace(room, static_cast<int>(out.size()));
  return out;
}

std::map<std::string, int> const layers = layers_of_rooms();

std::string folder_of(std::string const& path) { return path.substr(0, path.rfind('/')); }

struct Source {
  std::string path;  // from the project's root
  std::vector<std::string> lines;
};

std::vector<Source> sources() {
  std::vector<Source> out;
  for (char const* top : {"simulator", "platforms", "models", "distributions", "tests"})
    for (auto const& entry : fs::recursive_directory_iterator(testing::repository() / top)) {
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".hpp") continue;
      Source source{fs::relative(entry.path(), testing::repository()).string(), {}};
      std::ifstream in(entry.path());
      for (std::string line; std::getline(in, line);) source.lines.push_back(line);
      out.push_back(std::move(source));
    }
  return out;
}

/// Returns the file that the line includes, or an empty string.
std::string included(std::string const& line) {
  if (!line.starts_with("#include")) return {};
  auto const open = line.find_first_of("<\"");
  std::string const target = line.substr(open + 1, line.find_first_of(">\"", open + 1) - open - 1);
  return target.starts_with("factosim/") ? "simulator/include/" + target : target;
}

/// A header and a source of one stem.
using Units = std::map<std::string, std::set<std::string>>;  // [units] those that it includes

Units units_and_their_includes() {
  auto const stem = [](std::string const& path) { return path.substr(0, path.rfind('.')); };
  Units out;
  for (Source const& source : sources())
    for (std::string const& line : source.lines)
      if (std::string const target = included(line);
          target.ends_with(".hpp") && target.find('/') != std::string::npos)
        if (stem(target) != stem(source.path)) out[stem(source.path)].insert(stem(target));
  return out;
}

/// Returns the units that `start` includes, itself or through others.
std::set<std::string> reachable_from(std::string const& start, Units const& units) {
  std::set<std::string> seen;
  std::vector<std::string> open{start};
  while (!open.empty()) {
    auto const unit = units.find(open.back());
    open.pop_back();
    if (unit == units.end()) continue;
    for (std::string const& next : unit->second)
      if (seen.insert(next).second) open.push_back(next);
  }
  return seen;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("includes only go downwards") {
    for (Source const& source : sources()) {
      if (source.path.starts_with("tests/")) continue;
      REQUIRE_MESSAGE(layers.contains(folder_of(source.path)), source.path);
      for (std::string const& line : source.lines) {
        std::string const target = included(line);
        auto const layer = layers.find(folder_of(target));
        if (target.empty() || layer == layers.end() || layer->first == folder_of(source.path)) continue;
        CHECK_MESSAGE(layer->second < layers.at(folder_of(source.path)),
                      source.path << " includes " << target);
      }
    }
  }

  TEST_CASE("the simulator has at most twelve wings and each has a page") {
    int folders = 0;
    for (auto const& entry : fs::directory_iterator(testing::repository() / "simulator")) {
      if (!entry.is_directory()) continue;
      ++folders;
      CHECK_MESSAGE(fs::exists(entry.path() / "README.md"), entry.path());
    }
    CHECK(folders <= 12);
  }

  TEST_CASE("headers with their sources form no circle of includes") {
    Units const units = units_and_their_includes();
    for (auto const& [unit, includes] : units)
      CHECK_MESSAGE(!reachable_from(unit, units).contains(unit), unit);
  }

  TEST_CASE("only the engine, and programs that compare with SimGrid itself, include SimGrid") {
    for (Source const& source : sources())
      for (std::string const& line : source.lines)
        CHECK_MESSAGE((!included(line).starts_with("simgrid/") ||
                       source.path.starts_with("simulator/runtime/engine/") ||
                       source.path.starts_with("tests/fidelity/")),
                      source.path);
  }

  TEST_CASE("public headers include only public headers and those of the standard and JSON libraries") {
    for (Source const& source : sources()) {
      if (!source.path.starts_with("simulator/include/")) continue;
      for (std::string const& line : source.lines) {
        std::string const target = included(line);
        bool const standard = target.find_first_of("./") == std::string::npos;
        CHECK_MESSAGE(
            (standard || target == "nlohmann/json.hpp" ||
             (target.starts_with("simulator/include/factosim/") && line.find('"') != std::string::npos)),
            source.path << " includes " << target);
      }
    }
  }

  TEST_CASE("a distribution is one source file and its lines in the list of distributions") {
    std::vector<Source> const all = sources();
    std::string const list = "simulator/scenario/placement/distribution_keys.cpp";
    auto const files_with = [&](std::string const& text) {
      std::set<std::string> out;
      for (Source const& source : all)
        if (!source.path.starts_with("tests/") &&
            std::ranges::any_of(source.lines,
                                [&](std::string const& line) { return testing::contains(line, text); }))
          out.insert(source.path);
      return out;
    };
    int kinds = 0;
    for (Source const& source : all) {
      if (source.path != list) continue;
      for (std::string const& line : source.lines) {
        if (!line.starts_with("DistributionKind ") || !line.ends_with("_kind();")) continue;
        std::string const function = line.substr(17, line.size() - 18);
        CAPTURE(function);
        std::set<std::string> const files = files_with(function);
        CHECK(files.size() == 2);  // the list, and the file that has its keys, its reader and its maker
        CHECK(files.contains(list));
        ++kinds;
      }
    }
    CHECK(kinds >= 14);
  }

  TEST_CASE("public names carry the name of the project") {
    for (Source const& source : sources()) {
      if (!source.path.starts_with("simulator/include/")) continue;
      CHECK_MESSAGE(std::ranges::count(source.lines, std::string("namespace factosim {")) == 1, source.path);
      for (std::string const& line : source.lines) {
        CHECK_MESSAGE((!line.starts_with("#define ") || line.starts_with("#define FACTOSIM_")), line);
        CHECK_MESSAGE(!line.starts_with("using namespace "), line);
      }
    }
  }

  TEST_CASE("the auditor shares no code with what simulates a run") {
    // Ids and errors; what an application submits, as plain data; traces; descriptions of machines.
    std::vector<std::string> const allowed = {"simulator/include/factosim/", "simulator/base/core/",
                                              "simulator/traces/trace/trace.hpp", "platforms/",
                                              "simulator/audit/"};
    for (Source const& source : sources()) {
      if (!source.path.starts_with("simulator/audit/")) continue;
      for (std::string const& line : source.lines) {
        std::string const target = included(line);
        bool const own = target.find('/') != std::string::npos && target.ends_with(".hpp") &&
                         !target.starts_with("nlohmann/") && !target.starts_with("boost/");
        CHECK_MESSAGE((!own || std::ranges::any_of(
                                   allowed, [&](std::string const& a) { return target.starts_with(a); })),
                      source.path << " includes " << target);
      }
    }
  }

  TEST_CASE("no application is named outside models/applications") {
    // "gemm" is also a kernel; starpu_symbol.cpp reads names of StarPU's example programs; the audit's second
    // construction of task graphs knows its applications by name.
    for (Source const& source : sources()) {
      if (source.path.starts_with("tests/") || source.path.starts_with("models/applications/") ||
          source.path == "models/starpu_symbol.cpp" || source.path.starts_with("simulator/audit/reference/"))
        continue;
      for (std::string const& line : source.lines) {
        std::string const code = line.substr(0, line.find("//"));
        for (char const* const name :
             {"\"lu\"", "\"cholesky\"", "\"qr\"", "\"exageostat\"", "\"starpu-mpi\""})
          CHECK_MESSAGE(!testing::contains(code, name), source.path << " names " << name);
      }
    }
  }

  TEST_CASE("distributions know neither JSON nor platforms nor SimGrid") {
    for (Source const& source : sources()) {
      if (!source.path.starts_with("distributions/")) continue;
      for (std::string const& line : source.lines) {
        std::string const target = included(line);
        bool const allowed = !target.starts_with("nlohmann/") && !target.starts_with("platforms/") &&
                             !target.starts_with("simgrid/") &&
                             target != "simulator/base/core/json_reader.hpp";
        CHECK_MESSAGE(allowed, source.path << " includes " << target);
      }
    }
  }

  TEST_CASE("no file has more than 400 lines") {
    for (Source const& source : sources()) CHECK_MESSAGE(source.lines.size() <= 400, source.path);
  }

  TEST_CASE("the top level holds what it should") {
    std::vector<std::string> const allowed = {
        "CMakeLists.txt", "simulator",    "models",       "platforms",      "distributions",
        "scenarios",      "tests",        "README.md",    "cmake",          "CMakePresets.json",
        "LICENSE",        "CHANGELOG.md", "CITATION.cff", "pyproject.toml", "CONTRIBUTING.md",
        "build",          "results"};
    for (auto const& entry : fs::directory_iterator(testing::repository())) {
      std::string const name = entry.path().filename().string();
      CHECK_MESSAGE(
          (name.starts_with(".") || std::find(allowed.begin(), allowed.end(), name) != allowed.end()), name);
    }
  }
}
