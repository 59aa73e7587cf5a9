#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "factosim/id.hpp"
#include "simulator/tasks/graph/task_formulas.hpp"
#include "simulator/tasks/plan/execution_plan.hpp"

namespace factosim {

/// The places of tasks that formulas give, numbered by node: one for each tile, which has the number of the task that the
/// tile is at; and one more for each tile whose first task the distribution of the first phase places on another node.
class FormulaPlaces {
 public:
  /// `owners`: as OwnersByPlacement; the first phase has the second of them, or the only one. `formulas` must outlive this.
  FormulaPlaces(TaskFormulas const& formulas, OwnersByPlacement const& owners, std::size_t nodes);

  [[nodiscard]] TaskFormulas const& formulas() const { return formulas_; }
  [[nodiscard]] std::size_t count() const { return tile_of_.size(); }
  [[nodiscard]] std::size_t tiles() const { return place_of_.size(); }
  /// [nodes + 1]
  [[nodiscard]] std::vector<std::uint32_t> const& first() const { return first_; }
  [[nodiscard]] HandleId tile(TaskId place) const { return tile_of_[place.index()]; }
  /// Returns the place of the tasks of a tile, but for the first where that has a place of its own.
  [[nodiscard]] TaskId of(HandleId tile) const { return place_of_[tile.index()]; }
  /// Returns whether some tiles have two places.
  [[nodiscard]] bool have_moves() const { return !moves_away_.empty(); }
  /// Returns whether the place is one of a first task alone.
  [[nodiscard]] bool moves_away(TaskId place) const { return have_moves() && moves_away_[place.index()]; }
  /// Returns the other place of a tile that has two; else none.
  [[nodiscard]] TaskId other_place(TaskId place) const {
    return have_moves() ? other_[place.index()] : TaskId{};
  }
  /// Returns the version in which the task after the first one finds the tile.
  [[nodiscard]] std::uint32_t moved_version(HandleId tile) const { return formulas_.next_version(tile, 0); }

  /// As TaskFormulas, for a place.
  [[nodiscard]] FormulaTask task(TaskId place, std::uint32_t version) const {
    FormulaTask out = formulas_.task(tile(place), version);
    if (moves_away(place)) out.last = true;
    return out;
  }
  [[nodiscard]] TileReaders readers(TaskId place, std::uint32_t version) const {
    HandleId const handle = tile(place);
    if (!moves_away(place)) return formulas_.readers(handle, version);
    TileReaders out{.version = moved_version(handle)};
    out.taker = handle;
    return out;
  }

 private:
  TaskFormulas const& formulas_;
  std::vector<std::uint32_t> first_;
  std::vector<TaskId> place_of_;   // [tiles]
  std::vector<HandleId> tile_of_;  // [places]
  // Empty where no tile has two places:
  std::vector<bool> moves_away_;  // [places]
  std::vector<TaskId> other_;     // [places]
};

}  // namespace factosim
