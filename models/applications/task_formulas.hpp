#pragma once

#include <array>
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
  bool last = false;                   // of the tasks of its tile
  bool writes_back = false;            // see TaskGraph::writes_back
  Access access = Access::read_write;  // to its tile, after those to its inputs
  std::int32_t priority = 0;
  TaskIndices indices{};
  std::uint64_t position = 0;        // in the sequence of submission, from 0
  std::array<HandleId, 2> inputs{};  // the handles that it reads before, in the order of its accesses
  std::uint8_t input_count = 0;
};

/// Tiles next to each other in one line of the matrix whose tiles are updated: [first, end).
struct TileRun {
  enum class Line : std::uint8_t { row, column };

  Line kind = Line::row;
  int line = 0;  // number of the row or column
  int first = 0, end = 0;
};

/// The tasks that read a final tile: those of the tiles of the runs that find theirs in that version.
struct TileReaders {
  std::uint32_t version = 0;
  std::array<TileRun, 2> runs{};
  std::uint8_t run_count = 0;

  [[nodiscard]] std::span<TileRun const> all() const { return {runs.data(), run_count}; }
};

/// The tasks of an application whose graph follows a pattern, as functions of a tile, on whose owner they run, and of
/// its version: the number of tasks that have written it before. A task writes one tile. After the last task of a tile it is
/// final, and only then tasks of other tiles read it.
///
/// Dependencies of such a graph: a task follows the one that wrote its tile before, and the last ones on its inputs.
class TaskFormulas {
 public:
  virtual ~TaskFormulas() = default;

  [[nodiscard]] virtual std::uint64_t task_count() const = 0;
  /// Tiles in a row and in a column of the matrix whose tiles are updated.
  [[nodiscard]] virtual int line_count() const = 0;
  /// The handle of a tile of that matrix; invalid where it stores none.
  [[nodiscard]] virtual HandleId updated_tile(int m, int n) const = 0;
  /// Returns the number of tasks that write the tile.
  [[nodiscard]] virtual std::uint32_t last_version(HandleId tile) const = 0;
  /// Returns the task of the tile that finds it in that version. O(1).
  [[nodiscard]] virtual FormulaTask task(HandleId tile, std::uint32_t version) const = 0;
  /// Returns the tasks that read the final tile. Those of each run are in the order of their submission.
  [[nodiscard]] virtual TileReaders readers(HandleId tile) const = 0;

 protected:
  [[nodiscard]] static std::uint64_t count(int number) { return static_cast<std::uint64_t>(number); }
};

}  // namespace factosim
