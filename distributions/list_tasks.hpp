#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "distributions/factorization_work.hpp"
#include "distributions/panel_lines.hpp"
#include "factosim/tile_map.hpp"

namespace factosim {

/// A task of a list schedule: the next one that writes a tile.
struct ListTask {
  std::uint32_t tile;
  int order;  // k + m + n: tasks of lower order are more urgent
  std::size_t kind;
  std::array<std::uint32_t, 2> values{};  // numbers of the data that it reads, its own tile apart
  std::size_t count = 0;

  [[nodiscard]] std::span<std::uint32_t const> operands() const { return std::span(values).first(count); }
};

/// Where a factorization stands in a list schedule: how many tasks of each tile have ended. A datum is the tile of a
/// panel that is sent along a line, or the diagonal tile of a panel.
class ListTasks {
 public:
  ListTasks(TileMap const& map, Factorization factorization, std::size_t nodes)
      : map_(map),
        nt_(map.nt),
        factorization_(factorization),
        lines_(map, factorization, nodes),
        done_(map.owner.size(), 0) {}

  [[nodiscard]] PanelLines const& lines() const { return lines_; }
  [[nodiscard]] int diagonal_line() const { return static_cast<int>(lines_.count()); }
  [[nodiscard]] std::size_t data() const { return (lines_.count() + 1) * static_cast<std::size_t>(nt_); }
  [[nodiscard]] std::uint32_t datum(int line, int k) const {
    return static_cast<std::uint32_t>(line) * static_cast<std::uint32_t>(nt_) + static_cast<std::uint32_t>(k);
  }
  [[nodiscard]] int row(std::size_t tile) const { return static_cast<int>(tile) / nt_; }
  [[nodiscard]] int column(std::size_t tile) const { return static_cast<int>(tile) % nt_; }
  /// Returns the line along which the tile of a panel is sent.
  [[nodiscard]] int line_of(std::size_t tile) const {
    return row(tile) == column(tile) ? diagonal_line() : lines_.of_panel(row(tile), column(tile));
  }
  /// Returns the line along which the datum is sent, and its panel.
  [[nodiscard]] std::pair<int, int> place_of(std::uint32_t datum) const {
    return {static_cast<int>(datum) / nt_, static_cast<int>(datum) % nt_};
  }
  /// Returns the tile that the datum is.
  [[nodiscard]] std::size_t tile_of(std::uint32_t datum) const {
    auto const [line, k] = place_of(datum);
    return line == diagonal_line() ? static_cast<std::size_t>(k) * static_cast<std::size_t>(nt_ + 1)
                                   : lines_.tile(line, k);
  }
  [[nodiscard]] std::uint32_t owner(std::size_t tile) const {
    return static_cast<std::uint32_t>(map_.owner[tile].value());
  }
  [[nodiscard]] int done(std::size_t tile) const { return done_[tile]; }
  /// One more task of the tile has ended. Returns its iteration.
  int end_one(std::size_t tile) { return done_[tile]++; }

  /// Returns the next task on the tile.
  [[nodiscard]] ListTask next(std::size_t tile) const {
    int const k = done_[tile], m = row(tile), n = column(tile);
    ListTask task{.tile = static_cast<std::uint32_t>(tile),
                  .order = k + m + n,
                  .kind = static_cast<std::size_t>(task_kind(factorization_, k, m, n))};
    if (m == k && n == k) return task;
    if (m == k || n == k) {
      task.values[0] = datum(diagonal_line(), k);
      task.count = 1;
      return task;
    }
    auto const [a, b] = lines_.of_update(m, n);
    task.values = {datum(a, k), datum(b, k)};
    task.count = a == b ? 1 : 2;
    return task;
  }

 private:
  TileMap const& map_;
  int nt_;
  Factorization factorization_;
  PanelLines lines_;
  std::vector<int> done_;  // [tiles]
};

}  // namespace factosim
