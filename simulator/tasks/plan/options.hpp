#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "factosim/platform.hpp"
#include "factosim/quantity.hpp"
#include "factosim/task_graph.hpp"
#include "platforms/memory_nodes.hpp"
#include "simulator/base/core/named_values.hpp"
#include "simulator/base/core/time_grid.hpp"
#include "simulator/tasks/plan/execution_plan.hpp"

namespace factosim {

/// Algorithms that send an output of a task to several nodes.
enum class Broadcast {
  point_to_point,  // the owner sends to each, the most urgent first
  binomial,        // a binomial tree: each node that has the output serves half of the remaining nodes
  ring,            // each node sends it to the next one, the most urgent first ("increasing ring")
  cooperative      // each free node that has it sends it to the most urgent node that is not served yet
};

[[nodiscard]] constexpr NamedValues<Broadcast, 4> names_of(Broadcast /*any*/) {
  using enum Broadcast;
  return {"broadcast",
          {{{point_to_point, "point-to-point"},
            {binomial, "binomial"},
            {ring, "ring"},
            {cooperative, "cooperative"}}}};
}

/// Returns for each of `count` messages, the most urgent first, the message whose receiver forwards it, or
/// none where the owner sends it itself.
[[nodiscard]] inline std::vector<std::optional<std::size_t>> forwarding_tree(Broadcast broadcast,
                                                                             std::size_t count) {
  std::vector<std::optional<std::size_t>> parent(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (broadcast == Broadcast::ring && i > 0) parent[i] = i - 1;
    // In the tree, the parent of rank i + 1 is that rank without its highest bit; rank 0 is the owner.
    if (broadcast == Broadcast::binomial)
      if (std::size_t const rank = (i + 1) - std::bit_floor(i + 1); rank > 0) parent[i] = rank - 1;
  }
  return parent;
}

/// The tasks of the sequential task flow that a node unrolls, at one submission cost each.
enum class Unrolling : std::uint8_t {
  whole,   // all tasks, wherever they run (StarPU-MPI)
  pruned,  // tasks that it runs or that access handles it owns (StarPU-MPI with a pruning application)
  own      // tasks that it runs (StarPU-MPI over SimGrid, which charges only these)
};

[[nodiscard]] constexpr NamedValues<Unrolling, 3> names_of(Unrolling /*any*/) {
  return {"unrolling",
          {{{Unrolling::whole, "whole"}, {Unrolling::pruned, "pruned"}, {Unrolling::own, "own"}}}};
}

/// Returns for each task the number of tasks that its node has unrolled since the last barrier once it has
/// submitted this one: [tasks], from 1. Not of `whole`, where that is its
/// number. O(tasks + accesses).
[[nodiscard]] std::vector<std::uint32_t> unrolled_tasks(TaskGraph const& graph, ExecutionPlan const& plan,
                                                        Unrolling unrolling);

inline constexpr int unlimited_sends = 1'000'000;  // of a node at once

/// Version of StarPU.
enum class RuntimeVersion : std::uint8_t { v1_4, v1_5 };

[[nodiscard]] constexpr NamedValues<RuntimeVersion, 2> names_of(RuntimeVersion /*any*/) {
  return {"version", {{{RuntimeVersion::v1_4, "1.4"}, {RuntimeVersion::v1_5, "1.5"}}}};
}

/// What the kernels in flight on a GPU have of it.
enum class GpuSharing : std::uint8_t {
  equal,     // equal parts, as StarPU-SimGrid's
  occupancy  // no more than each uses alone: see Machine::Type::gpu_parts
};

/// A message is sent once its receiver knows of it: how long its announcement and the answer take, in latencies of the route.
struct Rendezvous {
  double question = 1, answer = 1;
  [[nodiscard]] bool asks() const { return question + answer > 0; }
};

/// Behaviour and costs of the runtime system. The defaults are those of StarPU 1.4 in simulation; a cost of
/// 0 disables it. Sources are files of StarPU.
struct RuntimeOptions {
  // Costs of the runtime system, each per:
  Seconds submission_cost{1e-6};    // task, in the thread that submits (core/task.c)
  Seconds push_cost{1e-6};          // ready task or send, in the thread of its cause (core/sched_policy.c)
  Seconds fetch_cost{1e-6};         // operand, in the worker (datawizard/coherency.c)
  Seconds progress_cost{1e-6};      // round of data management of a driver (datawizard.c)
  Seconds wont_use_cost{3e-6};      // write-back hint, in the worker that finished
  Seconds gpu_queue_cost{10e-6};    // kernel or transfer, in the GPU's driver (simgrid.c)
  Seconds gpu_malloc_cost{175e-6};  // allocation on a GPU, one at a time per node (driver_cuda.c)
  Seconds gpu_free_cost{750e-6};    // deallocation, one at a time per node
  Seconds pinning_cost{650e-6};     // MiB of page-locked RAM for received tiles (malloc.c)

  /// A round of a driver provides no further receive buffer after that time (data_request.h, MAX_PUSH_TIME).
  Seconds buffer_round{1e-3};
  // Behaviour.
  int gpu_pipeline = 2;  // tasks that a GPU holds: one runs, inputs of the next arrive; 0: none ahead
  bool prefetch = true;  // inputs are transferred as soon as the worker is chosen
  bool wont_use = true;  // follow write-back hints of the application
  bool copies_wait_for_kernels = false;  // a copy begins once the kernel that its GPU runs has ended
  int fetch_limit = 5;                   // requests in flight per (driver, peer, direction): fetches
  int prefetch_limit = 2;                // ... prefetches
  int idle_limit = 1;                    // ... idle copies
  int max_gpus = 1000;                   // of each node; others are not used
  int cores_per_gpu = 1;                 // cores that each GPU's driver occupies
  int workers_per_gpu = 1;               // each runs kernels of its own, which share the GPU
  GpuSharing gpu_sharing = GpuSharing::equal;
  int reserved_cores = 0;                  // cores of each node that run no tasks
  int max_submitted_tasks = 0;             // submitted and not run, of a node; 0: no limit
  Unrolling unrolling = Unrolling::whole;  // tasks that a node unrolls
  int min_submitted_tasks = 0;             // a stopped submission resumes at this number (core/task.c)
  double gpu_memory_fraction = 0.9;        // fraction of a GPU's memory that tiles may use
  /// Who chooses the copies that leave a full GPU memory: one of `described_evictions()`.
  std::string eviction = "default";

  /// Additional workers on occupied cores, for kernels with `on_spare_workers` (a thread of the
  /// application).
  int oversubscribed_workers = 0;

  // Page-locking of RAM on nodes with GPUs (malloc.c). See HostMemory.
  Seconds host_alloc_cost{0};           // per MiB that is not cached
  bool allocate_at_submission = false;  // by the thread that submits; else on demand
  bool chunk_cache = true;              // released memory is kept for the next allocation
  double preallocated_ram = 0;          // fraction of the RAM that is pinned at the start
  bool gpus_wait_for_pinning = false;   // a GPU's driver waits for pinning in progress before a transfer
  /// Page-locking waits for the kernels in flight: CUDA C++ Programming Guide, "Implicit Synchronization".
  bool pinning_waits_for_kernels = false;

  // RAM that is too small for the tiles of a node.
  bool out_of_core = false;        // the disk of a node holds what its RAM cannot
  Bytes ram_limit{0};              // RAM of each node that tiles may use; 0: that of the platform
  std::optional<DiskSpec> disk{};  // of each node; none: that of the platform
  DiskPrediction disk_prediction = DiskPrediction::rates;
  bool data_starts_on_disk = false;  // else in RAM, as far as it has room

  // Between nodes.
  int communication_cores = 1;    // cores of each node that handle messages, if there are several nodes
  int max_sends_per_node = 10;    // messages that a node sends at once (ndetached_send)
  int max_sends = 0;              // messages in flight between all nodes; 0: no limit
  bool sends_by_priority = true;  // the most urgent first; else first in, first out
  Broadcast broadcast = Broadcast::point_to_point;
  Rendezvous rendezvous{};
  /// Memory for a message is allocated when it is announced, by the communication thread of its receiver; else
  /// when its receive is posted.
  bool late_receive_buffers = false;
  /// Prefetches request the operands of a task in the order in which they are sorted; else in that of the graph.
  bool sorted_prefetches = false;
  bool shared_requests = false;  // tasks that need the same copy share the request that waits for it
  bool parallel_sends = false;   // the thread that has the data sends it; else the communication thread

  RuntimeVersion version = RuntimeVersion::v1_4;  // whose defaults the options have

  /// Returns the time to release data that a message has brought: a task without work is submitted and pushed, each at the cost
  /// of a push (datawizard/user_interactions.c, starpu_data_release_on_node).
  [[nodiscard]] Seconds release_cost() const { return push_cost * 2; }
};

/// All costs of the runtime system; the last two are per MiB. Their order numbers the random factors of a run.
inline constexpr std::array runtime_costs{&RuntimeOptions::submission_cost, &RuntimeOptions::push_cost,
                                          &RuntimeOptions::fetch_cost,      &RuntimeOptions::progress_cost,
                                          &RuntimeOptions::wont_use_cost,   &RuntimeOptions::gpu_queue_cost,
                                          &RuntimeOptions::gpu_malloc_cost, &RuntimeOptions::gpu_free_cost,
                                          &RuntimeOptions::pinning_cost,    &RuntimeOptions::host_alloc_cost};

/// A switch of the runtime system with its default in each version of StarPU, in simulation.
struct VersionedSwitch {
  bool RuntimeOptions::*option;
  bool v1_4, v1_5;
};

/// The switches that depend on the version or came with one. Files are those of StarPU.
inline constexpr std::array versioned_switches{
    // STARPU_MPI_MEM_LATE, off in both versions (mpi/src/starpu_mpi_private.c)
    VersionedSwitch{.option = &RuntimeOptions::late_receive_buffers, .v1_4 = false, .v1_5 = false},
    // STARPU_MPI_THREAD_MULTIPLE_SEND. 1.5 has it on with MPICH and Open MPI from 4 on, and off in simulation
    // (mpi/src/starpu_mpi_private.c)
    VersionedSwitch{.option = &RuntimeOptions::parallel_sends, .v1_4 = false, .v1_5 = false},
    // The order of a job's operands in a prefetch (datawizard/coherency.c, _starpu_prefetch_task_input_prio)
    VersionedSwitch{.option = &RuntimeOptions::sorted_prefetches, .v1_4 = false, .v1_5 = true},
};

/// Returns the options with the versioned switches as that version has them by default.
[[nodiscard]] inline RuntimeOptions with_version(RuntimeOptions options, RuntimeVersion version) {
  options.version = version;
  for (VersionedSwitch const& versioned : versioned_switches)
    options.*versioned.option = version == RuntimeVersion::v1_4 ? versioned.v1_4 : versioned.v1_5;
  return options;
}

/// Returns the options with the costs per task, operand and round in whole ticks, so that their sums are exact.
[[nodiscard]] inline RuntimeOptions on_grid(RuntimeOptions options, TimeGrid const& grid) {
  constexpr std::size_t per_MiB = 2;  // the last ones: products with them are rounded
  for (Seconds RuntimeOptions::*const cost : std::span(runtime_costs).first<runtime_costs.size() - per_MiB>())
    options.*cost = grid.duration(options.*cost);
  return options;
}

}  // namespace factosim
