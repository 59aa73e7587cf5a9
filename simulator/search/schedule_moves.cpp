#include "simulator/search/schedule_moves.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace factosim {

namespace {

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

}  // namespace

OrderedSchedule ordered(TaskSchedule const& schedule) {
  OrderedSchedule out{.sequence = {}, .place = schedule.position, .worker = schedule.worker};
  for (std::uint32_t t = 0; t < schedule.position.size(); ++t) out.sequence.emplace_back(t);
  std::ranges::sort(out.sequence, {}, [&](TaskId t) { return schedule.position[t.index()]; });
  for (std::uint32_t i = 0; i < out.sequence.size(); ++i) out.place[out.sequence[i].index()] = i;
  return out;
}

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

ScheduleMoves::ScheduleMoves(TaskPlan const& plan)
    : plan_(plan), predecessors_(transpose(plan.graph.successor_begin, plan.graph.successors)) {
  auto const& barriers = plan.graph.barriers;
  for (std::uint32_t t = 0; t < plan.graph.task_count(); ++t)
    part_.push_back(static_cast<std::uint32_t>(
        std::ranges::upper_bound(barriers, plan.graph.submission_number(TaskId{t})) - barriers.begin()));
}

std::span<double const> ScheduleMoves::durations(TaskId task) const {
  return plan_.machine.durations(plan_.plan.node_of(task), plan_.graph.kernel[task.index()]);
}

bool ScheduleMoves::runs(TaskId task, std::uint32_t worker) const {
  return !std::isinf(durations(task)[worker]);
}

void ScheduleMoves::change(OrderedSchedule& s, std::span<TaskId const> chain,
                           std::span<TaskDates const> dates, SearchRandom& random) const {
  bool const anywhere = random.below(5) == 0 || chain.empty();
  TaskId const task =
      anywhere ? s.sequence[below(random, s.sequence.size())] : chain[below(random, chain.size())];
  int const kind = random.below(10);
  if (kind < 4) return reassign(s, task, random);
  if (kind < 7) return earlier(s, task, random);
  if (kind < 9) return exchange(s, task, random);
  std::uint32_t const previous = dates[task.index()].previous;
  if (previous != TaskDates::none) later(s, TaskId{previous}, random);
}

void ScheduleMoves::reassign(OrderedSchedule& s, TaskId task, SearchRandom& random) const {
  auto const duration = durations(task);
  auto const drawn = [&] {
    auto const w = static_cast<std::uint32_t>(below(random, duration.size()));
    return runs(task, w) ? w : s.worker[task.index()];
  };
  std::uint32_t const a = drawn(), b = drawn();
  std::uint32_t const now = s.worker[task.index()];
  s.worker[task.index()] = a == now || (b != now && duration[b] < duration[a]) ? b : a;
}

void ScheduleMoves::earlier(OrderedSchedule& s, TaskId task, SearchRandom& random) const {
  std::size_t const from = s.place[task.index()];
  std::size_t first = 0;
  for (std::uint32_t i = predecessors_.begin[task.index()]; i < predecessors_.begin[task.index() + 1]; ++i)
    first = std::max<std::size_t>(first, s.place[predecessors_.items[i].index()] + 1U);
  std::size_t to = first + below(random, from - first + 1);
  for (std::size_t i = from; i > to; --i)  // not before a barrier
    if (part_[s.sequence[i - 1].index()] != part_[task.index()]) to = i;
  if (to < from) move_in_sequence(s, from, to);
}

void ScheduleMoves::later(OrderedSchedule& s, TaskId task, SearchRandom& random) const {
  std::size_t const from = s.place[task.index()];
  std::size_t end = s.sequence.size();
  for (TaskId const next : plan_.graph.successors_of(task))
    end = std::min<std::size_t>(end, s.place[next.index()]);
  std::size_t to = from + below(random, std::min(end - from, std::size_t{200}));
  for (std::size_t i = from + 1; i <= to; ++i)  // not behind a barrier
    if (part_[s.sequence[i].index()] != part_[task.index()]) to = i - 1;
  if (to > from) move_in_sequence(s, from, to);
}

void ScheduleMoves::exchange(OrderedSchedule& s, TaskId task, SearchRandom& random) const {
  constexpr std::size_t reach = 40;
  std::size_t const at = s.place[task.index()];
  std::size_t const first = at - std::min(at, reach);
  std::size_t const last = std::min(s.sequence.size(), at + reach + 1);
  TaskId const other = s.sequence[first + below(random, last - first)];
  std::uint32_t& mine = s.worker[task.index()];
  std::uint32_t& theirs = s.worker[other.index()];
  if (plan_.plan.node_of(task) == plan_.plan.node_of(other) && runs(task, theirs) && runs(other, mine))
    std::swap(mine, theirs);
}

}  // namespace factosim
