#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "factosim/task_graph.hpp"
#include "simulator/scenario/simulation/placed_scenario.hpp"
#include "simulator/studies/search/advise_choices.hpp"
#include "simulator/studies/search/advise_search.hpp"

namespace factosim {

enum class AdviceObjective : std::uint8_t { makespan, energy, node_hours };

/// Alternatives to choose from.
struct AdviceOptions {
  std::vector<std::string> distributions, schedulers;  // names
  TileOptions tiles;                                   // the order of the matrix is constant
  AdviceObjective objective = AdviceObjective::makespan;
  std::optional<double> deadline_s{};
};

/// Alternatives that no answer contains, and why.
class DroppedOptions {
 public:
  struct Entry {
    std::string option, reason;
    std::size_t count = 0;  // sets of nodes, or choices
  };
  void add(std::string const& option, std::string const& reason) {
    auto const known = std::ranges::find_if(
        entries_, [&](Entry const& e) { return e.option == option && e.reason == reason; });
    ++(known == entries_.end() ? entries_.emplace_back(Entry{option, reason}) : *known).count;
  }
  /// In the order in which they were found.
  [[nodiscard]] std::vector<Entry> const& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

/// One configuration of a scenario's problem.
struct AdviceChoice {
  std::vector<int> counts;  // [types of the inventory] nodes used
  nlohmann::json distribution;
  std::string scheduler;
  TileChoice tiles;
  int nt = 0;               // 0: a graph
  double bound_s = 0;       // lower bound of the makespan
  double idle_power_W = 0;  // sum over its nodes
};

/// All configurations of a scenario's problem on subsets of its nodes.
class AdviceSpace {
 public:
  /// `document`: the scenario; `file`: its name for messages. Throws InputError, also if it has more choices than
  /// memory and time allow.
  AdviceSpace(nlohmann::json document, std::string file, AdviceOptions options, SizeLimit const& limit = {});

  [[nodiscard]] std::vector<std::string> const& types() const { return types_; }
  [[nodiscard]] std::vector<AdviceChoice> const& choices() const { return choices_; }
  [[nodiscard]] std::vector<AdviceCandidate> candidates() const;
  [[nodiscard]] nlohmann::json scenario(std::size_t choice) const;
  /// Returns the scenario of one of its repetitions, from 0: with the seed after that of the one before. Where the
  /// scenario has no noise, durations and overheads are perturbed within what they are known to.
  [[nodiscard]] nlohmann::json repetition(std::size_t choice, int number) const;
  /// "8 chifflet + 2 chetemi, 1d1d-c, dmdas, 50 x 50 tiles of 960"; tasks that are split: "... of 960 split into 320 by
  /// always"
  [[nodiscard]] std::string description(std::size_t choice) const;
  /// Objective for a makespan; for energy a lower bound.
  [[nodiscard]] double objective_at(std::size_t choice, double makespan_s) const;
  /// Times computed from the map of tiles: the most loaded node plus the path of tasks behind it, the whole
  /// path on the fastest workers, the messages on the path, and the traffic. Where tasks are split, the load and the path
  /// that hold for all forms of the tasks. Where the tasks are no plain factorization's, from its task graph: the most
  /// loaded node, the path, the messages on it.
  [[nodiscard]] AdviceCounts count(std::size_t choice) const;
  /// Equal for configurations with equal runs: nodes without tiles do not affect the makespan.
  [[nodiscard]] std::string fingerprint(std::size_t choice) const;
  [[nodiscard]] std::string const& file() const { return file_; }
  [[nodiscard]] DroppedOptions const& dropped() const { return dropped_; }
  /// The lowest bound of all sets of nodes that the deadline excludes, in seconds; infinity: none.
  [[nodiscard]] double least_bound_beyond_deadline() const { return least_beyond_; }
  [[nodiscard]] AdviceOptions const& options() const { return options_; }
  /// Of all its configurations.
  [[nodiscard]] NetworkModel network_model() const { return network_model_; }

 private:
  /// Sets what there is to choose from for an application on tiles, and for a graph of a file: distributions only if its data
  /// have coordinates, and the placement where tasks end first.
  void choose_for_tiles(TiledApplication const& app, std::size_t nodes);
  void choose_for_graph(GraphApplication const& app);
  void check_subsets(SizeLimit const& limit) const;
  /// Adds the choices of all sets of nodes that begin with these numbers: [types so far].
  void add_subsets(std::vector<int> counts);
  void add_choices(std::vector<int> const& counts);
  [[nodiscard]] nlohmann::json with_nodes(std::vector<int> const& counts) const;
  [[nodiscard]] nlohmann::json with_tiles(nlohmann::json scenario, TileChoice const& tiles) const;
  /// The scenario of the choice; a map of 1d1d-l, which takes seconds, is made once.
  [[nodiscard]] PlacedScenario placed(std::size_t choice) const;
  [[nodiscard]] std::string why_unrunnable(std::vector<int> const& counts, TileChoice const& tiles) const;
  struct NodesOfSubset {
    double bound_s =
        std::numeric_limits<double>::infinity();  // of any makespan on them; infinity: they cannot run it
    double idle_power_W = 0;
  };
  [[nodiscard]] NodesOfSubset nodes_of(nlohmann::json subset, TileChoice const& tiles);
  [[nodiscard]] double min_makespan(PlacedScenario const& s, TileChoice const& tiles);

  nlohmann::json document_;
  std::string file_;
  AdviceOptions options_;
  std::vector<std::string> types_;
  std::vector<int> inventory_;
  std::vector<AdviceChoice> choices_;
  std::vector<double> idle_power_W_;          // [types of the inventory] of a node
  Application const* application_ = nullptr;  // null: a graph
  std::vector<TileChoice> tiles_;
  int order_ = 0;  // rows of the matrix
  bool has_noise_ = false;
  NetworkModel network_model_{};
  std::map<std::string, TaskGraph>
      graphs_;  // by description of tiles: of an application whose tasks depend on no map
  using OnType = std::pair<std::size_t, std::string>;     // a type of node, and the description of tiles
  std::map<OnType, std::string> unrunnable_;              // why, on a node of that type; empty: runs
  mutable std::map<std::size_t, Distribution> selected_;  // by choice: the maps of 1d1d-l
  DroppedOptions dropped_;
  double least_beyond_ = std::numeric_limits<double>::infinity();
};

}  // namespace factosim
