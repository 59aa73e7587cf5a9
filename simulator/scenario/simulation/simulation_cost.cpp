#include "simulator/scenario/simulation/simulation_cost.hpp"

#include <sys/resource.h>

#include <algorithm>

namespace factosim {

namespace {

rusage usage_of_process() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage;
}

}  // namespace

double process_cpu_seconds() {
  rusage const usage = usage_of_process();
  auto const seconds = [](timeval t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

CostMeter::CostMeter() : wall_start_(std::chrono::steady_clock::now()), cpu_start_s_(process_cpu_seconds()) {}

Result::Cost CostMeter::cost(std::uint64_t tasks) const {
  double const cpu = process_cpu_seconds() - cpu_start_s_;
  double const wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - wall_start_).count();
  return {.cpu_s = cpu,
          .wall_s = wall,
          .tasks_per_s = static_cast<double>(tasks) / std::max(cpu, 1e-6),
          .peak_rss_bytes = static_cast<std::int64_t>(usage_of_process().ru_maxrss) * 1024};
}

}  // namespace factosim
