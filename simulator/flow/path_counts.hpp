#pragma once

#include <cstdint>
#include <vector>

#include "simulator/bounds/load_and_path.hpp"

namespace factosim {

/// Counts tasks of equal head, tail and kernel.
class PathCounts {
 public:
  PathCounts();
  void add(double head, double tail, std::uint16_t kernel);
  /// In the order of their first tasks.
  [[nodiscard]] std::vector<PathTasks> const& tasks() const { return tasks_; }

 private:
  [[nodiscard]] std::size_t place_of(PathTasks const& task) const;
  void grow();

  std::vector<PathTasks> tasks_;
  std::vector<std::uint32_t> places_;  // open addressing: indices into tasks_
  std::size_t last_ = 0;               // that of the last task
};

}  // namespace factosim
