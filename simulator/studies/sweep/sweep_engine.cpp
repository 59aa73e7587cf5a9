#include "simulator/studies/sweep/sweep_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <deque>
#include <set>

#include "factosim/error.hpp"
#include "models/applications/registry.hpp"
#include "simulator/base/os/atomic_file.hpp"
#include "simulator/base/os/process_pool.hpp"
#include "simulator/report/text/progress_bar.hpp"
#include "simulator/runtime/engine/network_factory.hpp"
#include "simulator/scenario/simulation/resources.hpp"
#include "simulator/scenario/simulation/run.hpp"

namespace factosim {

namespace {

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

double guess_tasks(nlohmann::json const& scenario) {
  static nlohmann::json::json_pointer const nt("/application/nt"), type("/application/type");
  double const side = scenario.contains(nt) && scenario[nt].is_number() ? scenario[nt].get<double>() : 30;
  if (scenario.contains(type))
    for (Application const& app : applications())
      if (scenario[type] == app.name)
        return app.max_tasks({.nt = static_cast<int>(std::clamp(side, 0.0, 5000.0))});
  return std::pow(side, 3) / 6;
}

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
  if (!todo.empty()) preload_network_models();
  SweepProgress progress = LocalEngine(sweep, store, options, std::move(todo), kept).run();
  progress.damaged = std::move(damaged);
  return progress;
}

}  // namespace factosim
