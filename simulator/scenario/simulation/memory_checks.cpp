#include "simulator/scenario/simulation/memory_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "factosim/error.hpp"
#include "simulator/runtime/node/gpu_memory.hpp"
#include "simulator/runtime/node/ram_usage.hpp"

namespace factosim {

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
          throw InfeasibleError(
              fmt::format("a {} of {} cannot hold the {} tiles of {} bytes that the tasks in its pipeline "
                          "need. Use smaller tiles or a shorter pipeline",
                          gpu.model, s.platform.types[type].name, tiles, tile.value));
    }
}

void check_ram(PlacedScenario const& s, std::span<Bytes const> owned) {
  for (std::size_t n = 0; n < owned.size(); ++n) {
    NodeType const& type = s.platform.type_of(NodeId{n});
    if (!type.out_of_core && type.ram.value > 0 && owned[n] > type.ram)
      throw InfeasibleError(fmt::format("node {} ({}) owns {} bytes of tiles and has a RAM of {}. {}", n,
                                        type.name, owned[n].value, type.ram.value, memory_advice));
  }
}

void check_out_of_core(PlacedScenario const& s, TaskGraph const& graph, ExecutionPlan const& plan,
                       Machine const& machine) {
  std::vector<std::int64_t> largest(machine.node_count(), 0),
      total(largest);  // [nodes] bytes of a task, of all
  for (std::uint32_t t = 0; t < graph.task_count(); ++t) {
    std::int64_t bytes = 0;
    for (DataAccess const a : graph.accesses_of(TaskId{t}))
      bytes += graph.handles[a.handle().index()].size.value;
    std::int64_t& maximum = largest[plan.node_of(TaskId{t}).index()];
    maximum = std::max(maximum, bytes);
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
          "node {} ({}) needs {} bytes in each RAM for the {} tasks that its workers hold at once, and has "
          "{}. Use smaller tiles, fewer cores (runtime/reserved_cores), or more RAM",
          n, type.name, needed, tasks, ram));
    if (type.disk->size.value > 0 && total[n] > type.disk->size.value)
      throw InfeasibleError(
          fmt::format("node {} ({}) has {} bytes of tiles and a disk of {}. Use more nodes, a smaller "
                      "matrix, or a disk with more \"size_bytes\"",
                      n, type.name, total[n], type.disk->size.value));
  }
}

}  // namespace factosim
