#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "models/starpu_symbol.hpp"
#include "simulator/core/sample.hpp"
#include "simulator/trace/trace.hpp"

namespace factosim {

/// A kernel on data of one shape: what a timing is about.
struct TimedKernel {
  std::uint16_t kernel;     // into Trace::kernels
  std::uint32_t footprint;  // 0: unknown
  auto operator<=>(TimedKernel const&) const = default;
};

/// What the performance model of a kernel of the trace, or else its name, says of it; nullopt: nothing we
/// know.
[[nodiscard]] std::optional<StarpuSymbol> symbol_of(Trace const& trace, std::size_t kernel);

/// [tasks] what the kernel of each lasted, in seconds. A GPU's kernels follow each other on a stream: one
/// that is told to start before the one before it has ended, since it was launched then, counts from that
/// end.
[[nodiscard]] std::vector<double> kernel_seconds(Trace const& trace);

/// What the tasks of a trace lasted. Beyond 65 000 kinds, shapes of data are not told apart.
class TraceTimings {
 public:
  explicit TraceTimings(Trace const& trace);

  /// [kinds] in order of kernel, then footprint.
  [[nodiscard]] std::vector<TimedKernel> const& kinds() const { return kinds_; }
  /// [tasks] as kernel_seconds() tells.
  [[nodiscard]] std::vector<double> const& seconds() const { return seconds_; }
  /// [tasks] into kinds().
  [[nodiscard]] std::vector<std::uint32_t> const& kind_of_task() const { return kind_of_task_; }

  /// Durations in seconds of one kind on all workers of that name ("cpu": all cores; "cuda1": that GPU) of one
  /// node; of no values if none ran it.
  [[nodiscard]] Moments on(std::uint32_t kind, NodeId node, std::string const& worker) const;
  /// The same on all workers of a device; without a node, of all nodes.
  [[nodiscard]] Moments on(std::uint32_t kind, NodeId node, Trace::Device device) const;

 private:
  std::vector<double> seconds_;
  std::vector<TimedKernel> kinds_;
  std::vector<std::uint32_t> kind_of_task_;
  std::map<std::tuple<std::uint32_t, NodeId, std::string>, Moments> by_worker_;
  std::map<std::tuple<std::uint32_t, NodeId, Trace::Device>, Moments> by_device_;
};

/// The name under which timings of a worker stand: "cpu" for all cores, its own for a GPU.
[[nodiscard]] std::string timing_worker(Trace::Worker const& worker);

}  // namespace factosim
