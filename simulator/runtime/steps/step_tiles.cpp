#include "simulator/runtime/steps/step_tiles.hpp"

#include <algorithm>
#include <limits>

#include "factosim/error.hpp"

namespace factosim {

StepTiles::StepTiles(TileMap const& map, std::size_t nodes, bool symmetric) : first_(nodes + 1, 0) {
  FACTOSIM_ALWAYS(map.mt == map.nt && map.nt <= std::numeric_limits<std::uint16_t>::max(),
                  "a square matrix of at most 65535 x 65535 tiles");
  for (int m = 0; m < map.nt; ++m)
    for (int n = 0; n < (symmetric ? m + 1 : map.nt); ++n) ++first_[map.at(m, n).index() + 1];
  for (std::size_t n = 0; n < nodes; ++n) first_[n + 1] += first_[n];
  tiles_.resize(first_.back());
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (int u = 0; u <= 2 * map.nt - 2; ++u)
    for (int m = symmetric ? (u + 1) / 2 : std::max(0, u - map.nt + 1); m <= std::min(u, map.nt - 1); ++m)
      tiles_[next[map.at(m, u - m).index()]++] = {static_cast<std::uint16_t>(m),
                                                  static_cast<std::uint16_t>(u - m)};
}

StepLines::StepLines(TileMap const& map, std::size_t nodes, bool symmetric)
    : nt_(static_cast<std::uint32_t>(map.nt)), symmetric_(symmetric), users_(count()), lines_of_(nodes) {
  std::vector<std::vector<std::uint16_t>> others(nodes);  // of the line
  std::vector<std::uint32_t> used;                        // nodes, in the order of their first tiles
  for (std::uint32_t line = 0; line < count(); ++line) {
    int const index = static_cast<int>(index_of(line));
    for (int other = 0; other < map.nt; ++other) {
      bool const in_row = symmetric ? other <= index : line < nt_;
      NodeId const owner = in_row ? map.at(index, other) : map.at(other, index);
      if (others[owner.index()].empty()) used.push_back(owner.value());
      others[owner.index()].push_back(static_cast<std::uint16_t>(other));
    }
    for (std::uint32_t const node : used) {
      auto const begin = static_cast<std::uint32_t>(others_.size());
      others_.insert(others_.end(), others[node].begin(), others[node].end());
      auto const end = static_cast<std::uint32_t>(others_.size());
      users_[line].push_back({node, begin, end});
      lines_of_[node].push_back({line, begin, end});
      others[node].clear();
    }
    used.clear();
  }
}

}  // namespace factosim
