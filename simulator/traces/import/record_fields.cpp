#include "simulator/traces/import/record_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "simulator/base/core/parsed.hpp"
#include "simulator/base/core/plain_names.hpp"

namespace factosim {

namespace {

using At = LineReader const&;
using Text = std::string_view;

constexpr std::int64_t max_int = std::numeric_limits<std::int32_t>::max();

std::int32_t small(At at, Text value, std::int64_t minimum, Text what, std::int64_t maximum = max_int) {
  return static_cast<std::int32_t>(integer(at, value, minimum, maximum, what));
}
std::uint32_t rank(At at, Text value) {
  return static_cast<std::uint32_t>(integer(at, value, 0, max_nodes - 1, "a rank"));
}
std::int64_t size(At at, Text value) {
  return integer(at, value, 0, std::int64_t{1} << 50, "a size in bytes");
}
std::int64_t tag(At at, Text value) {
  return integer(at, value, -1, std::numeric_limits<std::int64_t>::max(), "a tag");
}
std::uint64_t address(At at, Text value) { return hexadecimal(at, value, "a handle"); }

/// Some StarPU files print negative priorities as unsigned 64-bit numbers.
std::int32_t priority(At at, Text value) {
  if (auto const bits = parsed<std::uint64_t>(value); bits && static_cast<std::int64_t>(*bits) < 0)
    return static_cast<std::int32_t>(
        std::max<std::int64_t>(static_cast<std::int64_t>(*bits), std::numeric_limits<std::int32_t>::min()));
  return small(at, value, -max_int - 1, "a priority");
}

std::uint32_t submit_order(At at, Text value) {
  Text const order = value.substr(value.find('_') + 1);  // StarVZ prefixes the node
  return static_cast<std::uint32_t>(integer(at, order, 0, max_int, "an order of submission"));
}

using Task = RecordedTask&;
void ignored(Task, At, Text) {}

constexpr std::size_t state_fields = 9;  // of a state that is a task, in Paje traces and StarVZ's CSV files
constexpr std::array<RecordField<RecordedTask>, 30> fields_of_tasks{{
    // those of states first
    {"JobId",
     [](Task t, At at, Text v) {
       t.task.name = task_name(at, v, RecordedTask::own_node);
       t.has_id = true;
     }},
    {"SubmitOrder", [](Task t, At at, Text v) { t.task.submit_order = submit_order(at, v); }},
    {"Footprint",
     [](Task t, At at, Text v) {
       t.task.footprint = static_cast<std::uint32_t>(hexadecimal(at, v, "a footprint"));
     }},
    {"Tag", [](Task t, At at, Text v) { t.task.tag = hexadecimal(at, v, "a tag"); }},
    {"GFlop", [](Task t, At at, Text v) { t.task.flops = 1e9 * number(at, v, "GFlop"); }},
    {"X", [](Task t, At at, Text v) { t.task.x = small(at, v, -1, "a coordinate"); }},
    {"Y", [](Task t, At at, Text v) { t.task.y = small(at, v, -1, "a coordinate"); }},
    {"Iteration",
     [](Task t, At at, Text v) {
       std::vector<Text> words;
       split_words(v, words);
       if (!words.empty()) t.task.iteration = small(at, words.front(), -1, "an iteration");
     }},
    {"Priority", [](Task t, At at, Text v) { t.task.priority = priority(at, v); }},
    {"Control", [](Task t, At, Text v) { t.wont_use = v == "WontUse"; }},
    {"Name", [](Task t, At, Text v) { t.kernel = v; }},
    {"Model", [](Task t, At, Text v) { t.model = v; }},
    {"DependsOn",
     [](Task t, At at, Text v) {
       for_each_word(v, [&](Text word) { t.before.push_back(task_name(at, word, RecordedTask::own_node)); });
     }},
    {"WorkerId", [](Task t, At at, Text v) { t.task.worker = small(at, v, -1, "a worker"); }},
    {"MemoryNode", [](Task t, At at, Text v) { t.task.memory = small(at, v, -1, "a memory node"); }},
    {"SubmitTime",
     [](Task t, At at, Text v) { t.task.submit_s = milliseconds(at, v, "when the task was submitted"); }},
    {"StartTime",
     [](Task t, At at, Text v) { t.task.start_s = milliseconds(at, v, "when the task started"); }},
    {"EndTime", [](Task t, At at, Text v) { t.task.end_s = milliseconds(at, v, "when the task ended"); }},
    {"Parameters", [](Task t, At, Text v) { t.shapes = v; }},
    {"Handles",
     [](Task t, At at, Text v) {
       for_each_word(v, [&](Text word) { t.addresses.push_back(address(at, word)); });
     }},
    {"Modes", [](Task t, At at,
                 Text v) { for_each_word(v, [&](Text word) { t.modes.push_back(access_mode(at, word)); }); }},
    {"Sizes",
     [](Task t, At at, Text v) { for_each_word(v, [&](Text word) { t.sizes.push_back(size(at, word)); }); }},
    {"MPIRank", [](Task t, At at, Text v) { t.rank = small(at, v, -1, "a rank"); }},
    {"ReadyTime", ignored},
    {"File", ignored},
    {"Line", ignored},
    {"DepLabels", ignored},
    {"NumaNodes", ignored},
    {"Color", ignored},
    {"TypeColor", ignored},
}};

using Handle = StarpuRun::Handle&;
constexpr std::array<RecordField<StarpuRun::Handle>, 7> fields_of_handles{{
    {"Handle", [](Handle h, At at, Text v) { h.address = address(at, v); }},
    {"MPIRank",
     [](Handle h, At at, Text v) {
       h.node = static_cast<std::uint32_t>(std::max(0, small(at, v, -1, "a rank", max_nodes - 1)));
     }},
    {"Size", [](Handle h, At at, Text v) { h.size = size(at, v); }},
    {"Description", [](Handle h, At, Text v) { h.shape = name_of_line(v); }},
    {"MPIOwner", [](Handle h, At at, Text v) { h.owner = small(at, v, -1, "a rank", max_nodes - 1); }},
    {"MPITag", [](Handle h, At at, Text v) { h.tag = tag(at, v); }},
    {"Coordinates",
     [](Handle h, At at, Text v) {
       std::vector<Text> words;
       split_words(v, words);
       if (words.size() != 2) return;
       h.m = small(at, words[0], 0, "a coordinate");
       h.n = small(at, words[1], 0, "a coordinate");
     }},
}};

using Message = StarpuRun::Message&;
constexpr std::array<RecordField<StarpuRun::Message>, 10> fields_of_messages{{
    {"Src", [](Message m, At at, Text v) { m.from = rank(at, v); }},
    {"Dst", [](Message m, At at, Text v) { m.to = rank(at, v); }},
    {"Tag", [](Message m, At at, Text v) { m.tag = tag(at, v); }},
    {"SendTime",
     [](Message m, At at, Text v) { m.send_s = milliseconds(at, v, "when the message was sent"); }},
    {"RecvTime",
     [](Message m, At at, Text v) { m.receive_s = milliseconds(at, v, "when the message came"); }},
    {"SendHandle", [](Message m, At at, Text v) { m.send_address = address(at, v); }},
    {"RecvHandle", [](Message m, At at, Text v) { m.receive_address = address(at, v); }},
    {"SendJobId", [](Message m, At at, Text v) { m.send_task = task_name(at, v, 0).number; }},
    {"RecvJobId", [](Message m, At at, Text v) { m.receive_task = task_name(at, v, 0).number; }},
    {"Size", [](Message m, At at, Text v) { m.size = size(at, v); }},
}};

/// Adds the data that a task uses, and their shapes.
void add_accesses(At at, StarpuRun& run, RecordedTask& record) {
  auto const& addresses = record.addresses;
  auto const& sizes = record.sizes;
  auto const& modes = record.modes;
  if (modes.size() != addresses.size() || (!sizes.empty() && sizes.size() != addresses.size()))
    at.fail(
        fmt::format("the task that ends here has {} handles, {} modes and {} sizes (there is one of each for "
                    "a handle). Correct the record",
                    addresses.size(), modes.size(), sizes.size()));
  std::vector<Text> shapes;
  split_words(record.shapes, shapes);
  record.task.first_access = static_cast<std::uint32_t>(run.accesses.size());
  record.task.accesses = static_cast<std::uint32_t>(addresses.size());
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    std::int64_t const known = sizes.empty() || sizes[i] == 0 ? -1 : sizes[i];  // 0: not known, or no bytes
    run.accesses.push_back({addresses[i], known, modes[i]});
    if (shapes.size() == addresses.size())
      run.add_shape(record.task.name.node, addresses[i], known, shapes[i]);
  }
}

}  // namespace

std::span<RecordField<RecordedTask> const> record_fields(RecordedTask const* /*any*/) {
  return fields_of_tasks;
}
std::span<RecordField<StarpuRun::Handle> const> record_fields(StarpuRun::Handle const* /*any*/) {
  return fields_of_handles;
}
std::span<RecordField<StarpuRun::Message> const> record_fields(StarpuRun::Message const* /*any*/) {
  return fields_of_messages;
}

std::span<RecordField<RecordedTask> const> fields_of_states() {
  return std::span(fields_of_tasks).first(state_fields);
}

void add_record(LineReader const& at, StarpuRun& run, RecordedTask record) {
  if (!record.has_id)
    at.fail(
        "a record without JobId ends here (nothing can refer to it). Complete it, or write the trace again");
  StarpuTask& task = record.task;
  if (task.end_s < task.start_s)
    at.fail("the task that ends here would end before it starts (EndTime < StartTime). Correct the record");
  std::uint32_t const node = record.rank >= 0 ? static_cast<std::uint32_t>(record.rank) : 0;
  if (node >= max_nodes)
    at.fail(fmt::format("rank {} (at most {} nodes). Correct the record", node, max_nodes));
  if (task.name.node == RecordedTask::own_node) task.name.node = node;
  if (record.wont_use) {
    if (record.addresses.size() != 1) at.fail("a hint (WontUse) names one handle. Correct the record");
    run.wont_use.push_back({task.name, task.submit_order, task.submit_s, record.addresses.front()});
    return;
  }
  std::string const& kernel = record.kernel.empty() ? record.model : record.kernel;
  if (!kernel.empty()) task.kernel = run.kernel(at, kernel);
  if (!record.model.empty() && task.kernel != StarpuTask::no_kernel) {
    if (run.models.size() <= task.kernel) run.models.resize(task.kernel + std::size_t{1});
    if (run.models[task.kernel].empty()) run.models[task.kernel] = record.model;
  }
  task.first_dependency = static_cast<std::uint32_t>(run.dependencies.size());
  task.dependencies = static_cast<std::uint32_t>(record.before.size());
  for (TaskName name : record.before) {
    if (name.node == RecordedTask::own_node) name.node = task.name.node;
    run.dependencies.push_back(name.key());
  }
  add_accesses(at, run, record);
  run.add(at, task);
}

void add_record(LineReader const& /*at*/, StarpuRun& run, StarpuRun::Handle record) {
  run.handles.push_back(std::move(record));
}

void add_record(LineReader const& at, StarpuRun& run, StarpuRun::Message const& record) {
  constexpr std::uint32_t unnamed = StarpuRun::Message{}.from;
  if (record.from == unnamed || record.to == unnamed || std::isnan(record.send_s) ||
      std::isnan(record.receive_s))
    at.fail("the message that ends here has not all of Src, Dst, SendTime and RecvTime. Complete it");
  run.messages.push_back(record);
}

}  // namespace factosim
