#include "distributions/tiles_sent.hpp"

#include <vector>

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

}  // namespace factosim
