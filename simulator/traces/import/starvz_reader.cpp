#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "factosim/error.hpp"
#include "simulator/traces/import/fields.hpp"
#include "simulator/traces/import/read_trace.hpp"
#include "simulator/traces/import/record_fields.hpp"

namespace factosim {

namespace {

class StarvzDirectory {
 public:
  explicit StarvzDirectory(std::filesystem::path const& folder) : folder_(folder) {
    run_.source = folder.string();
    run_.format = "starvz";
  }

  StarpuRun read() && {
    if (auto const file = find("rec.data_handles.csv"); !file.empty()) data_handles(file);
    auto const tasks = find("rec.tasks.csv");
    if (!tasks.empty()) rec_tasks(tasks);
    if (auto const file = find("dag.csv"); !file.empty() && !dependencies_known_) dag(file);
    for (std::uint32_t i = 0; i < run_.tasks.size(); ++i)
      task_of_key_.try_emplace(run_.tasks[i].name.key(), i);
    if (auto const file = find("paje.worker_state.csv"); !file.empty())
      worker_states(file, tasks.empty());
    else
      run_.find("has no paje.worker_state.csv: names and states of workers are not known");
    auto const comms = find("rec.comms.csv");
    if (!comms.empty()) {
      CsvRows rows(comms);
      read_rows<StarpuRun::Message>(rows);
    }
    if (auto const file = find("paje.link.csv"); !file.empty()) links(file, comms.empty());
    return std::move(run_);
  }

 private:
  [[nodiscard]] std::filesystem::path find(std::string const& name) const {
    return plain_or_gzipped(folder_, name);
  }

  /// Adds the rows of a table, with all columns that are known.
  template <class Record>
  void read_rows(CsvRows& rows) {
    std::vector<RecordField<Record> const*> fields;
    for (std::string const& name : rows.header()) fields.push_back(field_named<Record>(name));
    while (rows.next()) {
      Record record{};
      bool empty = true;
      for (std::size_t c = 0; c < fields.size(); ++c) {
        if (rows.at(c).empty()) continue;
        empty = false;
        if (fields[c] != nullptr) fields[c]->set(record, rows.lines(), rows.at(c));
      }
      if (!empty || !std::is_same_v<Record, RecordedTask>) add_record(rows.lines(), run_, std::move(record));
    }
  }

  void data_handles(std::filesystem::path const& file) {
    CsvRows rows(file);
    (void)rows.required({"Handle"}, "which piece of data");
    read_rows<StarpuRun::Handle>(rows);
  }

  void rec_tasks(std::filesystem::path const& file) {
    CsvRows rows(file);
    for (char const* name : {"JobId", "StartTime", "EndTime"}) (void)rows.required({name}, "of each task");
    for (char const* name : {"Handles", "Modes", "DependsOn", "WorkerId", "SubmitTime"})
      if (!rows.column(name))
        run_.findings.push_back({rows.lines().file(), 1, fmt::format("has no column {}", name)});
    dependencies_known_ = rows.column("DependsOn").has_value();
    read_rows<RecordedTask>(rows);
  }

  void dag(std::filesystem::path const& file) {
    CsvRows rows(file);
    std::size_t const job_id = rows.required({"JobId"}, "the job that waits");
    std::size_t const before = rows.required({"Dependent"}, "the job that it waits for");
    while (rows.next())
      if (!rows.at(job_id).empty() && !rows.at(before).empty())
        run_.further_dependencies.emplace_back(task_name(rows.lines(), rows.at(job_id), 0).key(),
                                               task_name(rows.lines(), rows.at(before), 0).key());
  }

  void worker_states(std::filesystem::path const& file, bool tasks) {
    CsvRows rows(file);
    std::size_t const resource = rows.required({"ResourceId"}, "the worker");
    std::size_t const start = rows.required({"Start"}, "in ms"), end = rows.required({"End"}, "in ms");
    std::size_t const value = rows.required({"Value"}, "the state or the task's name");
    auto const job_id = rows.column("JobId"), type = rows.column("Type");
    if (!job_id)
      run_.findings.push_back(
          {rows.lines().file(), 1, "has no column JobId: states cannot be told from tasks"});
    while (rows.next()) {
      LineReader const& at = rows.lines();
      if (type && rows.at(type) != "Worker State") continue;
      std::uint32_t const r = run_.resource(at, rows.at(resource));
      if (!rows.at(job_id).empty()) {
        if (tasks)
          add_task(rows, r);
        else
          name_worker(task_name(at, rows.at(job_id), 0), r);
        continue;
      }
      double const from = milliseconds(at, rows.at(start), "a start"),
                   to = milliseconds(at, rows.at(end), "an end");
      if (!(from < to)) continue;  // StarVZ writes a row of length 0 before each task
      run_.states.push_back({r, run_.state_name(at, rows.at(value)), from, to});
    }
  }

  void name_worker(TaskName name, std::uint32_t resource) {
    auto const known = task_of_key_.find(name.key());
    if (known == task_of_key_.end()) {
      ++tasks_of_states_only_;
      return;
    }
    StarpuTask const& task = run_.tasks[known->second];
    if (task.worker >= 0) run_.name_worker(name.node, task.worker, resource);
  }

  void add_task(CsvRows const& rows, std::uint32_t resource) {
    LineReader const& at = rows.lines();
    RecordedTask record;
    auto const set = [&](std::string_view column, RecordField<RecordedTask> const& field) {
      if (auto const value = rows.at(rows.column(column)); !value.empty()) field.set(record, at, value);
    };
    for (auto const& [column, name] :
         {std::pair{"Value", "Name"}, {"Start", "StartTime"}, {"End", "EndTime"}})
      set(column, *field_named<RecordedTask>(name));
    for (auto const& field : fields_of_states()) set(field.name, field);
    add_record(at, run_, std::move(record));
    StarpuTask& task = run_.tasks.back();
    task.worker = static_cast<std::int32_t>(resource);
    run_.name_worker(task.name.node, task.worker, resource);
  }

  void links(std::filesystem::path const& file, bool messages) {
    CsvRows rows(file);
    std::size_t const type = rows.required({"Type"}, "what the link is");
    std::size_t const start = rows.required({"Start"}, "in ms"), end = rows.required({"End"}, "in ms");
    std::size_t const from = rows.required({"Origin"}, "where it starts"),
                      to = rows.required({"Dest"}, "where it ends");
    auto const size = rows.column("Size"), tag = rows.column("Tag");
    while (rows.next()) {
      LineReader const& at = rows.lines();
      bool const message = rows.at(type) == "MPI communication";
      if (message ? !messages : !rows.at(type).starts_with("Intra-node data")) continue;
      double const begin = milliseconds(at, rows.at(start), "a start"),
                   finish = milliseconds(at, rows.at(end), "an end");
      std::int64_t const bytes =
          rows.at(size).empty() ? -1
                                : integer(at, rows.at(size), 0, std::int64_t{1} << 50, "a size in bytes");
      ResourceName const a = resource_name(rows.at(from)), b = resource_name(rows.at(to));
      if (message) {
        auto const number = rows.at(tag);
        run_.messages.push_back({.from = a.node,
                                 .to = b.node,
                                 .send_s = begin,
                                 .receive_s = finish,
                                 .size = bytes,
                                 .tag = number.empty() ? -1 : integer(at, number, -1, INT64_MAX, "a tag")});
      } else if (a.memory >= 0 && b.memory >= 0) {
        run_.copies.push_back({a.node, a.memory, b.memory, begin, finish, std::max<std::int64_t>(0, bytes)});
      }
    }
  }

  std::filesystem::path folder_;
  StarpuRun run_;
  bool dependencies_known_ = false;
  std::unordered_map<std::uint64_t, std::uint32_t> task_of_key_;  // key -> index into run_.tasks
  std::size_t tasks_of_states_only_ = 0;
};

/// Returns whether a line is the header of one of StarVZ's tables.
bool is_header(std::string_view line) {
  auto const has = [&](std::string_view column) { return line.find(column) != std::string_view::npos; };
  return is_table(line) && (has("Nature") || (has("JobId") && has("StartTime")));
}

Trace read_starvz(TraceSource const& source) {
  std::filesystem::path const folder = source.is_folder ? source.path : source.path.parent_path();
  if (!is_starvz_directory(folder))
    refuse_unknown_trace(source.path,
                         "a table of StarVZ whose directory has no rec.tasks.csv or paje.worker_state.csv");
  return assemble(read_starvz_directory(folder));
}

}  // namespace

bool is_starvz_directory(std::filesystem::path const& folder) {
  return !plain_or_gzipped(folder, "rec.tasks.csv").empty() ||
         !plain_or_gzipped(folder, "paje.worker_state.csv").empty();
}

StarpuRun read_starvz_directory(std::filesystem::path const& folder) {
  return StarvzDirectory(folder).read();
}

/// Folder of StarVZ's first phase.
TraceReader const starvz_reader{.recognises =
                                    [](TraceSource const& s) {
                                      return s.is_folder ? is_starvz_directory(s.path)
                                                         : is_header(s.first_line);
                                    },
                                .read = read_starvz};

}  // namespace factosim
