#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/core/json_reader.hpp"
#include "simulator/trace/trace.hpp"

namespace factosim {

/// How a recorded run is replayed.
struct ReplayOptions {
  enum class Timings : std::uint8_t {
    own_means,  // the mean of its kernel, on data of its shape, on that sort of worker, in the trace
    recorded,   // what that very task lasted, on workers of the sort that ran it; else the mean
    platform    // by the platform's kernel files
  };
  enum class Mapping : std::uint8_t {
    devices,  // each task on its node and sort of worker (any core; its GPU), as ready in the recorded order
    workers,  // each task on the worker that ran it, strictly in the recorded order
    nodes,    // on its node; the scenario's policy chooses the worker
    distribution  // on the node that owns what it writes, by the scenario's distribution
  };
  Timings timings = Timings::own_means;
  Mapping mapping = Mapping::devices;
  bool recorded_submission = true;  // no task is submitted before it was
  bool recorded_pauses = true;      // each task starts as long after it could (own platform only)
  bool recorded_messages = true;    // each takes what it took; else the mean of its size (own platform only)
};

[[nodiscard]] std::string_view name_of(ReplayOptions::Timings timings);
[[nodiscard]] std::string_view name_of(ReplayOptions::Mapping mapping);

/// A scenario's `"application": {"type": "trace", ...}`.
struct TraceApplication {
  std::shared_ptr<Trace const> trace;
  ReplayOptions options;
  bool own_platform = false;        // the platform is the one that the trace shows
  std::vector<Finding> findings{};  // what was assumed about that
};

/// Whether a scenario's "application" is one; says nothing about the rest of it.
[[nodiscard]] bool is_trace_application(JsonReader const& json);

/// Reads it, and the trace. What stays where follows from what else the scenario has, unless it says so:
/// `has_distribution` asks for Mapping::distribution, `has_scheduler` for Mapping::nodes. Throws InputError.
[[nodiscard]] TraceApplication read_trace_application(JsonReader const& json, bool has_distribution,
                                                      bool has_scheduler);

[[nodiscard]] nlohmann::ordered_json effective_trace_application(TraceApplication const& application);

/// Seconds from the first start of a task to the last end.
[[nodiscard]] double recorded_makespan(Trace const& trace);
/// The order of a square matrix that the tiles' coordinates span, in tiles; 0 where they have none.
[[nodiscard]] int matrix_tiles(Trace const& trace);

}  // namespace factosim
