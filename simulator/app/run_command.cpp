#include <fmt/format.h>

#include <memory>
#include <optional>

#include "simulator/app/command_line.hpp"
#include "simulator/app/simulate.hpp"
#include "simulator/core/atomic_file.hpp"
#include "simulator/core/error.hpp"
#include "simulator/report/progress_bar.hpp"
#include "simulator/report/result_json.hpp"
#include "simulator/report/summary.hpp"
#include "simulator/trace/paje_writer.hpp"

namespace factosim {

namespace {

struct RunArguments : ScenarioArguments {
  std::optional<std::filesystem::path> out;
  bool force = false;
};

/// Makes the folder for the results, after all that can be wrong with the input has been found.
void make_folder(std::filesystem::path const& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw InputError(folder.string() + "#",
                     fmt::format("cannot be created ({}). Give a folder you may write to", error.message()));
}

void run(RunArguments const& arguments) {
  Scenario const scenario = read_scenario(arguments.file, arguments.settings);
  PreparedScenario const prepared = prepare(scenario);
  bool const paje = arguments.out && scenario.outputs.paje;
  if (arguments.out) {
    refuse_to_overwrite(*arguments.out / "result.json", arguments.force);
    if (paje) refuse_to_overwrite(*arguments.out / "trace.paje", arguments.force);
    make_folder(*arguments.out);
  }

  TraceRecords trace;
  auto bar = std::make_unique<ProgressBar>(prepared.graph.task_count());
  Result const result =
      simulate(scenario, prepared, paje ? &trace : nullptr, [&](std::uint64_t done) { bar->update(done); });
  bar.reset();

  std::string const json = result_json(result).dump(2) + "\n";
  if (paje) write_paje(*arguments.out / "trace.paje", trace, prepared.graph);
  if (arguments.out) write_file_atomically(*arguments.out / "result.json", json);
  fmt::print("{}", arguments.json ? json : summary(result));
}

}  // namespace

void add_run_command(CLI::App& program) {
  auto const arguments = std::make_shared<RunArguments>();
  CLI::App* const command = program.add_subcommand("run", "Simulate a scenario");
  add_scenario_arguments(*command, *arguments);
  command->add_option("--out", arguments->out,
                      "Folder for result.json and the traces that the scenario asks for");
  command->add_flag("--force", arguments->force, "Replace results that are there already");
  command->footer(
      "Example: factosim run scenarios/first/lu_mirage.json --set /application/nt=30 --out results/lu30\n"
      "Relative paths in a scenario start from its folder. See scenarios/README.md for all keys.");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace factosim
