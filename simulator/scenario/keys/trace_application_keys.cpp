#include "simulator/base/core/fields.hpp"

#include <algorithm>
#include "simulator/scenario/keys/application_keys.hpp"
#include "simulator/traces/import/read_trace.hpp"

namespace factosim {

namespace {

constexpr NamedValues<bool, 2> replayed_names{"replayed part", {{{true, "recorded"}, {false, "runtime"}}}};
constexpr NamedValues<bool, 2> message_names{"messages", {{{true, "recorded"}, {false, "means"}}}};

Fields<ReplayOptions> replay_fields() {
  using O = ReplayOptions;
  return {field<O>("file", {rule::path()},
                   "trace of any format that `simulator/traces/trace/README.md` lists, a folder or a file",
                   {.missing = "the trace: a directory or a file"}),
          field<&O::timings>(
              "timings",
              "duration of a kernel: `own-means`, its mean in the trace over data of one shape on one kind "
              "of worker; `recorded`, each task's own; `platform`, that of the platform's kernel files"),
          field<&O::mapping>(
              "mapping",
              "`devices`: each task on its node and kind of worker, in the recorded order as far as "
              "ready; `workers`: on its own worker, strictly in the recorded order; `nodes`: on its "
              "node, where the policy chooses; `distribution`: by the scenario's distribution",
              {.default_text = "`distribution` with one, else `nodes` with a scheduler, else `devices`"}),
          field<&O::recorded_submission, replayed_names>(
              "submission",
              "`recorded`: no task is submitted before its recorded date; `runtime`: one after the other"),
          field<&O::recorded_pauses, replayed_names>(
              "pauses",
              "on the trace's own platform: delay of each kernel's start after it became possible, "
              "as `recorded` or by the costs of `runtime`"),
          field<&O::recorded_messages, message_names>(
              "messages",
              "on the trace's own platform: arrival of each message after its task, as `recorded` or "
              "by the latency and bandwidth of all of them")};
}

}  // namespace

std::vector<Key> trace_application_keys() { return keys_of(replay_fields()); }

TraceApplication read_trace_application(JsonReader const& given, bool has_distribution, bool has_scheduler) {
  JsonReader const json = given.by(application_rules);
  using Mapping = ReplayOptions::Mapping;
  TraceApplication out;
  (void)json.find("type");
  out.options.mapping = has_distribution ? Mapping::distribution
                        : has_scheduler  ? Mapping::nodes
                                         : Mapping::devices;
  read_fields(json, replay_fields(), out.options);
  auto const mapping = json.find("mapping");
  if (out.options.mapping == Mapping::distribution && !has_distribution)
    mapping->fail("is \"distribution\", and the scenario has none. Add \"distribution\", or use \"nodes\"");
  if (out.options.mapping != Mapping::distribution && has_distribution)
    mapping->fail("keeps tasks where they ran, and the scenario has a distribution. Leave one of them out");
  json.finish();
  out.trace = std::make_shared<Trace const>(read_trace(json.at("file").path()));
  return out;
}

nlohmann::ordered_json effective_application(TraceApplication const& a) {
  nlohmann::ordered_json out = {{"type", "trace"}, {"file", a.trace->source}};
  ReplayOptions options = a.options;
  options.recorded_pauses = options.recorded_pauses && a.own_platform;
  options.recorded_messages = options.recorded_messages && a.own_platform;
  write_fields(out, replay_fields(), options);
  out["recorded_makespan_s"] = std::ranges::max(a.trace->end_s) - std::ranges::min(a.trace->start_s);
  return out;
}

}  // namespace factosim
