#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "models/starpu_symbol.hpp"
#include "simulator/trace/trace.hpp"

namespace factosim {

/// A kernel on data of one shape: what a timing is about.
struct TimedKernel {
  std::uint16_t kernel;     // into Trace::kernels
  std::uint32_t footprint;  // 0: unknown
  auto operator<=>(TimedKernel const&) const = default;
};

/// Mean, population standard deviation and number of some durations, in seconds.
struct DurationStatistics {
  double mean_s = 0, deviation_s = 0;
  std::size_t samples = 0;
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

  /// Of one kind on all workers of that name ("cpu": all cores; "cuda1": that GPU) of one node; no samples
  /// where none ran it.
  [[nodiscard]] DurationStatistics on(std::uint32_t kind, NodeId node, std::string const& worker) const;
  /// On all workers of a sort: of one node, or of all where the node is none.
  [[nodiscard]] DurationStatistics on(std::uint32_t kind, NodeId node, Trace::Device device) const;

 private:
  struct Sums {
    double sum = 0, squares = 0;
    std::size_t count = 0;
    void add(double seconds) {
      sum += seconds;
      squares += seconds * seconds;
      ++count;
    }
    [[nodiscard]] DurationStatistics statistics() const;
  };

  std::vector<double> seconds_;
  std::vector<TimedKernel> kinds_;
  std::vector<std::uint32_t> kind_of_task_;
  std::map<std::tuple<std::uint32_t, NodeId, std::string>, Sums> by_worker_;
  std::map<std::tuple<std::uint32_t, NodeId, Trace::Device>, Sums> by_device_;
};

/// The name under which timings of a worker stand: "cpu" for all cores, its own for a GPU.
[[nodiscard]] std::string timing_worker(Trace::Worker const& worker);

}  // namespace factosim
