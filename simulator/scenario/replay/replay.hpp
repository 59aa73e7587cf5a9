#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "factosim/kernel_model.hpp"
#include "factosim/platform.hpp"
#include "factosim/task_graph.hpp"
#include "factosim/tile_map.hpp"
#include "simulator/base/core/finding.hpp"
#include "simulator/base/core/named_values.hpp"
#include "simulator/report/analysis/trace_timings.hpp"
#include "simulator/runtime/node/outcome.hpp"
#include "simulator/runtime/policies/recorded.hpp"
#include "simulator/tasks/plan/execution_plan.hpp"
#include "simulator/tasks/plan/machine.hpp"
#include "simulator/tasks/plan/options.hpp"
#include "simulator/traces/trace/trace.hpp"

namespace factosim {

/// Options of the replay of a recorded run.
struct ReplayOptions {
  enum class Timings : std::uint8_t {
    own_means,  // the mean of its kernel, on data of its shape, on that type of worker, in the trace
    recorded,   // the duration of that very task, on workers of the type that ran it; else the mean
    platform    // by the platform's kernel files
  };
  enum class Mapping : std::uint8_t {
    devices,  // each task on its node and type of worker (any core; its GPU), in the recorded order if ready
    workers,  // each task on the worker that ran it, strictly in the recorded order
    nodes,    // on its node; the scenario's policy chooses the worker
    distribution  // on the node that owns the data that it writes, by the scenario's distribution
  };
  Timings timings = Timings::own_means;
  Mapping mapping = Mapping::devices;
  bool recorded_submission = true;  // no task is submitted before its recorded date
  bool recorded_pauses = true;      // each task starts as long after it could (own platform only)
  bool recorded_messages =
      true;  // each with its recorded time; else the mean of its size (own platform only)

  /// Nothing but means of durations takes the place of what was recorded.
  [[nodiscard]] bool repeats_all() const {
    return prescribes_workers() && timings != Timings::platform && recorded_submission && recorded_pauses &&
           recorded_messages;
  }
  /// The trace prescribes the worker, or at least its type: no policy chooses.
  [[nodiscard]] bool prescribes_workers() const { return mapping <= Mapping::workers; }
};

[[nodiscard]] constexpr NamedValues<ReplayOptions::Timings, 3> names_of(ReplayOptions::Timings /*any*/) {
  using enum ReplayOptions::Timings;
  return {"timings", {{{own_means, "own-means"}, {recorded, "recorded"}, {platform, "platform"}}}};
}
[[nodiscard]] constexpr NamedValues<ReplayOptions::Mapping, 4> names_of(ReplayOptions::Mapping /*any*/) {
  using enum ReplayOptions::Mapping;
  return {"mapping",
          {{{devices, "devices"}, {workers, "workers"}, {nodes, "nodes"}, {distribution, "distribution"}}}};
}

/// A scenario's `"application": {"type": "trace", ...}`.
struct TraceApplication {
  std::shared_ptr<Trace const> trace;
  ReplayOptions options;
  bool own_platform = false;  // the platform is the one that the trace shows
};

/// The inputs of a replay; they must outlive it.
struct ReplayInputs {
  std::string const& file;  // the scenario's, for messages
  TraceApplication const& application;
  Platform const& platform;
  std::span<KernelModel const> models;  // [platform types]
  RuntimeOptions const& runtime;
  TileMap const* map = nullptr;  // with Mapping::distribution
};

/// The tasks of a trace, planned on a cluster.
struct ReplayPlan {
  TaskGraph graph;
  ExecutionPlan plan;
  Machine machine;
  Recording recording;
  std::vector<Finding> findings;  // what the trace does not tell
};

/// Plans the replay of a trace. Throws InputError if a task can run on no worker of its node, if tasks should
/// stay on workers that the platform does not have, or if messages of unknown size are to be simulated; InfeasibleError if a GPU cannot hold the data of a
/// task.
[[nodiscard]] ReplayPlan plan_replay(ReplayInputs const& inputs);

/// Returns by how much a replay that changes nothing differs from the recorded run, as text; nothing up to 5 %.
[[nodiscard]] std::optional<std::string> difference_of_replay(TraceApplication const& replay,
                                                              SimulationOutcome const& outcome);

/// The task graph of a recorded run, with the nodes of tasks and handles.
struct ReplayGraph {
  TaskGraph graph;                      // kernel: into TraceTimings::kinds()
  std::vector<NodeId> node;             // [tasks] node that runs the task
  std::vector<NodeId> owner;            // [handles] node that has the handle at the start
  std::vector<std::uint32_t> recorded;  // [tasks] index into the tasks of the trace
  std::vector<bool> unsized;            // [handles] whose size is not known; they have 0 bytes
  std::size_t waits_added = 0;  // tasks that read what another node wrote, without a recorded dependency
};

/// Returns the graph of a trace, in which each task runs on the node that ran it. Tasks are numbered in the order of
/// their submission as far as dependencies allow, since the clocks of nodes may disagree. A task sends its first
/// output if that is all that its successors on other nodes read of it. Otherwise it sends one new handle with the
/// total size of the data they read. Where that is not known, it has the size of the recorded messages.
/// With Mapping::distribution, each task runs on the owner of the first handle that it writes: by `map` if the handle
/// has coordinates, else the node of the first task that names it. Throws InputError if the trace has no data then.
/// `timings`: of the trace. O((tasks + edges + accesses) log).
[[nodiscard]] ReplayGraph replay_graph(TraceApplication const& application, TraceTimings const& timings,
                                       TileMap const* map);

/// Returns the nodes that a trace shows, each of a type of its own, with the workers that it names, in their
/// order, and without links. Cores that drive GPUs and messages are added as `options` take them away.
[[nodiscard]] Platform trace_workers(Trace const& trace, RuntimeOptions const& options);

/// Returns the nodes of `trace_workers` with links fitted to the trace's messages and copies. Assumes buses
/// of 12 GB/s with 10 us where the trace shows no copies, and reports that in `findings`; assumes memory
/// without limit.
[[nodiscard]] Platform trace_platform(Trace const& trace, RuntimeOptions const& options,
                                      std::vector<Finding>& findings);

/// Returns the pause before each kernel, [tasks], in seconds, at least 0: from the date at which it could
/// start to its start. It could start after the start of the first task, the end of the kernel before on its
/// worker, its submission, and the end of its predecessors, or the arrival of their data from another node.
[[nodiscard]] std::vector<double> pauses(Trace const& trace);

/// Returns the default options on a trace's own platform: messages take their time in the trace, which
/// includes all waiting. `with_pauses`: pushing, fetching and progress take no time, because the recorded
/// pauses contain it.
[[nodiscard]] RuntimeOptions replay_options(bool with_pauses);

}  // namespace factosim
