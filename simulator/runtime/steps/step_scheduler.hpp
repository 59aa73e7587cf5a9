#pragma once

#include <cstdint>
#include <vector>

#include "simulator/base/core/id_pool.hpp"
#include "simulator/runtime/steps/step_groups.hpp"
#include "simulator/runtime/steps/step_problem.hpp"

namespace factosim {

using StepGroupId = Id<struct StepGroupTag>;
using StepGroups = IdPool<StepGroupId, StepGroup>;

/// What follows from a call of a StepScheduler.
struct StepSchedule {
  struct Due {
    double date;
    std::uint32_t place, generation;
  };
  struct End {
    double date;
    StepGroupId group;
  };
  std::vector<Due> due;   // calls of `proceed`
  std::vector<End> ends;  // of the last tasks of groups
};

/// How the nodes run groups of tasks on their workers.
class StepScheduler {
 public:
  virtual ~StepScheduler() = default;

  /// The tasks of the group may start.
  virtual void ready(StepGroupId group, double now, StepSchedule& out) = 0;
  /// A date that is due has come.
  virtual void proceed(std::uint32_t place, std::uint32_t generation, double now, StepSchedule& out) = 0;
};

}  // namespace factosim
