#include "distributions/tiles_sent.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "factosim/error.hpp"

namespace factosim {

namespace {

/// A set of nodes that is cheap to clear.
class NodeSet {
 public:
  void clear() {
    ++round_;
    size_ = 0;
  }
  void add(NodeId node) {
    if (node.index() >= seen_.size()) seen_.resize(node.index() + 1, 0);
    if (seen_[node.index()] == round_) return;
    seen_[node.index()] = round_;
    ++size_;
  }
  /// Returns the number of members other than `node`.
  [[nodiscard]] std::uint64_t others(NodeId node) const {
    bool const inside = node.index() < seen_.size() && seen_[node.index()] == round_;
    return size_ - (inside ? 1U : 0U);
  }

 private:
  std::vector<std::uint32_t> seen_;
  std::uint32_t round_ = 0;
  std::uint64_t size_ = 0;
};

}  // namespace

std::uint64_t lu_tiles_sent(TileMap const& map) {
  FACTOSIM_EXPECT(map.mt == map.nt, "a map that is not square");
  std::uint64_t sent = 0;
  NodeSet readers;
  // Along a row from the right, the set of owners right of (m, k) grows by one tile per step; in columns
  // likewise.
  for (bool const by_rows : {true, false})
    for (int line = 0; line < map.nt; ++line) {
      readers.clear();
      for (int k = map.nt - 1; k >= 0; --k) {
        NodeId const owner = by_rows ? map.at(line, k) : map.at(k, line);
        if (k < line) sent += readers.others(owner);  // A(m,k) -> row m, or A(k,n) -> column n
        readers.add(owner);
      }
    }
  for (int k = 0; k < map.nt; ++k) {
    readers.clear();
    for (int i = k + 1; i < map.nt; ++i) {
      readers.add(map.at(i, k));
      readers.add(map.at(k, i));
    }
    sent += readers.others(map.at(k, k));
  }
  return sent;
}

std::uint64_t cholesky_tiles_sent(TileMap const& map) {
  FACTOSIM_EXPECT(map.mt == map.nt, "a map that is not square");
  std::uint64_t sent = 0;
  NodeSet readers;
  for (int m = 0; m < map.mt; ++m) {
    readers.clear();
    for (int i = m; i < map.mt; ++i) readers.add(map.at(i, m));  // column m from the diagonal down
    for (int k = m - 1; k >= 0; --k) {
      sent += readers.others(map.at(m, k));
      readers.add(map.at(m, k));
    }
  }
  for (int k = 0; k < map.nt; ++k) {
    readers.clear();
    for (int m = k + 1; m < map.mt; ++m) readers.add(map.at(m, k));
    sent += readers.others(map.at(k, k));
  }
  return sent;
}

std::uint64_t cholesky_tiles_sent_with_flushes(TileMap const& map) {
  std::uint64_t sent = cholesky_tiles_sent(map);
  NodeSet readers;
  for (int k = 0; k < map.nt; ++k) {
    NodeId const owner = map.at(k, k);
    readers.clear();
    std::uint64_t elsewhere = 0;
    for (int m = k + 1; m < map.mt; ++m) {
      readers.add(map.at(m, k));
      elsewhere += map.at(m, k) != owner ? 1U : 0U;
    }
    sent += elsewhere - readers.others(owner);
  }
  return sent;
}

std::uint64_t product_tiles_sent(TileMap const& map) {
  std::uint64_t sent = 0;
  NodeSet readers;
  for (int m = 0; m < map.mt; ++m) {
    readers.clear();
    for (int n = 0; n < map.nt; ++n) readers.add(map.at(m, n));
    for (int k = 0; k < map.nt; ++k) sent += readers.others(map.at(m, k));
  }
  for (int n = 0; n < map.nt; ++n) {
    readers.clear();
    for (int m = 0; m < map.mt; ++m) readers.add(map.at(m, n));
    for (int k = 0; k < map.mt; ++k) sent += readers.others(map.at(k, n));
  }
  return sent;
}

std::vector<std::uint64_t> lower_tiles_per_node(TileMap const& map, std::size_t nodes) {
  std::vector<std::uint64_t> tiles(nodes, 0);
  for (int m = 0; m < map.mt; ++m)
    for (int n = 0; n <= m; ++n) ++tiles[map.at(m, n).index()];
  return tiles;
}

TileMap redistribute(TileMap const& from, std::span<std::uint64_t const> target) {
  FACTOSIM_EXPECT(from.mt == from.nt, "a map that is not square");
  std::size_t const nodes = target.size();
  auto const have = lower_tiles_per_node(from, nodes);
  std::vector<std::int64_t> excess(nodes);  // tiles to give; negative: to receive
  for (std::size_t p = 0; p < nodes; ++p)
    excess[p] = static_cast<std::int64_t>(have[p]) - static_cast<std::int64_t>(target[p]);
  FACTOSIM_EXPECT(std::accumulate(excess.begin(), excess.end(), std::int64_t{0}) == 0,
                  "as many tiles in the target as in the map");
  std::vector<std::int64_t> const to_give = excess;
  std::vector<std::int64_t> met(nodes, 0);  // tiles of the node visited so far
  // A node gives tiles at equal distances: its g-th one of `to_give` once it has met g / to_give of its
  // tiles.
  std::vector<std::int64_t> next(nodes, 1);  // g
  TileMap to = from;
  for (int diagonal = 0; diagonal < 2 * from.nt - 1; ++diagonal)
    for (int n = std::max(0, diagonal - from.nt + 1); 2 * n <= diagonal; ++n) {
      int const m = diagonal - n;
      std::size_t const node = from.at(m, n).index();
      if (excess[node] <= 0) continue;
      if (++met[node] * to_give[node] < next[node] * static_cast<std::int64_t>(have[node])) continue;
      auto const neediest = std::min_element(excess.begin(), excess.end()) - excess.begin();
      to.at(m, n) = NodeId{neediest};
      ++excess[static_cast<std::size_t>(neediest)];
      --excess[node];
      ++next[node];
    }
  return to;
}

std::uint64_t moved_tiles(TileMap const& a, TileMap const& b) {
  std::uint64_t moved = 0;
  for (int m = 0; m < a.mt; ++m)
    for (int n = 0; n <= m; ++n) moved += a.at(m, n) != b.at(m, n) ? 1U : 0U;
  return moved;
}

std::vector<std::uint64_t> whole_shares(std::uint64_t total, std::span<double const> shares) {
  double const sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  std::vector<std::uint64_t> out;
  std::vector<double> rest;
  for (double const share : shares) {
    double const exact = static_cast<double>(total) * share / sum;
    out.push_back(static_cast<std::uint64_t>(std::floor(exact)));
    rest.push_back(exact - std::floor(exact));
  }
  auto left = static_cast<std::int64_t>(total - std::accumulate(out.begin(), out.end(), std::uint64_t{0}));
  for (; left > 0; --left) {
    constexpr double equal = 1e-9;  // of a tile: tolerance for rounded sums of shares
    std::size_t best = 0;
    for (std::size_t i = 1; i < rest.size(); ++i)
      if (rest[i] >= rest[best] - equal) best = i;
    ++out[best];
    rest[best] = -1;
  }
  return out;
}

}  // namespace factosim
