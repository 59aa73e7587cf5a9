#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "factosim/id.hpp"
#include "factosim/tile_map.hpp"

namespace factosim {

struct StepTile {
  std::uint16_t m = 0, n = 0;

  [[nodiscard]] std::uint32_t diagonal() const { return std::uint32_t{m} + n; }
  /// The step whose panel it is a part of: that of its last task.
  [[nodiscard]] std::uint32_t last_step() const { return m < n ? m : n; }
};

/// The tiles of each node, by anti-diagonals m + n: the order of their priorities.
class StepTiles {
 public:
  StepTiles(TileMap const& map, std::size_t nodes, bool symmetric);

  [[nodiscard]] std::span<StepTile const> of(std::size_t node) const {
    return {tiles_.data() + first_[node], tiles_.data() + first_[node + 1]};
  }
  [[nodiscard]] std::span<StepTile const> all() const { return tiles_; }
  [[nodiscard]] std::uint32_t first(std::size_t node) const { return first_[node]; }

 private:
  std::vector<StepTile> tiles_;       // by node
  std::vector<std::uint32_t> first_;  // [nodes + 1]
};

/// A row or column of tiles, in which one tile of each panel is read by updates: a row or a column for LU, a row and
/// the column of that number for Cholesky. Its users are the nodes with tiles in it.
struct LineUser {
  std::uint32_t node = 0;  // or the number of the line, among the lines of a node
  std::uint32_t at = 0;    // place of the first tile that is left, in StepLines::others
  std::uint32_t end = 0;
};

/// All lines with their users. Tiles of a line are given by their other index.
class StepLines {
 public:
  StepLines(TileMap const& map, std::size_t nodes, bool symmetric);

  /// Number of the line in which the panel's tile (m, n), m > n or n > m, is read.
  [[nodiscard]] std::uint32_t line_of(StepTile tile) const {
    return symmetric_ || tile.m > tile.n ? std::uint32_t{tile.m} : nt_ + tile.n;
  }
  [[nodiscard]] std::uint32_t index_of(std::uint32_t line) const { return line < nt_ ? line : line - nt_; }
  [[nodiscard]] std::uint32_t count() const { return symmetric_ ? nt_ : 2 * nt_; }
  [[nodiscard]] std::uint32_t kinds() const { return symmetric_ ? 1 : 2; }
  [[nodiscard]] std::uint32_t nt() const { return nt_; }

  /// Calls use(node, other) for each node with tiles of the line beyond step k: `other` is the first of their other
  /// indices. For one line, k never decreases.
  template <class Use>
  void users_beyond(std::uint32_t line, std::uint32_t k, Use const& use) {
    each_beyond(users_[line], k, [&](LineUser const& user) { use(user.node, others_[user.at]); });
  }
  /// Calls use(line, other) for each line of the node beyond step k. For one node, k never decreases.
  template <class Use>
  void lines_beyond(std::size_t node, std::uint32_t k, Use const& use) {
    auto& lines = lines_of_[node];
    std::erase_if(lines, [&](LineUser const& line) { return index_of(line.node) <= k; });
    each_beyond(lines, k, [&](LineUser const& line) { use(line.node, others_[line.at]); });
  }

 private:
  template <class Use>
  void each_beyond(std::vector<LineUser>& users, std::uint32_t k, Use const& use) {
    std::size_t kept = 0;
    for (LineUser user : users) {
      while (user.at < user.end && others_[user.at] <= k) ++user.at;
      if (user.at == user.end) continue;
      users[kept++] = user;
      use(user);
    }
    users.resize(kept);
  }

  std::uint32_t nt_;
  bool symmetric_;
  std::vector<std::uint16_t> others_;
  std::vector<std::vector<LineUser>> users_;     // [lines]
  std::vector<std::vector<LineUser>> lines_of_;  // [nodes]; node: the line
};

}  // namespace factosim
