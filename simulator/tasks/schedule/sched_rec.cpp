#include "simulator/tasks/schedule/schedule_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "factosim/error.hpp"
#include "simulator/base/core/input_limits.hpp"
#include "simulator/base/core/parsed.hpp"
#include "simulator/tasks/graph/graph_order.hpp"

namespace factosim {

namespace {

std::string_view trimmed(std::string_view text) {
  auto const first = text.find_first_not_of(" \t\r");
  return first == std::string_view::npos ? std::string_view()
                                         : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

class Reader {
 public:
  Reader(std::string_view text, std::string const& file)
      : text_(text), out_{.file = file, .place_word = "line ", .one_node = true} {}

  StaticSchedule read() {
    while (!text_.empty()) {
      std::size_t const end = std::min(text_.find('\n'), text_.size());
      std::string_view const line = trimmed(text_.substr(0, end));
      text_.remove_prefix(std::min(end + 1, text_.size()));
      check_input(InputLimit::rows, ++line_, out_.file + "#");
      if (line.empty())
        end_record();
      else
        read_field(line);
    }
    end_record();
    order();
    if (prefetches_ > 0)
      out_.findings.push_back(fmt::format(
          "{} prefetches are not followed: operands are fetched once their task is ready", prefetches_));
    return std::move(out_);
  }

 private:
  struct Field {
    std::string_view value;
    std::size_t line;
  };

  [[noreturn]] void fail(std::size_t line, std::string const& message) const {
    throw InputError(fmt::format("{}#line {}", out_.file, line), message);
  }

  void read_field(std::string_view line) {
    std::size_t const colon = line.find(':');
    if (colon == std::string_view::npos)
      fail(line_, fmt::format("\"{}\" is no field (a name, a colon and a value are expected). Correct it",
                              line.substr(0, 40)));
    constexpr std::string_view known[] = {"SubmitOrder", "Priority",    "SpecificWorker",
                                          "Workers",     "Workerorder", "DependsOn",
                                          "Prefetch",    "MemoryNode",  "Parameters"};
    std::string_view const name = trimmed(line.substr(0, colon));
    if (std::ranges::find(known, name) == std::end(known))
      fail(line_, fmt::format("\"{}\" is no field of sched.rec (starpu_replay does not know it). Remove it",
                              name.substr(0, 40)));
    if (fields_.empty()) first_line_ = line_;
    if (!fields_.try_emplace(name, Field{trimmed(line.substr(colon + 1)), line_}).second)
      fail(line_,
           fmt::format("{} stands twice in one record (a blank line separates records). Remove one", name));
  }

  /// Returns a whole number of the record, if it is there.
  [[nodiscard]] std::optional<std::int64_t> number(std::string_view name, std::int64_t least) const {
    auto const field = fields_.find(name);
    if (field == fields_.end()) return std::nullopt;
    std::string_view const text = field->second.value;
    auto const value = parsed<std::int64_t>(text);
    if (!value || *value < least || *value > INT32_MAX)
      fail(field->second.line, fmt::format("{} is \"{}\" (one whole number from {} is expected). Correct it",
                                           name, text.substr(0, 40), least));
    return value;
  }

  void end_record() {
    if (fields_.empty()) return;
    if (fields_.contains("Prefetch"))
      ++prefetches_;
    else
      end_task();
    fields_.clear();
  }

  void end_task() {
    auto const task = number("SubmitOrder", 1);
    if (!task) fail(first_line_, "names no task (\"SubmitOrder\" is missing). Add it");
    if (auto const more = fields_.find("DependsOn"); more != fields_.end())
      fail(more->second.line, fmt::format("adds dependencies to task {} (a schedule does not change the task "
                                          "graph). Express them by Workerorder",
                                          *task - 1));
    auto const worker = number(fields_.contains("SpecificWorker") ? "SpecificWorker" : "Workers", 0);
    if (!worker)
      fail(first_line_,
           fmt::format("gives task {} no worker (a static schedule has one for each). Add \"SpecificWorker\"",
                       *task - 1));
    auto const turn = number("Workerorder", 0);
    ScheduledTask out{
        .task = static_cast<std::uint64_t>(*task - 1),
        .worker = {.by = WorkerReference::By::number, .number = static_cast<std::uint32_t>(*worker)},
        .position = turn.value_or(0),
        .place = first_line_};
    if (auto const priority = number("Priority", INT32_MIN))
      out.priority = static_cast<std::int32_t>(*priority);
    out_.tasks.push_back(std::move(out));
  }

  /// Checks that the turns on each worker are 1, 2, ...; without any, tasks are ordered by priority.
  void order() {
    auto const ordered = [](ScheduledTask const& t) { return t.position > 0; };
    out_.strict = std::ranges::any_of(out_.tasks, ordered);
    if (!out_.strict) {
      std::vector<ScheduledTask*> sorted;
      for (ScheduledTask& t : out_.tasks) sorted.push_back(&t);
      std::ranges::sort(sorted, {}, [](ScheduledTask const* t) {
        return std::pair(-static_cast<std::int64_t>(t->priority.value_or(0)), t->task);
      });
      for (std::size_t i = 0; i < sorted.size(); ++i) sorted[i]->position = static_cast<std::int64_t>(i);
      return;
    }
    std::map<std::uint32_t, std::vector<ScheduledTask const*>> workers;
    for (ScheduledTask const& t : out_.tasks) workers[t.worker.number].push_back(&t);
    for (auto& [worker, tasks] : workers) {
      std::ranges::stable_sort(tasks, {}, [](ScheduledTask const* t) { return t->position; });
      for (std::size_t i = 0; i < tasks.size(); ++i)
        if (tasks[i]->position != static_cast<std::int64_t>(i) + 1)
          fail(tasks[i]->place,
               fmt::format("gives task {} the turn {} on worker {}, and {} is expected (StarPU needs turns "
                           "from 1 without gaps, for all tasks or for none). Number them anew",
                           tasks[i]->task, tasks[i]->position, worker, i + 1));
    }
  }

  std::string_view text_;
  StaticSchedule out_;
  std::size_t line_ = 0, first_line_ = 0, prefetches_ = 0;
  std::map<std::string_view, Field> fields_;  // of the record
};

}  // namespace

StaticSchedule read_sched_rec(std::string_view text, std::string const& file) {
  return Reader(text, file).read();
}

std::string sched_rec(TaskSchedule const& s, ScheduledGraph const& of) {
  FACTOSIM_EXPECT(of.machine.node_count() == 1, "sched.rec is of one node");
  std::vector<std::uint32_t> const turn = turns(s, of);
  std::string out;
  for (TaskId const task : in_submission_order(of.graph)) {
    std::size_t const t = task.index();
    out += fmt::format("SubmitOrder: {}\nSpecificWorker: {}\n", of.graph.submission_number(task) + 1,
                       s.worker[t]);
    if (s.strict) out += fmt::format("Workerorder: {}\n", turn[t] + 1);
    if (!s.priority.empty() || !s.strict)
      out += fmt::format("Priority: {}\n", s.strict ? s.priority[t] : -static_cast<std::int64_t>(turn[t]));
    out += "\n";
  }
  return out;
}

}  // namespace factosim
