#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "simulator/simulation/task_plan.hpp"

namespace factosim {

/// Limits of a search; if both are given, the first one reached ends it.
struct SearchBudget {
  std::optional<Seconds> time{};
  std::optional<std::uint64_t> evaluations{};
};

/// Simulates one scenario with different maps. SimGrid's network is replaced by the built-in max-min network,
/// since SimGrid can simulate only once per process.
class MapEvaluator {
 public:
  MapEvaluator(PlacedScenario scenario, SearchBudget const& budget);

  /// Returns nothing if a map with the same owners was simulated before.
  std::optional<Seconds> makespan(TileMap const& map);

  [[nodiscard]] std::uint64_t evaluations() const { return evaluations_; }
  [[nodiscard]] bool budget_spent() const;
  [[nodiscard]] PlacedScenario const& scenario() const { return plan_.scenario; }

 private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] std::string fingerprint(TileMap const& map) const;

  Clock::time_point start_ = Clock::now();
  SearchBudget budget_;
  TaskPlan plan_;
  std::set<std::string> known_;  // fingerprints of the simulated maps
  std::uint64_t evaluations_ = 0;
};

}  // namespace factosim
