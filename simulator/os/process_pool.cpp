#include "simulator/os/process_pool.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <system_error>
#include <thread>
#include <utility>

#include "factosim/error.hpp"

namespace factosim {

namespace {

[[noreturn]] void fail_with_errno(char const* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int file_in_memory(char const* name) {
  int const descriptor = ::memfd_create(name, MFD_CLOEXEC);
  if (descriptor < 0) fail_with_errno("cannot make a file in memory");
  return descriptor;
}

void write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t const written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string text_of(int descriptor) {
  std::string text;
  std::array<char, 4096> chunk;
  for (off_t at = 0;;) {
    ssize_t const got = ::pread(descriptor, chunk.data(), chunk.size(), at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(chunk.data(), static_cast<std::size_t>(got));
    at += got;
  }
}

std::string first_line(std::string const& text) {
  auto const start = text.find_first_not_of('\n');
  return start == std::string::npos ? "" : text.substr(start, text.find('\n', start) - start);
}

[[noreturn]] void be_child(pid_t parent, int answer, int printed, std::function<JobAnswer()> const& work) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // it ended before the line above
  rlimit const no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::dup2(printed, STDOUT_FILENO);
  ::dup2(printed, STDERR_FILENO);
  JobAnswer const said = work();
  write_all(answer, said.message);
  ::_exit(said.code);  // leaves alone what belongs to the parent: its files, and what runs at its exit
}

double seconds(timeval t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); }

}  // namespace

int jobs_or_cores(int jobs) {
  return jobs > 0 ? jobs : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

ProcessPool::~ProcessPool() {
  for (auto const& [pid, job] : running_) ::kill(pid, SIGKILL);
  for (auto const& [pid, job] : running_) {
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    ::close(job.answer);
    ::close(job.printed);
  }
}

void ProcessPool::start(std::size_t job, std::function<JobAnswer()> const& work) {
  Running child{job, file_in_memory("answer"), file_in_memory("printed"), now_s()};
  std::fflush(nullptr);  // or the child might write it again
  pid_t const parent = ::getpid();
  pid_t const pid = ::fork();
  if (pid == 0) be_child(parent, child.answer, child.printed, work);
  if (pid < 0) {
    int const error = errno;
    ::close(child.answer);
    ::close(child.printed);
    errno = error;
    fail_with_errno("cannot start a process");
  }
  running_.emplace(pid, child);
}

EndedJob ProcessPool::wait() {
  FACTOSIM_ALWAYS(!running_.empty(), "something runs");
  while (true) {
    int status = 0;
    rusage usage{};
    // One alone is waited for by name: the process may have children of another pool.
    pid_t const pid = ::wait4(running_.size() == 1 ? running_.begin()->first : -1, &status, 0, &usage);
    if (pid < 0 && errno == EINTR) continue;
    if (pid < 0) fail_with_errno("cannot wait for a process");
    auto const found = running_.find(pid);
    if (found == running_.end()) continue;  // not one of ours
    Running const child = found->second;
    running_.erase(found);
    EndedJob out{.job = child.job,
                 .code = WIFEXITED(status) ? WEXITSTATUS(status) : 0,
                 .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
                 .message = text_of(child.answer),
                 .cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime),
                 .wall_s = now_s() - child.start_s,
                 .peak_rss_bytes = static_cast<std::int64_t>(usage.ru_maxrss) * 1024};
    if (out.signal != 0 || (out.code != 0 && out.message.empty()))
      out.message = first_line(text_of(child.printed));
    ::close(child.answer);
    ::close(child.printed);
    return out;
  }
}

}  // namespace factosim
