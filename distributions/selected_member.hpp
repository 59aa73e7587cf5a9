#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "distributions/factorization_work.hpp"
#include "distributions/map_neighbours.hpp"
#include "distributions/node_workers.hpp"
#include "factosim/tile_map.hpp"

namespace factosim {

/// How list schedules run, and ingredients of the selection, each of which can be left out to see what it brings.
struct SelectionOptions {
  std::optional<WorkerChoice> workers{};  // none: earliest_end
  std::optional<int> schedules{};         // list schedules; none: a number that costs seconds
  bool fewer_nodes = true;                // members without the slowest nodes
  bool columns = true;                    // other numbers of columns
  bool sections = true;                   // other starts of the sections, shuffles
  bool regular_maps = true;               // block-cyclic, g-2dbc, het-grid, sbc
  bool steps = true;                      // random members, random changes of the best map
  bool tile_moves = true;                 // also of single tiles
};

inline constexpr std::array<std::pair<char const*, bool SelectionOptions::*>, 6> selection_ingredients{
    {{"fewer-nodes", &SelectionOptions::fewer_nodes},
     {"columns", &SelectionOptions::columns},
     {"sections", &SelectionOptions::sections},
     {"regular-maps", &SelectionOptions::regular_maps},
     {"steps", &SelectionOptions::steps},
     {"tile-moves", &SelectionOptions::tile_moves}}};

struct ScheduledMap {
  TileMap map;
  double makespan = 0;                   // of the list schedule, or estimated if none was made; seconds
  std::optional<FamilyMember> member{};  // whose map it is; none: a regular map, or one with moved tiles
};

/// 1Dx1D-L: the map with the shortest list schedule among members of the family around 1Dx1D-C+S and regular maps.
///  1. Members with up to about 20 numbers of the fastest nodes, each with several numbers of columns, are ranked by
///     `schedule_estimate`; the first 20 also with other starts of their sections and with shuffles.
///     Up to 300 members that differ from these at random join them.
///  2. 1Dx1D-C+S, 1Dx1D-C, 1Dx1D and the regular maps (also a heterogeneous grid, up to 256 nodes) are scheduled
///     (`list_schedule`), then members, half of the budget: the next one is always that with the smallest estimate after
///     correction by the schedules of similar members, less the deviation of the correction (`EstimateErrors`); every
///     eighth time one of those with a number of nodes of which the fewest were scheduled.
///  3. The best is changed step by step: parameters of the best member, then also tiles of the best map, at random
///     with a fixed seed, as by the search with simulations.
/// The first maps of step 2 are kept unless another schedule is 2 % shorter.
/// By default steps 2 and 3 schedule twelve million tasks, but 6 to 300 maps. Above fifty million tasks there are no
/// list schedules, and the estimate decides. All nodes must have workers for all kinds of tasks.
[[nodiscard]] ScheduledMap selected_map(int nt, Factorization factorization, FactorizationCosts const& costs,
                                        SelectionOptions const& options = {});

struct Shortlist {
  std::vector<ScheduledMap> maps;  // different ones
  int schedules = 0;               // list schedules made
};

/// Returns the best maps that the selection of 1Dx1D-L has seen, at most `count`; the first is that of 1Dx1D-L.
/// `stop`, if given, is asked before each list schedule and ends the selection early, even without any map.
[[nodiscard]] Shortlist shortlist(int nt, Factorization factorization, FactorizationCosts const& costs,
                                  SelectionOptions const& options, std::size_t count,
                                  std::function<bool()> const& stop = {});

}  // namespace factosim
