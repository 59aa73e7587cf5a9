#include "simulator/runtime/policies/darts_plan.hpp"

#include <algorithm>
#include <limits>

namespace factosim {

namespace {

constexpr double worst = std::numeric_limits<double>::max();

}  // namespace

DartsPlan::DartsPlan(DartsOptions const& options, NodeView const& node)
    : DartsTasks(options, node),
      began_(places().size(), false),
      turn_(places().size() - 1) {}  // the first task tries the first place

// ---- ready tasks ----

/// Returns the place for which the task is free; the number of places without one.
std::size_t DartsPlan::free_place(std::uint32_t slot) {
  std::vector<std::size_t> order(places_.size());
  for (std::size_t p = 0; p < order.size(); ++p) order[p] = p;
  if (options_.free_task_memory == 1)
    std::ranges::stable_sort(order, {}, [&](std::size_t p) { return planned_[p].size; });
  if (options_.free_task_memory == 2) {
    turn_ = (turn_ + 1) % places_.size();
    std::ranges::rotate(order, order.begin() + static_cast<std::ptrdiff_t>(turn_));
  }
  for (std::size_t const p : order)
    if (is_free(slot, p) && runs(slot, p)) return p;
  return places_.size();
}

void DartsPlan::add(TaskId task) {
  std::uint32_t const slot = new_slot(task);
  std::size_t const place = free_place(slot);
  if (place < places_.size()) {
    know_tiles(slot, false);
    return plan_free(slot, place);
  }
  know_tiles(slot, true);
  for (std::uint32_t i = 0; i < tasks_[slot].operands; ++i)
    if (operands_[operand(slot, i)].reads) list_operand(operand(slot, i));
  make_ready(slot, false);
}

/// Plans a task that misses no tile: before all planned tasks, or before the first that misses one.
void DartsPlan::plan_free(std::uint32_t slot, std::size_t place) {
  LocalMemory const memory = places_[place].memory;
  LinkedItems& planned = planned_[place];
  auto const misses = [&](std::uint32_t other) {
    for (std::uint32_t i = 0; i < tasks_[other].operands; ++i)
      if (!node_.present(operands_[operand(other, i)].replica, memory)) return true;
    return false;
  };
  std::uint32_t before = planned.first;
  if (!options_.free_tasks_first)
    while (before != none && !misses(before)) before = task_links_[before].next;
  planned.insert_before(task_links_, slot, before);
  tasks_[slot].in = In::planned;
  uses_.plan(tasks_[slot].id, memory);
}

// ---- planning ----

bool DartsPlan::present(std::uint32_t tile, std::size_t place) {
  Tile& t = tiles_[tile];
  if (t.present_at != plan_) {
    LocalMemory const memory = places_[place].memory;
    LocalReplica const replica{tile};
    t.present_at = plan_;
    t.present = node_.present(replica, memory) ||
                (options_.planned_tiles_count &&
                 uses_.planned(replica, memory) + uses_.handed_out(replica, memory) > 0);
  }
  return t.present;
}

std::uint32_t DartsPlan::missing(std::uint32_t slot, std::size_t place) {
  Task& task = tasks_[slot];
  if (task.missing_at != plan_) {
    task.missing_at = plan_;
    task.missing = 0;
    for (std::uint32_t i = 0; i < task.operands; ++i)
      if (!present(static_cast<std::uint32_t>(operands_[operand(slot, i)].replica.index()), place))
        ++task.missing;
  }
  return task.missing;
}

/// Number of operands other than the tile that are not present.
std::uint32_t DartsPlan::missing_without(std::uint32_t slot, std::uint32_t tile, std::size_t place) {
  std::uint32_t count = missing(slot, place);
  if (count == 0 || present(tile, place)) return count;
  for (std::uint32_t i = 0; i < tasks_[slot].operands; ++i)
    if (operands_[operand(slot, i)].replica.index() == tile) --count;
  return count;
}

DartsPlan::Candidate DartsPlan::weigh(std::uint32_t tile, std::size_t place) {
  Candidate c{.tile = tile,
              .ratio = worst,
              .transfer = 0,
              .priority = std::numeric_limits<std::int32_t>::min(),
              .length = tiles_[tile].length};
  double free_length = 0;
  for (std::uint32_t o = tiles_[tile].users.first; o != none; o = operand_links_[o].next) {
    std::uint32_t const slot = o / stride_;
    if (!runs(slot, place)) continue;
    Task const& task = tasks_[slot];
    std::uint32_t const others = missing_without(slot, tile, place);
    if (others == 0) {
      c.priority = ++c.free == 1 ? task.priority : std::max(c.priority, task.priority);
      free_length += task.length;
    } else if (others == 1) {
      ++c.almost;
      if (task.priority > c.priority) {
        c.priority = task.priority;
        c.best_almost = slot;
      }
    }
  }
  bool const by_ratio = options_.selection_order == 7;
  if (c.free == 0 && by_ratio) return c;
  // StarPU asks for memory node `place`, which is another one if no core runs tasks.
  LocalMemory const memory = options_.as_starpu ? LocalMemory{place} : places_[place].memory;
  c.transfer = node_.transfer_time(LocalReplica{tile}, memory).value;
  if (free_length > 0) c.ratio = c.transfer / free_length;
  return c;
}

/// Whether the tile `a`, which comes after `best` in the list, is better. The criteria by the selection order:
/// 0: free, almost free, priority; 1: free, priority, almost free; 2 to 5: as 1 with the transfer before its first to
/// fourth place; 6: as 1, the length, the transfer; 7: transfer / length of free tasks, then as 1. The length of the
/// unplanned tasks decides last.
bool DartsPlan::is_better(Candidate const& a, Candidate const& best) const {
  enum class Criterion : std::uint8_t { ratio, transfer, free, almost, priority, length, end };
  using C = Criterion;
  static constexpr Criterion orders[8][6] = {
      {C::free, C::almost, C::priority, C::length, C::end, C::end},
      {C::free, C::priority, C::almost, C::length, C::end, C::end},
      {C::transfer, C::free, C::priority, C::almost, C::length, C::end},
      {C::free, C::transfer, C::priority, C::almost, C::length, C::end},
      {C::free, C::priority, C::transfer, C::almost, C::length, C::end},
      {C::free, C::priority, C::almost, C::transfer, C::length, C::end},
      {C::free, C::priority, C::almost, C::length, C::transfer, C::end},
      {C::ratio, C::free, C::priority, C::almost, C::length, C::end},
  };
  auto const compare = [](auto x, auto y) { return x < y ? -1 : x > y ? 1 : 0; };
  for (Criterion const criterion : orders[options_.selection_order]) {
    int better = 0;
    switch (criterion) {
      case C::ratio:
        better = compare(best.ratio, a.ratio);
        break;
      case C::transfer:
        better = compare(best.transfer, a.transfer);
        break;
      case C::free:
        better = compare(a.free, best.free);
        break;
      case C::almost:
        better = compare(a.almost, best.almost);
        break;
      case C::priority:
        better = options_.priorities ? compare(a.priority, best.priority) : 0;
        break;
      case C::length:
        better = compare(a.length, best.length);
        break;
      case C::end:
        return false;
    }
    if (better != 0) return better > 0;
  }
  return false;
}

DartsPlan::Candidate DartsPlan::best_tile(std::size_t place) {
  Candidate best{.ratio = worst, .transfer = worst, .priority = std::numeric_limits<std::int32_t>::min()};
  int looked_at = 0;
  for (std::uint32_t tile = unused_[place].first; tile != none; tile = unused_links_[place][tile].next) {
    if (options_.max_tiles > 0 && looked_at++ == options_.max_tiles) break;
    if (tiles_[tile].users.first == none) continue;
    Candidate const candidate = weigh(tile, place);
    if (is_better(candidate, best)) best = candidate;
  }
  return best;
}

void DartsPlan::plan_most_urgent(std::size_t place) {
  std::uint32_t const slot = most_urgent();
  if (slot == none || !runs(slot, place)) return;
  drop_first_unused(slot, place);
  take_unplanned(slot, place);
}

void DartsPlan::plan(std::size_t place) {
  ++plan_;
  bool const first = !began_[place];
  began_[place] = true;
  if (first || unused_[place].first == none) return plan_most_urgent(place);
  Candidate const best = best_tile(place);
  if (best.free > 0) {
    drop_unused(best.tile, place);
    for (std::uint32_t o = tiles_[best.tile].users.first; o != none;) {
      std::uint32_t const slot = o / stride_;
      o = operand_links_[o].next;
      while (o != none && o / stride_ == slot) o = operand_links_[o].next;  // the tile is an operand twice
      if (missing_without(slot, best.tile, place) == 0 && runs(slot, place)) take_unplanned(slot, place);
    }
  } else if (options_.almost_free && best.almost > 0 && best.best_almost != none) {
    drop_first_unused(best.best_almost, place);
    take_unplanned(best.best_almost, place);
  } else {
    plan_most_urgent(place);
  }
}

TaskId DartsPlan::next(std::size_t place) {
  LinkedItems& planned = planned_[place];
  if (planned.first == none && ready_.first != none) plan(place);
  std::uint32_t const slot = planned.first;
  if (slot == none) return {};
  planned.erase(task_links_, slot);
  TaskId const task = tasks_[slot].id;
  uses_.unplan(task, places_[place].memory);
  if (!runs(slot, place)) {
    make_ready(slot, true);
    return {};
  }
  tasks_[slot].in = In::nothing;
  free_slots_.push_back(slot);
  uses_.hand_out(task, places_[place].memory);
  return task;
}

// ---- eviction ----

/// Makes the planned tasks that need the victim ready again. StarPU does so with the first of them only, and goes on
/// counting it as planned.
void DartsPlan::unplan(LocalReplica victim, std::size_t place) {
  for (std::uint32_t slot = planned_[place].first; slot != none;) {
    std::uint32_t const next = task_links_[slot].next;
    bool needs = false;
    for (std::uint32_t i = 0; i < tasks_[slot].operands; ++i)
      needs = needs || operands_[operand(slot, i)].replica == victim;
    if (needs) {
      planned_[place].erase(task_links_, slot);
      if (!options_.as_starpu) uses_.unplan(tasks_[slot].id, places_[place].memory);
      for (std::uint32_t i = 0; i < tasks_[slot].operands; ++i) {
        Operand const& o = operands_[operand(slot, i)];
        if (!o.reads && !options_.as_starpu) continue;
        list_operand(operand(slot, i));
        tiles_[o.replica.index()].length += tasks_[slot].length;
      }
      make_ready(slot, false);
      if (options_.as_starpu) return;
    }
    slot = next;
  }
}

LocalReplica DartsPlan::victim(EvictionRequest const& request) {
  LocalReplica const chosen = uses_.least_used(request);
  if (!chosen.valid()) return chosen;
  std::size_t const place = place_of(request.memory);
  unplan(chosen, place);
  auto const tile = static_cast<std::uint32_t>(chosen.index());
  if (tiles_[tile].users.first == none) return chosen;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    std::size_t const p = i == 0 ? place : i - (i <= place ? 1 : 0);  // its own place first
    bool const gone =
        p == place || options_.present_tiles_listed || !node_.present(chosen, places_[p].memory);
    if (gone && !is_unused(tile, p)) insert_at_random(tile, p);
  }
  return chosen;
}

void DartsPlan::append_planned(std::size_t place, std::vector<TaskId>& tasks) const {
  for (std::uint32_t slot = planned_[place].first; slot != none; slot = task_links_[slot].next)
    tasks.push_back(tasks_[slot].id);
}

}  // namespace factosim
