#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "distributions/factorization_work.hpp"
#include "factosim/tile_map.hpp"

namespace factosim {

/// The tiles that read a tile of the panel: rows and columns of LU, for Cholesky row i as far as the diagonal and
/// column i below it.
class PanelLines {
 public:
  PanelLines(TileMap const& map, Factorization factorization, std::size_t nodes)
      : nt_(map.nt), lu_(factorization == Factorization::lu), nodes_(nodes) {
    std::vector<std::uint32_t> counts(count() * nodes_, 0);
    for_each_place(map, [&](int line, int /*place*/, std::size_t node) { ++counts[index(line, node)]; });
    first_.assign(1, 0);
    for (std::uint32_t const number : counts) first_.push_back(first_.back() + number);
    places_.resize(first_.back());
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    for_each_place(
        map, [&](int line, int place, std::size_t node) { places_[next[index(line, node)]++] = place; });
  }

  [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(lu_ ? 2 * nt_ : nt_); }
  /// Returns the line along which the tile (m, k) or (k, n) of panel k is sent.
  [[nodiscard]] int of_panel(int m, int n) const { return m > n || !lu_ ? std::max(m, n) : nt_ + n; }
  /// Returns the lines of the two operands of an update of (m, n).
  [[nodiscard]] std::pair<int, int> of_update(int m, int n) const { return {m, lu_ ? nt_ + n : n}; }
  /// Returns the lines that panel k consists of: its column, and for LU its row.
  [[nodiscard]] std::vector<int> of_diagonal(int k) const {
    return lu_ ? std::vector{k, nt_ + k} : std::vector{k};
  }
  [[nodiscard]] int number(int line) const { return line < nt_ ? line : line - nt_; }
  [[nodiscard]] std::size_t tile(int line, int place) const {
    bool const by_row = line < nt_ && (lu_ || place <= line);
    int const number = this->number(line);
    return static_cast<std::size_t>(by_row ? number : place) * static_cast<std::size_t>(nt_) +
           static_cast<std::size_t>(by_row ? place : number);
  }
  /// Returns the places on the line after k, ascending, whose tiles the node owns.
  [[nodiscard]] std::span<int const> after(int line, int k, std::size_t node) const {
    auto const begin = places_.begin() + first_[index(line, node)];
    auto const end = places_.begin() + first_[index(line, node) + 1];
    return {std::upper_bound(begin, end, k), end};
  }

 private:
  [[nodiscard]] std::size_t index(int line, std::size_t node) const {
    return static_cast<std::size_t>(line) * nodes_ + node;
  }
  /// Visits the places of each line in ascending order.
  template <class Visit>
  void for_each_place(TileMap const& map, Visit&& visit) const {
    for (int line = 0; line < static_cast<int>(count()); ++line)
      for (int place = 0; place < nt_; ++place) visit(line, place, map.owner[tile(line, place)].index());
  }

  int nt_;
  bool lu_;
  std::size_t nodes_;
  std::vector<std::uint32_t> first_;  // [lines x nodes + 1] into places_
  std::vector<int> places_;
};

}  // namespace factosim
