#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "simulator/runtime/steps/step_tiles.hpp"

namespace factosim {

/// Tasks of one step on one node that become ready together.
struct StepGroup {
  struct Part {
    std::uint16_t kernel = 0;
    std::uint32_t tasks = 0;
  };

  std::uint32_t node = 0, step = 0;
  std::uint32_t cell = 0;         // of updates, else none
  std::int32_t priority = 0;      // of its most urgent task
  std::array<Part, 2> parts{};    // run one after the other
  double end = 0;                 // seconds: of its last task that has started
  std::uint32_t left = 0;         // tasks that have not ended, in queues of workers
  std::vector<StepTile> panel{};  // written, by tasks that are no updates

  [[nodiscard]] std::uint32_t tasks() const { return parts[0].tasks + parts[1].tasks; }
  void add(std::uint16_t kernel) {
    Part& part = parts[0].tasks == 0 || parts[0].kernel == kernel ? parts[0] : parts[1];
    part.kernel = kernel;
    ++part.tasks;
  }
};

}  // namespace factosim
