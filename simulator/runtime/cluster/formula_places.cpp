#include "simulator/runtime/cluster/formula_places.hpp"

#include <numeric>

namespace factosim {

FormulaPlaces::FormulaPlaces(TaskFormulas const& formulas, OwnersByPlacement const& owners, std::size_t nodes)
    : formulas_(formulas), first_(nodes + 1, 0) {
  std::vector<NodeId> const& owner = owners.front();
  std::vector<NodeId> const& creator = owners.back();
  std::vector<HandleId> moved;
  for (std::uint32_t h = 0; h < owner.size(); ++h) {
    ++first_[owner[h].index() + 1];
    if (creator[h] == owner[h]) continue;
    moved.emplace_back(h);
    ++first_[creator[h].index() + 1];
  }
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  place_of_.resize(owner.size());
  tile_of_.resize(owner.size() + moved.size());
  auto const add = [&](HandleId tile, NodeId node) {
    TaskId const place{next[node.index()]++};
    tile_of_[place.index()] = tile;
    return place;
  };
  for (std::uint32_t h = 0; h < owner.size(); ++h) place_of_[h] = add(HandleId{h}, owner[h]);
  if (moved.empty()) return;
  moves_away_.resize(count());
  other_.resize(count());
  for (HandleId const tile : moved) {
    TaskId const place = add(tile, creator[tile.index()]);
    moves_away_[place.index()] = true;
    other_[place.index()] = of(tile);
    other_[of(tile).index()] = place;
  }
}

}  // namespace factosim
