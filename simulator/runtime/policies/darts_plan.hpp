#pragma once

#include <cstdint>
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
