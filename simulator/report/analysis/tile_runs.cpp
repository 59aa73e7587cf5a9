#include "simulator/report/analysis/tile_runs.hpp"

#include <algorithm>

namespace factosim {

namespace {

int pieces(int length, int block) { return (length + block - 1) / block; }

/// Returns the owner of most tiles of the block that starts at (m0, n0).
NodeId most_frequent(TileMap const& map, int m0, int n0, int block) {
  std::vector<NodeId> owners;
  for (int m = m0; m < std::min(m0 + block, map.mt); ++m)
    for (int n = n0; n < std::min(n0 + block, map.nt); ++n)
      if (map.at(m, n).valid()) owners.push_back(map.at(m, n));
  std::vector<NodeId> sorted = owners;
  std::ranges::sort(sorted);
  auto const tiles = [&](NodeId owner) {
    auto const [first, last] = std::equal_range(sorted.begin(), sorted.end(), owner);
    return last - first;
  };
  auto const maximum = std::ranges::max_element(owners, {}, tiles);
  return maximum == owners.end() ? NodeId{} : *maximum;
}

std::vector<TileRun> row_runs(TileMap const& map, int m) {
  std::vector<TileRun> runs;
  for (int n = 0; n < map.nt; ++n) {
    NodeId const owner = map.at(m, n);
    if (!owner.valid()) continue;
    if (n > 0 && map.at(m, n - 1) == owner)
      ++runs.back().width;
    else
      runs.push_back({.m = m, .n = n, .height = 1, .width = 1, .owner = owner});
  }
  return runs;
}

}  // namespace

TileMap lower_triangle(TileMap map) {
  for (int m = 0; m < map.mt; ++m)
    for (int n = m + 1; n < map.nt; ++n)
      map.owner[static_cast<std::size_t>(m) * static_cast<std::size_t>(map.nt) +
                static_cast<std::size_t>(n)] = {};
  return map;
}

TileMap coarse(TileMap const& map, int block) {
  TileMap out{.mt = pieces(map.mt, block), .nt = pieces(map.nt, block), .owner = {}};
  out.owner.reserve(static_cast<std::size_t>(out.mt) * static_cast<std::size_t>(out.nt));
  for (int m = 0; m < out.mt; ++m)
    for (int n = 0; n < out.nt; ++n) out.owner.push_back(most_frequent(map, m * block, n * block, block));
  return out;
}

std::vector<TileRun> tile_runs(TileMap const& map) {
  std::vector<TileRun> runs;
  std::vector<std::size_t> above(
      static_cast<std::size_t>(map.nt));  // [nt] the run that starts there, 1-based
  for (int m = 0; m < map.mt; ++m) {
    std::vector<std::size_t> here(above.size());
    for (TileRun const& run : row_runs(map, m)) {
      auto const start = static_cast<std::size_t>(run.n);
      if (above[start] != 0 && runs[above[start] - 1].width == run.width &&
          runs[above[start] - 1].owner == run.owner) {
        ++runs[above[start] - 1].height;
        here[start] = above[start];
      } else {
        runs.push_back(run);
        here[start] = runs.size();
      }
    }
    above = std::move(here);
  }
  return runs;
}

}  // namespace factosim
