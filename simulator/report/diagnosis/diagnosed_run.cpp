#include "simulator/report/diagnosis/diagnosed_run.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <span>

#include "simulator/tasks/bounds/task_work.hpp"
#include "simulator/tasks/graph/area_bound.hpp"

namespace factosim {

namespace {

constexpr double without_work = 0.9;  // share of the possible work

/// Work that the area bound of a node's tasks gives its GPUs.
struct GpuShare {
  double seconds = 0, of_tasks = 0;
};

GpuShare gpu_share(DiagnosedRun const& run, NodeId node) {
  TimeGrid const grid;
  std::optional<TaskWork> const work =
      run.graph.weights.empty() ? std::nullopt : std::optional(work_of(run.graph, run.machine, grid));
  Machine::Type const& type = (work ? work->machine : run.machine).type(node);
  double const unit_s = work ? grid.tick().value : 1;  // of its durations
  std::size_t const kernels = work ? work->kinds : run.graph.kernels.size(), workers = type.workers.size();
  std::vector<double> tasks(kernels, 0);
  for (std::uint32_t t = run.plan.first_task[node.index()]; t < run.plan.first_task[node.index() + 1]; ++t)
    if (work)
      tasks[work->kind(t)] += work->amount(t);
    else
      ++tasks[run.graph.kernel[t]];
  std::vector<WorkerClass> classes(workers, {.count = 1, .durations = std::vector<double>(kernels)});
  for (std::size_t w = 0; w < workers; ++w)
    for (std::size_t k = 0; k < kernels; ++k)
      classes[w].durations[k] =
          type.shares_gpu(w) ? std::numeric_limits<double>::infinity() : type.device_time(k, w) * unit_s;
  AreaBound const bound = area_bound(std::span<double const>(tasks), classes);
  GpuShare out;
  double all = 0;
  for (std::size_t k = 0; k < kernels; ++k)
    for (std::size_t w = 0; w < workers; ++w) {
      double const count = bound.shares[k * workers + w];
      all += count;
      if (!type.workers[w].gpu || count <= 0) continue;
      out.seconds += count * classes[w].durations[k];
      out.of_tasks += count;
    }
  out.of_tasks /= std::max(all, 1.0);
  return out;
}

double busy_on_gpus(DiagnosedRun const& run, NodeId node) {
  auto const& busy = run.outcome.nodes[node.index()].busy_by_worker;
  auto const& workers = run.machine.type(node).workers;
  double sum = 0;
  for (std::size_t w = 0; w < busy.size(); ++w)
    if (workers[w].gpu) sum += busy[w];
  return sum;
}

double bytes_of_node(DiagnosedRun const& run, NodeId node) {
  std::vector<bool> used(run.graph.handles.size(), false);
  double bytes = 0;
  for (std::uint32_t t = run.plan.first_task[node.index()]; t < run.plan.first_task[node.index() + 1]; ++t)
    for (DataAccess const& access : run.graph.accesses_of(TaskId{t})) {
      std::size_t const h = access.handle().index();
      if (used[h]) continue;
      used[h] = true;
      bytes += static_cast<double>(run.graph.handles[h].size.value);
    }
  return bytes;
}

/// Returns the time of the fullest link if each GPU of the node gets so many bytes from its RAM.
double seconds_of_copies(DiagnosedRun const& run, NodeId node, double bytes_per_gpu) {
  MemoryNodeId const ram = run.topology.ram_of(node);
  std::map<std::uint32_t, double> seconds;
  double most = 0;
  for (auto const& worker : run.machine.type(node).workers) {
    if (!worker.gpu) continue;
    MemoryNodeId const memory{ram.value() + worker.memory.value()};
    for (std::uint32_t const link : run.topology.bus_route(ram, memory))
      most = std::max(most, seconds[link] += bytes_per_gpu / run.topology.links()[link].rate.bandwidth.value);
  }
  return most;
}

}  // namespace

std::optional<BusDemand> bus_demand_of_idle_gpus(DiagnosedRun const& run) {
  std::optional<BusDemand> out;
  for (std::uint32_t n = 0; n < run.machine.node_count(); ++n) {
    NodeId const node{n};
    std::size_t const gpus = run.machine.type(node).gpus;
    if (gpus == 0) continue;
    double const work = busy_on_gpus(run, node);
    // No GPU has more work than the area bound lasts.
    if (work >= without_work * static_cast<double>(gpus) * run.bounds.abe_per_node[n].value) continue;
    GpuShare const share = gpu_share(run, node);
    if (work >= without_work * share.seconds) continue;
    double const copies =
        seconds_of_copies(run, node, share.of_tasks * bytes_of_node(run, node) / static_cast<double>(gpus));
    if (!out || copies > out->copy_seconds) out = BusDemand{n, work, share.seconds, copies};
  }
  return out;
}

}  // namespace factosim
