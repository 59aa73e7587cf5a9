#include "simulator/scenario/simulation/resources.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace factosim {

namespace {

constexpr double bytes_of_program = 32e6;  // the program and its inputs
constexpr double margin = 1.3;             // simulations of one size differ in memory

/// Returns the number at the start of a file, or infinity if there is none ("max").
double number_in(std::string const& file) {
  std::ifstream in(file);
  double value = 0;
  return in >> value ? value : std::numeric_limits<double>::infinity();
}

double available_in_machine() {
  std::ifstream in("/proc/meminfo");
  std::string key, unit;
  for (double kilobytes = 0; in >> key >> kilobytes; std::getline(in, unit))
    if (key == "MemAvailable:") return kilobytes * 1024;
  return std::numeric_limits<double>::infinity();
}

/// Returns the memory that the control group and its parents leave; version 2, and the memory controller of
/// version 1.
double available_in_group() {
  double minimum = std::numeric_limits<double>::infinity();
  std::ifstream in("/proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    auto const first = line.find(':');
    auto const second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    std::string const controllers = line.substr(first + 1, second - first - 1);
    bool const unified = controllers.empty();
    if (!unified && controllers != "memory") continue;
    std::string path = line.substr(second + 1);
    while (true) {
      std::string const folder = (unified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory") + path;
      double const limit = number_in(folder + (unified ? "/memory.max" : "/memory.limit_in_bytes"));
      double const used = number_in(folder + (unified ? "/memory.current" : "/memory.usage_in_bytes"));
      if (limit < 1e18 && used < 1e18) minimum = std::min(minimum, limit - used);
      if (path.empty() || path == "/") break;
      path.erase(path.rfind('/'));
    }
  }
  return minimum;
}

/// Returns the limit of `ulimit -v`.
double address_space() {
  rlimit limit{};
  bool const limited = ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return limited ? static_cast<double>(limit.rlim_cur) : std::numeric_limits<double>::infinity();
}

rusage usage_of_process() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage;
}

}  // namespace

std::int64_t available_memory_bytes() {
  double const bytes = std::min({available_in_machine(), available_in_group(), address_space()});
  return bytes < 9e18 ? static_cast<std::int64_t>(std::max(0.0, bytes))
                      : std::numeric_limits<std::int64_t>::max();
}

double MemoryBudget::guess(double tasks) const { return bytes_of_program + margin * bytes_per_task_ * tasks; }

bool MemoryBudget::fits(double tasks) const {
  return running_.empty() || taken_ + guess(tasks) <= static_cast<double>(bytes_);
}

void MemoryBudget::started(std::size_t job, double tasks) {
  double const bytes = guess(tasks);
  running_[job] = {tasks, bytes};
  taken_ += bytes;
}

void MemoryBudget::ended(std::size_t job, std::int64_t peak_rss_bytes) {
  auto const found = running_.find(job);
  if (found == running_.end()) return;
  Job const ended = found->second;
  running_.erase(found);
  taken_ = 0;  // summed anew: no rounding errors accumulate
  for (auto const& [other, of_other] : running_) taken_ += of_other.bytes;
  double const beyond = static_cast<double>(peak_rss_bytes) - bytes_of_program;
  if (peak_rss_bytes == 0 || beyond <= 0 || ended.tasks < 1000) return;
  double const seen = beyond / ended.tasks;
  bytes_per_task_ = learned_ ? std::max(bytes_per_task_, seen) : seen;
  learned_ = true;
}

double process_cpu_seconds() {
  rusage const usage = usage_of_process();
  auto const seconds = [](timeval t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

CostMeter::CostMeter() : wall_start_(std::chrono::steady_clock::now()), cpu_start_s_(process_cpu_seconds()) {}

double tasks_per_second(std::uint64_t tasks, double cpu_s) {
  return static_cast<double>(tasks) / std::max(cpu_s, 1e-6);
}

Result::Cost CostMeter::cost(std::uint64_t tasks) const {
  double const cpu = process_cpu_seconds() - cpu_start_s_;
  double const wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - wall_start_).count();
  return {.cpu_s = cpu,
          .wall_s = wall,
          .tasks_per_s = tasks_per_second(tasks, cpu),
          .peak_rss_bytes = static_cast<std::int64_t>(usage_of_process().ru_maxrss) * 1024};
}

}  // namespace factosim
