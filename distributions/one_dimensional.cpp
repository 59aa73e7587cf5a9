#include "distributions/one_dimensional.hpp"

#include <utility>

#include "simulator/core/error.hpp"

namespace factosim {

OneDimensional::OneDimensional(std::vector<double> speeds, TieRule tie)
    : speeds_(std::move(speeds)), active_(speeds_.size(), true), count_(speeds_.size(), 0), tie_(tie) {}

void OneDimensional::set_active(std::vector<bool> active) { active_ = std::move(active); }

std::uint32_t OneDimensional::next() {
  constexpr double tolerance = 1e-9;
  std::size_t best = speeds_.size();
  double least = 0;
  for (std::size_t p = 0; p < speeds_.size(); ++p) {
    if (!active_[p] || speeds_[p] <= 0) continue;
    double const time = (count_[p] + 1) / speeds_[p];
    bool const wins = best == speeds_.size() || time < least * (1 - tolerance) ||
                      (tie_ == TieRule::highest && time <= least * (1 + tolerance));
    if (!wins) continue;
    best = p;
    least = time;
  }
  FACTOSIM_EXPECT(best < speeds_.size(), "one processor at least is active and faster than 0");
  ++count_[best];
  return static_cast<std::uint32_t>(best);
}

std::vector<std::uint32_t> one_dimensional(int n, std::span<double const> speeds, TieRule tie) {
  OneDimensional sharing({speeds.begin(), speeds.end()}, tie);
  std::vector<std::uint32_t> out(static_cast<std::size_t>(n));
  for (std::size_t i = out.size(); i-- > 0;) out[i] = sharing.next();
  return out;
}

}  // namespace factosim
