#include "simulator/scenario/simulation/memory_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "factosim/error.hpp"
#include "simulator/base/core/quantity_text.hpp"
#include "simulator/runtime/node/gpu_memory.hpp"
#include "simulator/runtime/node/ram_usage.hpp"

namespace factosim {

namespace {

/// Returns the bytes of a task's data, each counted once.
class TaskBytes {
 public:
  explicit TaskBytes(TaskGraph const& graph) : graph_(graph) {}
  Bytes operator()(TaskId task) {
    handles_.clear();
    for (DataAccess const a : graph_.accesses_of(task)) handles_.push_back(a.handle().index());
    std::ranges::sort(handles_);
    Bytes sum{0};
    for (std::size_t i = 0; i < handles_.size(); ++i)
      if (i == 0 || handles_[i] != handles_[i - 1]) sum += graph_.handles[handles_[i]].size;
    return sum;
  }

 private:
  TaskGraph const& graph_;
  std::vector<std::size_t> handles_;
};

}  // namespace

void check_gpu_memory(PlacedScenario const& s, Bytes tile) {
  constexpr int operands = 3;
  int const tiles = operands * std::max(1, s.runtime.gpu_pipeline) * s.runtime.workers_per_gpu;
  for (std::uint32_t const type : s.platform.nodes)
    for (GpuSpec const& gpu : s.platform.types[type].gpus) {
      if (s.platform.types[type].unified_memory) break;
      GpuMemory memory(gpu, s.runtime.gpu_memory_fraction);
      GpuMemory::Piece piece;
      for (int i = 0; i < tiles; ++i)
        if (memory.take(tile, piece) == GpuMemory::Grant::refused)
          throw InfeasibleError(fmt::format(
              "a {} of {} cannot hold the {} tiles of {} that the tasks in its pipeline need (tiles "
              "may use {:.3g} of its {}: runtime/gpu_memory_fraction). Use smaller tiles or a "
              "shorter pipeline (runtime/gpu_pipeline)",
              gpu.model, s.platform.types[type].name, tiles, format_bytes(tile),
              s.runtime.gpu_memory_fraction, format_bytes(gpu.memory)));
    }
}

void check_ram(PlacedScenario const& s, std::span<Bytes const> owned) {
  for (std::size_t n = 0; n < owned.size(); ++n) {
    NodeType const& type = s.platform.type_of(NodeId{n});
    if (!type.out_of_core && type.ram.value > 0 && owned[n] > type.ram)
      throw InfeasibleError(fmt::format("node {} ({}) owns {} of data and {}). {}", n, type.name,
                                        format_bytes(owned[n]), stated_ram(type, s.runtime), memory_advice));
  }
}

void check_gpus_hold(PlacedScenario const& s, TaskGraph const& graph, ExecutionPlan const& plan,
                     Machine const& machine) {
  TaskBytes bytes_of(graph);
  for (std::uint32_t t = 0; t < graph.task_count(); ++t) {
    NodeType const& type = s.platform.type_of(plan.node_of(TaskId{t}));
    Machine::Type const& built = machine.type(plan.node_of(TaskId{t}));
    if (built.gpu_memories == 0) continue;
    Bytes const bytes = bytes_of(TaskId{t});
    auto const durations = built.durations_of(graph.kernel[t]);
    for (std::size_t w = 0; w < built.gpus; w += built.workers_per_gpu) {
      if (std::isinf(durations[w]) || (!graph.weights.empty() && std::isinf(graph.weights[t].gpu))) continue;
      GpuSpec const& gpu = type.gpus[w / built.workers_per_gpu];
      double const capacity = static_cast<double>(gpu.memory.value) * s.runtime.gpu_memory_fraction;
      if (static_cast<double>(bytes.value) > capacity)
        throw InfeasibleError(fmt::format(
            "task {} ({}) uses {} at once, and a {} of {} cannot hold it (data may use {:.3g} of its {}: "
            "runtime/gpu_memory_fraction). Use smaller data, or no GPU (runtime/max_gpus)",
            t, graph.kernels[graph.kernel[t]].name, format_bytes(bytes), gpu.model, type.name,
            s.runtime.gpu_memory_fraction, format_bytes(gpu.memory)));
    }
  }
}

void check_out_of_core(PlacedScenario const& s, TaskGraph const& graph, ExecutionPlan const& plan,
                       Machine const& machine) {
  std::vector<std::int64_t> largest(machine.node_count(), 0),
      total(largest);  // [nodes] bytes of a task, of all
  TaskBytes bytes_of(graph);
  for (std::uint32_t t = 0; t < graph.task_count(); ++t) {
    std::int64_t& maximum = largest[plan.node_of(TaskId{t}).index()];
    maximum = std::max(maximum, bytes_of(TaskId{t}).value);
  }
  for (std::uint32_t n = 0; n < largest.size(); ++n) {
    NodeType const& type = s.platform.type_of(NodeId{n});
    if (!type.out_of_core) continue;
    for (Replica const& r : plan.replicas_on(NodeId{n}))
      total[n] += graph.handles[r.handle.index()].size.value;
    Machine::Type const& built = machine.type(NodeId{n});
    auto const cores = static_cast<int>(built.workers.size() - built.gpus);
    int const tasks = (cores + type.numa_nodes - 1) / type.numa_nodes +
                      static_cast<int>(built.gpus) * (1 + s.runtime.gpu_pipeline);
    std::int64_t const needed = tasks * largest[n], ram = type.ram.value / type.numa_nodes;
    if (needed > ram)
      throw InfeasibleError(fmt::format(
          "node {} ({}) needs {} in each RAM for the {} tasks that its workers hold at once, and has {}. Use "
          "smaller data, fewer cores (runtime/reserved_cores), or more RAM",
          n, type.name, format_bytes({needed}), tasks, format_bytes({ram})));
    if (type.disk->size.value > 0 && total[n] > type.disk->size.value)
      throw InfeasibleError(
          fmt::format("node {} ({}) has {} of data and a disk of {}. Use more nodes, a smaller problem, or a "
                      "disk with more \"size_bytes\"",
                      n, type.name, format_bytes({total[n]}), format_bytes(type.disk->size)));
  }
}

}  // namespace factosim
