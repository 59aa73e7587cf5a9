#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulator/tasks/plan/machine.hpp"
#include "simulator/tasks/plan/options.hpp"

namespace factosim {

/// Seconds that the runtime system adds to each task.
[[nodiscard]] double step_cost(RuntimeOptions const& options);

/// The workers of one node as classes of equal ones, and list scheduling of many equal tasks on them.
class StepWorkers {
 public:
  /// Workers with the same durations.
  struct Class {
    std::uint32_t first = 0, count = 0;  // into the dates of a node
    std::vector<double> durations;       // [kernels] seconds; infinity: cannot run
  };
  StepWorkers(Machine::Type const& type, RuntimeOptions const& options);

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::vector<Class> const& classes() const { return classes_; }

  struct Started {
    std::uint32_t tasks = 0;
    double last_start = 0, last_end = 0;
  };
  /// Starts up to `tasks` tasks from `now` on, none of them after `latest`: each on the worker that would end it
  /// first. `free`: when each worker becomes free, ascending in each class. O(workers) for one class.
  Started start(std::span<double> free, std::uint16_t kernel, std::uint32_t tasks, double now,
                double latest) const;

 private:
  Started start_on_one_class(std::span<double> free, double duration, std::uint32_t tasks, double now,
                             double latest) const;

  std::size_t count_ = 0;
  std::vector<Class> classes_;
  std::vector<std::vector<std::uint32_t>> able_;  // [kernels] classes
};

}  // namespace factosim
