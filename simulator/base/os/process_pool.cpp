#include "simulator/base/os/process_pool.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <system_error>
#include <thread>
#include <utility>

#include "factosim/error.hpp"

extern char** environ;

namespace factosim {

namespace {

[[noreturn]] void fail_with_errno(char const* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string first_line(std::string const& text) {
  auto const start = text.find_first_not_of('\n');
  return start == std::string::npos ? "" : text.substr(start, text.find('\n', start) - start);
}

void lower_limit(decltype(RLIMIT_CPU) resource, rlim_t maximum) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur <= maximum) return;
  limit.rlim_cur = maximum;
  ::setrlimit(resource, &limit);
}

rlim_t address_space() {
  std::ifstream in("/proc/self/statm");
  rlim_t pages = 0;
  in >> pages;
  return pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
}

void apply(ChildLimits const& limits) {
  lower_limit(RLIMIT_CORE, 0);
  if (limits.cpu) lower_limit(RLIMIT_CPU, static_cast<rlim_t>(limits.cpu->count()));
  if (limits.further_bytes) lower_limit(RLIMIT_AS, address_space() + *limits.further_bytes);
}

constexpr char work_returned = 'r', work_threw = 't', work_was_limited = 'l';  // first byte of an answer

ExitCode answer(MemoryFile& file, ChildWork const& work, ChildLimits const& limits) noexcept {
  try {
    apply(limits);
    std::string const value = work();
    file.append(work_returned + value);
    return ExitCode::success;
  } catch (...) {
    Failure const failure = current_failure();
    try {
      file.append((failure.limited ? work_was_limited : work_threw) + failure.message);
    } catch (...) {  // no room for files: wait() finds no answer
    }
    return failure.code;
  }
}

[[noreturn]] void be_child(pid_t parent, MemoryFile& answers, MemoryFile const& printed,
                           ChildWork const& work, ChildLimits const& limits) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // the parent ended before the line above
  ::dup2(printed.descriptor(), STDOUT_FILENO);
  ::dup2(printed.descriptor(), STDERR_FILENO);
  // Without the exit handlers and unwritten files, which are the parent's.
  ::_exit(static_cast<int>(answer(answers, work, limits)));
}

double seconds(timeval t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); }

void start_or_fail(ProcessPool& pool, std::size_t job, ChildWork const& work, ChildLimits const& limits) {
  try {
    pool.start(job, work, limits);
  } catch (std::system_error const&) {
    throw ChildFailure(current_failure());
  }
}

/// Returns what the job returned, or throws ChildFailure.
std::string answer_of(EndedJob job, ChildLimits const& limits) {
  if (job.returned) return std::move(job.message);
  if (job.signal == 0 && !job.message.empty()) throw ChildFailure({job.code, job.message, job.limited});
  if (job.signal == SIGXCPU && limits.cpu)
    job.message = fmt::format("it takes more than {} s of processor time", limits.cpu->count());
  else if (job.message.empty())
    job.message = job.signal != 0 ? fmt::format("ended by signal {}", job.signal) : "ended without a word";
  throw ChildFailure({ExitCode::internal_error, job.message});
}

/// What happens to the descriptors of a child before it starts.
class SpawnActions {
 public:
  SpawnActions() { ::posix_spawn_file_actions_init(&actions_); }
  ~SpawnActions() { ::posix_spawn_file_actions_destroy(&actions_); }
  SpawnActions(SpawnActions const&) = delete;
  SpawnActions& operator=(SpawnActions const&) = delete;

  void read_from(std::string const& path) {
    ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, path.c_str(), O_RDONLY, 0);
  }
  void write_to(int descriptor, MemoryFile const& file) {
    ::posix_spawn_file_actions_adddup2(&actions_, file.descriptor(), descriptor);
  }
  [[nodiscard]] posix_spawn_file_actions_t const* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

}  // namespace

MemoryFile::MemoryFile(std::string_view content) : descriptor_(::memfd_create("factosim", MFD_CLOEXEC)) {
  if (descriptor_ < 0) fail_with_errno("a file in memory cannot be created");
  append(content);
}

MemoryFile::MemoryFile(MemoryFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

MemoryFile::~MemoryFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void MemoryFile::append(std::string_view text) {
  while (!text.empty()) {
    ssize_t const written = ::write(descriptor_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_with_errno("a file in memory cannot be written");
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string MemoryFile::text() const {
  std::string out;
  std::array<char, 4096> chunk;
  while (true) {
    ssize_t const got = ::pread(descriptor_, chunk.data(), chunk.size(), static_cast<off_t>(out.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_with_errno("a file in memory cannot be read");
    if (got == 0) return out;
    out.append(chunk.data(), static_cast<std::size_t>(got));
  }
}

std::filesystem::path MemoryFile::path() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

int jobs_or_cores(int jobs) {
  return jobs > 0 ? jobs : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

ProcessPool::~ProcessPool() {
  for (auto const& [pid, job] : running_) ::kill(pid, SIGKILL);
  for (auto const& [pid, job] : running_) {
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
}

void ProcessPool::start(std::size_t job, ChildWork const& work, ChildLimits const& limits) {
  Running child{.job = job, .start_s = now_s()};
  std::fflush(nullptr);  // so that the child does not write it again
  pid_t const parent = ::getpid();
  pid_t const pid = ::fork();
  if (pid == 0) be_child(parent, child.answer, child.printed, work, limits);
  if (pid < 0) fail_with_errno("cannot start a process");
  running_.emplace(pid, std::move(child));
}

EndedJob ProcessPool::wait() {
  FACTOSIM_ALWAYS(!running_.empty(), "a job is running");
  while (true) {
    int status = 0;
    rusage usage{};
    // A single job is waited for by its id: this process may have children of another pool.
    pid_t const pid = ::wait4(running_.size() == 1 ? running_.begin()->first : -1, &status, 0, &usage);
    if (pid < 0 && errno == EINTR) continue;
    if (pid < 0) fail_with_errno("cannot wait for a process");
    auto const found = running_.find(pid);
    if (found == running_.end()) continue;  // a child of another pool
    Running const child = std::move(found->second);
    running_.erase(found);
    std::string const answer = child.answer.text();
    EndedJob out{.job = child.job,
                 .code = static_cast<ExitCode>(WIFEXITED(status) ? WEXITSTATUS(status) : 0),
                 .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
                 .message = answer.substr(answer.empty() ? 0 : 1),
                 .cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime),
                 .wall_s = now_s() - child.start_s,
                 .peak_rss_bytes = static_cast<std::int64_t>(usage.ru_maxrss) * 1024};
    out.returned = out.signal == 0 && out.code == ExitCode::success && answer.starts_with(work_returned);
    if (!out.returned && (out.signal != 0 || out.message.empty()))
      out.message = first_line(child.printed.text());
    out.limited = answer.starts_with(work_was_limited);
    if (out.signal == 0 && out.code == ExitCode::bad_input && out.message.empty()) {
      out.message =
          "a process could not return its result (memory or the size of files is limited). Raise the limit "
          "(ulimit)";
      out.limited = true;
    }
    return out;
  }
}

std::string run_in_child(ChildWork const& work, ChildLimits const& limits) {
  ProcessPool pool;
  start_or_fail(pool, 0, work, limits);
  return answer_of(pool.wait(), limits);
}

std::vector<std::string> run_in_children(std::vector<ChildWork> const& work, int jobs,
                                         std::function<void(std::string const& answer)> const& ended) {
  std::vector<std::string> answers(work.size());
  ProcessPool pool;
  for (std::size_t next = 0; next < work.size() || pool.running() > 0;) {
    for (; next < work.size() && pool.running() < static_cast<std::size_t>(jobs); ++next)
      start_or_fail(pool, next, work[next], {});
    EndedJob job = pool.wait();
    std::size_t const number = job.job;
    answers[number] = answer_of(std::move(job), {});
    if (ended) ended(answers[number]);
  }
  return answers;
}

FinishedProgram run_program(std::vector<std::string> const& command, std::string_view input) {
  FACTOSIM_EXPECT(!command.empty(), "a command has a name");
  MemoryFile const in(input), out, err;
  SpawnActions actions;
  actions.read_from(in.path().string());
  actions.write_to(STDOUT_FILENO, out);
  actions.write_to(STDERR_FILENO, err);
  std::vector<char*> arguments;
  for (std::string const& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  int const error =
      ::posix_spawnp(&child, arguments.front(), actions.get(), nullptr, arguments.data(), environ);
  if (error == ENOENT || error == EACCES || error == ENOEXEC || error == ENOTDIR) return {};
  if (error != 0) throw std::system_error(error, std::generic_category(), command.front());
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), command.front());
  return {.started = true,
          .exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
          .out = out.text(),
          .err = err.text()};
}

}  // namespace factosim
