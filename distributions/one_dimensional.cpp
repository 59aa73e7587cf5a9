#include "distributions/one_dimensional.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "distributions/ties.hpp"
#include "factosim/error.hpp"

namespace factosim {

namespace {

[[maybe_unused]] bool are_speeds(std::span<double const> speeds) {
  return std::ranges::all_of(speeds, [](double s) { return s >= 0; }) &&
         std::ranges::any_of(speeds, [](double s) { return s > 0; });
}

}  // namespace

OneDimensional::OneDimensional(std::vector<double> speeds, TieRule tie)
    : speeds_(std::move(speeds)), counts_(speeds_.size(), 0), tie_(tie) {
  FACTOSIM_EXPECT(are_speeds(speeds_), "a speed below 0 or none above");
}

void OneDimensional::change_speeds(std::vector<double> speeds) {
  FACTOSIM_EXPECT(speeds.size() == speeds_.size(), "speeds of other nodes");
  FACTOSIM_EXPECT(are_speeds(speeds), "a speed below 0 or none above");
  speeds_ = std::move(speeds);
}

double OneDimensional::time_with_one_more(std::size_t node) const {
  if (speeds_[node] <= 0) return std::numeric_limits<double>::infinity();
  return (counts_[node] + 1.0) / speeds_[node];
}

std::uint32_t OneDimensional::next() {
  double earliest = std::numeric_limits<double>::infinity();
  for (std::size_t node = 0; node < speeds_.size(); ++node)
    earliest = std::min(earliest, time_with_one_more(node));
  std::size_t chosen = speeds_.size();
  for (std::size_t node = 0; node < speeds_.size(); ++node) {
    bool const is_first = chosen == speeds_.size();
    if (!surely_less(earliest, time_with_one_more(node)) && (is_first || tie_ == TieRule::highest))
      chosen = node;
  }
  ++counts_[chosen];
  return static_cast<std::uint32_t>(chosen);
}

std::vector<std::uint32_t> one_dimensional(int n, std::span<double const> speeds, TieRule tie) {
  OneDimensional algorithm({speeds.begin(), speeds.end()}, tie);
  std::vector<std::uint32_t> owner(static_cast<std::size_t>(n));
  for (std::size_t k = owner.size(); k-- > 0;) owner[k] = algorithm.next();
  return owner;
}

std::vector<std::uint32_t> proportional_counts(int n, std::span<double const> speeds) {
  OneDimensional algorithm({speeds.begin(), speeds.end()});
  for (int i = 0; i < n; ++i) algorithm.next();
  return algorithm.counts();
}

}  // namespace factosim
