#pragma once

#include "factosim/scheduler.hpp"
#include "simulator/runtime/engine/engine.hpp"
#include "simulator/runtime/node/kernel_times.hpp"
#include "simulator/runtime/node/node_data.hpp"
#include "simulator/runtime/node/node_services.hpp"

namespace factosim {

/// Wakes drivers of a node on behalf of one of them.
class DriverWaker {
 public:
  virtual ~DriverWaker() = default;
  /// An operand has arrived in that memory: idle drivers there look for tasks again.
  virtual void operand_arrived(LocalMemory memory) = 0;
  /// A request for a receive buffer waits for a driver.
  virtual void buffer_requested() = 0;
};

/// The parts of a node's runtime system that its drivers share.
struct NodeParts {
  NodeId id;
  SimulationInputs const& inputs;
  NodeServices& services;
  Engine& engine;
  Machine::Type const& type;
  Scheduler& scheduler;
  NodeData& data;
  KernelTimes& kernels;
  DriverWaker& waker;

  [[nodiscard]] Event event(EventKind kind, LocalWorker worker) const {
    return factosim::event(kind, inputs.machine.first_worker[id.index()] + worker.value());
  }
};

}  // namespace factosim
