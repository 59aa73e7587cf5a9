#include <fmt/format.h>
#include <fmt/ranges.h>

#include "factosim/error.hpp"
#include "simulator/base/core/json_reader.hpp"
#include "simulator/front/cli/command_line.hpp"
#include "simulator/scenario/keys/removed.hpp"
#include "simulator/scenario/simulation/place.hpp"
#include "simulator/scenario/simulation/result_scenario.hpp"
#include "simulator/scenario/simulation/task_plan.hpp"
#include "simulator/traces/export/trace_formats.hpp"
#include "simulator/traces/import/read_trace.hpp"
#include "simulator/traces/programs/task_program.hpp"

namespace factosim {

namespace {

struct ExportArguments {
  std::filesystem::path source, output;
  std::string format;
  std::string model_prefix;
  bool dependencies = false;
  bool force = false;
};

/// Sets the names of StarPU's performance models for the known kernels.
void name_models(Trace& trace, std::string const& prefix) {
  for (Kernel& kernel : trace.kernels) kernel.name = prefix + timing_name(kernel);
}

constexpr std::string_view graph_lines = "graph-jsonl", graph_tables = "graph-csv";

std::vector<std::string> format_names() {
  std::vector<std::string> names = trace_format_names();
  names.insert(names.end(), {std::string(graph_lines), std::string(graph_tables)});
  return names;
}

/// Returns the scenario of a run's folder, or of a scenario's file.
PlacedScenario scenario_at(std::filesystem::path const& source) {
  auto const result = result_of(source);
  bool const of_run = result && (std::filesystem::is_directory(source) || source.filename() == "result.json");
  if (!of_run) return place(read_scenario(source, {}));
  return scenario_of_result(*result, parse_json_file(*result));
}

/// Writes the tasks of a scenario without a schedule.
void export_graph(ExportArguments const& arguments) {
  if (!arguments.model_prefix.empty() || arguments.dependencies)
    throw InputError("--format#",
                     "is a graph (--model-prefix and --dependencies are about traces). Leave them out");
  bool const folder = arguments.format == graph_tables;
  std::vector<std::filesystem::path> files{arguments.output};
  if (folder)
    files = {arguments.output / "tasks.csv", arguments.output / "data.csv", arguments.output / "kernels.csv"};
  for (auto const& file : files) refuse_to_overwrite(file, arguments.force);
  TaskProgram const program = program_of_scenario(scenario_at(arguments.source));
  make_folder_of(arguments.output);
  if (folder) make_folder(arguments.output);
  (folder ? write_graph_tables : write_graph_lines)(arguments.output, program);
  print_written(arguments.output,
                fmt::format("{} tasks, {} dependencies, {} data", program.graph.task_count(),
                            program.graph.edge_count(), program.graph.handles.size()));
}

void export_trace(ExportArguments const& arguments) {
  if (arguments.format == graph_lines || arguments.format == graph_tables) return export_graph(arguments);
  TraceFormat const& format = trace_format(arguments.format);
  if (arguments.dependencies && arguments.format != "chrome")
    throw InputError("--dependencies#", "is about Chrome's arrows. Leave it out, or give --format chrome");
  refuse_to_overwrite_trace(format, arguments.output, arguments.force);
  Trace trace = read_trace(arguments.source);
  warn_of(trace.findings);
  if (!arguments.model_prefix.empty()) name_models(trace, arguments.model_prefix);
  make_folder_of(arguments.output);
  if (format.folder) make_folder(arguments.output);
  if (arguments.dependencies)
    write_chrome(arguments.output, trace, {.dependencies = true});
  else
    format.write(arguments.output, trace);
  print_written(arguments.output, fmt::format("{} tasks, {} messages, {} copies", trace.task_count(),
                                              trace.messages.size(), trace.copies.size()));
}

}  // namespace

void add_export_command(CLI::App& program) {
  auto [options, a] = add_command(
      program, "export", "Write a run, simulated or real, in the format of another tool", export_trace,
      "Example: factosim export results/first --format chrome -o results/first.json.gz\n"
      "See scenarios/traces.md and scenarios/graphs.md for the formats.");
  options
      .path("run", a.source,
            "Folder of a run, or a trace in any format that is read; for graph-jsonl and graph-csv, whose "
            "tasks have no schedule, also a scenario")
      ->required();
  options.add("--format", a.format, "Format to write")
      ->required()
      ->check(one_of(format_names(), RemovedFrom::trace_formats));
  options.output(a.output,
                 "File to write, or folder for starpu and graph-csv; compressed where a chrome file ends in "
                 ".gz; - for standard output");
  options.add("--model-prefix", a.model_prefix,
              "Put before our names of kernels to make those of StarPU's models: starpu_dlu_lu_model_",
              "PREFIX");
  options.flag("--dependencies", a.dependencies, "chrome: an arrow for every dependency");
  options.force(a.force, "Replace what is there already");
}

}  // namespace factosim
