#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "factosim/scheduler.hpp"
#include "simulator/runtime/node/driver.hpp"
#include "simulator/runtime/node/node_parts.hpp"
#include "simulator/tasks/plan/machine.hpp"

namespace factosim {

/// Decides which drivers of a node make a round when something happens.
class WakeUps final : public DriverWaker {
 public:
  /// `drivers`: [workers], may be filled later. All references must outlive this.
  WakeUps(Machine::Type const& type, Scheduler const& scheduler, std::vector<Driver>& drivers)
      : type_(type), scheduler_(scheduler), drivers_(drivers) {}

  /// The policy has assigned a ready task, which lasts `durations` seconds on each worker.
  void task_assigned(Scheduler::Assignment const& assignment, std::span<double const> durations);
  /// A request or a copy of that memory concerns its drivers: that of a GPU stays awake, of those of a RAM one
  /// makes a round.
  void memory_changed(LocalMemory memory);
  void operand_arrived(LocalMemory memory) override { signal(memory, Then::look_once); }
  void buffer_requested() override;

 private:
  enum class Then : std::uint8_t { look_once, stay_awake };
  /// Signals the driver of a GPU memory. Where workers share tasks, signals all drivers that make the transfers
  /// of a RAM progress and look for tasks; elsewhere these would find none.
  void signal(LocalMemory memory, Then then);
  /// Wakes all cores, and the first idle GPU unless there is one core and it was idle.
  void wake_by_memory();

  Machine::Type const& type_;
  Scheduler const& scheduler_;
  std::vector<Driver>& drivers_;
};

}  // namespace factosim
