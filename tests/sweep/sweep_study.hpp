#pragma once

#include "tests/cli/program.hpp"

namespace factosim::testing {

/// A sweep over a small scenario of the LU study; `keys` are the remaining keys of its file.
inline std::string sweep_text(std::string const& keys) {
  return fmt::format(
      R"({{"format": "factosim-sweep", "version": 1, "scenario": "{}", "set": {{"/application/nt": 12}}, {}}})",
      (repository() / "scenarios/lu_icpads20/fig13_growing_matrix.json").string(), keys);
}

/// A folder with a sweep, and runs of the program in it.
struct Study {
  TemporaryFolder folder;
  explicit Study(std::string const& keys) { folder.write("study.json", sweep_text(keys)); }

  [[nodiscard]] std::string arguments(std::string const& options) const {
    return fmt::format("sweep '{}' --out '{}' {}", (folder / "study.json").string(),
                       (folder / "out").string(), options);
  }
  [[nodiscard]] ProgramRun run(std::string const& options = "") const {
    return run_factosim(arguments(options));
  }
  [[nodiscard]] std::string csv() const { return text_of(folder / "out/sweep.csv"); }
  [[nodiscard]] std::vector<nlohmann::json> rows() const {
    std::vector<nlohmann::json> out;
    std::istringstream lines(text_of(folder / "out/sweep.jsonl"));
    for (std::string line; std::getline(lines, line);) out.push_back(nlohmann::json::parse(line));
    return out;
  }
  /// Result files with the dates of their last change; none before the first run.
  [[nodiscard]] std::map<std::string, std::filesystem::file_time_type> written() const {
    std::map<std::string, std::filesystem::file_time_type> out;
    if (!std::filesystem::exists(folder / "out/points")) return out;
    for (auto const& entry : std::filesystem::directory_iterator(folder / "out/points"))
      if (entry.path().extension() == ".json") out[entry.path().filename()] = entry.last_write_time();
    return out;
  }
};

}  // namespace factosim::testing
