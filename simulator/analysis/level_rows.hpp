#pragma once

#include <string>
#include <vector>

namespace factosim {

/// A quantity over time, for each of several rows.
struct LevelRows {
  std::string id;                        // "ready_tasks"
  std::vector<std::vector<float>> rows;  // [nodes or memory nodes][intervals] averages
};

}  // namespace factosim
