#pragma once

#include <algorithm>
#include <cstddef>
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

/// Returns the last item with the largest, or smallest, value, as Algorithm 1 takes the node with the highest index (ICPADS
/// 2020); values are at least 0. Items must not be empty.
template <class Items, class Value>
[[nodiscard]] auto last_largest(Items const& items, Value const& value) {
  double const largest = value(*std::ranges::max_element(items, {}, value));
  return std::find_if(items.rbegin(), items.rend(),
                      [&](auto const& each) { return !surely_less(value(each), largest); });
}
template <class Items, class Value>
[[nodiscard]] auto last_smallest(Items const& items, Value const& value) {
  double const smallest = value(*std::ranges::min_element(items, {}, value));
  return std::find_if(items.rbegin(), items.rend(),
                      [&](auto const& each) { return !surely_less(smallest, value(each)); });
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
