#include "simulator/studies/sweep/sweep_engine.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <deque>
#include <set>

#include "factosim/error.hpp"
#include "models/applications/application.hpp"
#include "simulator/base/core/plain_names.hpp"
#include "simulator/base/os/atomic_file.hpp"
#include "simulator/base/os/process_pool.hpp"
#include "simulator/base/solver/linear_solver.hpp"
#include "simulator/report/text/progress_bar.hpp"
#include "simulator/runtime/engine/network_factory.hpp"
#include "simulator/scenario/simulation/resources.hpp"
#include "simulator/scenario/simulation/run.hpp"

namespace factosim {

namespace {

/// Estimates the number of tasks of a scenario, from which its run time and memory are estimated.
double guess_tasks(nlohmann::json const& scenario) {
  static nlohmann::json::json_pointer const nt("/application/nt"), type("/application/type");
  double const side = scenario.contains(nt) && scenario[nt].is_number() ? scenario[nt].get<double>() : 30;
  if (scenario.contains(type))
    for (Application const& app : applications())
      if (scenario[type] == app.name)
        return app.max_tasks({.nt = static_cast<int>(std::clamp(side, 0.0, 5000.0))});
  return std::pow(side, 3) / 6;
}

constexpr char const* done = "done";  // values that a job returns once its record is stored
constexpr char const* failed = "failed";

/// Simulates a point and stores its result, or the exit code and message of its failure. Throws InputError if it cannot
/// be stored.
std::string simulate_and_store(SweepPoint const& point, std::string const& scenario_file,
                               PointStore const& store, SizeLimit const& limit) {
  PointRecord record{.id = point.id, .message = {}, .scenario = point.scenario};
  try {
    record.result = simulate_document(point.scenario, scenario_file, limit);
  } catch (...) {
    Failure const failure = current_failure();
    record.code = failure.code;
    record.message = failure.message;
  }
  store.write(record);
  return record.done() ? done : failed;
}

/// Runs points in child processes, as many at once as cores and memory allow.
class LocalEngine {
 public:
  LocalEngine(Sweep const& sweep, PointStore const& store, LocalEngineOptions const& options,
              std::vector<SweepPoint const*> todo, std::size_t kept)
      : sweep_(sweep),
        store_(store),
        budget_(options.memory_bytes ? *options.memory_bytes : available_memory_bytes()),
        todo_(todo.begin(), todo.end()),
        limit_{.forced = options.force_large} {
    progress_.jobs = jobs_or_cores(options.jobs);
    progress_.kept = kept;
    for (SweepPoint const* point : todo_) work_ += cost(*point);
    std::ranges::stable_sort(todo_, std::ranges::greater{}, [](SweepPoint const* p) { return cost(*p); });
  }

  SweepProgress run() {
    auto const start = std::chrono::steady_clock::now();
    ProgressBar bar(todo_.size(), "points");
    while (!todo_.empty() || pool_.running() > 0) {
      while (!todo_.empty() && may_start(*todo_.front())) start_next();
      EndedJob const job = pool_.wait();
      ended(job);
      bar.update(progress_.points, work_done_ / std::max(work_, 1.0), progress_.failed);
    }
    progress_.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return progress_;
  }

 private:
  static double cost(SweepPoint const& point) { return guess_tasks(point.scenario) + 1000; }

  bool may_start(SweepPoint const& point) const {
    if (alone_.contains(point.index) || running_alone_) return pool_.running() == 0;
    return static_cast<int>(pool_.running()) < progress_.jobs && budget_.fits(guess_tasks(point.scenario));
  }

  void start_next() {
    SweepPoint const& point = *todo_.front();
    todo_.pop_front();
    running_alone_ = alone_.contains(point.index);
    budget_.started(point.index, guess_tasks(point.scenario));
    by_index_[point.index] = &point;
    pool_.start(point.index, [&] { return simulate_and_store(point, sweep_.scenario_file, store_, limit_); });
  }

  void ended(EndedJob const& job) {
    budget_.ended(job.job, job.signal == 0 ? job.peak_rss_bytes : 0);
    running_alone_ = false;
    progress_.busy_s += job.wall_s;
    progress_.cpu_s += job.cpu_s;
    SweepPoint const& point = *by_index_.at(job.job);
    if (job.signal == 0 && job.code == ExitCode::bad_input)
      throw InputError(
          store_.folder().string() + "#",
          fmt::format("takes no more results ({}). {} are kept; make room, then go on with --resume",
                      job.message, progress_.points + progress_.kept));
    if (job.signal == SIGKILL && alone_.insert(point.index).second) {
      todo_.push_back(&point);  // most likely killed for its memory
      return;
    }
    if (job.signal != 0) write_signal(point, job);
    ++progress_.points;
    work_done_ += cost(point);
    if (!job.returned || job.message != done) ++progress_.failed;
  }

  void write_signal(SweepPoint const& point, EndedJob const& job) {
    store_.write(
        {.id = point.id,
         .code = ExitCode::internal_error,
         .message = fmt::format("its process was ended by signal {} ({}){}{}", job.signal,
                                ::strsignal(job.signal), job.message.empty() ? "" : ": ", job.message),
         .scenario = point.scenario});
  }

  Sweep const& sweep_;
  PointStore const& store_;
  MemoryBudget budget_;
  ProcessPool pool_;
  std::deque<SweepPoint const*> todo_;
  SizeLimit limit_;  // of each point
  std::map<std::size_t, SweepPoint const*> by_index_;
  std::set<std::size_t> alone_;  // points that were killed once
  bool running_alone_ = false;
  SweepProgress progress_;
  double work_ = 0, work_done_ = 0;
};

}  // namespace

nlohmann::ordered_json simulate_document(nlohmann::json const& document, std::string const& file,
                                         SizeLimit const& limit) {
  return run_plan(plan_simulation(scenario_of(document, file), limit), {.removes_limits = false}).json;
}

SweepProgress simulate_points(Sweep const& sweep, std::span<SweepPoint const> points, PointStore const& store,
                              LocalEngineOptions const& options) {
  std::vector<SweepPoint const*> todo;
  std::set<std::string> seen;  // points may be equal
  std::size_t kept = 0;
  std::vector<std::string> damaged;
  for (SweepPoint const& point : points) {
    if (!seen.insert(point.id).second) continue;
    StoredPoint const stored = store.find(point.id);
    if (!stored.damage.empty()) {
      require_replaceable(store.file_of(point.id));
      damaged.push_back(stored.damage);
    }
    if (stored.settled())
      ++kept;
    else
      todo.push_back(&point);
  }
  if (!todo.empty()) preload_network_models(), preload_linear_solver();
  SweepProgress progress = LocalEngine(sweep, store, options, std::move(todo), kept).run();
  progress.damaged = std::move(damaged);
  return progress;
}

namespace {

namespace fs = std::filesystem;

/// Throws InputError if the word would take more than one line of a script.
void require_one_line(std::string_view what, std::string const& word) {
  if (std::ranges::any_of(word, is_control))
    throw InputError(word + "#", fmt::format("is a {} with control characters (a script with it would have "
                                             "other lines). Rename or rewrite it on one line",
                                             what));
}

/// Returns the folder for sbatch --output, in which it replaces %j, say. Throws InputError if it has a
/// backslash, which would turn off the numbers of the logs.
std::string output_pattern(fs::path const& folder) {
  std::string out;
  for (char const c : folder.string()) {
    if (c == '\\')
      throw InputError(folder.string() + "#",
                       "has a backslash (Slurm would give one name to all logs). Give another folder");
    out += c == '%' ? "%%" : std::string(1, c);
  }
  return out;
}

/// Formats chunk numbers for sbatch --array: "0-3,7".
std::string array_of(std::vector<PointRange> const& chunks, std::size_t chunk) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < chunks.size();) {
    std::size_t const first = chunks[i].first / chunk;
    std::size_t last = first;
    while (++i < chunks.size() && chunks[i].first / chunk == last + 1) ++last;
    out.push_back(first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last));
  }
  return fmt::format("{}", fmt::join(out, ","));
}

/// A requeued task must run the same points, so its chunk is computed from its number. Names and values appear
/// only as quoted words of the command.
std::string job_script(Sweep const& sweep, BatchCommand const& command, std::size_t chunk) {
  return fmt::format(
      "#!/bin/bash\n"
      "# Points of a sweep in pieces of {}; made by factosim sweep --engine slurm.\n"
      "first=$((SLURM_ARRAY_TASK_ID * {}))\n"
      "last=$((first + {} < {} ? first + {} : {}))\n"
      "exec {}\n",
      chunk, chunk, chunk - 1, sweep.points.size() - 1, chunk - 1, sweep.points.size() - 1,
      command.text("\"$first:$last\""));
}

}  // namespace

std::string shell_quoted(std::string const& word) {
  static std::string const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,+@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string out = "'";
  for (char const c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

void BatchCommand::require_lines() const {
  for (fs::path const& file : {program, sweep, out}) require_one_line("file name", file.string());
  for (std::string const& setting : settings) require_one_line("setting", setting);
  for (std::string const& filter : filters) require_one_line("filter", filter);
}

std::string BatchCommand::text(std::string const& points) const {
  std::string text =
      fmt::format("{} sweep {} --out {} --resume --points {} --max-points {}", shell_quoted(program.string()),
                  shell_quoted(sweep.string()), shell_quoted(out.string()), points, max_points);
  if (!jobs.empty()) text += " --jobs " + jobs;
  if (force_large) text += " --force-large";
  for (std::string const& setting : settings) text += " --set " + shell_quoted(setting);
  if (replicas > 0) text += fmt::format(" --replicas {}", replicas);
  for (std::string const& filter : filters) text += " --filter " + shell_quoted(filter);
  return text;
}

std::vector<PointRange> open_chunks(Sweep const& sweep, PointStore const& store, std::size_t chunk) {
  std::vector<PointRange> out;
  std::size_t const points = sweep.points.size();
  for (std::size_t first = 0; first < points; first += chunk) {
    std::size_t const last = std::min(points, first + chunk) - 1;
    auto const begin = sweep.points.begin() + static_cast<std::ptrdiff_t>(first);
    auto const end = sweep.points.begin() + static_cast<std::ptrdiff_t>(last) + 1;
    if (std::any_of(begin, end, [&](SweepPoint const& p) { return !store.find(p.id).settled(); }))
      out.push_back({first, last});
  }
  return out;
}

std::string submit_to_slurm(Sweep const& sweep, PointStore const& store, BatchCommand const& command,
                            SlurmOptions const& options) {
  auto const chunks = open_chunks(sweep, store, options.chunk);
  if (chunks.empty()) return "";
  fs::path const folder = command.out / "slurm";
  std::error_code error;
  fs::create_directories(folder, error);
  fs::path const script = folder / "job.sh";
  write_file_atomically(script, job_script(sweep, command, options.chunk));
  std::string text =
      fmt::format("sbatch --parsable --requeue --job-name={} --array={} --output={}",
                  shell_quoted("factosim-" + sweep.file.stem().string()), array_of(chunks, options.chunk),
                  shell_quoted(output_pattern(folder) + "/%A_%a.log"));
  for (std::string const& option : options.sbatch_options) text += " " + shell_quoted(option);
  if (options.wait) text += " --wait";
  std::string const said =
      run_program({"sh", "-c", text + " " + shell_quoted(script.string()) + " 2>&1"}, "").out;
  std::string job = said.substr(0, said.find_first_of("\n;"));
  if (job.empty() || job.find_first_not_of("0123456789") != std::string::npos)
    throw InputError(
        "--engine slurm",
        fmt::format("sbatch submitted nothing (it said: {}). Check that Slurm runs, and --sbatch",
                    said.empty() ? "nothing" : said.substr(0, said.find_last_not_of('\n') + 1)));
  return job;
}

}  // namespace factosim
