#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace factosim {

/// How a job in a process of its own ended.
struct EndedJob {
  std::size_t job = 0;
  int code = 0;         // exit code; meaningless after a signal
  int signal = 0;       // that ended it; 0: none
  std::string message;  // what the job said, or the first line that it printed where it failed without a word
  double cpu_s = 0, wall_s = 0;
  std::int64_t peak_rss_bytes = 0;
};

/// What a job does: an exit code and a message.
struct JobAnswer {
  int code = 0;
  std::string message;
};

/// As many jobs as asked for; of 0, one a core.
[[nodiscard]] int jobs_or_cores(int jobs);

/// Jobs in copies of this process, which keep static state of libraries and whatever they print to
/// themselves, and end with it, however it ends. Linux only.
class ProcessPool {
 public:
  ProcessPool() = default;
  ~ProcessPool();  // ends what still runs
  ProcessPool(ProcessPool const&) = delete;
  ProcessPool& operator=(ProcessPool const&) = delete;

  /// `work` must not throw. Throws std::system_error where no process can be made.
  void start(std::size_t job, std::function<JobAnswer()> const& work);
  /// Waits for the next one to end; at least one must run.
  EndedJob wait();
  [[nodiscard]] std::size_t running() const { return running_.size(); }

 private:
  struct Running {
    std::size_t job;
    int answer, printed;  // descriptors of files in memory, shared with the child
    double start_s;
  };
  std::map<pid_t, Running> running_;
};

}  // namespace factosim
