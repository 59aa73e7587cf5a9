#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "factosim/task_graph.hpp"
#include "simulator/tasks/graph/transpose.hpp"

namespace factosim {

/// The numbering of a graph whose tasks have two forms. A coarse task, one of the application's, runs in one piece on
/// whole tiles, or is split: a task without data submits its children, the same computation on parts of the tiles.
/// Where a task needs another form of a tile than the one it was written in, the tile is partitioned (read whole,
/// written in parts) or unpartitioned, at most once for each coarse task that wrote it. A run takes one form of each
/// coarse task, and the conversions that follow from it.
///
/// Tasks: coarse task c, its split `count + c`, the unpartition of its tile `2 count + c`, the partition
/// `3 count + c`; then all children. Edges: between coarse tasks; from splits to their children; between children.
/// Those to and from conversions depend on the forms that are taken.
///
/// Source: Faverge, Furmento, Guermouche, Lucas, Namyst, Thibault, Wacrenier, JPDC 205, 105157, 2025; StarPU 1.5
/// `core/jobs_recursive.c`, `datawizard/filters.c`.
struct RecursiveTasks {
  enum class Role : std::uint8_t { coarse, split, unpartition, partition, child };

  std::uint32_t count = 0;  // coarse tasks
  std::uint32_t kernels =
      0;  // of them; those of the children follow, in the same order, then those of the splits
  std::uint32_t first_part = 0;  // handles from there on are parts of tiles, which lie in their tiles in RAM
  TaskRows predecessors;         // [coarse tasks] coarse tasks
  TaskRows children;             // [coarse tasks] in submission order
  std::vector<std::uint32_t> parent;  // [children] coarse task

  [[nodiscard]] bool is_part(HandleId handle) const { return handle.value() >= first_part; }
  [[nodiscard]] TaskId split_of(std::uint32_t c) const { return TaskId{count + c}; }
  [[nodiscard]] TaskId unpartition_of(std::uint32_t c) const { return TaskId{2 * count + c}; }
  [[nodiscard]] TaskId partition_of(std::uint32_t c) const { return TaskId{3 * count + c}; }
  [[nodiscard]] Role role(TaskId t) const {
    return t.value() >= 4 * count ? Role::child : static_cast<Role>(t.value() / count);
  }
  /// Returns the coarse task that the task is a form of, a child of, or converts the tile of.
  [[nodiscard]] std::uint32_t coarse_of(TaskId t) const {
    return t.value() >= 4 * count ? parent[t.value() - 4 * count] : t.value() % count;
  }
  [[nodiscard]] std::span<TaskId const> predecessors_of(std::uint32_t c) const {
    return row(predecessors, c);
  }
  [[nodiscard]] std::span<TaskId const> children_of(std::uint32_t c) const { return row(children, c); }
  /// Returns the conversion of the tile that a coarse task has written in that form.
  [[nodiscard]] TaskId conversion_of(std::uint32_t c, bool split) const {
    return split ? unpartition_of(c) : partition_of(c);
  }

 private:
  static std::span<TaskId const> row(TaskRows const& rows, std::uint32_t r) {
    return {rows.items.data() + rows.begin[r], rows.items.data() + rows.begin[r + 1]};
  }
};

struct RecursiveProgram {
  TaskGraph graph;  // all forms of all tasks
  RecursiveTasks tasks;
};

/// How tasks are split.
struct Splitting {
  int parts = 2;  // of a tile in each direction
  int nb = 0;     // rows of a part
};

/// Joins the graphs of one application on tiles and on their parts, both numbered by submission. Each task writes one
/// tile and no tile that has been read since it was written. The initial content of a tile is there in both forms.
/// O(edges log degree + tasks log tasks).
[[nodiscard]] RecursiveProgram recursive_program(TaskGraph const& coarse, TaskGraph const& fine,
                                                 Splitting const& splitting);

/// The tasks of a run, as a graph of their own.
struct TakenTasks {
  TaskGraph graph;             // in the order in which a sequential program would submit them
  std::vector<TaskId> number;  // [all tasks] in `graph`; invalid: not taken
  /// Dependencies beside those of the accesses: children follow their split, and splits the tasks before.
  std::vector<std::pair<TaskId, TaskId>> explicit_edges;
};

/// Returns the tasks of a run that has split those coarse tasks: [coarse tasks]. Dependencies follow from the accesses of
/// the tasks that were taken. O(tasks + accesses).
[[nodiscard]] TakenTasks taken_tasks(TaskGraph const& all, RecursiveTasks const& tasks,
                                     std::vector<bool> const& split);

}  // namespace factosim
