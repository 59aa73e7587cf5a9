#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "simulator/scenario/simulation/place.hpp"

namespace factosim {

/// Limits of a search; if both are given, the first one reached ends it.
struct SearchLimits {
  std::optional<Seconds> time{};
  std::optional<std::uint64_t> evaluations{};
};

struct FoundDistribution {
  Distribution distribution{};
  Seconds makespan{};
  std::string start{};  // name of the best static distribution; "scenario": the scenario's own
  Seconds start_makespan{};
  std::uint64_t evaluations = 0;
  std::vector<std::pair<std::uint64_t, Seconds>> history{};  // improvements: evaluation, from 1, and makespan
  // The same as a scenario's "distribution": of layers, unless they are the scenario's own.
  std::optional<nlohmann::ordered_json> json{};
};

/// Maps in a row that were simulated before, after which a search space is considered exhausted.
inline constexpr int known_maps_in_a_row = 1000;

/// Called after each evaluation.
using SearchProgress = std::function<void(std::uint64_t evaluations, Seconds best)>;

/// Simulates one scenario with different maps, each once, and keeps the best.
class SimulatedMaps {
 public:
  /// The references must outlive this. Throws as `plan_tasks`.
  SimulatedMaps(PlacedScenario scenario, SearchLimits const& limits, SearchProgress const& progress);

  /// Simulates the map and keeps it, with its description in JSON, if it is the best so far. Returns nothing if a map with
  /// the same owners was considered before, or if the tiles of a node do not fit into its memory.
  std::optional<Seconds> consider(Distribution distribution,
                                  std::optional<nlohmann::ordered_json> json = std::nullopt);

  [[nodiscard]] PlacedScenario const& scenario() const { return simulator_.scenario(); }
  [[nodiscard]] bool budget_spent() const;

  /// Returns the best map, without its start. Throws InfeasibleError if none fits.
  [[nodiscard]] FoundDistribution const& best() const;

 private:
  using Clock = std::chrono::steady_clock;

  /// Hashes the owners of the tiles that the application uses.
  [[nodiscard]] std::string fingerprint(TileMap const& map) const;

  Clock::time_point start_ = Clock::now();
  SearchLimits const& limits_;
  SearchProgress const& progress_;
  MapSimulator simulator_;
  std::vector<std::pair<int, int>> tiles_;  // that the application uses
  std::set<std::string> known_;             // fingerprints of the considered maps
  std::string why_none_fits_;
  FoundDistribution best_;
};

}  // namespace factosim
