#include "simulator/scenario/trace_application.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "simulator/core/named_values.hpp"
#include "simulator/trace/import/read_trace.hpp"

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

bool is_trace_application(JsonReader const& json) {
  if (!json.is_object()) return false;
  auto const type = json.find("type");
  return type && type->is_string() && type->string() == "trace";
}

TraceApplication read_trace_application(JsonReader const& json, bool has_distribution, bool has_scheduler) {
  TraceApplication out;
  (void)json.find("type");
  auto const file = json.at("file", "the trace: a directory or a file");
  if (auto const timings = json.find("timings"))
    out.options.timings = timings_names.named(timings->one_of(timings_names.names()));
  out.options.mapping = has_distribution ? Mapping::distribution
                        : has_scheduler  ? Mapping::nodes
                                         : Mapping::devices;
  auto const mapping = json.find("mapping");
  if (mapping) out.options.mapping = mapping_names.named(mapping->one_of(mapping_names.names()));
  if (out.options.mapping == Mapping::distribution && !has_distribution)
    mapping->fail("is \"distribution\", and the scenario has none. Add \"distribution\", or use \"nodes\"");
  if (out.options.mapping != Mapping::distribution && has_distribution)
    mapping->fail("keeps tasks where they ran, and the scenario has a distribution. Leave one of them out");
  if (auto const submission = json.find("submission"))
    out.options.recorded_submission = submission->one_of({"recorded", "runtime"}) == "recorded";
  if (auto const pauses = json.find("pauses"))
    out.options.recorded_pauses = pauses->one_of({"recorded", "runtime"}) == "recorded";
  if (auto const messages = json.find("messages"))
    out.options.recorded_messages = messages->one_of({"recorded", "means"}) == "recorded";
  json.finish();
  out.trace = std::make_shared<Trace const>(read_trace(file.path()));
  return out;
}

nlohmann::ordered_json effective_trace_application(TraceApplication const& a) {
  return {{"type", "trace"},
          {"file", a.trace->source},
          {"timings", name_of(a.options.timings)},
          {"mapping", name_of(a.options.mapping)},
          {"submission", a.options.recorded_submission ? "recorded" : "runtime"},
          {"pauses", a.own_platform && a.options.recorded_pauses ? "recorded" : "runtime"},
          {"messages", a.own_platform && a.options.recorded_messages ? "recorded" : "means"},
          {"recorded_makespan_s", recorded_makespan(*a.trace)}};
}

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
