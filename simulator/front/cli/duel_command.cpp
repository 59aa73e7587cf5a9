#include <fmt/format.h>

#include <memory>
#include <optional>

#include "simulator/base/core/format.hpp"
#include "simulator/base/core/json_text.hpp"
#include "simulator/base/os/atomic_file.hpp"
#include "simulator/base/os/folder_lock.hpp"
#include "simulator/front/cli/command_line.hpp"
#include "simulator/report/analysis/run_comparison.hpp"
#include "simulator/report/json/run_comparison_json.hpp"
#include "simulator/report/text/progress_bar.hpp"
#include "simulator/report/text/run_comparison_text.hpp"
#include "simulator/scenario/simulation/known_differences.hpp"
#include "simulator/scenario/simulation/run.hpp"
#include "simulator/studies/search/duel.hpp"
#include "simulator/studies/search/moved_scenario.hpp"

namespace factosim {

namespace {

namespace fs = std::filesystem;

struct DuelArguments {
  std::string a, b;
  std::optional<fs::path> family, out;
  DuelBudget budget;
  std::optional<double> seconds;
  bool force = false, json = false;
};

/// The runs of both in the worst case, B first: the difference is what A takes longer. SimGrid simulates once in a
/// process: max-min replaces it.
RunComparison explained(nlohmann::json const& scenario, std::string const& file, Contestant const& a,
                        Contestant const& b) {
  auto const run = [&](Contestant const& contestant) {
    Scenario read = scenario_of(with(scenario, contestant), file);
    SimulationPlan plan = plan_simulation(std::move(read));
    auto& tasks = std::get<TaskPlan>(plan);
    tasks.scenario.noise = {};
    if (tasks.scenario.network.model == NetworkModel::simgrid)
      tasks.scenario.network.model = NetworkModel::maxmin;
    RunRecord out = run_plan(plan, {.trace = true});
    out.trace->source = contestant.name;
    return out;
  };
  RunRecord const first = run(b), second = run(a);
  return compare_traces(*first.trace, *second.trace, known_differences(first.json, second.json));
}

/// Returns names for the files of the two.
std::pair<std::string, std::string> file_names(Contestant const& a, Contestant const& b) {
  auto const type_of = [](Contestant const& c) {
    return fs::path(c.value["type"].get<std::string>()).stem().string();  // of a shared library: its name
  };
  std::string const first = type_of(a), second = type_of(b);
  return first == second ? std::pair(first + "_a.json", second + "_b.json")
                         : std::pair(first + ".json", second + ".json");
}

nlohmann::ordered_json json_of(DuelResult const& r, ScenarioFamily const& family, Contestant const& a,
                               Contestant const& b, RunComparison const& why) {
  nlohmann::ordered_json values = nlohmann::ordered_json::object();
  for (auto const& [pointer, value] : family.values(r.place)) values[pointer] = value;
  return {{"a", a.value},
          {"b", b.value},
          {"ratio", r.a / r.b},
          {"a_makespan_s", r.a.value},
          {"b_makespan_s", r.b.value},
          {"values", std::move(values)},
          {"scenario", r.scenario},
          {"search", {{"pairs", r.pairs}, {"infeasible", r.infeasible}, {"ratios", r.ratios}}},
          {"comparison", run_comparison_json(why, {})}};
}

std::string text_of(DuelResult const& r, ScenarioFamily const& family, Contestant const& a,
                    Contestant const& b, RunComparison const& why) {
  std::string out = fmt::format("worst case    {} takes {:.4g} times as long as {}: {} against {}\n", a.name,
                                r.a / r.b, b.name, format_duration(r.a), format_duration(r.b));
  for (auto const& [pointer, value] : family.values(r.place))
    out += fmt::format("              {} = {}\n", pointer, json_text(value));
  out += fmt::format(
      "search        {} pairs simulated, {} scenarios that cannot be run; worst of each restart:", r.pairs,
      r.infeasible);
  for (double const ratio : r.ratios) out += fmt::format(" {:.4g}", ratio);
  return out + "\n" + causes_text(why);
}

void run_duel(DuelArguments const& arguments) {
  Contestant a = contestant(arguments.a), b = contestant(arguments.b);
  pair_up(a, b);
  ScenarioFamily const family = arguments.family ? read_family(*arguments.family) : shipped_family();
  DuelBudget budget = arguments.budget;
  if (arguments.seconds) budget.time = Seconds{*arguments.seconds};
  auto const [file_a, file_b] = file_names(a, b);
  std::optional<FolderLock> lock;
  if (arguments.out) {
    make_folder(*arguments.out);
    lock.emplace(*arguments.out);
    for (std::string const& name : {file_a, file_b})
      refuse_to_overwrite(*arguments.out / name, arguments.force);
  }
  DuelResult const found = duel(a, b, family, budget, [&](std::uint64_t restarts, double ratio) {
    show_status(fmt::format("{} of {} restarts, worst ratio {:.4g}", restarts, budget.restarts, ratio));
  });
  show_status("");
  RunComparison const why = explained(found.scenario, family.file, a, b);
  if (arguments.out)
    for (auto const& [file, contestant] : {std::pair(file_a, a), std::pair(file_b, b)})
      write_file_atomically(
          *arguments.out / file,
          json_text(moved_scenario(nlohmann::ordered_json(with(found.scenario, contestant)),
                                   fs::absolute(family.file).parent_path(), fs::absolute(*arguments.out)),
                    2) +
              "\n");
  if (arguments.json)
    fmt::print("{}\n", json_text(json_of(found, family, a, b, why), 2));
  else
    fmt::print("{}{}", text_of(found, family, a, b, why),
               arguments.out ? fmt::format("\nwritten: {} and {}\n", (*arguments.out / file_a).string(),
                                           (*arguments.out / file_b).string())
                             : "");
}

}  // namespace

void add_duel_command(CLI::App& program) {
  auto const a = std::make_shared<DuelArguments>();
  CLI::App* const command = program.add_subcommand(
      "duel", "Find where one policy or distribution does worst against another, and why");
  command
      ->add_option("a", a->a,
                   "The one that is to do badly: a name, a shared library (*.so), or a JSON object with its "
                   "\"type\" and options")
      ->type_name("NAME")
      ->required();
  command->add_option("b", a->b, "The one that it is compared with")->type_name("NAME")->required();
  command
      ->add_option("--family", a->family,
                   "File of the scenarios to search in; by default small factorizations on shipped machines")
      ->type_name("PATH");
  command->add_option("--runs", a->budget.pairs, "Pairs of simulations at most; 500 by default")
      ->check(CLI::PositiveNumber);
  command->add_option("--restarts", a->budget.restarts, "Times that the search starts anew; 5 by default")
      ->check(CLI::Range(1, 10'000));
  command->add_option("--seconds", a->seconds, "End the search after so many seconds")
      ->check(CLI::PositiveNumber);
  command->add_option("--seed", a->budget.seed, "Seed of the search");
  add_jobs(*command, a->budget.jobs, "Restarts");
  command->add_option("--out", a->out, "Folder for the worst scenario, once for each of both")
      ->type_name("PATH");
  command->add_flag("--force", a->force, "Replace files that are there already");
  command->add_flag("--json", a->json, "Print the result as JSON on standard output");
  command->footer("Example: factosim duel heft dmdas --runs 200\nSee scenarios/guide/duel.md.");
  command->callback([a] { run_duel(*a); });
}

}  // namespace factosim
