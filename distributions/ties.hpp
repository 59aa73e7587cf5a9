#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace factosim {

/// Speeds, times and loads that differ by at most this part of them are equal, so that neither rounding nor the unit
/// of time decides who owns a tile.
inline constexpr double tie = 1e-9;

/// Returns whether a is less than b by more than rounding, for numbers of at least 0.
[[nodiscard]] constexpr bool surely_less(double a, double b) { return a < b * (1 - tie); }

/// Returns the items with the largest, or smallest, value, in their order; values are at least 0. Items must not be empty.
template <class Item, class Value>
[[nodiscard]] std::vector<Item> largest(std::vector<Item> items, Value const& value) {
  double const most = value(*std::ranges::max_element(items, {}, value));
  std::erase_if(items, [&](Item const& item) { return surely_less(value(item), most); });
  return items;
}
template <class Item, class Value>
[[nodiscard]] std::vector<Item> smallest(std::vector<Item> items, Value const& value) {
  double const least = value(*std::ranges::min_element(items, {}, value));
  std::erase_if(items, [&](Item const& item) { return surely_less(least, value(item)); });
  return items;
}

/// Returns the positions of the values, small ones first, equal ones in their order.
[[nodiscard]] inline std::vector<std::uint32_t> ascending(std::span<double const> values) {
  std::vector<std::uint32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return values[i]; });
  for (auto first = order.begin(); first != order.end();) {
    auto const next = std::find_if(first + 1, order.end(),
                                   [&](std::uint32_t i) { return surely_less(values[*first], values[i]); });
    std::sort(first, next);
    first = next;
  }
  return order;
}

/// The same, large ones first; values are above 0.
[[nodiscard]] inline std::vector<std::uint32_t> descending(std::span<double const> values) {
  std::vector<double> inverse;
  inverse.reserve(values.size());
  for (double const value : values) inverse.push_back(1 / value);
  return ascending(inverse);
}

}  // namespace factosim
