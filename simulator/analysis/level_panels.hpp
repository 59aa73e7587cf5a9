#pragma once

#include <string>
#include <vector>

#include "simulator/analysis/run_view.hpp"

namespace factosim {

/// A panel of curves over time, the same on pages and in figures.
struct LevelPanel {
  struct Curve {
    std::string level;  // of RunView::levels
    std::string name;
    std::size_t color;  // of curve_colors
  };
  std::string id, title, unit;
  double scale = 1;  // from the level's unit to that of the panel
  std::vector<Curve> curves;
  bool by_row = false;        // by default shown by row, not as sums
  bool memory_nodes = false;  // rows are memory nodes
  bool against_workers =
      false;  // with a line at the number of workers, and shading where fewer tasks are ready
};

[[nodiscard]] std::vector<LevelPanel> const& level_panels();

}  // namespace factosim
