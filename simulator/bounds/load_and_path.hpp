#pragma once

#include <span>
#include <vector>

#include "factosim/task_graph.hpp"
#include "simulator/bounds/chain_tails.hpp"
#include "simulator/graph/area_bound.hpp"

namespace factosim {

/// Lower bound of the makespan on workers of these classes: for any q, the tasks that a chain of at least q
/// follows must end by makespan - q, so that q plus their area bound is a lower bound. Returns the
/// largest for all q that are tails of tasks (`ChainTail::fastest`). The area bound of the whole graph, q = 0,
/// is one of them, and the longest chain is another.
///
/// Source: the lower bounds of Fernandez and Bussell, IEEE Transactions on Computers C-22(8), 1973, and of
/// Carlier, EJOR 11, 1982 (work plus tail), with the area bound of unrelated workers (ICPADS 2020, section IV) in
/// place of the work. Thresholds are searched by the prices of the area bound's dual program, which bound it
/// from below for each set of tasks. O(tasks), and about ten linear programs.
[[nodiscard]] Seconds area_and_path(TaskGraph const& graph, std::span<ChainTail const> tails,
                                    std::span<WorkerClass const> classes);

/// The same for the tasks of one node, first..last - 1, with `ChainTail::with_messages`, and with one set of
/// prices [kernels]: those of the area bound of all tasks of the node. O(tasks).
[[nodiscard]] Seconds load_and_path(TaskGraph const& graph, std::span<ChainTail const> tails,
                                    std::uint32_t first, std::uint32_t last, std::span<double const> prices);

}  // namespace factosim
