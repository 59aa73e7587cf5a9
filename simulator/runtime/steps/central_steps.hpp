#pragma once

#include <cstdint>
#include <vector>

#include "simulator/runtime/steps/by_urgency.hpp"
#include "simulator/runtime/steps/step_scheduler.hpp"
#include "simulator/runtime/steps/step_workers.hpp"

namespace factosim {

/// One queue for all workers of a node, by priority: a worker takes a task of the most urgent group as soon as it is free.
/// A more urgent group comes before the tasks that have not started.
class CentralSteps final : public StepScheduler {
 public:
  CentralSteps(StepProblem const& problem, StepGroups& groups);

  void ready(StepGroupId group, double now, StepSchedule& out) override;
  void proceed(std::uint32_t node, std::uint32_t generation, double now, StepSchedule& out) override;

 private:
  using Waiting = ByUrgency<StepGroupId>;
  struct Node {
    std::uint32_t type = 0;
    std::size_t first_worker = 0;
    Waiting current{};               // the group whose tasks start
    bool is_starting = false;        // whether there is one
    std::size_t part = 0;            // of its tasks
    double since = 0;                // date of the plan for this part
    StepWorkers::Started plan{};     // of this part
    std::uint32_t generation = 0;    // of the plan
    std::vector<Waiting> waiting{};  // heap
  };

  void take_next(Node& node, double now, StepSchedule& out);
  void plan_part(Node& node, double now);
  void interrupt(Node& node, double now);
  [[nodiscard]] std::span<double> free_of(Node const& node) {
    return {free_.data() + node.first_worker, types_[node.type].count()};
  }

  StepGroups& groups_;
  std::vector<StepWorkers> types_;
  std::vector<Node> nodes_;
  std::vector<double> free_;   // [workers] when each becomes free, ascending in each class of a node
  std::vector<double> saved_;  // [workers] before the tasks of the present part
  std::uint64_t sequence_ = 0;
};

}  // namespace factosim
