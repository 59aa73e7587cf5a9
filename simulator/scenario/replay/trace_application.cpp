#include "simulator/scenario/replay/trace_application.hpp"

#include <algorithm>

#include "simulator/base/core/named_values.hpp"

namespace factosim {

namespace {

using Timings = ReplayOptions::Timings;
using Mapping = ReplayOptions::Mapping;
constexpr NamedValues<Timings, 3> timings_names{.what = "timings",
                                                .values = {{{Timings::own_means, "own-means"},
                                                            {Timings::recorded, "recorded"},
                                                            {Timings::platform, "platform"}}}};
constexpr NamedValues<Mapping, 4> mapping_names{.what = "mapping",
                                                .values = {{{Mapping::devices, "devices"},
                                                            {Mapping::workers, "workers"},
                                                            {Mapping::nodes, "nodes"},
                                                            {Mapping::distribution, "distribution"}}}};

}  // namespace

std::string_view name_of(Timings timings) { return timings_names.name_of(timings); }
std::string_view name_of(Mapping mapping) { return mapping_names.name_of(mapping); }

std::vector<std::string> replay_timings_names() { return timings_names.names(); }
std::vector<std::string> replay_mapping_names() { return mapping_names.names(); }

ReplayOptions::Timings replay_timings(std::string_view name) { return timings_names.named(name); }
ReplayOptions::Mapping replay_mapping(std::string_view name) { return mapping_names.named(name); }

double recorded_makespan(Trace const& trace) {
  return *std::max_element(trace.end_s.begin(), trace.end_s.end()) -
         *std::min_element(trace.start_s.begin(), trace.start_s.end());
}

int matrix_tiles(Trace const& trace) {
  std::int32_t maximum = -1;
  for (Trace::Handle const& h : trace.handles) maximum = std::max({maximum, h.m, h.n});
  return maximum + 1;
}

}  // namespace factosim
