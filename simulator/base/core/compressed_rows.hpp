#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace factosim {

/// A list for each row, compressed: row r is items[begin[r]] to items[begin[r + 1] - 1].
template <class Item>
struct CompressedRows {
  std::vector<std::uint32_t> begin;  // [rows + 1]
  std::vector<Item> items;

  [[nodiscard]] std::span<Item const> of(std::size_t row) const {
    return {items.data() + begin[row], items.data() + begin[row + 1]};
  }
};

/// Collects the items of some rows: `for_each(use)` calls `use(row, item)` for each item, and the same a second time. The
/// items of a row are in the order of the calls. O(rows + items), without scratch memory.
template <class Item, class ForEach>
[[nodiscard]] CompressedRows<Item> collect_rows(std::size_t rows, ForEach const& for_each) {
  CompressedRows<Item> out;
  out.begin.assign(rows + 2, 0);  // shifted by one row until the items are placed
  for_each([&](std::size_t row, Item const& /*item*/) { ++out.begin[row + 2]; });
  std::partial_sum(out.begin.begin(), out.begin.end(), out.begin.begin());
  out.items.resize(out.begin.back());
  for_each([&](std::size_t row, Item const& item) { out.items[out.begin[row + 1]++] = item; });
  out.begin.pop_back();
  return out;
}

}  // namespace factosim
