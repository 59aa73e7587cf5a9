#include <fmt/format.h>

#include <cmath>

#include "simulator/base/core/json_reader.hpp"
#include "simulator/traces/programs/graph_readers.hpp"
#include "simulator/traces/programs/program_builder.hpp"

namespace factosim {

namespace {

TaskProgram read_saga(std::filesystem::path const& file, nlohmann::json const& document, GraphUnits units) {
  ProgramBuilder builder(file);
  JsonReader const json(document, file.string());
  if (auto const name = json.find("name")) builder.program().name = name->string();
  JsonReader const graph = json.find("task_graph") ? json.at("task_graph") : json;
  for (JsonReader const& t : graph.at("tasks", "the tasks").elements()) {
    ProgramTask task{.id = t.at("name", "of the task").string(), .kernel = "task"};
    if (task.id == "__super_source__" || task.id == "__super_sink__") task.kernel = "empty";
    double const seconds = t.at("cost", "of the task").non_negative() * units.seconds;
    task.seconds = {{"cpu", seconds}, {"cuda", seconds}};
    builder.add_task(std::move(task));
  }
  for (JsonReader const& d : graph.at("dependencies", "between tasks").elements()) {
    JsonReader const target = d.at("target", "the task that waits");
    ProgramTask* const task = builder.find_task(target.string());
    if (task == nullptr) target.fail("names no task. Correct it");
    JsonReader const size = d.at("size", "of the data");
    double const bytes = size.non_negative() * units.bytes;
    if (bytes > 1e15) size.fail("is beyond 10^15 bytes. Use another unit");
    task->after.push_back({.before = d.at("source", "the task before").string(),
                           .bytes = static_cast<std::int64_t>(std::llround(bytes))});
  }
  builder.note(0, fmt::format("a unit of cost is {} s on a core (\"time_unit_s\"), a unit of size {} bytes "
                              "(\"data_unit_bytes\"); a network in the file is left out",
                              units.seconds, units.bytes));
  builder.program().format = "saga";
  return std::move(builder).finish();
}

}  // namespace

/// SAGA's task graphs, with or without a network, which is left out.
GraphReader const saga_program{
    .name = "saga",
    .recognises = [](GraphSource const& s) { return s.has("task_graph") || s.has("dependencies"); },
    .read = [](GraphSource const& s) { return read_saga(s.path, *s.document, s.units); },
    .of_document = true};

}  // namespace factosim
