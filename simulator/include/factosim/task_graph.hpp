#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "factosim/id.hpp"
#include "factosim/kernel_model.hpp"
#include "factosim/quantity.hpp"

namespace factosim {

enum class Access : std::uint8_t { read = 1, write = 2, read_write = 3 };

[[nodiscard]] constexpr Access operator|(Access a, Access b) {
  return static_cast<Access>(static_cast<int>(a) | static_cast<int>(b));
}
[[nodiscard]] constexpr bool reads(Access a) { return (static_cast<int>(a) & 1) != 0; }
[[nodiscard]] constexpr bool writes(Access a) { return (static_cast<int>(a) & 2) != 0; }

/// One handle in a task's list of accesses: 30 bits of handle and the mode, packed.
class DataAccess {
 public:
  DataAccess(HandleId handle, Access mode) : bits_(handle.value() << 2U | static_cast<std::uint32_t>(mode)) {}
  [[nodiscard]] HandleId handle() const { return HandleId{bits_ >> 2U}; }
  [[nodiscard]] Access mode() const { return static_cast<Access>(bits_ & 3U); }

 private:
  std::uint32_t bits_;
};

/// A kind of task: its name and cost.
struct Kernel {
  std::string name;
  Flops flops;  // of one task
  bool asynchronous_on_gpu =
      true;                      // false: the GPU driver waits for its end (potrf, getrf; LAPACK on the host)
  std::string timing = {};       // the name of its timings; empty: its own
  bool on_spare_workers = true;  // whether oversubscribed workers, kept for urgent tasks, run it
  bool is_free = false;  // takes no time and needs no timing; runs on a core if the node has one for tasks
  bool memory_bound =
      false;  // moves data rather than computes: its rate does not tell what part of a GPU it uses
  std::optional<Precision> precision{};  // of its timings; none: that of the application
  int nb = 0;                            // tile size of its timings; 0: that of the application
};

/// The name under which the kernel's timings stand.
[[nodiscard]] inline std::string const& timing_name(Kernel const& kernel) {
  return kernel.timing.empty() ? kernel.name : kernel.timing;
}

/// The tile size of the kernel's timings, in an application on tiles of nb.
[[nodiscard]] inline int tile_size(Kernel const& kernel, int nb) { return kernel.nb > 0 ? kernel.nb : nb; }

/// The tile indices of a task as its paper writes them: iteration k, row m, column n.
struct TaskIndices {
  std::int32_t k = 0;
  std::int32_t m = 0;
  std::int32_t n = 0;
};

/// Factors of the durations that a task's kernel has on cores and on GPUs; positive. Tasks of one kernel differ by them.
struct TaskWeight {
  double core = 1;
  double gpu = 1;
};

/// Kind of datum that a handle denotes. `scratch`: memory of a worker, which has no home.
enum class DataKind : std::uint8_t { tile, vector, accumulator, scalar, scratch };

[[nodiscard]] constexpr char const* name_of(DataKind kind) {
  constexpr char const* names[] = {"tile", "vector", "accumulator", "scalar", "scratch"};
  return names[static_cast<std::size_t>(kind)];
}

struct HandleInfo {
  Bytes size;
  std::int32_t m = 0;  // tile row
  std::int32_t n = 0;  // tile column
  NodeId owner = {};   // fixed owner; none: the owner of tile (m, n)
  DataKind data = DataKind::tile;
  bool temporary = false;  // released after its last use; other data stay where they were written last
};

/// Tasks of one purpose. Those of a phase are placed by one distribution; a tile that the next phase keeps on
/// another node moves there as a message.
struct Phase {
  std::string name;
  std::size_t placement = 0;  // number of the distribution that places its tasks
};

/// A directed acyclic graph of tasks on data, as struct of arrays with compressed rows. Tasks are numbered in
/// submission order, which is a topological order; or, once they are placed on several nodes, node after
/// node, so that data used at about the same time is adjacent in memory.
struct TaskGraph {
  std::vector<Kernel> kernels;
  std::vector<HandleInfo> handles;

  std::vector<std::uint16_t> kernel;           // [tasks] index into kernels
  std::vector<std::int32_t> priority;          // [tasks] higher is more urgent
  std::vector<TaskIndices> indices;            // [tasks]
  std::vector<TaskWeight> weights;             // [tasks] of its durations; empty: all 1
  std::vector<std::uint32_t> access_begin;     // [tasks + 1] into accesses
  std::vector<std::uint32_t> access_end;       // [tasks] the same; empty: where those of the next task begin
  std::vector<DataAccess> accesses;            // [accesses] in the order of the task's parameters
  std::vector<std::uint32_t> successor_begin;  // [tasks + 1] into successors
  std::vector<TaskId> successors;              // [edges] of one task: in submission order
  std::vector<std::uint32_t> predecessors;     // [tasks] number of incoming edges
  /// [tasks] the application declares after this task that its output will not be written for a while
  /// (`wont_use`): the runtime system may copy it back to RAM when the bus is idle.
  std::vector<bool> writes_back;
  /// [tasks] after this task its inputs are flushed from the cache of received data: the next reader on that
  /// node needs another message, which is delivered only after this task has run. Empty: no task flushes.
  std::vector<bool> flushes_inputs;
  /// Sorted: (task, input) of the tasks that flush some of their inputs only. The others of `flushes_inputs` flush all.
  std::vector<std::pair<TaskId, HandleId>> flushed_inputs;
  std::vector<Phase> phases;        // empty: one, placed by the first distribution
  std::vector<std::uint8_t> phase;  // [tasks] index into phases; empty: all in the first
  /// Submission numbers, ascending, of the tasks at barriers: each is submitted only after all tasks before
  /// it have run on all nodes.
  std::vector<std::uint32_t> barriers;
  /// Submission numbers, ascending, of the tasks before which all nodes flush their caches: from there on,
  /// replicas received before are not read any more but sent again.
  std::vector<std::uint32_t> cache_flushes;

  std::vector<std::uint32_t> submission;  // [tasks] place in the sequence of submission; empty: the task's id

  [[nodiscard]] std::uint32_t submission_number(TaskId t) const {
    return submission.empty() ? t.value() : submission[t.index()];
  }
  [[nodiscard]] std::size_t placement(TaskId t) const {
    return phase.empty() ? 0 : phases[phase[t.index()]].placement;
  }
  /// Returns the number of cache flushes before the task. O(cache flushes).
  [[nodiscard]] std::uint32_t cache_epoch(TaskId t) const {
    std::uint32_t epoch = 0;
    while (epoch < cache_flushes.size() && cache_flushes[epoch] <= submission_number(t)) ++epoch;
    return epoch;
  }
  [[nodiscard]] bool flushes(TaskId t) const { return !flushes_inputs.empty() && flushes_inputs[t.index()]; }
  /// Returns whether that input is flushed after the task.
  [[nodiscard]] bool flushes(TaskId t, HandleId input) const {
    if (!flushes(t) || flushed_inputs.empty()) return flushes(t);
    auto const first = std::ranges::lower_bound(flushed_inputs, std::pair(t, HandleId{0U}));
    bool const all = first == flushed_inputs.end() || first->first != t;
    return all || std::ranges::binary_search(flushed_inputs, std::pair(t, input));
  }
  /// Returns the factor of the duration of the task's kernel on a GPU, or on a core.
  [[nodiscard]] double weight(TaskId t, bool on_gpu) const {
    if (weights.empty()) return 1;
    return on_gpu ? weights[t.index()].gpu : weights[t.index()].core;
  }
  [[nodiscard]] std::size_t task_count() const { return kernel.size(); }
  [[nodiscard]] std::size_t edge_count() const { return successors.size(); }
  [[nodiscard]] Kernel const& kernel_of(TaskId t) const { return kernels[kernel[t.index()]]; }
  [[nodiscard]] std::uint32_t access_end_of(TaskId t) const {
    return access_end.empty() ? access_begin[t.index() + 1] : access_end[t.index()];
  }
  [[nodiscard]] std::span<DataAccess const> accesses_of(TaskId t) const {
    return {accesses.data() + access_begin[t.index()], accesses.data() + access_end_of(t)};
  }
  [[nodiscard]] std::span<TaskId const> successors_of(TaskId t) const {
    return {successors.data() + successor_begin[t.index()],
            successors.data() + successor_begin[t.index() + 1]};
  }
  /// The handle that decides where a task runs (owner computes): the first one it writes.
  [[nodiscard]] HandleId written_by(TaskId t) const {
    for (DataAccess const& access : accesses_of(t))
      if (writes(access.mode())) return access.handle();
    return {};
  }
  /// Returns the handle that one message brings from the task to a successor on another node: the first one
  /// that the task writes and the successor reads.
  [[nodiscard]] HandleId given_to(TaskId t, TaskId successor) const {
    HandleId given;
    for (DataAccess const& access : accesses_of(t)) {
      if (!writes(access.mode())) continue;
      if (given.valid() && reads_handle(successor, given)) break;
      given = access.handle();
    }
    return given;
  }
  [[nodiscard]] bool reads_handle(TaskId t, HandleId handle) const {
    for (DataAccess const& access : accesses_of(t))
      if (access.handle() == handle) return reads(access.mode());
    return false;
  }
};

}  // namespace factosim
