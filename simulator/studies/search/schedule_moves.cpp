#include "simulator/studies/search/schedule_moves.hpp"

#include <algorithm>
#include <cmath>

namespace factosim {

namespace {

/// Returns the tasks that the end of a run waited for, one for the other: the last one first. Source: as ChainTimes.
std::vector<TaskId> critical_tasks(std::span<TaskDates const> dates) {
  std::vector<TaskId> out;
  if (dates.empty()) return out;
  auto at =
      static_cast<std::uint32_t>(std::ranges::max_element(dates, {}, &TaskDates::end_s) - dates.begin());
  while (at != TaskDates::none && out.size() < dates.size()) {
    out.emplace_back(at);
    TaskDates const& d = dates[at];
    double const worker_free = d.previous == TaskDates::none ? -1 : dates[d.previous].end_s;
    bool const released_last = d.released_by != TaskDates::none && d.ready_s() >= worker_free;
    at = released_last || d.previous == TaskDates::none ? static_cast<std::uint32_t>(d.released_by)
                                                        : d.previous;
  }
  return out;
}

/// Moves the task at `from` to `to`; those between move by one place.
void move_in_sequence(OrderedSchedule& s, std::size_t from, std::size_t to) {
  auto const at = [&](std::size_t place) { return s.sequence.begin() + static_cast<std::ptrdiff_t>(place); };
  if (to < from)
    std::rotate(at(to), at(from), at(from + 1));
  else
    std::rotate(at(from), at(from + 1), at(to + 1));
  for (std::size_t i = std::min(from, to); i <= std::max(from, to); ++i)
    s.place[s.sequence[i].index()] = static_cast<std::uint32_t>(i);
}

std::size_t below(SearchRandom& random, std::size_t count) {
  return static_cast<std::size_t>(random.below(static_cast<int>(count)));
}

/// Returns the tasks that follow each task: its successors and, where its node receives a later version of a datum that it
/// uses, the users of that version, whose message waits until the former copy is no longer needed.
TaskRows followers(TaskGraph const& graph, ExecutionPlan const& plan) {
  std::vector<std::vector<TaskId>> users(plan.replica_count());
  for (std::uint32_t t = 0; t < graph.task_count(); ++t)
    for (ReplicaId const r : plan.replicas_of(graph, TaskId{t})) users[r.index()].emplace_back(t);
  std::vector<TaskEdge> edges;
  for (std::uint32_t t = 0; t < graph.task_count(); ++t) {
    for (TaskId const next : graph.successors_of(TaskId{t})) edges.push_back({TaskId{t}, next});
    NodeId const node = plan.node_of(TaskId{t});
    for (ReplicaId const r : plan.replicas_of(graph, TaskId{t}))
      if (plan.copy_before(node, plan.local(node, r)).valid())
        for (TaskId const user : users[r.index() - 1]) edges.push_back({user, TaskId{t}});
  }
  return rows_of(graph.task_count(), edges);
}

}  // namespace

OrderedSchedule ordered(TaskSchedule const& schedule) {
  OrderedSchedule out{.sequence = {}, .place = schedule.position, .worker = schedule.worker};
  for (std::uint32_t t = 0; t < schedule.position.size(); ++t) out.sequence.emplace_back(t);
  std::ranges::sort(out.sequence, {}, [&](TaskId t) { return schedule.position[t.index()]; });
  for (std::uint32_t i = 0; i < out.sequence.size(); ++i) out.place[out.sequence[i].index()] = i;
  return out;
}

ScheduleMoves::ScheduleMoves(TaskPlan const& plan)
    : plan_(plan),
      graph_(plan.stored().graph),
      successors_(followers(graph_, plan.stored().plan)),
      predecessors_(transpose(successors_.begin, successors_.items)) {
  for (std::uint32_t t = 0; t < graph_.task_count(); ++t)
    part_.push_back(static_cast<std::uint32_t>(
        std::ranges::upper_bound(graph_.barriers, graph_.submission_number(TaskId{t})) -
        graph_.barriers.begin()));
}

RanSchedule ScheduleMoves::ran(OrderedSchedule order, std::vector<TaskDates> dates) const {
  RanSchedule out{.order = std::move(order), .dates = std::move(dates), .chain = {}};
  auto const start = [&](TaskId t) {
    return std::pair(out.dates[t.index()].start_s, out.order.place[t.index()]);
  };
  std::ranges::sort(out.order.sequence, {}, start);
  for (std::uint32_t i = 0; i < out.order.sequence.size(); ++i)
    out.order.place[out.order.sequence[i].index()] = i;
  out.chain = critical_tasks(out.dates);
  out.by_worker.resize(plan_.machine.worker_count());
  for (TaskId const t : out.order.sequence)
    out.by_worker[first_worker(t) + out.order.worker[t.index()]].push_back(t);
  return out;
}

void ScheduleMoves::change(OrderedSchedule& s, RanSchedule const& run, SearchRandom& random) const {
  bool const anywhere = random.below(5) == 0 || run.chain.empty();
  TaskId const task =
      anywhere ? s.sequence[below(random, s.sequence.size())] : run.chain[below(random, run.chain.size())];
  int const kind = random.below(20);
  if (kind < 10) return fit(s, run, task, random);
  if (kind < 13) return reassign(s, run, task, random);
  if (kind < 16)
    return put_at(s, task, s.place[task.index()] - below(random, std::min(s.place[task.index()], 200U) + 1));
  if (kind < 18) return exchange(s, task, random);
  std::uint32_t const previous = run.dates[task.index()].previous;
  if (previous != TaskDates::none) put_at(s, TaskId{previous}, s.place[previous] + below(random, 200));
}

std::span<double const> ScheduleMoves::durations(TaskId task) const {
  return plan_.machine.durations(node_of(task), graph_.kernel[task.index()]);
}

double ScheduleMoves::duration(TaskId task, std::uint32_t worker) const {
  return durations(task)[worker] * graph_.weight(task, worker < plan_.machine.type(node_of(task)).gpus);
}

bool ScheduleMoves::runs(TaskId task, std::uint32_t worker) const {
  return !std::isinf(durations(task)[worker]);
}

double ScheduleMoves::ready_date(RanSchedule const& run, TaskId task) const {
  double out = 0;
  for (TaskId const before : predecessors_.of(task.index()))
    out = std::max(out, run.dates[before.index()].end_s);
  return out;
}

/// Returns the start of the first idle time of the worker that is long enough for the task.
std::optional<double> ScheduleMoves::gap(RanSchedule const& run, TaskId task, std::uint32_t worker,
                                         double ready, double due) const {
  auto const& list = run.by_worker[first_worker(task) + worker];
  double const needed = duration(task, worker);
  auto next = std::ranges::upper_bound(list, ready, {}, [&](TaskId t) { return run.dates[t.index()].end_s; });
  double free = ready;
  for (; free + needed <= due; ++next) {
    if (next == list.end()) return free;
    if (*next == task) continue;  // its own time is free
    if (run.dates[next->index()].start_s - free >= needed) return free;
    free = std::max(free, run.dates[next->index()].end_s);
  }
  return std::nullopt;
}

void ScheduleMoves::fit(OrderedSchedule& s, RanSchedule const& run, TaskId task, SearchRandom& random) const {
  double const ready = ready_date(run, task);
  double due = 0;
  for (TaskId const t : {run.order.sequence.back(), run.chain.front()})
    due = std::max(due, run.dates[t.index()].end_s);
  for (TaskId const next : successors_.of(task.index())) due = std::min(due, run.dates[next.index()].start_s);
  std::size_t fitting = 0;
  std::uint32_t chosen = 0;
  double date = 0;
  for (std::uint32_t w = 0; w < durations(task).size(); ++w) {
    if (w == s.worker[task.index()] || !runs(task, w)) continue;
    auto const start = gap(run, task, w, ready, due);
    if (!start || below(random, ++fitting) != 0) continue;  // each with the same probability
    chosen = w;
    date = *start;
  }
  if (fitting == 0) return;
  s.worker[task.index()] = chosen;
  put(s, run, task, date);
}

void ScheduleMoves::reassign(OrderedSchedule& s, RanSchedule const& run, TaskId task,
                             SearchRandom& random) const {
  std::uint32_t const now = s.worker[task.index()];
  auto const drawn = [&] {
    auto const w = static_cast<std::uint32_t>(below(random, durations(task).size()));
    return runs(task, w) ? w : now;
  };
  std::uint32_t const a = drawn(), b = drawn();
  std::uint32_t const chosen = a == now || (b != now && duration(task, b) < duration(task, a)) ? b : a;
  if (chosen == now) return;
  s.worker[task.index()] = chosen;
  put(s, run, task, ready_date(run, task));
}

void ScheduleMoves::exchange(OrderedSchedule& s, TaskId task, SearchRandom& random) const {
  constexpr std::size_t reach = 40;
  std::size_t const at = s.place[task.index()];
  std::size_t const first = at - std::min(at, reach);
  std::size_t const last = std::min(s.sequence.size(), at + reach + 1);
  TaskId const other = s.sequence[first + below(random, last - first)];
  std::uint32_t& mine = s.worker[task.index()];
  std::uint32_t& theirs = s.worker[other.index()];
  if (node_of(task) == node_of(other) && runs(task, theirs) && runs(other, mine)) std::swap(mine, theirs);
}

/// Moves the task before those that started later than `date`.
void ScheduleMoves::put(OrderedSchedule& s, RanSchedule const& run, TaskId task, double date) const {
  auto const behind = std::ranges::lower_bound(run.order.sequence, date, {},
                                               [&](TaskId t) { return run.dates[t.index()].start_s; });
  auto place = static_cast<std::size_t>(behind - run.order.sequence.begin());
  if (place > s.place[task.index()]) --place;  // it leaves its own place
  put_at(s, task, place);
}

/// Moves the task to the place, or as near to it as its predecessors, successors and barriers permit.
void ScheduleMoves::put_at(OrderedSchedule& s, TaskId task, std::size_t place) const {
  std::size_t const from = s.place[task.index()];
  std::size_t to = std::min(place, s.sequence.size() - 1);
  if (to < from)
    for (TaskId const before : predecessors_.of(task.index()))
      to = std::max<std::size_t>(to, s.place[before.index()] + 1U);
  else
    for (TaskId const next : successors_.of(task.index()))
      to = std::min<std::size_t>(to, s.place[next.index()] - 1U);
  auto const same_part = [&](std::size_t at) { return part_[s.sequence[at].index()] == part_[task.index()]; };
  if (!graph_.barriers.empty()) {
    std::size_t reached = from;
    while (reached != to && same_part(to < reached ? reached - 1 : reached + 1))
      reached += to < reached ? -1UL : 1UL;
    to = reached;
  }
  if (to != from) move_in_sequence(s, from, to);
}

}  // namespace factosim
