#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "factosim/error.hpp"
#include "factosim/scheduler.hpp"
#include "simulator/runtime/policies/future_uses.hpp"

namespace factosim {

/// A doubly linked list of items that are numbers; the links of all items are in one array, so that an item is in one
/// list of that array at most. All operations take constant time and allocate nothing.
struct LinkedItems {
  static constexpr std::uint32_t none = 0xffffffff;
  struct Links {
    std::uint32_t previous = none, next = none;
  };

  std::uint32_t first = none, last = none, size = 0;

  [[nodiscard]] bool empty() const { return first == none; }

  void push_back(std::vector<Links>& links, std::uint32_t item) {
    links[item] = {.previous = last, .next = none};
    (last != none ? links[last].next : first) = item;
    last = item;
    ++size;
  }
  void push_front(std::vector<Links>& links, std::uint32_t item) { insert_before(links, item, first); }
  /// `other`: an item of the list, or none: the end.
  void insert_before(std::vector<Links>& links, std::uint32_t item, std::uint32_t other) {
    if (other == none) return push_back(links, item);
    std::uint32_t const previous = links[other].previous;
    links[item] = {.previous = previous, .next = other};
    (previous != none ? links[previous].next : first) = item;
    links[other].previous = item;
    ++size;
  }
  void erase(std::vector<Links>& links, std::uint32_t item) {
    auto const [previous, next] = links[item];
    (previous != none ? links[previous].next : first) = next;
    (next != none ? links[next].previous : last) = previous;
    --size;
  }
};

/// The ready tasks of a node as DARTS keeps them, and their tiles: the tasks that are not planned; the planned tasks of
/// each place; of each tile the unplanned tasks that use it; of each place the tiles that it has not used. A task has a
/// slot until it is handed out. Nothing is allocated for a task once there were as many tasks before.
class DartsTasks {
 public:
  /// A memory node that has workers. The first places are RAMs if they have cores that run tasks, then the GPUs.
  struct Place {
    LocalMemory memory;
    LocalWorker worker;  // the first one there
    std::size_t workers = 0;
  };

  DartsTasks(DartsOptions const& options, NodeView const& node)
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
  }

  [[nodiscard]] std::vector<Place> const& places() const { return places_; }
  /// Returns the place of that memory node.
  [[nodiscard]] std::size_t place_of(LocalMemory memory) const { return place_of_[memory.index()]; }

 protected:
  static constexpr std::uint32_t none = LinkedItems::none;
  using Links = LinkedItems::Links;
  static constexpr std::size_t cached_places = 64;
  enum class In : std::uint8_t { nothing, ready, planned };  // the list of a task

  struct Task {
    TaskId id;
    In in = In::nothing;
    std::int32_t priority = 0;
    std::int64_t order = 0;  // in the list of unplanned tasks: smaller is earlier
    double length = 0;       // seconds, on the first worker of the node
    std::uint32_t operands = 0;
    std::uint64_t runs_on = 0;     // bit p: place p can run it
    std::uint32_t missing_at = 0;  // the plan that counted `missing`
    std::uint32_t missing = 0;     // operands that are not present, for that plan
  };
  struct Operand {
    LocalReplica replica;
    bool reads = false;
    bool listed = false;  // in the list of its tile
  };
  struct Tile {
    bool known = false;            // a task with it became ready
    double length = 0;             // sum of the lengths of the unplanned tasks with it
    LinkedItems users;             // operands of unplanned tasks, the newest first
    std::uint32_t present_at = 0;  // the plan that asked for `present`
    bool present = false;
  };
  struct Urgent {  // an unplanned task, perhaps planned since
    std::int32_t priority;
    std::int64_t order;
    std::uint32_t slot;

    [[nodiscard]] static bool less(Urgent const& a, Urgent const& b) {
      return a.priority != b.priority ? a.priority < b.priority : a.order > b.order;
    }
  };
  [[nodiscard]] std::uint32_t new_slot(TaskId task) {
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
    for (std::size_t p = 0; p < std::min(places_.size(), cached_places); ++p)
      if (std::isfinite(durations[places_[p].worker.index()])) tasks_[slot].runs_on |= std::uint64_t{1} << p;
    for (std::uint32_t i = 0; i < accesses.size(); ++i)
      operands_[operand(slot, i)] = {.replica = node_.replica(task, i), .reads = reads(accesses[i].mode())};
    return slot;
  }

  [[nodiscard]] std::uint32_t operand(std::uint32_t slot, std::uint32_t i) const {
    return slot * stride_ + i;
  }
  [[nodiscard]] bool runs(std::uint32_t slot, std::size_t place) const {
    if (place < cached_places) return (tasks_[slot].runs_on >> place & 1U) != 0;
    return std::isfinite(node_.durations(tasks_[slot].id)[places_[place].worker.index()]);
  }
  /// Whether all tiles of the task are there, or will be for a planned task.
  [[nodiscard]] bool is_free(std::uint32_t slot, std::size_t place) const {
    LocalMemory const memory = places_[place].memory;
    for (std::uint32_t i = 0; i < tasks_[slot].operands; ++i) {
      LocalReplica const replica = operands_[operand(slot, i)].replica;
      if (!tiles_[replica.index()].known) return false;
      if (!node_.present(replica, memory) && uses_.planned(replica, memory) == 0) return false;
    }
    return true;
  }

  /// Makes the tiles of a new task known. `list`: those that it reads are unused by the places where they are not.
  void know_tiles(std::uint32_t slot, bool list) {
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

  /// Lists the operand among the users of its tile.
  void list_operand(std::uint32_t index) {
    Operand& o = operands_[index];
    if (o.listed) return;
    o.listed = true;
    tiles_[o.replica.index()].users.push_front(operand_links_, index);
  }
  /// Adds a task to the unplanned ones, as the first or the last.
  void make_ready(std::uint32_t slot, bool first) {
    Task& task = tasks_[slot];
    task.in = In::ready;
    task.order = first ? --first_order_ : last_order_++;
    first ? ready_.push_front(task_links_, slot) : ready_.push_back(task_links_, slot);
    urgent_.push_back({.priority = task.priority, .order = task.order, .slot = slot});
    std::push_heap(urgent_.begin(), urgent_.end(), Urgent::less);
  }
  /// Moves an unplanned task to the end of the planned tasks of the place.
  void take_unplanned(std::uint32_t slot, std::size_t place) {
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

  /// Returns the most urgent unplanned task, the first among equals, or by the option the first one; `none` without one.
  [[nodiscard]] std::uint32_t most_urgent() {
    if (!options_.most_urgent) return ready_.first;
    auto const outdated = [&](Urgent const& u) {
      return tasks_[u.slot].in != In::ready || tasks_[u.slot].order != u.order;
    };
    while (!urgent_.empty() && outdated(urgent_.front())) {
      std::pop_heap(urgent_.begin(), urgent_.end(), Urgent::less);
      urgent_.pop_back();
    }
    return urgent_.empty() ? none : urgent_.front().slot;
  }

  [[nodiscard]] bool is_unused(std::uint32_t tile, std::size_t place) const {
    return unused_listed_[place * tiles_.size() + tile];
  }
  void add_unused(std::uint32_t tile, std::size_t place) {
    FACTOSIM_EXPECT(!is_unused(tile, place), "an unused tile is listed twice");
    unused_listed_[place * tiles_.size() + tile] = true;
    unused_[place].push_back(unused_links_[place], tile);
  }
  void drop_unused(std::uint32_t tile, std::size_t place) {
    if (!is_unused(tile, place)) return;
    unused_listed_[place * tiles_.size() + tile] = false;
    unused_[place].erase(unused_links_[place], tile);
  }
  /// Drops the first tile of the task that the place has not used.
  void drop_first_unused(std::uint32_t slot, std::size_t place) {
    for (std::uint32_t i = 0; i < tasks_[slot].operands; ++i) {
      auto const tile = static_cast<std::uint32_t>(operands_[operand(slot, i)].replica.index());
      if (is_unused(tile, place)) return drop_unused(tile, place);
    }
  }
  void insert_at_random(std::uint32_t tile, std::size_t place) {
    LinkedItems& list = unused_[place];
    if (list.first == none) return add_unused(tile, place);
    std::uint32_t before = list.first;
    for (std::uint32_t i = random_number() % list.size; i > 0; --i)
      before = unused_links_[place][before].next;
    unused_listed_[place * tiles_.size() + tile] = true;
    list.insert_before(unused_links_[place], tile, before);
  }

  DartsOptions options_;
  NodeView const& node_;
  std::vector<Place> places_;
  std::vector<std::size_t> place_of_;  // [memory nodes]
  FutureUses uses_;

  std::uint32_t stride_ = 1;          // most operands of a task
  std::vector<Task> tasks_;           // [slots]
  std::vector<Links> task_links_;     // [slots] in the list of unplanned tasks or of a place's planned ones
  std::vector<Operand> operands_;     // [slots][stride]
  std::vector<Links> operand_links_;  // [slots][stride] in the list of its tile
  std::vector<std::uint32_t> free_slots_;
  std::vector<Tile> tiles_;  // [replicas]

  LinkedItems ready_;           // unplanned tasks
  std::vector<Urgent> urgent_;  // heap of them; some are outdated
  std::int64_t first_order_ = 0, last_order_ = 0;
  std::vector<LinkedItems> planned_;              // [places]
  std::vector<LinkedItems> unused_;               // [places] of tiles
  std::vector<std::vector<Links>> unused_links_;  // [places][replicas]
  std::vector<bool> unused_listed_;               // [places][replicas]

 private:
  /// POSIX lrand48, from which StarPU draws too.
  [[nodiscard]] std::uint32_t random_number() {
    random_ = (random_ * 0x5DEECE66DULL + 0xB) & ((1ULL << 48U) - 1);
    return static_cast<std::uint32_t>(random_ >> 17U);
  }

  std::uint64_t random_ = 0x330E;  // state of lrand48 after srand48(0)
};

}  // namespace factosim
