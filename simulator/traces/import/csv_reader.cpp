#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "simulator/traces/import/fields.hpp"
#include "simulator/traces/import/read_trace.hpp"
#include "simulator/traces/import/record_fields.hpp"

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
    messages_ = rows_.column("messages");
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
    // Rows may refer to later ones.
    for (std::uint64_t& before : run_.dependencies) before = key_of(before);
    for (StarpuRun::Message& m : run_.messages) {
      m.send_task = number_of(m.send_task);
      m.receive_task = number_of(m.receive_task);
    }
    if (!depends) run_.find("has no column depends_on: the tasks do not wait for each other");
    return std::move(run_);
  }

 private:
  [[nodiscard]] double date(Dates const& dates, std::string_view what) const {
    auto const text = rows_.at(dates.column);
    return text.empty() ? unknown : date_s(rows_.lines(), text, dates.unit_s, what);
  }

  void task(std::optional<std::size_t> node, std::optional<std::size_t> depends) {
    LineReader const& at = rows_.lines();
    if (rows_.at(task_).empty())
      at.fail("has no task (its first columns should say what was executed). Complete the row");
    RecordedTask record;
    StarpuTask& task = record.task;
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
    if (auto const text = rows_.at(rows_.column("priority")); !text.empty())
      task.priority = static_cast<std::int32_t>(integer(at, text, -max_int - 1, max_int, "a priority"));
    if (auto const text = rows_.at(rows_.column("iteration")); !text.empty())
      task.iteration = small(text, "an iteration");
    for (auto const& [column, field] :
         {std::pair{"m", "X"}, {"n", "Y"}, {"footprint", "Footprint"}, {"gflop", "GFlop"}})
      if (auto const text = rows_.at(rows_.column(column)); !text.empty())
        field_named<RecordedTask>(field)->set(record, at, text);
    split_words(rows_.at(depends), words_);
    task.first_dependency = static_cast<std::uint32_t>(run_.dependencies.size());
    task.dependencies = static_cast<std::uint32_t>(words_.size());
    for (std::string_view const word : words_) run_.dependencies.push_back(task_name(at, word, 0).key());
    run_.name_worker(task.name.node, task.worker, resource);
    data(task);
    messages();
    run_.add(at, task);
  }

  /// Handles have the same number on all nodes.
  void data(StarpuTask& task) {
    task.first_access = static_cast<std::uint32_t>(run_.accesses.size());
    for (CsvDatum const& d : data_of_row(rows_)) {
      auto const id = static_cast<std::uint64_t>(integer(rows_.lines(), d.name, 1, max_int, "a handle"));
      run_.accesses.push_back({id, d.size, d.mode});
      ++task.accesses;
      if (known_data_.insert(std::uint64_t{task.name.node} << 32U | id).second)
        run_.handles.push_back({.node = task.name.node,
                                .address = id,
                                .size = d.size,
                                .tag = static_cast<std::int64_t>(id),
                                .owner = d.owner,
                                .m = d.m,
                                .n = d.n,
                                .shape = {}});
    }
  }

  /// Reads the messages of a row: from:to:start_s:end_s:bytes:handle:sender:reader; 0 is no handle and no task.
  void messages() {
    LineReader const& at = rows_.lines();
    split_words(rows_.at(messages_), words_);
    for (std::string_view word : words_) {
      std::array<std::string_view, 8> fields;
      for (std::size_t i = 0; i < fields.size(); ++i) {
        std::size_t const end = i + 1 < fields.size() ? word.find(':') : word.size();
        if (end == std::string_view::npos)
          at.fail("a message without from:to:start_s:end_s:bytes:handle:sender:reader. Correct the line");
        fields[i] = word.substr(0, end);
        word.remove_prefix(std::min(word.size(), end + 1));
      }
      auto const id = [&](std::size_t i, std::string_view what) {
        return static_cast<std::uint32_t>(integer(at, fields[i], 0, max_int, what));
      };
      std::uint64_t const handle = id(5, "the handle of a message");
      run_.messages.push_back({.from = static_cast<std::uint32_t>(small(fields[0], "a node", max_nodes - 1)),
                               .to = static_cast<std::uint32_t>(small(fields[1], "a node", max_nodes - 1)),
                               .send_s = date_s(at, fields[2], 1, "when the message was sent"),
                               .receive_s = date_s(at, fields[3], 1, "when the message came"),
                               .size = integer(at, fields[4], -1, max_size, "a size in bytes"),
                               .tag = handle == 0 ? -1 : static_cast<std::int64_t>(handle),
                               .send_address = handle,
                               .receive_address = handle,
                               .send_task = id(6, "the task that sends"),
                               .receive_task = id(7, "the task that reads")});
    }
  }

  [[nodiscard]] std::int32_t small(std::string_view text, std::string_view what,
                                   std::int64_t maximum = max_int) const {
    return static_cast<std::int32_t>(integer(rows_.lines(), text, -1, maximum, what));
  }

  [[nodiscard]] std::uint64_t key_of(std::uint64_t id) const {
    auto const known = key_of_id_.find(id);
    return known == key_of_id_.end() ? no_task : known->second;
  }
  /// Returns the number of a task on its node; 0: there is none.
  [[nodiscard]] std::uint32_t number_of(std::uint32_t id) const {
    std::uint64_t const key = id == 0 ? no_task : key_of(id);
    return key == no_task ? 0 : static_cast<std::uint32_t>(key);
  }

  /// Returns the resource of the row's worker; records the name of a new one.
  std::uint32_t resource_of_row(std::optional<std::size_t> node) {
    LineReader const& at = rows_.lines();
    auto const name = rows_.at(worker_);
    if (name.empty()) at.fail("has no worker. Complete the row");
    std::optional<std::uint32_t> on_node;
    if (auto const text = rows_.at(node); !text.empty())
      on_node = static_cast<std::uint32_t>(integer(at, text, 0, max_nodes - 1, "a node"));
    return run_.worker_resource(at, name, on_node);
  }

  static constexpr std::int64_t max_int = std::numeric_limits<std::int32_t>::max();
  static constexpr std::int64_t max_size = std::int64_t{1} << 50;
  static constexpr std::uint64_t no_task = TaskName{max_nodes, 0}.key();

  CsvRows rows_;
  StarpuRun run_;
  std::size_t task_ = 0, worker_ = 0;
  Dates start_, end_, duration_, submit_;
  std::optional<std::size_t> schedule_, id_, messages_;
  std::unordered_map<std::uint64_t, std::uint64_t> key_of_id_;  // ids of the table -> keys of tasks
  std::unordered_set<std::uint64_t> known_data_;                // (node, handle) that have a record
  std::vector<std::string_view> words_;
};

}  // namespace

/// A table with one task per row and columns in any order: `task` (its kernel; or kernel, name, value,
/// taskType), `worker` (or resource, ResourceId), `start`, `end` (or `duration`); optional: `node`, `id` (or
/// JobId), `depends_on` (ids separated by spaces), `submit`, `priority`, `footprint` (hexadecimal),
/// `iteration`, `gflop`. Dates are in seconds unless the column name has another unit: start_ms, start_us. A
/// worker may be prefixed with its node (1_cuda0); a worker with gpu, cuda or hip in its name is a GPU. Of a
/// pmtool table (taskType, in microseconds) with several schedules the first is read.
TraceReader const csv_reader{.recognises = [](TraceSource const& s) { return is_table(s.first_line); },
                             .read = [](TraceSource const& s) { return assemble(CsvRun(s.path).read()); }};

}  // namespace factosim
