#include "simulator/tasks/schedule/schedule_json.hpp"

#include <fmt/format.h>

#include "simulator/base/core/json_text.hpp"

namespace factosim {

namespace {

ObjectKeys const& scheduled_task_table() {
  static ObjectKeys const table{
      .title = "scheduled task",
      .meaning = "The place of one task in a schedule.",
      .keys = {{.name = "task",
                .value = {rule::integer(0, UINT32_MAX)},
                .meaning = "its number in the order of submission, from 0",
                .required = true},
               {.name = "kernel",
                .value = {rule::text()},
                .meaning = "its kernel; another one in the scenario is an error",
                .default_text = "not compared"},
               {.name = "node",
                .value = {rule::integer(0, INT32_MAX)},
                .meaning = "its node; another one in the scenario is an error",
                .default_text = "the scenario's"},
               {.name = "worker",
                .value = {rule::text()},
                .meaning = "the worker of that node that runs it, such as `cuda0` or `cpu3`",
                .required = true},
               {.name = "position",
                .value = {rule::integer(0, INT64_MAX)},
                .meaning = "a worker runs its tasks in ascending order",
                .required = true},
               {.name = "priority",
                .value = {rule::integer(INT32_MIN, INT32_MAX)},
                .meaning = "of its transfers and messages; higher is more urgent",
                .default_text = "the application's"},
               {.name = "start_s",
                .value = {rule::non_negative("s")},
                .meaning = "predicted start; no run follows it",
                .default_text = "none"},
               {.name = "end_s",
                .value = {rule::non_negative("s")},
                .meaning = "predicted end; no run follows it",
                .default_text = "none"}}};
  return table;
}

ValueRules schedule_rules() { return {rule::object(schedule_table)}; }

ScheduledTask read_task(JsonReader const& json, std::size_t place) {
  ScheduledTask out{.task = static_cast<std::uint64_t>(json.at("task").integer()), .place = place};
  if (auto const kernel = json.find("kernel")) out.kernel = kernel->string();
  if (auto const node = json.find("node")) out.node = static_cast<std::uint32_t>(node->integer());
  out.worker = {.by = WorkerReference::By::name, .name = json.at("worker").string()};
  out.position = json.at("position").integer();
  if (auto const priority = json.find("priority"))
    out.priority = static_cast<std::int32_t>(priority->integer());
  for (char const* const date : {"start_s", "end_s"})
    if (auto const seconds = json.find(date)) (void)seconds->quantity();
  json.finish();
  return out;
}

}  // namespace

ObjectKeys const& schedule_table() {
  static ObjectKeys const table{
      .title = "schedule",
      .meaning =
          "A static schedule: the worker of each task, and the order on each worker. `factosim-schedule`, "
          "version 1; `factosim schedule` writes it.",
      .keys = joined(
          file_keys("factosim-schedule"),
          {{.name = "order",
            .value = {rule::word({"strict", "ready"})},
            .meaning =
                "`strict`: a worker waits for its next task; `ready`: it takes the first one that is ready",
            .default_value = "strict"},
           {.name = "makespan_s",
            .value = {rule::non_negative("s")},
            .meaning = "predicted makespan; no run depends on it",
            .default_text = "none"},
           {.name = "tasks",
            .value = {rule::array({rule::object(scheduled_task_table)})},
            .meaning = "every task once, in any order",
            .required = true}})};
  return table;
}

StaticSchedule read_schedule_json(nlohmann::json const& document, std::string const& file) {
  JsonReader const json = JsonReader(document, file).by(schedule_rules);
  json.check_own_format("factosim-schedule", 1);
  StaticSchedule out{.file = file, .content = {}, .place_word = "/tasks/", .tasks = {}, .findings = {}};
  if (auto const order = json.find("order")) out.strict = order->one_of() == "strict";
  if (auto const makespan = json.find("makespan_s")) (void)makespan->quantity();
  for (JsonReader const& task : json.at("tasks", "the place of each task").elements())
    out.tasks.push_back(read_task(task, out.tasks.size()));
  json.finish();
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
  for (TaskId const task : tasks_by_submission(of.graph)) {
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

}  // namespace factosim
