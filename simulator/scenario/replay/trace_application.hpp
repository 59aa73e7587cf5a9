#pragma once

#include <cstdint>
#include <memory>

#include "simulator/base/core/named_values.hpp"
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

}  // namespace factosim
