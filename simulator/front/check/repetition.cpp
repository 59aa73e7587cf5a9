#include "simulator/front/check/repetition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "simulator/base/core/fields.hpp"
#include "simulator/base/core/json_text.hpp"
#include "simulator/scenario/simulation/resources.hpp"
#include "simulator/scenario/simulation/result_scenario.hpp"
#include "simulator/scenario/simulation/run.hpp"
#include "simulator/scenario/simulation/run_folder.hpp"
#include "simulator/traces/trace/column_differences.hpp"
#include "simulator/traces/trace/native_trace.hpp"
#include "simulator/traces/trace/series.hpp"

namespace factosim {

namespace {

using Json = nlohmann::json;
using Pointer = Json::json_pointer;

OutputOptions outputs_of(Json const& result) {
  return read_object<OutputOptions>(JsonReader(result.at(Pointer("/provenance/options/outputs")),
                                               "result.json", "/provenance/options/outputs"));
}

/// Returns how often a run was simulated for a section of its result.
int values_in(Json const& result, std::string const& section) {
  return static_cast<int>(result.value(Pointer(section + "/makespan_s/values"), Json::array()).size());
}

RunOptions options_of(Json const& result) {
  RunOptions out{.replicas = std::max(1, values_in(result, "/replicas")),
                 .perturbed = values_in(result, "/sensitivity"),
                 .outputs = outputs_of(result)};
  for (char const* const interval : {"/sensitivity/interval", "/replicas/interval"})
    out.interval = std::clamp(result.value(Pointer(interval), out.interval), 0.01, 0.9999);
  return out;
}

/// Returns the cost of a simulation, and the hashes of its files, as found where they can be.
Json cost_of(Json found, RunRecord const& again, OutputOptions const& outputs) {
  found["tasks_per_s"] = tasks_per_second(again.result->tasks, found.at("cpu_s").get<double>());
  Json files = Json::object();
  for (std::string const& name : files_of(again, outputs))
    files[name] = found.value(Pointer("/files") / name, Json("its checksum"));
  if (files.empty())
    found.erase("files");
  else
    found["files"] = std::move(files);
  return found;
}

/// Returns a result with names instead of paths of the files that are installed with the program.
Json with_names_of_files(Json result) {
  auto const shorten = [](Json& path) {
    if (path.is_string()) path = std::filesystem::path(path.get<std::string>()).filename().string();
  };
  Json& provenance = result.at("provenance");
  for (Json& timing : provenance.at("timings"))
    if (timing.contains("file")) shorten(timing["file"]);
  if (provenance.contains("platform")) shorten(provenance["platform"]);
  return result;
}

std::string described(Json const& json, Pointer const& at) {
  return json.contains(at) ? json_text(json.at(at)) : "nothing";
}

/// Reports what differs in a document, each place with the name of the file.
void compare(std::string const& file, Json const& found, Json const& expected, audit::Check& check) {
  check.cases += expected.flatten().size();
  for (Json const& change : Json::diff(expected, found)) {
    Pointer const at(change.at("path").get<std::string>());
    check.add({"says " + described(found, at), file + "#" + at.to_string(), described(expected, at)});
  }
}

void compare(Trace const& found, Trace const& expected, audit::Check& check) {
  compare("run.trace", native_names(found), native_names(expected), check);
  check.cases += expected.task_count() + expected.messages.size() + expected.copies.size();
  for (ColumnDifference const& column : column_differences(found, expected))
    check.add({fmt::format("says {}{}", column.found,
                           column.count > 1 ? fmt::format(", and {} more differ", column.count - 1) : ""),
               "run.trace " + column.place, column.expected});
}

std::string text_at(Json const& json, char const* pointer) { return json.value(Pointer(pointer), ""); }

/// Returns who wrote the result.
std::string program_of(Json const& result) {
  return program_text(text_at(result, "/provenance/factosim"), text_at(result, "/provenance/git"),
                      text_at(result, "/provenance/simgrid"));
}

}  // namespace

Repetition repeat(RecordedRun const& run) {
  RunOptions const options = options_of(run.result);
  PlacedScenario scenario = run.scenario;
  scenario.outputs = *options.outputs;
  SimulationPlan const plan = plan_tasks(std::move(scenario), TaskStorage::where_needed);
  RunRecord record = run_plan(plan, options);
  Repetition out{.result = Json::parse(json_text(record.json)), .series = {}, .trace = std::nullopt};
  out.result["simulation"] = cost_of(run.result.at("simulation"), record, *options.outputs);
  if (Pointer const python("/provenance/python"); run.result.contains(python))
    out.result[python] = run.result.at(python);
  if (record.series) out.series = Json::parse(series_json(*record.series, record.series_nodes));
  if (std::ranges::find(options.outputs->traces, default_trace) != options.outputs->traces.end())
    out.trace = std::move(record.trace);
  return out;
}

void check_repetition(RecordedRun const& run, Repetition const& again, audit::AuditReport& report) {
  audit::Check& check = report.check("repetition");
  compare("result.json", with_names_of_files(run.result), with_names_of_files(again.result), check);
  if (!run.series.is_null() && !again.series.is_null())
    compare("series.json", run.series, again.series, check);
  if (run.trace && again.trace) compare(*run.trace, *again.trace, check);
}

void check_by_repetition(RecordedRun const& run, audit::AuditReport& report) {
  audit::Check& check = report.check("repetition");
  std::string const wrote = program_of(run.result), repeats = this_program();
  if (run.trace && !run.trace->program.empty() && run.trace->program != wrote) {
    ++check.cases;
    check.add({"says " + run.trace->program, "run.trace#/program", wrote + ", as result.json"});
  }
  if (wrote != repeats)
    return check.skip(fmt::format("{} simulated the run, and this is {}", wrote, repeats));
  if (std::string const policy = python_policy(run.result); !policy.empty())
    return check.skip("the policy is the class " + policy + " of Python, which the program cannot repeat");
  check_repetition(run, repeat(run), report);
}

}  // namespace factosim
