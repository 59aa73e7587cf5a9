#include "simulator/traces/record/recorded_program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <system_error>

namespace factosim::record {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

[[noreturn]] void fail(char const* what) { throw std::system_error(errno, std::generic_category(), what); }

/// Returns the processor time that a process or thread has taken; 0 if it is gone. `folder`: its folder in /proc.
double processor_seconds(std::string const& folder) {
  std::ifstream in(folder + "/stat");
  std::string text;
  std::getline(in, text, '\0');
  std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 1)));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  double user = 0, system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

[[noreturn]] void become(std::vector<std::string> const& command, RunOptions const& options, int channel,
                         pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
  rlimit stack{};
  ::getrlimit(RLIMIT_STACK, &stack);
  stack.rlim_cur = std::min<rlim_t>(stack.rlim_max, rlim_t{1} << 30U);
  ::setrlimit(RLIMIT_STACK, &stack);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  int const open = ::dup(channel);  // not closed by exec
  ::setenv("FACTOSIM_RECORD_FD", std::to_string(open).c_str(), 1);
  char const* const others = std::getenv("LD_PRELOAD");
  std::string const preload = options.shim.string() + (others == nullptr ? "" : std::string(":") + others);
  ::setenv("LD_PRELOAD", preload.c_str(), 1);
  std::vector<char*> words;
  words.reserve(command.size() + 1);
  for (std::string const& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execvp(words.front(), words.data());
  ::_exit(127);
}

/// The end of the channel from which events are read.
class EventReader {
 public:
  explicit EventReader(int channel) : channel_(channel) { ::fcntl(channel, F_SETFL, O_NONBLOCK); }
  ~EventReader() { ::close(channel_); }
  EventReader(EventReader const&) = delete;
  EventReader& operator=(EventReader const&) = delete;

  /// Waits up to 0.2 s for events and hands over whole ones. Returns false if none came.
  bool read(Recorder& recorder, std::size_t max_tasks) {
    pollfd poll{.fd = channel_, .events = POLLIN, .revents = 0};
    ::poll(&poll, 1, 200);
    std::size_t const kept = bytes_.size();
    bytes_.resize(kept + room);
    ssize_t const got = ::read(channel_, bytes_.data() + kept, room);
    bytes_.resize(kept + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    std::span const words(reinterpret_cast<std::uint64_t const*>(bytes_.data()), bytes_.size() / 8);
    std::size_t at = 0;
    while (at < words.size()) {
      std::size_t const length = words[at] >> 8U & 0xffffffU;
      if (length == 0 || length > words.size() - at) break;
      if (max_tasks == 0 || recorder.tasks().size() < max_tasks) recorder.take(words.subspan(at, length));
      at += length;
    }
    bytes_.erase(0, 8 * at);
    return got > 0;
  }

 private:
  static constexpr std::size_t room = std::size_t{1} << 18U;  // bytes
  int channel_;
  std::string bytes_;
};

/// Tells whether a program waits for ever: for some seconds no event comes, and its first thread takes no processor time while
/// the host waits in a call of StarPU, or none of its threads does. Workers of StarPU take some even if there are no tasks.
class Watchdog {
 public:
  void saw_event() { since_.reset(); }
  bool bites(Recorder const& recorder) {
    if (recorder.process() == 0) return false;
    std::string const process = fmt::format("/proc/{}", recorder.process());
    bool const in_call = !recorder.call().empty();
    double const now_s =
        processor_seconds(in_call ? fmt::format("{}/task/{}", process, recorder.process()) : process);
    if (!since_) {
      since_ = Clock::now();
      processor_s_ = now_s;
    }
    return seconds_since(*since_) > patience_s && now_s - processor_s_ < idle_s;
  }

 private:
  static constexpr double patience_s = 5, idle_s = 0.1;
  std::optional<Clock::time_point> since_;
  double processor_s_ = 0;  // then
};

/// Returns why the program has to be stopped now.
Ending::Stop stop_now(RunOptions const& options, Recorder const& recorder, Clock::time_point start,
                      Watchdog& watchdog) {
  if (options.max_tasks > 0 && recorder.tasks().size() >= options.max_tasks) return Ending::Stop::tasks;
  if (options.max_seconds > 0 && seconds_since(start) >= options.max_seconds) return Ending::Stop::seconds;
  return options.watch && watchdog.bites(recorder) ? Ending::Stop::hang : Ending::Stop::none;
}

}  // namespace

Ending run_recorded(std::vector<std::string> const& command, RunOptions const& options, Recorder& recorder) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail("a pipe cannot be made");
  ::fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
  Clock::time_point const start = Clock::now();
  pid_t const parent = ::getpid(), child = ::fork();
  if (child == 0) become(command, options, ends[1], parent);
  int const error = errno;
  ::close(ends[1]);
  EventReader events(ends[0]);
  errno = error;
  if (child < 0) fail("a process cannot be started");
  Ending out;
  Watchdog watchdog;
  int status = 0;
  bool ended = false;
  while (!ended) {
    ended = ::waitpid(child, &status, WNOHANG) == child;
    while (events.read(recorder, options.max_tasks)) {
      watchdog.saw_event();
      if (!ended && out.stop == Ending::Stop::none) break;
    }
    if (ended || out.stop != Ending::Stop::none) continue;
    out.stop = stop_now(options, recorder, start, watchdog);
    if (out.stop == Ending::Stop::none) continue;
    ::kill(child, SIGKILL);
    if (recorder.process() != child && recorder.process() > 0) ::kill(recorder.process(), SIGKILL);
  }
  out.seconds = seconds_since(start);
  if (WIFEXITED(status)) out.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) out.signal = WTERMSIG(status);
  return out;
}

}  // namespace factosim::record
