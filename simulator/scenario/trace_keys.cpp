#include "simulator/scenario/trace_keys.hpp"

#include "simulator/trace/import/read_trace.hpp"

namespace factosim {

namespace {

using Mapping = ReplayOptions::Mapping;

}  // namespace

TraceApplication read_trace_application(JsonReader const& json, bool has_distribution, bool has_scheduler) {
  TraceApplication out;
  (void)json.find("type");
  auto const file = json.at("file", "the trace: a directory or a file");
  if (auto const timings = json.find("timings"))
    out.options.timings = replay_timings(timings->one_of(replay_timings_names()));
  out.options.mapping = has_distribution ? Mapping::distribution
                        : has_scheduler  ? Mapping::nodes
                                         : Mapping::devices;
  auto const mapping = json.find("mapping");
  if (mapping) out.options.mapping = replay_mapping(mapping->one_of(replay_mapping_names()));
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

}  // namespace factosim
