#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/data/test_files.hpp"

namespace factosim::testing {

/// What a run of the program gave.
struct ProgramRun {
  int code = 0;
  std::string out, err;
};

/// What a shell script gave, whose first argument is the built program.
ProgramRun run_script(std::string const& script);

/// Runs the built program with the given arguments (as a shell reads them) in a process of its own.
ProgramRun run_factosim(std::string const& arguments);

/// What the program printed; it has to have succeeded.
nlohmann::json json_of(ProgramRun const& run);
nlohmann::json json_of(std::string const& arguments);

/// A path as one word of a shell.
inline std::string quoted(std::filesystem::path const& path) { return "'" + path.string() + "'"; }

/// A shipped scenario on one node, and one on many.
inline std::filesystem::path first_scenario() { return repository() / "scenarios/first/lu_mirage.json"; }
inline std::filesystem::path lille_scenario() {
  return repository() / "scenarios/lille/block_cyclic_2x11.json";
}

/// With sanitizers, a process takes more memory than it would, and more addresses than any `ulimit -v`
/// allows.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

}  // namespace factosim::testing
