#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "distributions/map_file.hpp"
#include "factosim/error.hpp"
#include "factosim/result.hpp"
#include "simulator/base/core/json_reader.hpp"
#include "simulator/base/core/json_text.hpp"
#include "simulator/base/core/quantity_text.hpp"
#include "simulator/base/os/atomic_file.hpp"
#include "simulator/front/cli/command_line.hpp"
#include "simulator/report/text/progress_bar.hpp"
#include "simulator/scenario/simulation/place.hpp"
#include "simulator/scenario/simulation/simulate.hpp"
#include "simulator/studies/search/moved_scenario.hpp"
#include "simulator/studies/search/schedule_search.hpp"
#include "simulator/studies/sweep/sweep_engine.hpp"
#include "simulator/tasks/schedule/schedule_files.hpp"

namespace factosim {

namespace {

namespace fs = std::filesystem;

/// A schedule's file, and the makespan of a run that follows it.
struct WrittenSchedule {
  std::string file, format;
  double makespan_s = 0;
};

double above(Seconds makespan, Seconds bound) {
  return bound.value > 0 ? makespan.value / bound.value - 1 : 0;
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string row(std::string const& name, std::string const& policy, std::string const& schedule,
                std::string const& problem, std::string const& distribution) {
  return fmt::format("{:<20} {:>12} {:>12} {:>14} {:>18}\n", name, policy, schedule, problem, distribution);
}

nlohmann::ordered_json gaps(Seconds makespan, Bounds const& bounds) {
  return {{"makespan_s", makespan.value},
          {"above_problem", above(makespan, bounds.problem())},
          {"above_distribution", above(makespan, bounds.distribution())}};
}

/// Returns the policies by makespan, the answer and the bounds.
std::string found_schedule_text(FoundSchedule const& found, Bounds const& bounds,
                                std::vector<WrittenSchedule> const& files) {
  std::vector<PortfolioEntry> entries = found.portfolio;
  std::ranges::stable_sort(entries, {}, [](PortfolioEntry const& e) { return e.best(); });
  std::string out = row("policy", "run", "as schedule", "above problem", "above distribution");
  for (PortfolioEntry const& e : entries)
    out += row(e.name, e.makespan ? format_duration(*e.makespan) : "", format_duration(e.scheduled),
               percent(above(e.best(), bounds.problem())), percent(above(e.best(), bounds.distribution())));
  out += row("found schedule", "", format_duration(found.makespan),
             percent(above(found.makespan, bounds.problem())),
             percent(above(found.makespan, bounds.distribution())));
  PortfolioEntry const& best = found.best_entry();
  out += fmt::format("\nbound         {} of the problem, {} of the distribution\n",
                     format_duration(bounds.problem()), format_duration(bounds.distribution()));
  out += fmt::format("schedule      {}, {} {} than the best of the portfolio, {}\n",
                     format_duration(found.makespan), percent(std::abs(found.makespan / best.best() - 1)),
                     found.makespan <= best.best() ? "shorter" : "LONGER", best.name);
  out += fmt::format("search        {} simulations, {} improvements, from {}\n", found.simulations,
                     found.history.size() - 1, found.start);
  for (WrittenSchedule const& file : files)
    out += fmt::format("written       {}: a run that follows it takes {}\n", file.file,
                       format_duration(Seconds{file.makespan_s}));
  return out;
}

nlohmann::ordered_json found_schedule_json(FoundSchedule const& found, Bounds const& bounds,
                                           std::vector<WrittenSchedule> const& files) {
  auto const policy = [&](PortfolioEntry const& e) {
    nlohmann::ordered_json entry = {{"policy", e.name}};
    if (e.makespan) entry["run"] = gaps(*e.makespan, bounds);
    entry["schedule"] = gaps(e.scheduled, bounds);
    return entry;
  };
  auto const improvement = [](auto const& entry) -> nlohmann::ordered_json {
    return {{"simulations", entry.first}, {"makespan_s", entry.second.value}};
  };
  auto const written = [](WrittenSchedule const& file) -> nlohmann::ordered_json {
    return {{"file", file.file}, {"format", file.format}, {"makespan_s", file.makespan_s}};
  };
  return {
      {"schedule", gaps(found.makespan, bounds)},
      {"bounds", {{"problem_s", bounds.problem().value}, {"distribution_s", bounds.distribution().value}}},
      {"best_of_portfolio", found.best_entry().name},
      {"portfolio", json_list(found.portfolio, policy)},
      {"search",
       {{"simulations", found.simulations},
        {"start", found.start},
        {"improved", found.improved},
        {"history", json_list(found.history, improvement)}}},
      {"files", json_list(files, written)}};
}

struct ScheduleArguments : ScenarioArguments {
  std::optional<std::uint64_t> runs, seed;
  std::optional<double> seconds;
  std::optional<fs::path> out;
  bool force = false;
  int jobs = 0;
};

constexpr std::uint64_t default_runs = 1000;

/// The files of the answer that are schedules.
constexpr char const* own_name = "schedule.json";
constexpr char const* starpu_name = "sched.rec";
constexpr char const* nntile_name = "execution.json";
constexpr char const* map_name = "map.txt";
constexpr char const* scenario_name = "scenario.json";

/// Simulates the scenario as it follows a file: what the file expresses, no more.
Seconds makespan_of_file(PlacedScenario scenario, fs::path const& file) {
  scenario.scheduler.type = "static";
  scenario.schedule = read_schedule(file);
  return makespan_in_child(plan_tasks(std::move(scenario)));
}

/// Writes all formats that can express the schedule, and a scenario that follows it. Returns the schedules.
std::vector<WrittenSchedule> write_files(fs::path const& folder, TaskPlan const& plan,
                                         FoundSchedule const& found, nlohmann::json const& document,
                                         PlacedScenario const& scenario) {
  ScheduledGraph const of{plan.stored().graph, plan.stored().plan, plan.machine};
  std::vector<WrittenSchedule> out;
  auto const write = [&](char const* name, char const* format, std::string const& text) {
    write_file_atomically(folder / name, text);
    out.push_back({(folder / name).string(), format, makespan_of_file(scenario, folder / name).value});
  };
  write(own_name, "factosim-schedule", schedule_json(found.schedule, of, found.makespan));
  if (plan.machine.node_count() == 1) write(starpu_name, "sched.rec", sched_rec(found.schedule, of));
  if (auto const text = execution_json(found.schedule, of)) write(nntile_name, "execution.json", *text);
  if (plan.machine.node_count() > 1 && !plan.scenario.distribution.map.owner.empty())
    write_file_atomically(folder / map_name, map_text(plan.scenario.distribution.map));
  nlohmann::ordered_json replay = moved_scenario(
      nlohmann::ordered_json(document), fs::absolute(scenario.file).parent_path(), fs::absolute(folder));
  replay["scheduler"] = {{"type", "static"}, {"file", own_name}};
  replay["application"].erase("task_graph");  // the schedule is of the stored graph
  replay.erase("noise");                      // and of mean durations
  write_file_atomically(folder / scenario_name, json_text(replay, 2) + "\n");
  return out;
}

/// Makes the folder and keeps others out of it while the lock lives.
FolderLock prepare_folder(fs::path const& folder, bool force) {
  make_folder(folder);
  FolderLock lock(folder);
  for (char const* const name : {own_name, starpu_name, nntile_name, map_name, scenario_name})
    refuse_to_overwrite(folder / name, force);
  remove_abandoned_files(folder);
  return lock;
}

void schedule(ScheduleArguments const& a) {
  std::vector<std::string> settings = a.settings;
  if (a.seed) settings.push_back(fmt::format("/seed={}", *a.seed));
  nlohmann::json document = parse_json_file(a.file);
  (void)set_keys(document, settings);
  if (document.is_object() && !document.contains("scheduler"))
    document["scheduler"] = nlohmann::json::object();  // the replay of a trace then leaves the workers open
  Scenario read = scenario_of(document, a.file.string());
  SizeLimit const limit{.forced = a.force_large};
  check_size(read, limit);
  ScheduleBudget budget{.runs = a.runs, .jobs = a.jobs};
  if (a.seconds) budget.time = Seconds{*a.seconds};
  if (!a.runs && !a.seconds) budget.runs = default_runs;
  if (!a.seconds)
    check_work(repetitions_of(simulation_work(read), static_cast<double>(*budget.runs)), max_simulations_s,
               limit, "--runs", "Use fewer of them, or --seconds");
  PlacedScenario scenario = place(std::move(read), limit);
  scenario.noise = {};
  if (auto const* const replay = std::get_if<TraceApplication>(&scenario.application);
      replay != nullptr && replay->options.prescribes_workers())
    throw InputError(scenario.file + "#/application/mapping",
                     "keeps tasks on the workers of the trace (there is nothing to search). Use the mapping "
                     "\"nodes\"");
  TaskPlan const plan = plan_tasks(scenario);
  std::optional<FolderLock> lock;
  if (a.out) lock.emplace(prepare_folder(*a.out, a.force));
  UnfinishedFiles::say_when_interrupted(
      "Nothing is kept. A search with --seconds or fewer --runs ends by itself, with the best that it found");
  Bounds const bounds = bounds_of(plan);
  FoundSchedule const found = search_schedule(plan, budget, [&](std::uint64_t simulations, Seconds best) {
    show_status(fmt::format("{} simulations, best {:.4g} s, at least {:.4g} s", simulations, best.value,
                            bounds.distribution().value));
  });
  show_status("");
  std::vector<WrittenSchedule> files;
  if (a.out) files = write_files(*a.out, plan, found, document, scenario);
  if (a.json)
    print_json(found_schedule_json(found, bounds, files));
  else
    fmt::print(
        "{}{}", found_schedule_text(found, bounds, files),
        a.out ? fmt::format("\nfactosim run {}\n", shell_quoted((*a.out / scenario_name).string())) : "");
}

}  // namespace

void add_schedule_command(CLI::App& program) {
  auto [options, a] = add_command(
      program, "schedule", "Find a static schedule: the worker of each task, and the order on each worker",
      schedule,
      "Example: factosim schedule scenarios/first/lu_mirage.json --set nt=10 --runs 400 --out found\n"
      "See scenarios/guide/schedule.md.");
  options.scenario(a);
  options.force_large(a.force_large);
  options.positive("--seconds", a.seconds, "End the search after so many seconds");
  options.range("--runs", a.runs,
                "Simulations of the search at most; 1000 by default. 0: the portfolio of policies only", 0.,
                1e15);
  options.add("--seed", a.seed, "Seed of the scenario, and of the search");
  options.path("--out", a.out,
               "Folder for the schedule in all formats that can express it, and a scenario that follows it");
  options.force(a.force);
  options.jobs(a.jobs, "Simulations");
}

}  // namespace factosim
