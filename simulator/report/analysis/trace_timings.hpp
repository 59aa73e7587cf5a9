#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "factosim/platform.hpp"
#include "models/starpu_symbol.hpp"
#include "simulator/base/core/sample.hpp"
#include "simulator/traces/trace/trace.hpp"

namespace factosim {

/// A kernel on data of one shape.
struct TimedKernel {
  std::uint16_t kernel;     // into Trace::kernels
  std::uint32_t footprint;  // 0: unknown
  auto operator<=>(TimedKernel const&) const = default;
};

/// Returns the kernel that the performance model of a kernel of the trace, or else its name, denotes;
/// nullopt: unknown.
[[nodiscard]] std::optional<StarpuSymbol> symbol_of(Trace const& trace, std::size_t kernel);
/// Returns the bytes of the data of a task; 0 if they are not known.
[[nodiscard]] Bytes data_of(Trace const& trace, std::size_t task);
/// Returns the tile sizes by the bytes of all tasks of a trace.
[[nodiscard]] TileSizes tile_sizes(Trace const& trace);

/// Returns the duration of the kernel of each task, in seconds. [tasks] Kernels of a GPU run one after
/// another on a stream: if a kernel starts, that is, was launched, before the previous one ended, its
/// duration counts from that end.
[[nodiscard]] std::vector<double> kernel_seconds(Trace const& trace);

/// The durations of the tasks of a trace, by kind. With more than 65 000 kinds, shapes of data are merged.
class TraceTimings {
 public:
  explicit TraceTimings(Trace const& trace);

  /// Returns the kinds of tasks, sorted by kernel, then by footprint.
  [[nodiscard]] std::vector<TimedKernel> const& kinds() const { return kinds_; }
  /// Returns the duration of each task as kernel_seconds() computes it: [tasks], seconds.
  [[nodiscard]] std::vector<double> const& seconds() const { return seconds_; }
  /// Returns the kind of each task: [tasks], index into kinds().
  [[nodiscard]] std::vector<std::uint32_t> const& kind_of_task() const { return kind_of_task_; }

  /// Returns the statistics in seconds of one kind on all workers with that name ("cpu": all cores; "cuda1":
  /// one GPU) of a node; no values if none ran it.
  [[nodiscard]] Moments on(std::uint32_t kind, NodeId node, std::string const& worker) const;
  /// Returns the statistics on all workers of a device: of one node, or of all nodes if `node` is invalid.
  [[nodiscard]] Moments on(std::uint32_t kind, NodeId node, Trace::Device device) const;

 private:
  std::vector<double> seconds_;
  std::vector<TimedKernel> kinds_;
  std::vector<std::uint32_t> kind_of_task_;
  std::map<std::tuple<std::uint32_t, NodeId, std::string>, Moments> by_worker_;
  std::map<std::tuple<std::uint32_t, NodeId, Trace::Device>, Moments> by_device_;
};

/// Returns the name for timings of a worker: "cpu" for all cores, its own for a GPU.
[[nodiscard]] std::string timing_worker(Trace::Worker const& worker);

/// Latency and bandwidth of a link, fitted to transfers over it: time = latency + size / bandwidth.
struct LinkFit {
  LinkRate rate;
  std::size_t transfers = 0;
  double mean_s = 0;          // mean time of a transfer
  double residual_s = 0;      // root mean square of the residuals
  bool latency_known = true;  // false: all sizes are similar, and the bandwidth accounts for all of the time
};

struct TransferTime {
  double size_bytes, seconds;
};

/// Returns the fit of these transfers with the rate at which they take their total time, without latency. At least one.
[[nodiscard]] LinkFit fit_through_zero(std::vector<TransferTime> const& transfers);

/// Fits by least squares. Transfers without size or time are ignored. Returns nullopt if none is left.
[[nodiscard]] std::optional<LinkFit> fit_link(std::vector<TransferTime> const& transfers);

/// Fits the times of messages between nodes, from the date at which they could be sent to their arrival.
/// Clock offsets between two nodes lengthen one direction and shorten the other, so all directions are
/// fitted together.
[[nodiscard]] std::optional<LinkFit> fit_messages(Trace const& trace);
/// Fits the copies within nodes, by (from, to): memory nodes of the trace.
[[nodiscard]] std::map<std::pair<MemoryNodeId, MemoryNodeId>, LinkFit> fit_copies(Trace const& trace);

/// Builds a bus with a separate link between each pair of connected memory nodes. Memory node 0, the RAM,
/// must be connected to all others. GPUs that are not connected copy through the RAM, and the runtime
/// expects the time of both copies. `link(from, to)` returns nothing if they are not connected.
[[nodiscard]] Bus pairwise_bus(std::size_t memories,
                               std::function<std::optional<LinkRate>(std::size_t, std::size_t)> const& link);

}  // namespace factosim
