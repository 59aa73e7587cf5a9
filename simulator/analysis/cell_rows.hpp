#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace factosim {

/// Rows of cells over time, each of what takes most of it: a picture of many coloured stretches that does not
/// grow with their number.
struct CellRows {
  static constexpr std::uint8_t empty = 255;

  std::size_t rows = 0, columns = 0;
  std::vector<std::uint8_t> color;  // [rows][columns] which takes most; `empty`: none
  std::vector<std::uint8_t>
      share;  // [rows][columns] how much all take, of 255; more than the whole counts 255

  [[nodiscard]] std::size_t at(std::size_t row, std::size_t column) const { return row * columns + column; }
};

/// Fewer, larger cells: neighbours are merged until there are at most so many rows and columns. What takes
/// most of the merged ones takes the cell.
[[nodiscard]] CellRows coarser(CellRows const& cells, std::size_t max_rows, std::size_t max_columns);

/// As many columns as keep the cells of a run below about a million, from 64 to 1024.
[[nodiscard]] std::size_t columns_for(std::size_t rows);

/// Adds up stretches of time by row, column and colour. O(columns that a stretch spans) each.
class CellCounter {
 public:
  /// Fewer than 255 colours; `end_s` > 0.
  CellCounter(std::size_t rows, std::size_t columns, std::size_t colors, double end_s);

  void add(std::size_t row, std::size_t color, double from_s, double to_s);
  /// Shares are of `whole` stretches at once: 1 where those of a row do not overlap.
  [[nodiscard]] CellRows cells(double whole = 1) const;
  /// The most stretches at once in a cell, in the mean of its time.
  [[nodiscard]] double maximum() const;

 private:
  std::size_t rows_, columns_, colors_;
  double width_;
  std::vector<float> seconds_;  // [rows][columns][colors]
};

}  // namespace factosim
