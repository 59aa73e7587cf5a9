#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

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
  bool passed_on = false;              // its tile is passed on before the next of them
  bool writes_back = false;            // see TaskGraph::writes_back
  Access access = Access::read_write;  // to its tile, after those to its inputs
  std::int32_t priority = 0;
  TaskIndices indices{};
  std::uint64_t position = 0;        // in the sequence of submission, from 0
  std::array<HandleId, 2> inputs{};  // the handles that it reads before, in the order of its accesses
  std::uint8_t input_count = 0;
  bool reads_flushed = false;  // it reads the first of them after received data were flushed
  Access passed_access =
      Access::read_write;            // to a second handle that it writes, its last access; write: creates it
  HandleId passed{};                 // invalid: none
  std::uint32_t passed_version = 0;  // of that before
  std::uint32_t passed_written = 0,
                written = 0;  // versions of that and of its tile after it, where tiles are passed on
};

/// What tiles next to each other have in common.
enum class TileLine : std::uint8_t {
  row,      // of the matrix whose tiles are updated
  column,   // of that matrix
  products  // sums of products with the tiles of a column (TaskFormulas::product_tile)
};

/// Tiles next to each other in one line: [first, end).
struct TileRun {
  TileLine kind = TileLine::row;
  int line = 0;  // number of the row or column
  int first = 0, end = 0;
};

/// A task that reads a tile: the one that finds another tile in that version.
struct TileReader {
  HandleId tile{};
  std::uint32_t version = 0;
  bool after_flush = false;  // of received data: what was sent before does not serve it
};

/// The tasks that read a version of a tile: those that write the tiles of the runs next, if that has `version`, and single
/// ones; or the one that writes it next.
struct TileReaders {
  std::uint32_t version = 0;
  std::array<TileRun, 2> runs{};
  std::uint8_t run_count = 0;
  std::uint8_t single_count = 0;
  HandleId taker{};  // the tile, of that version, of the one that writes it next; invalid: none
  std::array<TileReader, 2> singles{};

  [[nodiscard]] std::span<TileRun const> all() const { return {runs.data(), run_count}; }
  [[nodiscard]] std::span<TileReader const> all_singles() const { return {singles.data(), single_count}; }
};

/// The tasks of an application whose graph follows a pattern, as functions of a tile, on whose owner they run, and of
/// its version. Each tile has tasks that write it one after the other. After the last of them it is final, and tasks of other
/// tiles read it; or, where tiles are passed on, these write it one after the other too, also between two tasks of its own.
/// A task writes one handle at most beside its tile: one that is passed to it, or one that it creates, which is final then.
///
/// Versions are numbers of which each task that writes a handle makes a greater one. The first is 0, and unless
/// `versions_have_gaps` or tiles are passed on, a version is the number of tasks before.
///
/// All tasks may come several times, after a barrier each time: repetitions. Positions and versions are those of the first.
///
/// Where the distribution of the first phase places a tile on another node, the first task of the tile runs there.
///
/// Dependencies of such a graph: a task follows the one that wrote its tile before, the last ones on its inputs, and the one
/// that passes it a tile.
class TaskFormulas {
 public:
  virtual ~TaskFormulas() = default;

  /// Number of tasks of all repetitions.
  [[nodiscard]] virtual std::uint64_t task_count() const = 0;
  [[nodiscard]] virtual std::uint32_t repetitions() const { return 1; }
  /// Positions of the tasks before which all nodes wait for those submitted before, ascending, of all repetitions.
  [[nodiscard]] virtual std::vector<std::uint64_t> barriers() const { return {}; }
  /// Position of the first task after received data are flushed.
  [[nodiscard]] virtual std::uint64_t flush_position() const { return ~std::uint64_t{0}; }
  /// Positions at which parts of the submission begin, of which each has the first readers of some tiles; empty: each
  /// has those of the tiles whose readers have the same version.
  [[nodiscard]] virtual std::span<std::uint64_t const> parts() const { return {}; }
  /// Tiles in a row and in a column of the matrix whose tiles are updated.
  [[nodiscard]] virtual int line_count() const = 0;
  /// The handle of a tile of that matrix; invalid where it stores none.
  [[nodiscard]] virtual HandleId updated_tile(int m, int n) const = 0;
  /// Returns the tile that product (m, n) is added to: see TileLine.
  [[nodiscard]] virtual HandleId product_tile(int /*m*/, int /*n*/) const { return {}; }
  /// Returns whether there are product tiles.
  [[nodiscard]] virtual bool has_products() const { return false; }
  [[nodiscard]] virtual bool versions_have_gaps() const { return false; }
  /// Returns the version in which the first task finds the tile, which has tasks.
  [[nodiscard]] virtual std::uint32_t first_version(HandleId /*tile*/) const { return 0; }
  /// Returns the version in which the next task finds the tile, after one that found it in `version`.
  [[nodiscard]] virtual std::uint32_t next_version(HandleId /*tile*/, std::uint32_t version) const {
    return version + 1;
  }
  /// Returns whether tiles are passed on. If so, TaskIndices::k of readers is that of the task that wrote what they read.
  [[nodiscard]] virtual bool passes_tiles() const { return false; }
  /// Returns the version of the tile after the last of its tasks; 0: it has none.
  [[nodiscard]] virtual std::uint32_t last_version(HandleId tile) const = 0;
  /// Returns the task of the tile that finds it in that version. O(1), with `parts` O(log nodes).
  [[nodiscard]] virtual FormulaTask task(HandleId tile, std::uint32_t version) const = 0;
  /// Returns the tasks that read a version of the handle, in which, unless tiles are passed on, it is final. Those of each
  /// run are in the order of their submission.
  [[nodiscard]] virtual TileReaders readers(HandleId handle, std::uint32_t version) const = 0;

 protected:
  [[nodiscard]] static std::uint64_t count(int number) { return static_cast<std::uint64_t>(number); }
};

}  // namespace factosim
