#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <tuple>

#include "factosim/error.hpp"
#include "simulator/traces/import/chrome_files.hpp"
#include "simulator/traces/import/read_trace.hpp"
#include "simulator/traces/import/starpu_run.hpp"

namespace factosim {

namespace {

using Json = nlohmann::json;

constexpr double us = 1e-6;

/// A process, by the place of its file and "pid", and a thread of it, by "tid"; both may be numbers or text.
using Process = std::pair<std::size_t, std::string>;
using Thread = std::pair<Process, std::string>;

struct Slice {
  Thread thread;
  std::string name, category;
  double start_s = 0, end_s = 0;
  Json args{};
  std::uint32_t task = 0;  // number in the run, from 1; 0: it is none
};

/// An end, or a step, of a flow.
struct FlowPoint {
  Thread thread;
  double date_s;
  bool ends_in_next;  // it is at the next slice that starts, not at the one around it
};

class ChromeRun {
 public:
  /// `files`: of the processes of one run; one at least.
  ChromeRun(std::filesystem::path const& source, std::vector<std::filesystem::path> const& files)
      : at_(files.front()) {
    run_.source = source.string();
    run_.format = "chrome";
    for (std::filesystem::path const& file : files) read_file(file);
  }

  StarpuRun read() && {
    if (files_.size() > 1) join_files();
    if (std::string const& ranks = files_.front().ranks;
        is_profile_ && !ranks.empty() && ranks != std::to_string(files_.size()))
      run_.find(fmt::format("profiles of {} of {} ranks. Give a folder with one of each to join them",
                            files_.size(), ranks));
    for (auto const& [thread, open] : open_) unmatched_ += open.size();
    choose_tasks();
    add_tasks();
    add_dependencies();
    state_what_is_ignored();
    return std::move(run_);
  }

 private:
  [[noreturn]] void fail(std::size_t event, std::string_view problem) const {
    throw InputError(fmt::format("{}#/traceEvents/{}", files_.back().path, event), problem);
  }

  void read_file(std::filesystem::path const& path) {
    ChromeFile& file = files_.emplace_back();
    file.path = path.string();
    Json const document = chrome_document(path);
    Json const* const events = document.is_array() ? &document : member(document, "traceEvents");
    if (events == nullptr || !events->is_array())
      throw InputError(file.path + "#",
                       "is JSON without \"traceEvents\" (traces of Chrome and Perfetto have it). Give such a "
                       "trace; graphs without dates are applications of the type \"graph\"");
    bool const profile = std::ranges::any_of(*events, [](Json const& e) { return is_of_stream(e); });
    if (files_.size() > 1 && profile != is_profile_)
      throw InputError(file.path + "#",
                       "cannot be joined with the other files of its folder (some are profiles of PyTorch "
                       "with GPUs, others are not). Give each kind a folder");
    is_profile_ = profile;
    if (Json const* const ranks = member(document, "distributedInfo"); is_profile_ && ranks != nullptr) {
      file.rank = text(*ranks, "rank");
      file.ranks = text(*ranks, "world_size");
      process_names_[{files_.size() - 1, ""}] = "rank " + file.rank;
    }
    if (Json const* const base = member(document, "baseTimeNanoseconds");
        base != nullptr && base->is_number_integer()) {
      file.base_ns = base->get<std::int64_t>();
      file.is_dated = file.base_ns >= 0;  // a larger number than fits is negative
    }
    for (std::size_t i = 0; i < events->size(); ++i) event((*events)[i], i);
  }

  /// Gives the dates of all files one clock.
  void join_files() {
    for (Slice const& s : slices_) {
      double& first = files_[s.thread.first.first].first_s;
      first = std::min(first, s.start_s);
    }
    for (std::string& finding : join_chrome_files(files_)) run_.find(std::move(finding));
    auto const shift = [&](Thread const& thread) { return files_[thread.first.first].shift_s; };
    for (Slice& s : slices_) {
      s.start_s += shift(s.thread);
      s.end_s += shift(s.thread);
    }
    for (auto& [key, points] : flows_)
      for (FlowPoint& point : points) point.date_s += shift(point.thread);
  }

  static Json const* member(Json const& object, char const* name) {
    if (!object.is_object()) return nullptr;
    auto const found = object.find(name);
    return found == object.end() ? nullptr : &*found;
  }
  static std::string text(Json const& event, char const* name) {
    Json const* const value = member(event, name);
    if (value == nullptr) return {};
    return value->is_string() ? value->get<std::string>() : value->dump();
  }
  std::optional<double> number(Json const& event, char const* name, std::size_t i) const {
    Json const* const value = member(event, name);
    if (value == nullptr) return {};
    if (!value->is_number() || !plausible_date(value->get<double>() * us))
      fail(i, fmt::format("has \"{}\" without a date or duration in microseconds. Correct it", name));
    return value->get<double>();
  }
  double date_s(Json const& event, std::size_t i) {
    auto const date = number(event, "ts", i);
    if (!date) fail(i, "has no \"ts\" (its date in microseconds). Add it");
    return date_s(*date);
  }
  /// Dates since 1970 are counted from a round one: a second is too coarse a unit for them.
  double date_s(double date_us) {
    ChromeFile& file = files_.back();
    constexpr double year_us = 3e13, round_us = 1e12;
    if (!file.is_dated && date_us > year_us) {
      file.is_dated = true;
      file.own_base_us = (std::floor(date_us / round_us) - 1) * round_us;
      file.base_ns = static_cast<std::int64_t>(1e3 * file.own_base_us);
    }
    return (date_us - file.own_base_us) * us;
  }

  void event(Json const& event, std::size_t i) {
    if (!event.is_object()) fail(i, "is no object (an event is one). Correct it");
    std::string const phase = text(event, "ph");
    std::size_t const file = files_.size() - 1;
    Thread const thread{{file, text(event, "pid")}, text(event, "tid")};
    if (phase == "X" && (!is_profile_ || is_of_stream(event))) {
      double const start = date_s(event, i), duration = number(event, "dur", i).value_or(0);
      if (duration < 0) fail(i, "has a negative \"dur\" (a task would end before it starts). Correct it");
      slices_.push_back({is_profile_ ? stream_of(event) : thread, text(event, "name"),
                         is_profile_ ? "task" : text(event, "cat"), start, start + duration * us,
                         args(event)});
    } else if (is_profile_) {
      no_tasks_ += phase == "X";
    } else if (phase == "B") {
      open_[thread].push_back(
          {thread, text(event, "name"), text(event, "cat"), date_s(event, i), 0, args(event)});
    } else if (phase == "E") {
      end_slice(thread, event, i);
    } else if (phase == "M") {
      name(thread, event);
    } else if (phase == "s" || phase == "t" || phase == "f") {
      flows_[{file, text(event, "cat"), text(event, "name"), text(event, "id")}].push_back(
          {thread, date_s(event, i), phase == "f" && text(event, "bp") != "e"});
    } else {
      ++ignored_[phase];
    }
  }

  /// Returns whether PyTorch's profiler has recorded that a GPU did this in a stream.
  static bool is_of_stream(Json const& event) {
    static constexpr std::array<std::string_view, 6> categories{"kernel", "gpu_memcpy", "gpu_memset",
                                                                "Kernel", "Memcpy",     "Memset"};
    return text(event, "ph") == "X" && member(args(event), "stream") != nullptr &&
           std::ranges::find(categories, text(event, "cat")) != categories.end();
  }

  Thread stream_of(Json const& event) {
    Json const of_gpu = args(event);
    Thread out{{files_.size() - 1, ""},
               fmt::format("gpu{} stream {}", text(of_gpu, "device"), text(of_gpu, "stream"))};
    thread_names_[out] = out.second;
    return out;
  }

  static Json args(Json const& event) {
    Json const* const given = member(event, "args");
    return given == nullptr ? Json() : *given;
  }

  void end_slice(Thread const& thread, Json const& event, std::size_t i) {
    auto& open = open_[thread];
    if (open.empty()) {
      ++unmatched_;
      return;
    }
    Slice slice = std::move(open.back());
    open.pop_back();
    slice.end_s = date_s(event, i);
    if (slice.end_s < slice.start_s)
      fail(i, "ends before it begins (events of one thread must be in order). Sort them");
    slices_.push_back(std::move(slice));
  }

  void name(Thread const& thread, Json const& event) {
    Json const* const given = member(event, "args");
    std::string const value = given == nullptr ? "" : text(*given, "name");
    if (text(event, "name") == "process_name") process_names_[thread.first] = value;
    if (text(event, "name") == "thread_name") thread_names_[thread] = value;
  }

  /// Moves the tasks to the front of `slices_`, in order of their starts; drops the others.
  void choose_tasks() {
    bool const named = std::ranges::any_of(slices_, [](Slice const& s) { return s.category == "task"; });
    std::ranges::stable_sort(slices_, [](Slice const& a, Slice const& b) {
      return std::tuple(a.start_s, -a.end_s) < std::tuple(b.start_s, -b.end_s);
    });
    std::map<Thread, double> end;  // of the slice around the next ones
    auto const is_task = [&](Slice const& s) {
      if (named) return s.category == "task";
      auto const [outer, first] = end.try_emplace(s.thread, s.end_s);
      if (first) return true;
      if (s.start_s < outer->second && s.end_s <= outer->second) return false;
      outer->second = s.end_s;
      return true;
    };
    std::vector<Slice> tasks;
    for (Slice& s : slices_)
      if (is_task(s)) tasks.push_back(std::move(s));
    no_tasks_ += slices_.size() - tasks.size();
    slices_ = std::move(tasks);
  }

  void add_tasks() {
    number_processes();
    for (Slice& slice : slices_) {
      std::uint32_t const node = node_of_process_[slice.thread.first];
      std::uint32_t const resource = run_.worker_resource(at_, worker_of(slice.thread), node);
      slice.task = static_cast<std::uint32_t>(run_.tasks.size() + 1);
      StarpuTask task{.name = {node, slice.task},
                      .kernel = run_.kernel(at_, slice.name.empty() ? "unnamed" : slice.name),
                      .worker = static_cast<std::int32_t>(resource),
                      .start_s = slice.start_s,
                      .end_s = slice.end_s};
      for (auto const& [key, value] :
           {std::pair{"priority", &task.priority}, {"k", &task.iteration}, {"m", &task.x}, {"n", &task.y}})
        if (Json const* const given = member(slice.args, key); given != nullptr && given->is_number_integer())
          *value = static_cast<std::int32_t>(
              std::clamp<std::int64_t>(given->get<std::int64_t>(), INT32_MIN, INT32_MAX));
      ChromeFile const& file = files_[slice.thread.first.first];
      if (Json const* const given = member(slice.args, "submitted_us");
          given != nullptr && given->is_number() && plausible_date(given->get<double>() * us))
        task.submit_s = (given->get<double>() - file.own_base_us) * us + file.shift_s;
      run_.name_worker(node, task.worker, resource);
      run_.add(at_, task);
      by_thread_[slice.thread].push_back(&slice);
    }
  }

  /// Threads of one name are workers of their own: the numbers of threads tell them apart.
  std::string const& worker_of(Thread const& thread) {
    auto const [known, is_new] = workers_.try_emplace(thread, thread_names_[thread]);
    std::string& name = known->second;
    if (name.empty()) name = "thread" + thread.second;
    while (is_new && !taken_.emplace(thread.first, name).second) name += "_" + thread.second;
    return name;
  }

  /// Processes are nodes in the order of their ranks, files and numbers.
  void number_processes() {
    for (Slice const& slice : slices_) node_of_process_.try_emplace(slice.thread.first);
    std::vector<Process> processes;
    for (auto const& [process, node] : node_of_process_) processes.push_back(process);
    std::ranges::stable_sort(processes, {}, [&](Process const& p) {
      std::string const& rank = files_[p.first].rank;
      return std::tuple(rank.size(), rank, p.first, p.second.size(), p.second);
    });
    if (processes.size() >= max_nodes)
      throw InputError(run_.source + "#", fmt::format("has {} processes ({} nodes are the most). Split it",
                                                      processes.size(), max_nodes - 1));
    for (std::uint32_t n = 0; n < processes.size(); ++n) {
      node_of_process_[processes[n]] = n;
      if (auto const known = process_names_.find(processes[n]); known != process_names_.end())
        run_.node_names[n] = known->second;
    }
  }

  /// Returns the task at an end of a flow; null if there is none.
  [[nodiscard]] Slice const* at(FlowPoint const& point) const {
    auto const thread = by_thread_.find(point.thread);
    if (thread == by_thread_.end()) return nullptr;
    auto const& slices = thread->second;
    auto const later = [](double date, Slice const* s) { return date < s->start_s; };
    auto next = std::upper_bound(slices.begin(), slices.end(), point.date_s, later);
    if (next != slices.begin() && ((*std::prev(next))->end_s >= point.date_s) &&
        (!point.ends_in_next || (*std::prev(next))->start_s == point.date_s))
      return *std::prev(next);
    return point.ends_in_next && next != slices.end() ? *next : nullptr;
  }

  void add_dependencies() {
    for (auto const& [stream, slices] : by_thread_)
      for (std::size_t s = 1; is_profile_ && s < slices.size(); ++s, ++dependencies_)
        run_.further_dependencies.emplace_back(key_of(*slices[s]), key_of(*slices[s - 1]));
    for (auto& [key, points] : flows_) {
      std::ranges::stable_sort(points, {}, &FlowPoint::date_s);
      Slice const* before = nullptr;
      for (FlowPoint const& point : points) {
        Slice const* const slice = at(point);
        loose_ += slice == nullptr;
        if (slice != nullptr && before != nullptr && slice != before) {
          run_.further_dependencies.emplace_back(key_of(*slice), key_of(*before));
          ++dependencies_;
        }
        if (slice != nullptr) before = slice;
      }
    }
  }

  [[nodiscard]] std::uint64_t key_of(Slice const& slice) const {
    return TaskName{node_of_process_.at(slice.thread.first), slice.task}.key();
  }

  void state_what_is_ignored() {
    if (is_profile_)
      run_.find("profile of PyTorch: what GPUs did is read, each stream is a worker and keeps its order");
    if (no_tasks_ > 0)
      run_.find(fmt::format(
          "{} slices are no tasks (of other categories, or inside of others): they are left out", no_tasks_));
    if (unmatched_ > 0)
      run_.find(
          fmt::format("{} events that begin or end a slice have no partner: they are left out", unmatched_));
    if (loose_ > 0) run_.find(fmt::format("{} ends of flows are at no task: they are left out", loose_));
    for (auto const& [phase, count] : ignored_)
      run_.find(fmt::format("{} events of the phase \"{}\" are left out", count, phase));
    if (dependencies_ == 0) run_.find("has no flows between tasks: the tasks do not wait for each other");
    run_.find("Chrome trace events have no data: what messages and copies carry is not known");
  }

  LineReader at_;  // for the messages of the run
  StarpuRun run_;
  std::vector<ChromeFile> files_;
  std::vector<Slice> slices_;
  std::map<Thread, std::vector<Slice>> open_;  // begun and not ended
  std::map<std::tuple<std::size_t, std::string, std::string, std::string>, std::vector<FlowPoint>> flows_;
  std::map<Process, std::string> process_names_;
  std::map<Thread, std::string> thread_names_, workers_;  // as given; each another one in its process
  std::set<std::pair<Process, std::string>> taken_;
  std::map<Process, std::uint32_t> node_of_process_;
  std::map<Thread, std::vector<Slice const*>> by_thread_;  // tasks, by start
  std::map<std::string, std::size_t> ignored_;             // events by phase
  bool is_profile_ = false;                                // of PyTorch, with streams of GPUs
  std::size_t no_tasks_ = 0, unmatched_ = 0, loose_ = 0, dependencies_ = 0;
};

}  // namespace

/// Chrome trace events (Perfetto), as `export` and task runtimes write them: an object with "traceEvents", or an
/// array whose "]" may be missing. A process is a node, a thread a worker; one with gpu, cuda or hip in its name is a
/// GPU. Tasks are the complete slices (X, or B and E) of the category "task"; without that category all slices that are
/// not inside of another one. Flows (s, t, f) are dependencies between the tasks at their ends. Of `args`, "priority",
/// "k", "m", "n" and "submitted_us" are read. Of a profile of PyTorch the kernels, copies and fills are tasks, in order on
/// their streams, and the process is a node. What is ignored is a finding. Times are in microseconds. O(events log events).
/// A folder has a file for each process, or rank, of one run.
TraceReader const chrome_reader{.recognises =
                                    [](TraceSource const& s) {
                                      return s.first_line.starts_with('{') || s.first_line.starts_with('[') ||
                                             (s.is_folder && !chrome_files(s.path).empty());
                                    },
                                .read =
                                    [](TraceSource const& s) {
                                      auto const files =
                                          s.is_folder ? chrome_files(s.path) : std::vector{s.path};
                                      return assemble(ChromeRun(s.path, files).read());
                                    }};

}  // namespace factosim
