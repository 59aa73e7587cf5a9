#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/base/core/exit_code.hpp"

namespace factosim {

/// A file without a name, in memory; child processes may open it, and share it if they are forked. Throws
/// std::system_error if it cannot be created or written.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content = {});
  MemoryFile(MemoryFile&& other) noexcept;
  ~MemoryFile();

  void append(std::string_view text);
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::filesystem::path path() const;
  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  int descriptor_;  // -1 after a move
};

/// The result of a job that ran in a child process.
struct EndedJob {
  std::size_t job = 0;
  ExitCode code = ExitCode::success;  // meaningless after a signal
  int signal = 0;                     // the signal that ended the process; 0: none
  bool returned = false;              // the work returned, rather than threw or ended the process
  bool limited = false;               // it failed since memory, processes or files were exhausted
  /// The value that the work returned or the message of the exception that it threw; after a signal or an
  /// exit without either, the first line that it printed.
  std::string message;
  double cpu_s = 0, wall_s = 0;
  std::int64_t peak_rss_bytes = 0;
};

/// The work of a child process. Returns a value as bytes; a thrown exception becomes an exit code and a
/// message.
using ChildWork = std::function<std::string()>;

/// Resources of a child process. Without a value: those of this process.
struct ChildLimits {
  std::optional<std::chrono::seconds> cpu{};
  std::optional<std::uint64_t> further_bytes{};  // of address space, beyond that of this process
};

/// Returns `jobs`, or the number of cores if it is 0.
[[nodiscard]] int jobs_or_cores(int jobs);

/// Runs jobs in copies of this process. Static state of libraries and printed text stay in the child.
/// Children end when this process ends, even if it is killed. Linux only.
class ProcessPool {
 public:
  ProcessPool() = default;
  ~ProcessPool();  // kills the jobs that still run
  ProcessPool(ProcessPool const&) = delete;
  ProcessPool& operator=(ProcessPool const&) = delete;

  /// Throws std::system_error if no process can be created.
  void start(std::size_t job, ChildWork const& work, ChildLimits const& limits = {});
  /// Waits until a job ends. At least one must be running.
  EndedJob wait();
  [[nodiscard]] std::size_t running() const { return running_.size(); }

 private:
  struct Running {
    std::size_t job;
    MemoryFile answer{}, printed{};  // shared with the child
    double start_s;
  };
  std::map<pid_t, Running> running_;
};

/// Returns what `work` returns in a child process. Throws ChildFailure with the message of the exception that
/// `work` threw, or with the first line that the child printed if a signal or an exit ended it.
std::string run_in_child(ChildWork const& work, ChildLimits const& limits = {});

/// Runs all jobs in child processes, at most `jobs` at once, and returns what they return, in their order. `ended` is
/// called with the answer of each job when it ends. Throws as `run_in_child` at the first failure.
std::vector<std::string> run_in_children(std::vector<ChildWork> const& work, int jobs,
                                         std::function<void(std::string const& answer)> const& ended = {});

/// What a program did that was run to its end.
struct FinishedProgram {
  bool started = false;  // false: there is no such program
  int exit_code = -1;    // -1: it was ended by a signal
  std::string out, err;
};

/// Runs a program, found on the PATH unless its name has a slash, with this standard input, and waits for its end.
/// `command`: its name and arguments; no shell reads them. Throws std::system_error if the system refuses.
[[nodiscard]] FinishedProgram run_program(std::vector<std::string> const& command, std::string_view input);

}  // namespace factosim
