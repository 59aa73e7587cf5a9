#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "factosim/scheduler.hpp"
#include "simulator/runtime/policies/darts_tasks.hpp"

namespace factosim {

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
  DartsPlan(DartsOptions const& options, NodeView const& node)
      : DartsTasks(options, node),
        began_(places().size(), false),
        turn_(places().size() - 1) {}  // the first task tries the first place

  using DartsTasks::place_of;
  using DartsTasks::places;

  /// A ready task: planned at once for a place where it is free, else unplanned.
  void add(TaskId task) {
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

  /// Returns the next task of the place, after a new plan if none is left; an invalid id if there is none for it. The
  /// task counts as handed out.
  [[nodiscard]] TaskId next(std::size_t place) {
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

  void finished(TaskId task, std::size_t place) { uses_.finish(task, places_[place].memory); }

  /// Chooses a copy to evict, which then counts as unused: planned tasks that need it are planned anew.
  [[nodiscard]] LocalReplica victim(EvictionRequest const& request) {
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

  /// Appends the planned tasks of the place, the next one first.
  void append_planned(std::size_t place, std::vector<TaskId>& tasks) const {
    for (std::uint32_t slot = planned_[place].first; slot != none; slot = task_links_[slot].next)
      tasks.push_back(tasks_[slot].id);
  }

 private:
  static constexpr double worst = std::numeric_limits<double>::max();

  /// What a plan weighs for a tile.
  struct Candidate {
    std::uint32_t tile = none;
    double ratio, transfer;             // transfer / length of free tasks; seconds
    std::int32_t free = 0, almost = 0;  // tasks that miss only this tile, and one more
    std::int32_t priority;
    double length = 0;                 // of all unplanned tasks with the tile
    std::uint32_t best_almost = none;  // slot
  };

  /// Returns the place for which the task is free; the number of places without one.
  [[nodiscard]] std::size_t free_place(std::uint32_t slot) {
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

  /// Plans a task that misses no tile: before all planned tasks, or before the first that misses one.
  void plan_free(std::uint32_t slot, std::size_t place) {
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

  /// Makes the planned tasks that need the victim ready again. StarPU does so with the first of them only, and goes on
  /// counting it as planned.
  void unplan(LocalReplica victim, std::size_t place) {
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

  void plan(std::size_t place) {
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

  void plan_most_urgent(std::size_t place) {
    std::uint32_t const slot = most_urgent();
    if (slot == none || !runs(slot, place)) return;
    drop_first_unused(slot, place);
    take_unplanned(slot, place);
  }
  [[nodiscard]] Candidate best_tile(std::size_t place) {
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

  [[nodiscard]] Candidate weigh(std::uint32_t tile, std::size_t place) {
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
  [[nodiscard]] bool is_better(Candidate const& a, Candidate const& best) const {
    enum Criterion : std::uint8_t { ratio, transfer, free, almost, priority, length, equal };
    static constexpr Criterion orders[8][5] = {
        {free, almost, priority, length, equal},    {free, priority, almost, length, equal},
        {transfer, free, priority, almost, length}, {free, transfer, priority, almost, length},
        {free, priority, transfer, almost, length}, {free, priority, almost, transfer, length},
        {free, priority, almost, length, transfer}, {ratio, free, priority, almost, length},
    };
    auto const compare = [](auto x, auto y) { return x < y ? -1 : x > y ? 1 : 0; };
    std::array<int, 7> const better{compare(best.ratio, a.ratio),
                                    compare(best.transfer, a.transfer),
                                    compare(a.free, best.free),
                                    compare(a.almost, best.almost),
                                    options_.priorities ? compare(a.priority, best.priority) : 0,
                                    compare(a.length, best.length),
                                    0};
    for (Criterion const criterion : orders[options_.selection_order])
      if (better[criterion] != 0) return better[criterion] > 0;
    return false;
  }

  [[nodiscard]] bool present(std::uint32_t tile, std::size_t place) {
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

  [[nodiscard]] std::uint32_t missing(std::uint32_t slot, std::size_t place) {
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
  [[nodiscard]] std::uint32_t missing_without(std::uint32_t slot, std::uint32_t tile, std::size_t place) {
    std::uint32_t count = missing(slot, place);
    if (count == 0 || present(tile, place)) return count;
    for (std::uint32_t i = 0; i < tasks_[slot].operands; ++i)
      if (operands_[operand(slot, i)].replica.index() == tile) --count;
    return count;
  }

  std::vector<bool> began_;  // [places] its first plan was made
  std::size_t turn_;         // the place that the next free task tries first
  std::uint32_t plan_ = 0;   // number of the current plan
};

}  // namespace factosim
