#include "simulator/trace/import/csv_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <unordered_map>

#include "simulator/trace/import/csv_rows.hpp"

namespace factosim {

namespace {

/// A column of dates and the number of its units per second.
struct Dates {
  std::optional<std::size_t> column;
  double unit_s = 1;
};

Dates find_dates(CsvRows const& rows, std::string const& name, double unit_s) {
  for (auto const& [suffix, unit] :
       {std::pair{"", unit_s}, {"_s", 1.0}, {"_ms", 1e-3}, {"_us", 1e-6}, {"_ns", 1e-9}})
    if (auto const column = rows.column(name + suffix)) return {column, unit};
  return {};
}

bool names_gpu(std::string_view worker) {
  std::string lower(worker);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower.find("gpu") != std::string::npos || lower.find("cuda") != std::string::npos ||
         lower.find("hip") != std::string::npos;
}

class CsvRun {
 public:
  explicit CsvRun(std::filesystem::path const& file) : rows_(file) {
    run_.source = file.string();
    run_.format = "csv";
    task_ = rows_.required({"task", "kernel", "name", "value", "taskType"}, "what was executed");
    worker_ = rows_.required({"worker", "resource", "ResourceId"}, "who executed it");
    double const unit = rows_.column("taskType") ? 1e-6 : 1;
    start_ = find_dates(rows_, "start", unit);
    end_ = find_dates(rows_, "end", unit);
    duration_ = find_dates(rows_, "duration", unit);
    submit_ = find_dates(rows_, "submit", unit);
    if (!start_.column) (void)rows_.required({"start", "start_s", "start_ms", "start_us"}, "when it started");
    if (!end_.column && !duration_.column)
      (void)rows_.required({"end", "end_s", "end_ms", "duration", "duration_s"}, "when it ended");
    schedule_ = rows_.column("taskType") ? rows_.column("sched") : std::nullopt;
    id_ = rows_.any_column({"id", "JobId"});
    if (schedule_) id_ = rows_.column("Tid");
  }

  StarpuRun read() && {
    auto const depends = rows_.any_column({"depends_on", "DependsOn"});
    auto const node = rows_.column("node");
    std::string first_schedule;
    std::size_t left_out = 0;
    while (rows_.next()) {
      if (schedule_ && first_schedule.empty()) first_schedule = rows_.at(schedule_);
      if (schedule_ && rows_.at(schedule_) != first_schedule) {
        ++left_out;
        continue;
      }
      task(node, depends);
    }
    if (left_out > 0)
      run_.find(fmt::format("{} rows of schedules other than {} are left out", left_out, first_schedule));
    for (std::uint64_t& before : run_.dependencies) {  // rows may refer to later ones
      auto const known = key_of_id_.find(before);
      before = known == key_of_id_.end() ? no_task : known->second;
    }
    if (!depends) run_.find("has no column depends_on: the tasks do not wait for each other");
    return std::move(run_);
  }

 private:
  [[nodiscard]] double date(Dates const& dates, std::string_view what) const {
    auto const text = rows_.at(dates.column);
    return text.empty() ? unknown : dates.unit_s * number(rows_.lines(), text, what);
  }

  void task(std::optional<std::size_t> node, std::optional<std::size_t> depends) {
    LineReader const& at = rows_.lines();
    if (rows_.at(task_).empty())
      at.fail("has no task (its first columns should say what was executed). Complete the row");
    StarpuTask task{};
    std::uint32_t const resource = resource_of_row(node);
    auto const id = rows_.at(id_);
    task.name = {run_.resource_names[resource].node, static_cast<std::uint32_t>(run_.tasks.size() + 1)};
    if (!id.empty()) key_of_id_.try_emplace(task_name(at, id, 0).key(), task.name.key());
    task.kernel = run_.kernel(at, rows_.at(task_));
    task.worker = static_cast<std::int32_t>(resource);
    task.start_s = date(start_, "a start");
    task.end_s = end_.column ? date(end_, "an end") : task.start_s + date(duration_, "a duration");
    if (!(task.start_s <= task.end_s))
      at.fail("the task would end before it starts, or has no dates. Correct the row");
    task.submit_s = date(submit_, "a date of submission");
    set_optional_fields(task);
    split_words(rows_.at(depends), words_);
    task.first_dependency = static_cast<std::uint32_t>(run_.dependencies.size());
    task.dependencies = static_cast<std::uint32_t>(words_.size());
    for (std::string_view const word : words_) run_.dependencies.push_back(task_name(at, word, 0).key());
    run_.name_worker(task.name.node, task.worker, resource);
    run_.tasks.push_back(task);
  }

  /// Returns the resource of the row's worker; records the name of a new one.
  std::uint32_t resource_of_row(std::optional<std::size_t> node) {
    LineReader const& at = rows_.lines();
    std::string name(rows_.at(worker_));
    if (name.empty()) at.fail("has no worker. Complete the row");
    std::int64_t on_node = -1;
    if (auto const text = rows_.at(node); !text.empty()) {
      on_node = integer(at, text, 0, max_nodes - 1, "a node");
      name = fmt::format("{}_{}", on_node, name);
    }
    std::uint32_t const resource = run_.resource(at, name);
    ResourceName& known = run_.resource_names[resource];
    if (known.worker.empty()) {
      known.worker = rows_.at(worker_);
      known.device = names_gpu(name) ? Trace::Device::gpu : Trace::Device::cpu;
      if (on_node >= 0) known.node = static_cast<std::uint32_t>(on_node);
    }
    return resource;
  }

  void set_optional_fields(StarpuTask& task) {
    LineReader const& at = rows_.lines();
    if (auto const text = rows_.at(rows_.column("priority")); !text.empty())
      task.priority =
          static_cast<std::int32_t>(integer(at, text, std::numeric_limits<std::int32_t>::min(),
                                            std::numeric_limits<std::int32_t>::max(), "a priority"));
    if (auto const text = rows_.at(rows_.column("iteration")); !text.empty())
      task.iteration = static_cast<std::int32_t>(
          integer(at, text, -1, std::numeric_limits<std::int32_t>::max(), "an iteration"));
    if (auto const text = rows_.at(rows_.column("footprint")); !text.empty())
      task.footprint = static_cast<std::uint32_t>(hexadecimal(at, text, "a footprint"));
    if (auto const text = rows_.at(rows_.column("gflop")); !text.empty())
      task.flops = 1e9 * number(at, text, "GFlop");
  }

  static constexpr std::uint64_t no_task = TaskName{max_nodes, 0}.key();

  CsvRows rows_;
  StarpuRun run_;
  std::size_t task_ = 0, worker_ = 0;
  Dates start_, end_, duration_, submit_;
  std::optional<std::size_t> schedule_, id_;
  std::unordered_map<std::uint64_t, std::uint64_t> key_of_id_;  // ids of the table -> keys of tasks
  std::vector<std::string_view> words_;
};

}  // namespace

StarpuRun read_csv_run(std::filesystem::path const& file) { return CsvRun(file).read(); }

}  // namespace factosim
