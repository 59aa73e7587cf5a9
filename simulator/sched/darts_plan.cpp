#include "simulator/sched/darts_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "factosim/error.hpp"

namespace factosim {

namespace {

constexpr double worst = std::numeric_limits<double>::max();

bool less_urgent(auto const& a, auto const& b) {
  return a.priority != b.priority ? a.priority < b.priority : a.order > b.order;
}

}  // namespace

DartsPlan::DartsPlan(DartsOptions const& options, NodeView const& node)
    : options_(options),
      node_(node),
      place_of_(node.memory_node_count(), 0),
      uses_(node),
      tiles_(node.replica_count()) {
  auto const workers = node.workers();
  for (std::size_t m = 0; m < node.memory_node_count(); ++m) {
    Place place{.memory = LocalMemory{m}, .worker = {}};
    for (std::size_t w = workers.size(); w-- > 0;)
      if (workers[w].memory == place.memory) {
        place.worker = LocalWorker{w};
        ++place.workers;
      }
    place_of_[m] = places_.size();
    if (place.workers > 0) places_.push_back(place);
  }
  TaskGraph const& graph = node.graph();
  for (std::size_t t = 0; t < graph.task_count(); ++t)
    stride_ = std::max(stride_, graph.access_begin[t + 1] - graph.access_begin[t]);
  planned_.resize(places_.size());
  unused_.resize(places_.size());
  unused_links_.resize(places_.size(), std::vector<Links>(tiles_.size()));
  unused_listed_.resize(places_.size() * tiles_.size(), false);
  began_.resize(places_.size(), false);
  turn_ = places_.size() - 1;  // the first task tries the first place
}

// ---- lists ----

void DartsPlan::link_back(List& list, std::vector<Links>& links, std::uint32_t item) {
  links[item] = {.previous = list.last, .next = none};
  (list.last != none ? links[list.last].next : list.first) = item;
  list.last = item;
  ++list.size;
}

void DartsPlan::link_front(List& list, std::vector<Links>& links, std::uint32_t item) {
  if (list.first == none) return link_back(list, links, item);
  link_before(list, links, item, list.first);
}

void DartsPlan::link_before(List& list, std::vector<Links>& links, std::uint32_t item, std::uint32_t other) {
  std::uint32_t const previous = links[other].previous;
  links[item] = {.previous = previous, .next = other};
  (previous != none ? links[previous].next : list.first) = item;
  links[other].previous = item;
  ++list.size;
}

void DartsPlan::unlink(List& list, std::vector<Links>& links, std::uint32_t item) {
  auto const [previous, next] = links[item];
  (previous != none ? links[previous].next : list.first) = next;
  (next != none ? links[next].previous : list.last) = previous;
  --list.size;
}

// ---- ready tasks ----

std::uint32_t DartsPlan::new_slot(TaskId task) {
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::uint32_t>(tasks_.size()));
    tasks_.emplace_back();
    task_links_.emplace_back();
    operands_.resize(operands_.size() + stride_);
    operand_links_.resize(operand_links_.size() + stride_);
  }
  std::uint32_t const slot = free_slots_.back();
  free_slots_.pop_back();
  auto const accesses = node_.graph().accesses_of(task);
  double const length = node_.durations(task)[0];
  tasks_[slot] = {.id = task,
                  .priority = node_.priority(task),
                  .length = std::isfinite(length) ? length : 0,
                  .operands = static_cast<std::uint32_t>(accesses.size())};
  for (std::uint32_t i = 0; i < accesses.size(); ++i)
    operands_[operand(slot, i)] = {.replica = node_.replica(task, i), .reads = reads(accesses[i].mode())};
  return slot;
}

bool DartsPlan::runs(std::uint32_t slot, std::size_t place) const {
  return std::isfinite(node_.durations(tasks_[slot].id)[places_[place].worker.index()]);
}

bool DartsPlan::is_free(std::uint32_t slot, std::size_t place) const {
  LocalMemory const memory = places_[place].memory;
  for (std::uint32_t i = 0; i < tasks_[slot].operands; ++i) {
    LocalReplica const replica = operands_[operand(slot, i)].replica;
    if (!tiles_[replica.index()].known) return false;
    if (!node_.present(replica, memory) && uses_.planned(replica, memory) == 0) return false;
  }
  return true;
}

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

/// Makes the tiles of a new task known. `list`: those that it reads are unused by the places where they are not.
void DartsPlan::know_tiles(std::uint32_t slot, bool list) {
  for (std::uint32_t i = 0; i < tasks_[slot].operands; ++i) {
    Operand const& o = operands_[operand(slot, i)];
    auto const tile = static_cast<std::uint32_t>(o.replica.index());
    if (!o.reads)
      for (std::size_t p = 0; p < places_.size(); ++p) drop_unused(tile, p);
    tiles_[tile].known = true;
    if (list || options_.as_starpu) tiles_[tile].length += tasks_[slot].length;
    if (!o.reads || !list) continue;
    for (std::size_t p = 0; p < places_.size(); ++p)
      if (!is_unused(tile, p) &&
          (options_.present_tiles_listed || !node_.present(o.replica, places_[p].memory)))
        add_unused(tile, p);
  }
}

void DartsPlan::list_operand(std::uint32_t index) {
  Operand& o = operands_[index];
  if (o.listed) return;
  o.listed = true;
  link_front(tiles_[o.replica.index()].users, operand_links_, index);
}

void DartsPlan::make_ready(std::uint32_t slot, bool first) {
  Task& task = tasks_[slot];
  task.in = In::ready;
  task.order = first ? --first_order_ : last_order_++;
  (first ? link_front : link_back)(ready_, task_links_, slot);
  urgent_.push_back({.priority = task.priority, .order = task.order, .slot = slot});
  std::push_heap(urgent_.begin(), urgent_.end(), less_urgent<Urgent, Urgent>);
}

/// Plans a task that misses no tile: before all planned tasks, or before the first that misses one.
void DartsPlan::plan_free(std::uint32_t slot, std::size_t place) {
  LocalMemory const memory = places_[place].memory;
  List& planned = planned_[place];
  auto const misses = [&](std::uint32_t other) {
    for (std::uint32_t i = 0; i < tasks_[other].operands; ++i)
      if (!node_.present(operands_[operand(other, i)].replica, memory)) return true;
    return false;
  };
  std::uint32_t before = planned.first;
  if (!options_.free_tasks_first)
    while (before != none && !misses(before)) before = task_links_[before].next;
  if (before != none)
    link_before(planned, task_links_, slot, before);
  else
    link_back(planned, task_links_, slot);
  tasks_[slot].in = In::planned;
  uses_.plan(tasks_[slot].id, memory);
}

// ---- unused tiles ----

void DartsPlan::add_unused(std::uint32_t tile, std::size_t place) {
  unused_listed_[place * tiles_.size() + tile] = true;
  link_back(unused_[place], unused_links_[place], tile);
}

void DartsPlan::drop_unused(std::uint32_t tile, std::size_t place) {
  if (!is_unused(tile, place)) return;
  unused_listed_[place * tiles_.size() + tile] = false;
  unlink(unused_[place], unused_links_[place], tile);
}

void DartsPlan::drop_first_unused(std::uint32_t slot, std::size_t place) {
  for (std::uint32_t i = 0; i < tasks_[slot].operands; ++i) {
    auto const tile = static_cast<std::uint32_t>(operands_[operand(slot, i)].replica.index());
    if (is_unused(tile, place)) return drop_unused(tile, place);
  }
}

/// POSIX lrand48, from which StarPU draws too.
std::uint32_t DartsPlan::random_number() {
  random_ = (random_ * 0x5DEECE66DULL + 0xB) & ((1ULL << 48U) - 1);
  return static_cast<std::uint32_t>(random_ >> 17U);
}

void DartsPlan::insert_at_random(std::uint32_t tile, std::size_t place) {
  List& list = unused_[place];
  if (list.first == none) return add_unused(tile, place);
  std::uint32_t before = list.first;
  for (std::uint32_t i = random_number() % list.size; i > 0; --i) before = unused_links_[place][before].next;
  unused_listed_[place * tiles_.size() + tile] = true;
  link_before(list, unused_links_[place], tile, before);
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
  // StarPU asks for memory node `place`, which is another one if no core runs tasks.
  LocalMemory const memory = options_.as_starpu ? LocalMemory{place} : places_[place].memory;
  Candidate c{.tile = tile,
              .ratio = worst,
              .transfer = node_.transfer_time(LocalReplica{tile}, memory).value,
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

/// Moves an unplanned task to the end of the planned tasks of the place.
void DartsPlan::take_unplanned(std::uint32_t slot, std::size_t place) {
  Task& task = tasks_[slot];
  FACTOSIM_EXPECT(task.in == In::ready, "a task is planned twice");
  for (std::uint32_t i = 0; i < task.operands; ++i) {
    Operand& o = operands_[operand(slot, i)];
    Tile& tile = tiles_[o.replica.index()];
    if (o.listed) unlink(tile.users, operand_links_, operand(slot, i));
    o.listed = false;
    if (o.reads) tile.length -= task.length;
  }
  unlink(ready_, task_links_, slot);
  link_back(planned_[place], task_links_, slot);
  task.in = In::planned;
  uses_.plan(task.id, places_[place].memory);
}

std::uint32_t DartsPlan::most_urgent() {
  if (!options_.most_urgent) return ready_.first;
  auto const outdated = [&](Urgent const& u) {
    return tasks_[u.slot].in != In::ready || tasks_[u.slot].order != u.order;
  };
  while (!urgent_.empty() && outdated(urgent_.front())) {
    std::pop_heap(urgent_.begin(), urgent_.end(), less_urgent<Urgent, Urgent>);
    urgent_.pop_back();
  }
  return urgent_.empty() ? none : urgent_.front().slot;
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
  List& planned = planned_[place];
  if (planned.first == none && ready_.first != none) plan(place);
  std::uint32_t const slot = planned.first;
  if (slot == none) return {};
  unlink(planned, task_links_, slot);
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
      unlink(planned_[place], task_links_, slot);
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
