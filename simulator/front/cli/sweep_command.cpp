#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>

#include "factosim/error.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/core/json_text.hpp"
#include "simulator/base/core/parsed.hpp"
#include "simulator/base/os/atomic_file.hpp"
#include "simulator/front/cli/command_line.hpp"
#include "simulator/report/figures/figures.hpp"
#include "simulator/studies/sweep/sweep.hpp"
#include "simulator/studies/sweep/sweep_engine.hpp"
#include "simulator/studies/sweep/sweep_folder.hpp"
#include "simulator/studies/sweep/sweep_report.hpp"
#include "simulator/studies/sweep/sweep_table.hpp"

namespace factosim {

namespace {

namespace fs = std::filesystem;

struct SweepArguments {
  fs::path file;
  std::vector<std::string> settings;
  std::optional<fs::path> out;
  bool force_large = false, resume = false, json = false, report = false, count = false, collect = false,
       no_wait = false;
  std::string engine = "local";
  int jobs = 0;
  std::optional<std::int64_t> memory_bytes;
  std::optional<std::uint64_t> max_points;
  std::string points;
  std::vector<std::string> filters;
  std::optional<int> replicas;
  std::size_t chunk = 0;
  std::vector<std::string> sbatch;
};

/// Throws InputError if the folder has no points but files that a sweep would overwrite.
void refuse_files_of_others(fs::path const& folder) {
  if (fs::exists(folder / "points")) return;
  for (char const* name :
       {"sweep.json", "sweep.csv", "sweep.jsonl", "comparisons.json", "report.html", "plots"})
    if (fs::exists(folder / name))
      throw InputError(
          (folder / name).string() + "#",
          "exists already, and not from a sweep here (it would be overwritten). Give another folder");
}

fs::path folder_of(SweepArguments const& a) {
  return a.out ? *a.out : fs::path("results") / (a.file == standard_stream ? "stdin" : a.file.stem());
}

std::span<SweepPoint const> asked_points(SweepArguments const& a, Sweep const& sweep) {
  std::span<SweepPoint const> const all(sweep.points);
  if (a.points.empty()) return all;
  auto const colon = std::min(a.points.find(':'), a.points.size());
  auto const first = parsed<std::size_t>(a.points.substr(0, colon));
  auto const last = colon == a.points.size() ? first : parsed<std::size_t>(a.points.substr(colon + 1));
  if (!first || !last || *first > *last || *last >= all.size())
    throw InputError("--points",
                     fmt::format("\"{}\" are no points of the sweep (it has 0 to {}). Write FIRST:LAST",
                                 a.points, all.size() - 1));
  return all.subspan(*first, *last - *first + 1);
}

std::size_t chunk_of(SweepArguments const& a, Sweep const& sweep) {
  constexpr std::size_t max_tasks = 1000;  // in an array, as Slurm is configured by default
  return a.chunk > 0 ? a.chunk : (sweep.points.size() + max_tasks - 1) / max_tasks;
}

BatchCommand batch_command(SweepArguments const& a, Sweep const& sweep) {
  if (a.file == standard_stream)
    throw InputError("--engine#", "needs the sweep in a file (each of its jobs reads it). Give its path");
  BatchCommand out{.program = fs::read_symlink("/proc/self/exe"),
                   .sweep = fs::absolute(a.file).lexically_normal(),
                   .out = fs::absolute(folder_of(a)).lexically_normal(),
                   .settings = a.settings,
                   .filters = a.filters,
                   .replicas = a.replicas.value_or(0),
                   .max_points = std::max<std::size_t>(sweep.points.size(), sweep.candidates),
                   .jobs = a.jobs > 0 ? fmt::format("{}", a.jobs) : "",
                   .force_large = a.force_large};
  out.require_lines();
  return out;
}

/// Tables and comparisons. They are derived from the points, so they may be overwritten.
struct Written {
  SweepResults results;
  std::vector<ComparedChart> comparisons;
  SweepRecord record;
};
Written write_tables(Sweep const& sweep, PointStore const& store) {
  for (fs::path const& folder : {store.folder(), store.folder() / "plots"}) remove_abandoned_files(folder);
  Written out{collect(sweep, store), {}, {}};
  write_sweep_tables(store.folder(), out.results.table);
  if (!sweep.comparisons.empty() && out.results.failed.size() + out.results.missing < sweep.points.size()) {
    out.comparisons = compare_results(sweep, out.results.table);
    write_file_atomically(store.folder() / "comparisons.json",
                          json_text(comparisons_json(out.comparisons), 2) + "\n");
  }
  out.record = sweep_record(sweep, store, out.results, out.comparisons);
  write_sweep_record(store.folder(), out.record);
  return out;
}

/// Writes DIR/plots/*.svg.
void write_plots(fs::path const& folder, std::vector<SweepFigure> const& plots) {
  std::vector<FigureJob> jobs;
  for (SweepFigure const& plot : plots) jobs.push_back({&plot.figure, "svg"});
  auto const pictures = draw_figures(jobs, folder.string() + "#");
  std::error_code ignored;  // if the folder is missing, the writes below fail
  fs::create_directories(folder, ignored);
  for (std::size_t i = 0; i < plots.size(); ++i)
    write_file_atomically(folder / (plots[i].name + ".svg"), pictures[i]);
}

/// DIR/report.html, and pictures where they can be drawn; made from the points, as the tables.
void write_report(Sweep const& sweep, PointStore const& store, Written const& written) {
  auto const plots = sweep_figures(written.record, sweep.file.string() + "#");
  write_sweep_report(store.folder() / "report.html", store.folder(), written.record, {});
  try {
    write_plots(store.folder() / "plots", plots);
  } catch (InputError const& e) {
    print_warning(e.what());
  }
}

/// Prints each message once, with the first point that failed so and how many others did.
void print_failures(SweepResults const& results) {
  constexpr std::size_t maximum = 20;
  std::vector<std::pair<FailedPoint const*, std::size_t>> kinds;
  for (FailedPoint const& point : results.failed) {
    auto const known =
        std::ranges::find_if(kinds, [&](auto const& kind) { return kind.first->message == point.message; });
    if (known == kinds.end())
      kinds.emplace_back(&point, 0);
    else
      ++known->second;
  }
  for (auto const& [first, others] : std::span(kinds).first(std::min(maximum, kinds.size())))
    print_error(fmt::format("failed: point {} ({}){}: {}", first->index, first->description,
                            others == 0 ? "" : fmt::format(" and {} more", others), first->message));
  if (kinds.size() > maximum)
    print_error(
        fmt::format("... and {} more messages, see \"message\" in sweep.csv", kinds.size() - maximum));
}

void warn_of_damage(SweepResults const& results) {
  for (std::string const& damaged : results.damaged) print_warning(fmt::format("damaged: {}", damaged));
  if (results.unchecked > 0)
    print_warning(
        fmt::format("{} points have no checksum (an older factosim simulated them): they may be altered",
                    results.unchecked));
}

void warn_of_several_programs(SweepResults const& results) {
  if (results.programs.size() < 2) return;
  std::vector<std::string> words;
  for (auto const& [program, points] : results.programs)
    words.push_back(fmt::format("{}: {}", program, points));
  print_warning(
      fmt::format("the points were simulated by {} versions of factosim, which may differ ({}). To simulate "
                  "all by one, give another folder",
                  words.size(), fmt::join(words, ", ")));
}

void print_outcome(Sweep const& sweep, Written const& written, std::optional<SweepProgress> const& progress) {
  auto const failed = [](FailedPoint const& f) -> nlohmann::ordered_json {
    return {{"point", f.index}, {"code", f.code}, {"parameters", f.description}, {"message", f.message}};
  };
  nlohmann::ordered_json out = {{"name", sweep.name},
                                {"points", sweep.points.size()},
                                {"missing", written.results.missing},
                                {"failed", json_list(written.results.failed, failed)},
                                {"comparisons", comparisons_json(written.comparisons)}};
  if (progress)
    out["simulation"] = {{"simulated", progress->points},
                         {"kept", progress->kept},
                         {"jobs", progress->jobs},
                         {"wall_s", progress->wall_s},
                         {"simulation_cpu_s", written.results.simulation_cpu_s},
                         {"busy_s", progress->busy_s},
                         {"cpu_s", progress->cpu_s}};
  print_json(out);
}

void print_summary(Sweep const& sweep, Written const& written, PointStore const& store,
                   std::optional<SweepProgress> const& progress) {
  std::size_t const failed = written.results.failed.size(), missing = written.results.missing;
  fmt::print("{}: {} of {} points done", sweep.name, sweep.points.size() - failed - missing,
             sweep.points.size());
  if (failed > 0) fmt::print(", {} failed", failed);
  if (missing > 0) fmt::print(", {} missing", missing);
  if (progress && progress->points == 0)
    fmt::print("; nothing to do: all results are there");
  else if (progress)
    fmt::print("; {} simulated in {:.3g} s ({:.3g} a second, {} at once)", progress->points, progress->wall_s,
               static_cast<double>(progress->points) / std::max(progress->wall_s, 1e-9), progress->jobs);
  fmt::print("\n");
  for (ComparedChart const& panel : written.comparisons)
    for (CurveComparison const& c : panel.curves)
      fmt::print("{}{}{}: {}\n", panel.asked.metric, panel.where.empty() ? "" : ", ", panel.where,
                 c.description(panel.asked.x));
  fmt::print("{}\n", (store.folder() / "sweep.csv").string());
}

/// The exit code of a sweep that has failed or missing points is that of the worst of them.
void throw_if_incomplete(Sweep const& sweep, SweepResults const& results, PointStore const& store) {
  if (results.missing > 0)
    throw InputError(
        store.folder().string() + "#",
        fmt::format(
            "lacks {} of {} points (they were not simulated, or not to the end). Run the sweep with --resume",
            results.missing, sweep.points.size()));
  if (results.failed.empty()) return;
  std::string const message =
      fmt::format("{} of {} points failed, see above", results.failed.size(), sweep.points.size());
  auto const has = [&](ExitCode code) {
    return std::any_of(results.failed.begin(), results.failed.end(),
                       [&](FailedPoint const& f) { return f.code == code; });
  };
  bool const by_error = has(ExitCode::internal_error);
  if (has(ExitCode::bad_input) && !by_error) throw InputError(sweep.file.string() + "#/points", message);
  if (has(ExitCode::infeasible) && !by_error) throw InfeasibleError(message);
  throw std::runtime_error(message);
}

void finish(SweepArguments const& a, Sweep const& sweep, PointStore const& store,
            std::optional<SweepProgress> const& progress) {
  Written const written = write_tables(sweep, store);
  if (a.report) write_report(sweep, store, written);
  print_failures(written.results);
  warn_of_damage(written.results);
  warn_of_several_programs(written.results);
  if (a.json)
    print_outcome(sweep, written, progress);
  else
    print_summary(sweep, written, store, progress);
  throw_if_incomplete(sweep, written.results, store);
}

/// The list of points has the memory of the simulations.
SizeLimit size_limit(SweepArguments const& a) {
  return {.memory_bytes = a.memory_bytes, .forced = a.force_large};
}

void run_locally(SweepArguments const& a, Sweep const& sweep, PointStore& store) {
  bool const part = !a.points.empty();  // other processes may simulate the other points
  store.open(a.resume);
  if (!part) store.lock();
  UnfinishedFiles::say_when_interrupted(fmt::format(
      "{} keeps the points that are done. Go on with the same command and --resume; --collect writes "
      "the tables of what is there",
      store.folder().string()));
  LocalEngineOptions const options{
      .jobs = a.jobs, .memory_bytes = size_limit(a).memory_bytes, .force_large = a.force_large};
  SweepProgress const progress = simulate_points(sweep, asked_points(a, sweep), store, options);
  store.sync();
  for (std::string const& damaged : progress.damaged) print_note(fmt::format("simulated again: {}", damaged));
  if (!part) return finish(a, sweep, store, progress);
  print_note(fmt::format("{} points simulated ({} failed), {} kept", progress.points, progress.failed,
                         progress.kept));
}

void run_on_slurm(SweepArguments const& a, Sweep const& sweep, PointStore& store) {
  BatchCommand command = batch_command(a, sweep);
  store.open(a.resume);
  if (command.jobs.empty()) command.jobs = "\"${SLURM_CPUS_ON_NODE:-1}\"";  // the cores of the Slurm task
  std::string const job = submit_to_slurm(sweep, store, command, {chunk_of(a, sweep), !a.no_wait, a.sbatch});
  if (job.empty() || !a.no_wait) return finish(a, sweep, store, {});
  fmt::print("submitted as job {}; when it has ended: factosim sweep {} --out {} --collect\n", job,
             shell_quoted(a.file.string()), shell_quoted(folder_of(a).string()));
}

void list_commands(SweepArguments const& a, Sweep const& sweep, PointStore& store) {
  BatchCommand const command = batch_command(a, sweep);
  store.open(a.resume);
  for (PointRange const& r : open_chunks(sweep, store, std::max<std::size_t>(1, a.chunk)))
    fmt::print("{}\n", command.text(fmt::format("{}:{}", r.first, r.last)));
}

void sweep(SweepArguments const& a) {
  Sweep const read = read_sweep(a.file, a.settings,
                                {.size = size_limit(a),
                                 .count_only = a.count,
                                 .replicas = a.replicas,
                                 .max_points = a.max_points,
                                 .filters = a.filters,
                                 .check_values = a.points.empty()});
  if (a.count && a.json) {
    nlohmann::ordered_json const counts = {
        {"points", read.count}, {"candidates", read.candidates}, {"replicas", read.replicas}};
    return fmt::print("{}\n", json_text(counts));
  }
  if (a.count) {
    fmt::print("{} points ({} combinations before filters, {} {} each)\n", read.count, read.candidates,
               read.replicas, read.replicas == 1 ? "replica" : "replicas");
    if (read.points.empty()) print_note("factosim: so many points are not checked one by one");
    return;
  }
  PointStore store(folder_of(a));
  if (!a.resume && !a.collect) refuse_files_of_others(store.folder());
  if (a.collect) {
    if (!fs::is_directory(store.folder()))
      throw InputError(
          store.folder().string() + "#",
          "holds no results (there is no such folder). Give --out the folder that the points are in");
    return finish(a, read, store, {});
  }
  if (a.engine == "slurm") return run_on_slurm(a, read, store);
  if (a.engine == "list") return list_commands(a, read, store);
  run_locally(a, read, store);
}

}  // namespace

void add_sweep_command(CLI::App& program) {
  auto [options, a] =
      add_command(program, "sweep", "Simulate a scenario with many values of its keys", sweep,
                  "Example: factosim sweep scenarios/lu_icpads20/fig13.sweep.json --out results/fig13\n"
                  "Writes DIR/sweep.csv, a row a point. See scenarios/sweeps.md.");
  options.path("sweep", a.file, "Sweep file (JSON), or - for standard input")->required();
  options.repeated("--set", a.settings, "Override a key of the sweep's scenario; may be repeated",
                   "KEY=VALUE");
  options.repeated("--filter", a.filters, "Keep only points of which this condition holds; may be repeated",
                   "CONDITION");
  options.path("--out", a.out, "Folder for the results; results/NAME of the sweep file by default");
  options.flag("--resume", a.resume, "Keep the points that are done, and simulate the others");
  options.jobs(a.jobs, "Simulations");
  options.flag(
      "--report", a.report,
      "Also write DIR/report.html, as factosim report does, and plots as DIR/plots/*.svg (with matplotlib)");
  options.flag("--count", a.count, "Only check the sweep and print its number of points");
  options.json(a.json, "Print what came out as JSON on standard output");
  options.more();
  options.choice("--engine", a.engine,
                 "local: here, on all cores; slurm: a job array; list: print commands, one a line",
                 {"local", "slurm", "list"});
  options.size("--memory", a.memory_bytes,
               "Memory for all of them, such as 8GB (10^9 bytes each) or 8GiB; what is free by default");
  options.add("--max-points", a.max_points, "Refuse a sweep of more points; 10000 by default");
  options.range("--replicas", a.replicas,
                "Simulations of each point, with different seeds, instead of the file's", 1, 1'000'000);
  options.add("--points", a.points, "Simulate points FIRST:LAST only, and write no tables", "RANGE");
  options.positive("--chunk", a.chunk, "Points of one Slurm task or listed command");
  options.force_large(a.force_large);
  options.flag("--no-wait", a.no_wait, "With slurm: return when the job is submitted");
  options.repeated("--sbatch", a.sbatch,
                   "With slurm: an option for sbatch, such as --sbatch=--partition=long", "OPTION");
  options.flag("--collect", a.collect, "Simulate nothing: write the tables of the points that are done");
}

}  // namespace factosim
