#include "simulator/analysis/run_view.hpp"

#include <algorithm>

namespace factosim {

std::size_t RunView::intervals() const {
  if (!levels.empty() && !levels.front().rows.empty()) return levels.front().rows.front().size();
  return occupation.empty() ? 0 : occupation.front().share.front().size();
}

LevelRows const* RunView::find(std::string const& level) const {
  auto const found = std::ranges::find(levels, level, &LevelRows::id);
  return found == levels.end() ? nullptr : &*found;
}

}  // namespace factosim
