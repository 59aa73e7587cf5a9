#include <fmt/format.h>

#include "factosim/error.hpp"
#include "platforms/python_package.hpp"
#include "simulator/front/cli/command_line.hpp"
#include "simulator/front/runs/run_files.hpp"
#include "simulator/report/json/run_comparison_json.hpp"
#include "simulator/report/text/run_comparison_text.hpp"
#include "simulator/scenario/simulation/known_differences.hpp"
#include "simulator/scenario/simulation/result_scenario.hpp"
#include "simulator/traces/import/line_reader.hpp"

namespace factosim {

namespace {

namespace fs = std::filesystem;

struct CompareArguments {
  fs::path a, b;
  std::string tolerance;
  bool simulate = true;
  bool json = false, latex = false, prove = false, program = false;
  int jobs = 0;
};

/// Returns the name of the folder or file; `otherwise` if it has none.
std::string heading(fs::path const& path, char const* otherwise) {
  fs::path const plain = path.has_filename() ? path : path.parent_path();
  std::string const name = plain.filename().string();
  return name.empty() || name == "." || name == ".." ? otherwise : name;
}

constexpr PythonPackage graph_comparison{.folder = "changes", .action = "compared"};

/// Returns the path if it is that of a graph in our own form; with `of_run` the graph of that run, too; else nothing.
fs::path graph_of(fs::path const& path, bool of_run) {
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored) && first_line(path).find("factosim-graph") != std::string::npos)
    return path;
  if (!of_run) return {};
  auto const result = result_of(path);
  if (!result)
    throw InputError(path.string() + "#", "is neither a graph nor a simulated run. Leave --program out");
  PlacedScenario const scenario = named_scenario(*result, parse_json_file(*result));
  auto const* const graph = std::get_if<GraphApplication>(&scenario.application);
  if (graph == nullptr || graph->program == nullptr)
    throw InputError(result->string() + "#", "is not a run of a graph file. Leave --program out");
  return graph->program->source;
}

/// Compares two programs of tasks as files state them. Returns false if the arguments are runs.
bool compare_programs(CompareArguments const& arguments) {
  fs::path const a = graph_of(arguments.a, arguments.program), b = graph_of(arguments.b, arguments.program);
  if (a.empty() && b.empty()) return false;
  if (a.empty() || b.empty())
    throw InputError(
        (a.empty() ? arguments.a : arguments.b).string() + "#",
        "is no graph, but the other one is. Give two graphs, or two runs, of theirs with --program");
  if (arguments.latex || arguments.prove)
    throw InputError(arguments.latex ? "--latex#" : "--prove#",
                     "is for runs (these are graphs). Leave it out");
  auto answer = nlohmann::ordered_json::parse(run_in_python(
      graph_comparison, {a.string(), b.string(), arguments.tolerance}, "", arguments.a.string() + "#"));
  std::string const text = answer["text"];
  answer.erase("text");
  if (arguments.json)
    print_json(answer);
  else
    fmt::print("{}", text);
  if (!answer["tolerance"]["ok"].get<bool>()) throw ToleranceError("a quantity is beyond its tolerance");
  return true;
}

void compare(CompareArguments const& arguments) {
  if (compare_programs(arguments)) return;
  std::vector<Tolerance> const tolerances = parse_tolerances(arguments.tolerance);
  RunComparison comparison =
      compare_run_files(arguments.a, trace_of_run(arguments.a), arguments.b, trace_of_run(arguments.b));
  auto const a = result_of(arguments.a), b = result_of(arguments.b);
  if (arguments.prove && (!a || !b))
    throw InputError((a ? arguments.b : arguments.a).string(),
                     "is no simulated run (--prove exchanges the keys of two scenarios). Leave --prove out");
  // Before the only simulation in this process.
  if (arguments.prove) comparison.proof = prove_difference(*a, *b, arguments.jobs);
  if (arguments.simulate && comparison.traced()) replay_with_means(comparison, a, b);
  auto const checks = check_tolerances(comparison, tolerances);
  if (arguments.json)
    print_json(run_comparison_json(comparison, checks));
  else if (arguments.latex)
    fmt::print("{}", run_comparison_latex(comparison, heading(arguments.a, "A"), heading(arguments.b, "B")));
  else
    fmt::print("{}", run_comparison_text(comparison, checks,
                                         is_verbose() ? SummaryLength::all : SummaryLength::answer));
  std::size_t broken = 0;
  for (ToleranceCheck const& check : checks) broken += check.ok() ? 0 : 1;
  if (broken > 0)
    throw ToleranceError(
        fmt::format("{} of {} quantities are beyond their tolerance", broken, checks.size()));
}

}  // namespace

void add_compare_command(CLI::App& program) {
  auto [options, a] =
      add_command(program, "compare",
                  "Compare two runs, simulated or real, or two graphs, and show where they differ", compare,
                  "Example: factosim compare results/before results/after --tolerance makespan=2%\n"
                  "See scenarios/traces.md for what is compared.");
  options.path("a", a.a, "Folder of a run, result.json, a trace in any format that is read, or a graph")
      ->required();
  options.path("b", a.b, "The other run or graph; differences are of this one to the first")->required();
  options.add("--tolerance", a.tolerance,
              "How far apart they may be, such as makespan=2%,kernel_mean=5%; exit code 5 beyond that",
              "LIST");
  options.flag("!--no-simulation", a.simulate,
               "Do not simulate a run again with the kernel means of the other");
  options.flag("--program", a.program, "Compare the graphs that the runs simulate, not the runs");
  options.flag(
      "--prove", a.prove,
      "Simulate the first run with each combination of the keys in which the second differs, at most "
      "six, and print what each does");
  options.jobs(a.jobs, "Simulations of --prove");
  options.json(a.json, "Print the comparison as JSON on standard output");
  options.flag("--latex", a.latex, "Print totals and causes as a LaTeX table on standard output");
}

}  // namespace factosim
