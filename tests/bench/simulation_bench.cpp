// Cost of a simulation per task: LU of 100 x 100 tiles on 22 nodes, block-cyclic 2 x 11.
// SimGrid allows one network a process, so each iteration forks; processor time and memory are the child's,
// from reading the scenario to the bounds.

#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "simulator/scenario/simulation/place.hpp"
#include "simulator/scenario/simulation/simulate.hpp"

namespace {

using namespace factosim;

struct Cost {
  double cpu_s;
  double peak_mb;
  double tasks;
};

/// Simulates in a child and returns what it used.
Cost simulate_in_child(std::string const& scenario, std::vector<std::string> const& settings) {
  int channel[2];
  if (pipe(channel) != 0) std::abort();
  pid_t const child = fork();
  if (child == 0) {
    Result const r = simulate(plan_tasks(
        place(read_scenario(std::string(FACTOSIM_SOURCE_DIR) + "/scenarios/" + scenario, settings))));
    auto const tasks = static_cast<double>(r.tasks);
    if (write(channel[1], &tasks, sizeof tasks) != sizeof tasks) _exit(1);
    _exit(0);
  }
  Cost cost{};
  close(channel[1]);
  if (read(channel[0], &cost.tasks, sizeof cost.tasks) != sizeof cost.tasks) std::abort();
  close(channel[0]);
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  auto const seconds = [](timeval t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  cost.cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  cost.peak_mb = static_cast<double>(usage.ru_maxrss) / 1e3;
  return cost;
}

void simulation(benchmark::State& state, std::string const& scenario,
                std::vector<std::string> const& settings) {
  double cpu = 0, tasks = 0, peak = 0;
  for ([[maybe_unused]] auto _ : state) {
    Cost const cost = simulate_in_child(scenario, settings);
    state.SetIterationTime(cost.cpu_s);
    cpu += cost.cpu_s;
    tasks += cost.tasks;
    peak = std::max(peak, cost.peak_mb);
  }
  state.counters["tasks_per_cpu_s"] = tasks / cpu;
  state.counters["peak_MB"] = peak;
}

}  // namespace

BENCHMARK_CAPTURE(simulation, lu_100_on_22_nodes_simgrid, "lille/block_cyclic_2x11.json", {})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulation, lu_100_on_22_nodes_maxmin, "lille/block_cyclic_2x11.json",
                  {"/network/model=maxmin"})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulation, lu_40_on_one_mirage_simgrid, "peer/lu_mirage.json", {})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
