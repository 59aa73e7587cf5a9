#include "simulator/runtime/cluster/flow_part.hpp"

#include "factosim/error.hpp"

namespace factosim {

FlowPart::FlowPart(SimulationInputs const& inputs, std::uint64_t tasks)
    : inputs_(inputs),
      tasks_(static_cast<std::uint32_t>(tasks)),
      next_(inputs.plan.first_task.begin(), inputs.plan.first_task.end() - 1) {
  if (inputs.options.unrolling != Unrolling::whole)
    unrolled_ = unrolled_tasks(inputs.graph, inputs.plan, inputs.options.unrolling);
}

void FlowPart::begin_next(Seconds date) {
  auto const& barriers = inputs_.graph.barriers;
  FACTOSIM_EXPECT(date >= start_, "a barrier is passed before the one before it");
  begin_ = end_;
  end_ = next_barrier_ < barriers.size() ? barriers[next_barrier_++] : tasks_;
  start_ = date;
  FACTOSIM_ENSURE(end_ >= begin_ && end_ <= tasks_, "barriers are in the order of submission");
}

}  // namespace factosim
