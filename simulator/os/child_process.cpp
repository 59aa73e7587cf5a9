#include "simulator/os/child_process.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <system_error>

#include "simulator/os/process_pool.hpp"

namespace factosim {

namespace {

constexpr char returned = 'r', threw = 't';  // first byte of what the child says

/// What a library may make of a small file knows no bounds: a line of XML may ask for 10^9 hosts.
constexpr rlim_t max_cpu_s = 120;
constexpr rlim_t max_further_bytes = rlim_t{4} << 30U;

void lower(decltype(RLIMIT_CPU) resource, rlim_t maximum) {
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

void limit_child() {
  lower(RLIMIT_CPU, max_cpu_s);
  lower(RLIMIT_AS, address_space() + max_further_bytes);
}

JobAnswer answer(std::function<std::string()> const& work) {
  try {
    limit_child();
    return {0, returned + work()};
  } catch (std::exception const& error) {
    return {1, threw + std::string(error.what())};
  } catch (...) {
    return {1, threw + std::string("unknown error")};
  }
}

}  // namespace

std::string in_child_process(std::function<std::string()> const& work) {
  ProcessPool pool;
  try {
    pool.start(0, [&] { return answer(work); });
  } catch (std::system_error const& error) {
    throw ChildFailure(error.what());
  }
  EndedJob const job = pool.wait();
  if (job.signal == 0 && job.message.starts_with(returned)) return job.message.substr(1);
  if (job.signal == 0 && job.message.starts_with(threw)) throw ChildFailure(job.message.substr(1));
  if (job.signal == SIGXCPU)
    throw ChildFailure(fmt::format("it takes more than {} s of processor time", max_cpu_s));
  throw ChildFailure(!job.message.empty() ? job.message
                     : job.signal != 0    ? fmt::format("ended by signal {}", job.signal)
                                          : "ended without a word");
}

}  // namespace factosim
