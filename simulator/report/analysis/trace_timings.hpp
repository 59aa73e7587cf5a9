#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

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

}  // namespace factosim
