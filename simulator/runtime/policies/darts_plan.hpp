#pragma once

#include <cstdint>
#include <vector>

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
    std::size_t workers = 0;
  };

  DartsTasks(DartsOptions const& options, NodeView const& node);

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
    std::uint64_t runs_on = 0;     // bit p: a worker of place p can run it
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
  };
  [[nodiscard]] std::uint32_t new_slot(TaskId task);
  [[nodiscard]] std::uint32_t operand(std::uint32_t slot, std::uint32_t i) const {
    return slot * stride_ + i;
  }
  /// Whether a worker of the place can run the task; where the workers of a place differ, others may not.
  [[nodiscard]] bool runs(std::uint32_t slot, std::size_t place) const;
  /// Whether all tiles of the task are there, or will be for a planned task.
  [[nodiscard]] bool is_free(std::uint32_t slot, std::size_t place) const;
  void know_tiles(std::uint32_t slot, bool list);
  /// Lists the operand among the users of its tile.
  void list_operand(std::uint32_t operand_index);
  /// Adds a task to the unplanned ones, as the first or the last.
  void make_ready(std::uint32_t slot, bool first);
  void take_unplanned(std::uint32_t slot, std::size_t place);
  /// Returns the most urgent unplanned task, the first among equals, or by the option the first one; `none` without one.
  [[nodiscard]] std::uint32_t most_urgent();
  [[nodiscard]] bool is_unused(std::uint32_t tile, std::size_t place) const {
    return unused_listed_[place * tiles_.size() + tile];
  }
  void add_unused(std::uint32_t tile, std::size_t place);
  void drop_unused(std::uint32_t tile, std::size_t place);
  /// Drops the first tile of the task that the place has not used.
  void drop_first_unused(std::uint32_t slot, std::size_t place);
  void insert_at_random(std::uint32_t tile, std::size_t place);

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
  [[nodiscard]] std::uint32_t random_number();

  std::uint64_t random_ = 0x330E;  // state of lrand48 after srand48(0)
};

/// The plans of DARTS: which ready tasks each memory node will run next. A plan chooses the tile whose transfer unlocks
/// most work and takes all tasks that it unlocks.
///
/// A task is *free* for a memory node if all of its tiles are there or requested; a tile is *unused* by a memory node if
/// unplanned tasks read it and it was not there when they became ready. Tiles that a task only writes are never
/// chosen. The rules are those of StarPU 1.5 `darts.c`, with dependencies and in the natural order of tasks and tiles.
/// Source: Gonthier, Marchal, Thibault, "Memory-aware scheduling of tasks sharing data on multiple GPUs with dynamic
/// runtime systems", IPDPS 2022; "Taming data locality for task scheduling under memory constraint in runtime
/// systems", FGCS 143, 2023.
class DartsPlan : private DartsTasks {
 public:
  DartsPlan(DartsOptions const& options, NodeView const& node);

  using DartsTasks::place_of;
  using DartsTasks::places;

  /// A ready task: planned at once for a place where it is free, else unplanned.
  void add(TaskId task);
  /// Returns the next task of the place, after a new plan if none is left; an invalid id if there is none for it. The
  /// task counts as handed out.
  [[nodiscard]] TaskId next(std::size_t place);
  void finished(TaskId task, std::size_t place) { uses_.finish(task, places_[place].memory); }

  /// Chooses a copy to evict, which then counts as unused: planned tasks that need it are planned anew.
  [[nodiscard]] LocalReplica victim(EvictionRequest const& request);

  /// Appends the planned tasks of the place, the next one first.
  void append_planned(std::size_t place, std::vector<TaskId>& tasks) const;

 private:
  /// What a plan weighs for a tile.
  struct Candidate {
    std::uint32_t tile = none;
    double ratio, transfer;             // transfer / length of free tasks; seconds
    std::int32_t free = 0, almost = 0;  // tasks that miss only this tile, and one more
    std::int32_t priority;
    double length = 0;                 // of all unplanned tasks with the tile
    std::uint32_t best_almost = none;  // slot
  };

  [[nodiscard]] std::size_t free_place(std::uint32_t slot);
  void plan_free(std::uint32_t slot, std::size_t place);
  void unplan(LocalReplica victim, std::size_t place);

  void plan(std::size_t place);
  void plan_most_urgent(std::size_t place);
  [[nodiscard]] Candidate best_tile(std::size_t place);
  [[nodiscard]] Candidate weigh(std::uint32_t tile, std::size_t place);
  [[nodiscard]] bool is_better(Candidate const& a, Candidate const& best) const;
  [[nodiscard]] bool present(std::uint32_t tile, std::size_t place);
  [[nodiscard]] std::uint32_t missing(std::uint32_t slot, std::size_t place);
  [[nodiscard]] std::uint32_t missing_without(std::uint32_t slot, std::uint32_t tile, std::size_t place);

  std::vector<bool> began_;  // [places] its first plan was made
  std::size_t turn_;         // the place that the next free task tries first
  std::uint32_t plan_ = 0;   // number of the current plan
};

}  // namespace factosim
