#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/applications/application.hpp"
#include "simulator/base/core/fields.hpp"

namespace factosim {

/// The trace format that is written by default.
inline constexpr char const* default_trace = "trace";

struct OutputOptions {
  std::vector<std::string> traces{default_trace};  // names of formats (trace_formats.hpp) to write
  bool trace_by_default = true;                    // run.trace was not asked for
  std::size_t series_points = 0;  // maximum number of intervals of DIR/series.json; 0: not written
};

/// The keys of "outputs".
[[nodiscard]] Object<OutputOptions> const& object_of(OutputOptions const* any);

/// Throws InputError if a series is asked for, of a run of that type that has none. `scenario`: the whole document.
void refuse_series(JsonReader const& scenario, OutputOptions const& outputs, std::string_view type);

/// Throws InputError if a trace is asked for. `why`: to stand in brackets.
void refuse_traces(JsonReader const& scenario, OutputOptions const& outputs, std::string_view why);

/// How much of a run is simulated.
enum class Detail : std::uint8_t {
  tasks,   // every task
  sampled  // some windows of iterations, from which the makespan is estimated
};
[[nodiscard]] constexpr NamedValues<Detail, 2> names_of(Detail /*any*/) {
  return {"detail", {{{Detail::tasks, "tasks"}, {Detail::sampled, "sampled"}}}};
}

struct DetailOptions {
  Detail type = Detail::tasks;
  double tolerance = 0.01;  // of sampled iterations: relative error that refining aims at
};

/// The keys of "detail".
[[nodiscard]] Object<DetailOptions> const& object_of(DetailOptions const* any);

/// Throws InputError if not every task is simulated of an application without iterations that are alike.
/// `scenario`: the whole document; `application`: null for one that is not tiled.
void check_estimate(JsonReader const& scenario, DetailOptions const& options, Application const* application,
                    ApplicationParameters const& parameters);

}  // namespace factosim
