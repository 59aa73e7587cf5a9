#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "simulator/search/advise_search.hpp"

namespace factosim {

enum class AdviceObjective : std::uint8_t { makespan, energy, node_hours };

/// What may be chosen.
struct AdviceOptions {
  std::vector<std::string> distributions, schedulers;  // names
  std::vector<int> tile_sizes;                         // nb; the order of the matrix stays
  AdviceObjective objective = AdviceObjective::makespan;
  std::optional<double> deadline_s{};
};

/// One way to run the problem of a scenario.
struct AdviceChoice {
  std::vector<int> counts;  // [types of the inventory]
  nlohmann::json distribution;
  std::string scheduler;
  int nt = 0, nb = 0;
  double bound_s = 0;       // no run of it is shorter
  double idle_power_W = 0;  // of its nodes together
};

/// All ways to run the problem of a scenario on subsets of its nodes.
class AdviceSpace {
 public:
  /// `document`: the scenario, of a file that messages name. Throws InputError.
  AdviceSpace(nlohmann::json document, std::string file, AdviceOptions options);

  [[nodiscard]] std::vector<std::string> const& types() const { return types_; }
  [[nodiscard]] std::vector<int> const& inventory() const { return inventory_; }
  [[nodiscard]] std::vector<AdviceChoice> const& choices() const { return choices_; }
  [[nodiscard]] std::vector<AdviceCandidate> candidates() const;
  [[nodiscard]] nlohmann::json scenario(std::size_t choice) const;
  /// "8 chifflet + 2 chetemi, 1d1d-c, dmdas, 50 x 50 tiles of 960"
  [[nodiscard]] std::string description(std::size_t choice) const;
  /// The objective of a run of that length: a lower bound of it for energy.
  [[nodiscard]] double objective_at(std::size_t choice, double makespan_s) const;
  /// Counted on the map of tiles: what the most loaded node and the chain of tasks behind it take, the whole
  /// chain on the fastest workers, messages in the chain, and the traffic.
  [[nodiscard]] AdviceCounts count(std::size_t choice) const;
  /// Equal for choices that run alike: nodes that own nothing make no difference to a makespan.
  [[nodiscard]] std::string fingerprint(std::size_t choice) const;
  [[nodiscard]] std::string const& file() const { return file_; }
  [[nodiscard]] AdviceOptions const& options() const { return options_; }

 private:
  void add_subsets(std::vector<int>& counts, std::size_t type);
  void add_choices(std::vector<int> const& counts);
  [[nodiscard]] nlohmann::json with_nodes(std::vector<int> const& counts) const;

  nlohmann::json document_;
  std::string file_;
  AdviceOptions options_;
  std::vector<std::string> types_;
  std::vector<int> inventory_;
  std::vector<AdviceChoice> choices_;
};

}  // namespace factosim
