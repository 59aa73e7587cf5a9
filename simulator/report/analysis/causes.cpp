#include "simulator/report/analysis/causes.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>
#include <utility>

namespace factosim {

namespace {

/// Index of the workers of one kind on one node.
std::size_t kind_on_node(Trace::Worker const& worker) {
  return 2 * worker.node.index() + (worker.device == Trace::Device::gpu ? 1 : 0);
}

bool is_before(Cause const& a, Cause const& b) {
  return a.date != b.date ? a.date > b.date : a.kind < b.kind;
}

template <class Note>
void note_event(Note const& note, Cause::Kind kind, double date, double begin, std::uint32_t index,
                double start) {
  if (!std::isnan(date) && !(begin >= start)) note(Cause{kind, std::min(date, start), index});
}

}  // namespace

template <class Transfer>
Causes::Arrivals::Arrivals(std::vector<Transfer> const& transfers, bool tiles) {
  auto const row_of = [&](Transfer const& t) { return tiles ? row(t.handle) : 0; };
  std::size_t rows = 1;
  for (Transfer const& t : transfers) rows = std::max(rows, row_of(t) + 1);
  rows_ = collect_rows<Arrival>(rows, [&](auto const& use) {
    for (std::uint32_t i = 0; i < transfers.size(); ++i)
      if (Transfer const& t = transfers[i]; !std::isnan(t.end_s))
        use(row_of(t), Arrival{t.end_s, t.start_s, t.to.value(), i});
  });
  for (std::size_t r = 0; r < rows; ++r)
    std::sort(rows_.items.begin() + rows_.begin[r], rows_.items.begin() + rows_.begin[r + 1],
              [](Arrival const& a, Arrival const& b) {
                return std::tie(a.destination, a.date, a.index) < std::tie(b.destination, b.date, b.index);
              });
}

Causes::Arrival const* Causes::Arrivals::last(std::uint32_t destination, HandleId handle,
                                              double until) const {
  if (row(handle) + 1 >= rows_.begin.size()) return nullptr;
  std::span<Arrival const> const arrivals = rows_.of(row(handle));
  auto const after = std::upper_bound(arrivals.begin(), arrivals.end(), std::pair{destination, until},
                                      [](auto const& limit, Arrival const& a) {
                                        return limit < std::pair{a.destination, a.date};
                                      });
  if (after == arrivals.begin() || std::prev(after)->destination != destination) return nullptr;
  return &*std::prev(after);
}

// Where no accesses are known, no tile of a task is.
Causes::Causes(Trace const& trace)
    : trace_(trace),
      order_(trace.workers.size()),
      longest_idle_(trace.task_count()),
      messages_(trace.messages, !trace.access_begin.empty()),
      copies_(trace.copies, !trace.access_begin.empty()) {
  order_tasks();
}

void Causes::order_tasks() {
  std::vector<std::vector<WorkerId>> workers(2 * trace_.nodes.size());
  std::vector<std::vector<TaskId>> tasks(workers.size());
  for (std::uint32_t w = 0; w < trace_.workers.size(); ++w)
    workers[kind_on_node(trace_.workers[w])].push_back(WorkerId{w});
  for (std::uint32_t t = 0; t < trace_.task_count(); ++t)
    if (trace_.ran(TaskId{t}))
      tasks[kind_on_node(trace_.workers[trace_.worker[t].index()])].push_back(TaskId{t});
  for (std::size_t kind = 0; kind < tasks.size(); ++kind) {
    std::sort(tasks[kind].begin(), tasks[kind].end(), [&](TaskId a, TaskId b) {
      double const sa = trace_.start_s[a.index()], sb = trace_.start_s[b.index()];
      return sa != sb ? sa < sb : a < b;
    });
    for (TaskId const t : tasks[kind]) order_[trace_.worker[t.index()].index()].push_back(t);
    find_idle_workers(tasks[kind], workers[kind]);
  }
}

/// Visits the tasks of one kind of workers on a node in the order of their starts; those that start at one date do not
/// see each other.
void Causes::find_idle_workers(std::vector<TaskId> const& tasks, std::vector<WorkerId> const& workers) {
  std::vector<std::size_t> place(trace_.workers.size());
  for (std::size_t i = 0; i < workers.size(); ++i) place[workers[i].index()] = i;
  std::vector<TaskId> last(workers.size());
  std::vector<double> end(workers.size());  // of the last task
  std::size_t started = 0;                  // workers
  for (std::size_t first = 0, next = 0; first < tasks.size(); first = next) {
    double const start = trace_.start_s[tasks[first].index()];
    while (next < tasks.size() && trace_.start_s[tasks[next].index()] == start) ++next;
    if (started == workers.size())
      for (std::size_t i = first; i < next; ++i) {
        std::size_t longest = place[trace_.worker[tasks[i].index()].index()];
        for (std::size_t w = 0; w < end.size(); ++w)
          if (end[w] <= start && end[w] < end[longest]) longest = w;
        longest_idle_[tasks[i].index()] = last[longest];
      }
    for (std::size_t i = first; i < next; ++i) {
      std::size_t const w = place[trace_.worker[tasks[i].index()].index()];
      if (!last[w].valid()) ++started;
      last[w] = tasks[i];
      end[w] = trace_.end_s[tasks[i].index()];
    }
  }
}

double Causes::last_copy_s(MemoryNodeId memory, HandleId handle, double until_s) const {
  Arrival const* const last = copies_.last(memory.value(), handle, until_s);
  return last == nullptr ? unknown : last->date;
}

/// Returns true if transfers that name no tile may have served a task.
bool Causes::may_have_come(TaskId t, Cause::Kind kind) const {
  Trace::Worker const& worker = trace_.workers[trace_.worker[t.index()].index()];
  return std::ranges::any_of(trace_.predecessors_of(t), [&](TaskId p) {
    if (!trace_.ran(p)) return false;
    Trace::Worker const& before = trace_.workers[trace_.worker[p.index()].index()];
    return kind == Cause::Kind::message ? before.node != worker.node : before.memory != worker.memory;
  });
}

template <class Note>
void Causes::each_arrival(TaskId t, Arrivals const& arrivals, Cause::Kind kind, Note const& note) const {
  if (arrivals.empty()) return;
  Trace::Worker const& worker = trace_.workers[trace_.worker[t.index()].index()];
  if (kind == Cause::Kind::copy && !worker.memory.valid()) return;
  std::uint32_t const to = kind == Cause::Kind::message ? worker.node.value() : worker.memory.value();
  double const start = trace_.start_s[t.index()];
  auto const note_last = [&](HandleId handle) {
    // Rounding: an arrival up to a nanosecond late still counts.
    if (Arrival const* const last = arrivals.last(to, handle, start + 1e-9); last != nullptr)
      note_event(note, kind, last->date, last->begin, last->index, start);
  };
  if (arrivals.has_nameless() && may_have_come(t, kind)) note_last(HandleId{});
  for (DataAccess const& access : trace_.accesses_of(t))
    if (reads(access.mode())) note_last(access.handle());
}

template <class Note>
void Causes::each_before_copies(TaskId t, Note const& note) const {
  double const start = trace_.start_s[t.index()], submission = trace_.submit_s[t.index()];
  // A submission after the start shows that clocks differ, not what the task waited for.
  note_event(note, Cause::Kind::submission, submission, submission, t.value(), start);
  for (TaskId const p : trace_.predecessors_of(t))
    if (trace_.ran(p))
      note_event(note, Cause::Kind::predecessor, trace_.end_s[p.index()], trace_.start_s[p.index()],
                 p.value(), start);
  each_arrival(t, messages_, Cause::Kind::message, note);
}

template <class Note>
void Causes::each_copy(TaskId t, Note const& note) const {
  each_arrival(t, copies_, Cause::Kind::copy, note);
}

template <class Note>
void Causes::worker(TaskId t, bool alone, Note const& note) const {
  double const start = trace_.start_s[t.index()];
  TaskId last = longest_idle_[t.index()];
  if (alone) {
    std::vector<TaskId> const& tasks = order_[trace_.worker[t.index()].index()];
    auto const after = std::ranges::lower_bound(tasks, start, {},
                                                [&](TaskId other) { return trace_.start_s[other.index()]; });
    last = after == tasks.begin() ? TaskId{} : *std::prev(after);
  }
  if (last.valid())
    note_event(note, Cause::Kind::worker, trace_.end_s[last.index()], trace_.start_s[last.index()],
               last.value(), start);
}

std::vector<Cause> Causes::of(TaskId t) const {
  std::vector<Cause> out;
  auto const note = [&](Cause const& cause) { out.push_back(cause); };
  each_before_copies(t, note);
  each_copy(t, note);
  std::ranges::stable_sort(out, is_before);
  return out;
}

std::vector<Cause> Causes::of_with_worker(TaskId t) const {
  std::vector<Cause> out = of(t);
  worker(t, out.empty(),
         [&](Cause const& cause) { out.insert(std::ranges::upper_bound(out, cause, is_before), cause); });
  return out;
}

std::optional<Cause> Causes::latest(TaskId t) const {
  std::optional<Cause> out;
  auto const note = [&](Cause const& cause) {
    if (!out || is_before(cause, *out)) out = cause;
  };
  each_before_copies(t, note);
  each_copy(t, note);
  worker(t, !out, note);
  return out;
}

double Causes::ready_s(TaskId t) const {
  double latest = unknown;
  each_before_copies(t, [&](Cause const& cause) { latest = std::fmax(latest, cause.date); });
  return std::isnan(latest) ? trace_.start_s[t.index()] : latest;
}

std::vector<MemoryNodeId> rams_of(Trace const& trace) {
  std::vector<MemoryNodeId> out(trace.nodes.size());
  for (std::uint32_t m = 0; m < trace.memory_nodes.size(); ++m)
    if (MemoryNodeId& ram = out[trace.memory_nodes[m].node.index()]; !ram.valid()) ram = MemoryNodeId{m};
  return out;
}

}  // namespace factosim
