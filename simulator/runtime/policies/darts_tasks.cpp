#include "simulator/runtime/policies/darts_plan.hpp"

#include <algorithm>
#include <cmath>

#include "factosim/error.hpp"

namespace factosim {

namespace {

bool less_urgent(auto const& a, auto const& b) {
  return a.priority != b.priority ? a.priority < b.priority : a.order > b.order;
}

}  // namespace

DartsTasks::DartsTasks(DartsOptions const& options, NodeView const& node)
    : options_(options),
      node_(node),
      place_of_(node.memory_node_count(), 0),
      uses_(node),
      tiles_(node.replica_count()) {
  auto const workers = node.workers();
  for (std::size_t m = 0; m < node.memory_node_count(); ++m) {
    Place place{.memory = LocalMemory{m}};
    place.workers =
        static_cast<std::size_t>(std::ranges::count(workers, place.memory, &NodeView::Worker::memory));
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
}

std::uint32_t DartsTasks::new_slot(TaskId task) {
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
  auto const durations = node_.durations(task);
  double const length = durations[0];
  tasks_[slot] = {.id = task,
                  .priority = node_.priority(task),
                  .length = std::isfinite(length) ? length : 0,
                  .operands = static_cast<std::uint32_t>(accesses.size())};
  auto const workers = node_.workers();
  for (std::size_t w = 0; w < workers.size(); ++w)
    if (std::size_t const p = place_of(workers[w].memory); p < cached_places && std::isfinite(durations[w]))
      tasks_[slot].runs_on |= std::uint64_t{1} << p;
  for (std::uint32_t i = 0; i < accesses.size(); ++i)
    operands_[operand(slot, i)] = {.replica = node_.replica(task, i), .reads = reads(accesses[i].mode())};
  return slot;
}

bool DartsTasks::runs(std::uint32_t slot, std::size_t place) const {
  if (place < cached_places) return (tasks_[slot].runs_on >> place & 1U) != 0;
  auto const workers = node_.workers();
  auto const durations = node_.durations(tasks_[slot].id);
  for (std::size_t w = 0; w < workers.size(); ++w)
    if (workers[w].memory == places_[place].memory && std::isfinite(durations[w])) return true;
  return false;
}

bool DartsTasks::is_free(std::uint32_t slot, std::size_t place) const {
  LocalMemory const memory = places_[place].memory;
  for (std::uint32_t i = 0; i < tasks_[slot].operands; ++i) {
    LocalReplica const replica = operands_[operand(slot, i)].replica;
    if (!tiles_[replica.index()].known) return false;
    if (!node_.present(replica, memory) && uses_.planned(replica, memory) == 0) return false;
  }
  return true;
}

/// Makes the tiles of a new task known. `list`: those that it reads are unused by the places where they are not.
void DartsTasks::know_tiles(std::uint32_t slot, bool list) {
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

void DartsTasks::list_operand(std::uint32_t index) {
  Operand& o = operands_[index];
  if (o.listed) return;
  o.listed = true;
  tiles_[o.replica.index()].users.push_front(operand_links_, index);
}

void DartsTasks::make_ready(std::uint32_t slot, bool first) {
  Task& task = tasks_[slot];
  task.in = In::ready;
  task.order = first ? --first_order_ : last_order_++;
  first ? ready_.push_front(task_links_, slot) : ready_.push_back(task_links_, slot);
  urgent_.push_back({.priority = task.priority, .order = task.order, .slot = slot});
  std::push_heap(urgent_.begin(), urgent_.end(), less_urgent<Urgent, Urgent>);
}

/// Moves an unplanned task to the end of the planned tasks of the place.
void DartsTasks::take_unplanned(std::uint32_t slot, std::size_t place) {
  Task& task = tasks_[slot];
  FACTOSIM_EXPECT(task.in == In::ready, "a task is planned twice");
  for (std::uint32_t i = 0; i < task.operands; ++i) {
    Operand& o = operands_[operand(slot, i)];
    Tile& tile = tiles_[o.replica.index()];
    if (o.listed) tile.users.erase(operand_links_, operand(slot, i));
    o.listed = false;
    if (o.reads) tile.length -= task.length;
  }
  ready_.erase(task_links_, slot);
  planned_[place].push_back(task_links_, slot);
  task.in = In::planned;
  uses_.plan(task.id, places_[place].memory);
}

std::uint32_t DartsTasks::most_urgent() {
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

// ---- unused tiles ----

void DartsTasks::add_unused(std::uint32_t tile, std::size_t place) {
  FACTOSIM_EXPECT(!is_unused(tile, place), "an unused tile is listed twice");
  unused_listed_[place * tiles_.size() + tile] = true;
  unused_[place].push_back(unused_links_[place], tile);
}

void DartsTasks::drop_unused(std::uint32_t tile, std::size_t place) {
  if (!is_unused(tile, place)) return;
  unused_listed_[place * tiles_.size() + tile] = false;
  unused_[place].erase(unused_links_[place], tile);
}

void DartsTasks::drop_first_unused(std::uint32_t slot, std::size_t place) {
  for (std::uint32_t i = 0; i < tasks_[slot].operands; ++i) {
    auto const tile = static_cast<std::uint32_t>(operands_[operand(slot, i)].replica.index());
    if (is_unused(tile, place)) return drop_unused(tile, place);
  }
}

/// POSIX lrand48, from which StarPU draws too.
std::uint32_t DartsTasks::random_number() {
  random_ = (random_ * 0x5DEECE66DULL + 0xB) & ((1ULL << 48U) - 1);
  return static_cast<std::uint32_t>(random_ >> 17U);
}

void DartsTasks::insert_at_random(std::uint32_t tile, std::size_t place) {
  LinkedItems& list = unused_[place];
  if (list.first == none) return add_unused(tile, place);
  std::uint32_t before = list.first;
  for (std::uint32_t i = random_number() % list.size; i > 0; --i) before = unused_links_[place][before].next;
  unused_listed_[place * tiles_.size() + tile] = true;
  list.insert_before(unused_links_[place], tile, before);
}

}  // namespace factosim
