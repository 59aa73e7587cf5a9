#include "simulator/tasks/schedule/schedule_files.hpp"

#include <fmt/format.h>

#include "simulator/base/core/content_hash.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/core/json_text.hpp"
#include "simulator/tasks/graph/graph_order.hpp"

namespace factosim {

namespace {

/// A predicted date, which no run follows.
template <class T>
Field<T> date_field(char const* name, char const* meaning) {
  return field<T>(
      name, {rule::non_negative("s")}, meaning,
      {.default_text = "none", .read = [](JsonReader const& json, T&) { (void)json.quantity(); }});
}

}  // namespace

Object<ScheduledTask> const& object_of(ScheduledTask const* /*any*/) {
  using O = ScheduledTask;
  static Object<O> const object(
      "scheduled task", "The place of one task in a schedule.",
      {field<&O::task>("task", {rule::integer(0, UINT32_MAX)},
                       "its number in the order of submission, from 0", {.required = true}),
       field<&O::kernel>("kernel", "its kernel; another one in the scenario is an error",
                         {.default_text = "not compared"}),
       field<&O::node>("node", {rule::integer(0, INT32_MAX)},
                       "its node; another one in the scenario is an error",
                       {.default_text = "the scenario's"}),
       field<O>(
           "worker", {rule::text()}, "the worker of that node that runs it, such as `cuda0` or `cpu3`",
           {.required = true, .read = [](JsonReader const& json, O& o) { o.worker.name = json.string(); }}),
       field<&O::position>("position", {rule::integer(0, INT64_MAX)},
                           "a worker runs its tasks in ascending order", {.required = true}),
       field<&O::priority>("priority", {rule::integer(INT32_MIN, INT32_MAX)},
                           "of its transfers and messages; higher is more urgent",
                           {.default_text = "the application's"}),
       date_field<O>("start_s", "predicted start; no run follows it"),
       date_field<O>("end_s", "predicted end; no run follows it")});
  return object;
}

Object<StaticSchedule> const& object_of(StaticSchedule const* /*any*/) {
  using O = StaticSchedule;
  static Object<O> const object(
      "schedule",
      "A static schedule: the worker of each task, and the order on each worker. `factosim-schedule`, "
      "version 1; `factosim schedule` writes it.",
      fields_of_file<O>("factosim-schedule") +
          Fields<O>{
              field<O>("order", {rule::word({"strict", "ready"})},
                       "`strict`: a worker waits for its next task; `ready`: it takes the first one "
                       "that is ready",
                       {.default_value = "strict",
                        .read = [](JsonReader const& json, O& o) { o.strict = json.one_of() == "strict"; }}),
              date_field<O>("makespan_s", "predicted makespan; no run depends on it"),
              field<&O::tasks>("tasks", "every task once, in any order",
                               {.missing = "the place of each task"})});
  return object;
}

StaticSchedule read_schedule_json(nlohmann::json const& document, std::string const& file) {
  JsonReader const json = JsonReader(document, file).by(rules_of<StaticSchedule>);
  json.check_own_format("factosim-schedule", 1);
  auto out = read_object<StaticSchedule>(json);
  out.file = file;
  out.place_word = "/tasks/";
  for (std::size_t t = 0; t < out.tasks.size(); ++t) out.tasks[t].place = t;
  return out;
}

std::string schedule_json(TaskSchedule const& s, ScheduledGraph const& of, Seconds makespan) {
  auto const number = [](double value) { return json_text(nlohmann::json(value)); };
  std::string out = fmt::format(
      "{{\n\"format\": \"factosim-schedule\",\n\"version\": 1,\n\"order\": \"{}\",\n\"makespan_s\": "
      "{},\n\"tasks\": [",
      s.strict ? "strict" : "ready", number(makespan.value));
  std::vector<std::uint32_t> const turn = turns(s, of);
  char const* separator = "\n";
  for (TaskId const task : in_submission_order(of.graph)) {
    std::size_t const t = task.index();
    NodeId const node = of.plan.node_of(task);
    out += fmt::format("{}{{\"task\": {}, \"kernel\": {}, \"node\": {}, \"worker\": {}, \"position\": {}",
                       separator, of.graph.submission_number(task),
                       json_text(nlohmann::json(of.graph.kernel_of(task).name)), node.value(),
                       json_text(nlohmann::json(of.machine.type(node).worker_names[s.worker[t]])), turn[t]);
    if (!s.priority.empty()) out += fmt::format(", \"priority\": {}", s.priority[t]);
    if (!s.start_s.empty())
      out += fmt::format(", \"start_s\": {}, \"end_s\": {}", number(s.start_s[t]), number(s.end_s[t]));
    out += "}";
    separator = ",\n";
  }
  return out + "\n]\n}\n";
}

std::shared_ptr<StaticSchedule const> read_schedule(std::filesystem::path const& file) {
  std::string const text = read_input_text(file);
  auto const first = text.find_first_not_of(" \t\r\n");
  StaticSchedule out;
  if (first != std::string::npos && (text[first] == '{' || text[first] == '[')) {
    nlohmann::json const document = parse_json_file(file);
    bool const of_nntile = document.is_object() && document.contains("ops");
    out = of_nntile ? read_execution_json(document, file.string())
                    : read_schedule_json(document, file.string());
  } else {
    out = read_sched_rec(text, file.string());
  }
  out.content = content_hash(text);
  return std::make_shared<StaticSchedule const>(std::move(out));
}

}  // namespace factosim
