#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulator/runtime/steps/step_scheduler.hpp"

namespace factosim {

/// The deque-model policies (dm, dmda, dmdas...): each ready task goes at once to the queue of the worker that would have run
/// it and all that it has got before first; nobody takes it from there. Queues are by priority, or first in, first out.
/// Transfers to GPUs count neither in the choice nor in durations.
class QueuedSteps final : public StepScheduler {
 public:
  QueuedSteps(StepProblem const& problem, StepGroups& groups);

  void ready(StepGroupId group, double now, StepSchedule& out) override;
  void proceed(std::uint32_t worker, std::uint32_t generation, double now, StepSchedule& out) override;

 private:
  /// Tasks of one group in the queue of one worker.
  struct Entry {
    std::int32_t priority = 0;
    std::uint32_t tasks = 0;
    StepGroupId group{};
    double duration = 0;  // seconds, of each
  };
  struct Worker {
    std::uint32_t node = 0;
    std::uint32_t generation = 0;
    double end = 0;                // when it will have run all that it has got
    Entry current{};               // without tasks: it is idle
    double since = 0;              // start of the first task of current
    std::vector<Entry> waiting{};  // the next one last
  };

  void assign(std::size_t node, StepGroupId group, StepGroup::Part part, double now);
  void add(std::uint32_t worker, StepGroupId group, std::uint32_t tasks, double duration, double now);
  void flush(double now, StepSchedule& out);
  void start_next(std::uint32_t worker, double now, StepSchedule& out);

  StepGroups& groups_;
  Machine const& machine_;
  std::vector<std::vector<double>>
      durations_;                // [types][kernels * workers] seconds, with costs of the runtime system
  std::vector<Worker> workers_;  // [workers]
  std::vector<std::uint32_t> changed_;  // workers that got tasks
  std::vector<std::uint32_t> given_;    // [workers of a node] scratch
};

}  // namespace factosim
