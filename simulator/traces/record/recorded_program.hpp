#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

#include "simulator/traces/record/recorder.hpp"

namespace factosim::record {

/// When a program is stopped, and what it sees.
struct RunOptions {
  std::filesystem::path shim;
  std::size_t max_tasks = 0;  // 0: any number
  double max_seconds = 0;     // 0: any
  bool watch = true;          // stop it if it waits for ever; not where kernels run
};

/// How a program ended.
struct Ending {
  enum class Stop { none, tasks, seconds, hang };

  int exit_code = -1;  // -1: by a signal
  int signal = 0;
  Stop stop = Stop::none;  // why `factosim record` has ended it
  double seconds = 0;
};

/// Runs a program with the shim and hands its events to the recorder while it runs. Its standard output goes to standard
/// error. Its stack may grow to 1 GiB: tasks that end without their kernels release each other recursively. Throws
/// std::system_error if the system refuses.
[[nodiscard]] Ending run_recorded(std::vector<std::string> const& command, RunOptions const& options,
                                  Recorder& recorder);

/// Writes a recorded program as a graph of version 2 (scenarios/graphs.md), complete or not at all; compressed if the name
/// ends in .gz. `head`: the value of "recorded"; `names`: those of the kernels. Throws InputError.
void write_graph(std::filesystem::path const& file, std::string const& name,
                 nlohmann::ordered_json const& head, Recorder const& recorder,
                 std::vector<std::string> names);

/// Returns the names of the kernels in the graph: [kernels]. That of the symbol, with the footprint if it has several; of OpenMP
/// that of the function by addr2line, without it its place.
[[nodiscard]] std::vector<std::string> kernel_names(Recorder const& recorder);

}  // namespace factosim::record
