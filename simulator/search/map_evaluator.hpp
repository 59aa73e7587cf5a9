#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "simulator/simulation/task_plan.hpp"

namespace factosim {

/// How long a search goes on: until the first of both, where both are given.
struct SearchBudget {
  std::optional<Seconds> time{};
  std::optional<std::uint64_t> evaluations{};
};

/// Simulates one scenario with map after map. Where the scenario asks for SimGrid's network, the own max-min
/// one takes its place, since SimGrid simulates once in a process.
class MapEvaluator {
 public:
  MapEvaluator(PlacedScenario scenario, SearchBudget const& budget);

  /// Nothing where these owners were simulated before.
  std::optional<Seconds> makespan(TileMap const& map);

  [[nodiscard]] std::uint64_t evaluations() const { return evaluations_; }
  [[nodiscard]] bool spent() const;
  [[nodiscard]] PlacedScenario const& scenario() const { return plan_.scenario; }

 private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] std::string fingerprint(TileMap const& map) const;

  Clock::time_point start_ = Clock::now();
  SearchBudget budget_;
  TaskPlan plan_;
  std::set<std::string> known_;  // fingerprints of the maps simulated
  std::uint64_t evaluations_ = 0;
};

}  // namespace factosim
