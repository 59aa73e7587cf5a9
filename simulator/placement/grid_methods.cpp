#include "simulator/placement/grid_methods.hpp"

#include <array>

namespace factosim {

std::span<GridMethod const> grid_methods() {
  constexpr int any = 1'000'000;
  static constexpr std::array methods{
      GridMethod{"exchanges", arrange_by_exchanges, any},
      GridMethod{"exact", arrange_exactly, 20},
      GridMethod{"heuristic", arrange_by_rank_1, any},
      GridMethod{"as-given", arrange_as_given, any},
  };
  return methods;
}

}  // namespace factosim
