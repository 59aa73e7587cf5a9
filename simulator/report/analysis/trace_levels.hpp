#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "simulator/report/analysis/causes.hpp"

namespace factosim {

/// Averages of a level over time, such as the number of ready tasks, over equal intervals. O(1) per change,
/// in any order of dates.
class TimeBins {
 public:
  /// `intervals` equal intervals from 0 to `end_s`; both must be positive.
  TimeBins(double end_s, std::size_t intervals);

  /// Raises the level by `amount` between two dates, in seconds, clamped to the range.
  void add(double from_s, double to_s, double amount);
  /// Returns the time averages. [intervals]
  [[nodiscard]] std::vector<float> averages() const;

 private:
  void change(double date_s, double amount);

  double end_, width_;
  std::vector<double> change_;  // [intervals] sum of the changes in each
  std::vector<double> area_;    // [intervals] contribution of these changes to the integral over the interval
};

/// Rows of cells over time. A cell has the colour that takes most of its time, so that the size of the
/// picture does not depend on the number of coloured intervals.
struct CellRows {
  static constexpr std::uint8_t empty = 255;

  std::size_t rows = 0, columns = 0;
  std::vector<std::uint8_t> color{};  // [rows][columns] that takes most of the time; `empty`: none
  std::vector<std::uint8_t> share{};  // [rows][columns] of all colours together, out of 255, clamped

  [[nodiscard]] std::size_t at(std::size_t row, std::size_t column) const { return row * columns + column; }
};

/// Size of cells that are joined: rows and columns, each of `high` x `wide` cells.
struct CoarseSize {
  std::size_t rows = 0, columns = 0, high = 1, wide = 1;
};
/// Returns the size of `coarser(cells, max_rows, max_columns)`.
[[nodiscard]] CoarseSize coarse_size(CellRows const& cells, std::size_t max_rows, std::size_t max_columns);

/// Merges neighbouring cells until there are at most `max_rows` rows and `max_columns` columns. A merged
/// cell has the colour with the largest sum of shares.
[[nodiscard]] CellRows coarser(CellRows const& cells, std::size_t max_rows, std::size_t max_columns);

/// Returns a number of columns, from 64 to 1024, that keeps the cells of a run below about a million.
[[nodiscard]] std::size_t columns_for(std::size_t rows);

/// Adds up time intervals by row, column and colour. O(columns that an interval spans) each.
class CellCounter {
 public:
  /// Requires fewer than 255 colours and `end_s` > 0.
  CellCounter(std::size_t rows, std::size_t columns, std::size_t colors, double end_s);

  void add(std::size_t row, std::size_t color, double from_s, double to_s);
  /// Returns the cells. A share of 1 means `whole` simultaneous intervals: 1 if those of a row do not
  /// overlap.
  [[nodiscard]] CellRows cells(double whole = 1) const;
  /// Returns the maximum over all cells of the mean number of simultaneous intervals.
  [[nodiscard]] double maximum() const;

 private:
  [[nodiscard]] double seconds_of(std::size_t cell) const;  // in all colours

  std::size_t rows_, columns_, colors_;
  double width_;
  std::vector<float> seconds_;  // [rows][columns][colors]
};

/// A quantity over time, for each of several rows.
struct LevelRows {
  std::string id;                          // "ready_tasks"
  std::vector<std::vector<float>> rows{};  // [nodes or memory nodes][intervals] averages
};

/// Computes the levels of each node over time from a trace: "submitted_tasks", "ready_tasks",
/// "running_tasks", "gflops", "messages_sent" and "messages_received" (in flight), "nic_out_Bps",
/// "nic_in_Bps", and for copies "h2d_Bps", "d2h_Bps", "d2d_Bps", "h2h_Bps" (bytes of a transfer spread over
/// its time). Levels without data are left out. O(tasks log transfers).
[[nodiscard]] std::vector<LevelRows> trace_levels(Causes const& causes, double origin_s, double end_s,
                                                  std::size_t intervals);

/// Computes bytes in each memory node over time: "memory_bytes" of data in use (in RAM the tiles that the node owns; what
/// arrived or was written there, until its last use there) and, of traces that know it, "allocated_bytes" (in RAM of tiles
/// only). Returns nothing if the trace has no data. O(n log n) in accesses and transfers.
[[nodiscard]] std::vector<LevelRows> memory_levels(Trace const& trace, double origin_s, double end_s,
                                                   std::size_t intervals);

}  // namespace factosim
