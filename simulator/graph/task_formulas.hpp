#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "factosim/id.hpp"
#include "factosim/task_graph.hpp"

namespace factosim {

/// 1 + 4 + ... + n^2.
[[nodiscard]] constexpr std::uint64_t sum_of_squares(std::uint64_t n) {
  return n * (n + 1) * (2 * n + 1) / 6;
}
/// 1 + (1 + 2) + ... + (1 + 2 + ... + n).
[[nodiscard]] constexpr std::uint64_t sum_of_triangles(std::uint64_t n) { return n * (n + 1) * (n + 2) / 6; }

/// A task as formulas give it: all that a TaskGraph stores of it.
struct FormulaTask {
  std::uint16_t kernel = 0;            // index into the kernels of the graph
  bool last = false;                   // nothing writes its tile after it
  bool writes_back = false;            // see TaskGraph::writes_back
  Access access = Access::read_write;  // to its tile, the last of its accesses
  std::int32_t priority = 0;
  TaskIndices indices{};
  std::uint64_t position = 0;        // in the sequence of submission, from 0
  std::array<HandleId, 2> inputs{};  // the handles that it reads before, in the order of its accesses
  std::uint8_t input_count = 0;
};

/// Tiles next to each other in one row, or one column, of the matrix whose tiles are updated: [first, end).
struct TileRun {
  bool in_row = true;
  int line = 0;  // number of the row or column
  int first = 0, end = 0;
};

/// The tasks that read a tile after its last write: those that write the tiles of the runs next after
/// `version` writes of each.
struct TileReaders {
  std::uint32_t version = 0;
  std::array<TileRun, 2> runs{};
  std::uint8_t run_count = 0;

  [[nodiscard]] std::span<TileRun const> all() const { return {runs.data(), run_count}; }
};

/// The tasks of an application whose graph follows a pattern, as functions of the tile that they write and of the
/// number of writes before. Holds for graphs where each task writes one tile, which no other task writes at the same
/// time, and where tasks read tiles that others write only after the last write.
///
/// Dependencies of such a graph: a task follows the one that wrote its tile before, and the last ones on its inputs.
class TaskFormulas {
 public:
  virtual ~TaskFormulas() = default;

  /// Number of tasks.
  [[nodiscard]] virtual std::uint64_t task_count() const = 0;
  /// Tiles in a row and in a column of the matrix whose tiles are updated.
  [[nodiscard]] virtual int line_count() const = 0;
  /// The handle of a tile of that matrix; invalid where it stores none.
  [[nodiscard]] virtual HandleId updated_tile(int m, int n) const = 0;
  /// Returns whether any task writes the tile. Without one, it has neither tasks nor readers.
  [[nodiscard]] virtual bool is_written(HandleId /*tile*/) const { return true; }
  /// Returns the task that writes the tile after `version` tasks that did. O(1).
  [[nodiscard]] virtual FormulaTask task(HandleId written, std::uint32_t version) const = 0;
  /// Returns the readers of the tile after its last write; those of each run are in the order of their submission.
  [[nodiscard]] virtual TileReaders readers(HandleId tile) const = 0;

 protected:
  [[nodiscard]] static std::uint64_t count(int number) { return static_cast<std::uint64_t>(number); }
};

}  // namespace factosim
