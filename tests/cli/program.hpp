#pragma once

#include "tests/prelude.hpp"

namespace factosim::testing {

/// Outcome of a run of the program.
struct ProgramRun {
  int code = 0;
  std::string out, err;
};

/// Runs a shell script whose first argument is the built program.
ProgramRun run_script(std::string const& script);

/// Runs the built program with the given arguments (shell syntax) in its own process.
ProgramRun run_factosim(std::string const& arguments);

/// Parses the output of the program, which must have succeeded.
nlohmann::json json_of(ProgramRun const& run);
nlohmann::json json_of(std::string const& arguments);

/// Quotes a path for the shell.
inline std::string quoted(std::filesystem::path const& path) { return "'" + path.string() + "'"; }

/// Returns whether a text is in the messages of the program.
inline bool says(ProgramRun const& run, std::string_view text) { return testing::contains(run.err, text); }

/// Returns how often a word is in a text.
inline std::size_t occurrences(std::string const& text, std::string const& word) {
  std::size_t out = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++out;
  return out;
}

/// The commands with a page of help of their own; "": the program.
inline std::vector<std::string> const all_commands{"",           "run",    "bounds",
                                                   "distribute", "sweep",  "advise",
                                                   "schedule",   "import", "import starpu-model",
                                                   "calibrate",  "export", "compare",
                                                   "record",     "report", "check",
                                                   "list",       "init",   "validate",
                                                   "help"};

/// A shipped scenario on one node, and one on many.
inline std::filesystem::path first_scenario() { return repository() / "scenarios/first/lu_mirage.json"; }
inline std::filesystem::path lille_scenario() {
  return repository() / "scenarios/lille/block_cyclic_2x11.json";
}

/// With sanitizers, a process uses more memory than without, and more addresses than any `ulimit -v` permits.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

}  // namespace factosim::testing
