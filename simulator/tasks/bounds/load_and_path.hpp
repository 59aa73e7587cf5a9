#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "simulator/tasks/bounds/windowed_loads.hpp"
#include "simulator/tasks/graph/area_bound.hpp"

namespace factosim {

/// Equal tasks: an amount of one kind of work, with the longest chains before and after each of them.
struct PathTasks {
  double head = 0, tail = 0;  // in ticks, of ChainHead::fastest and ChainTail::fastest
  std::uint16_t kind = 0;
  double amount = 0;
};

/// Lower bound of the makespan on workers of these classes: for any r and q, the tasks that a chain of at least r
/// precedes and a chain of at least q follows run between r and makespan - q, so that r plus their area bound plus q is
/// a lower bound. Returns the largest for all q that are tails of tasks (`PathTasks::tail`) with r = 0, and for
/// intervals of q with the least heads (`PathTasks::head`) of some thirty intervals. The area bound of the whole
/// graph, r = q = 0, is one of them.
///
/// Source: the lower bounds of Fernandez and Bussell, IEEE Transactions on Computers C-22(8), 1973, and of
/// Carlier, EJOR 11, 1982 (head plus work plus tail), with the area bound of unrelated workers (ICPADS 2020, section
/// IV) in place of the work. Windows are searched by the prices of the area bound's dual program, which bound it
/// from below for each set of tasks. Whole amounts have the bound of the single tasks to the last bit. O(tasks), and
/// about ten linear programs.
[[nodiscard]] Seconds area_and_path(std::span<PathTasks const> tasks, std::size_t kinds,
                                    std::span<WorkerClass const> classes);

/// The same for a resource that takes all this work, one after the other, with heads and tails of its own. O(work).
[[nodiscard]] double work_and_path(std::span<WindowedWork const> work);

}  // namespace factosim
