#include "simulator/runtime/cluster/submission_pinning.hpp"

#include <algorithm>

namespace factosim {

SubmissionPinning::SubmissionPinning(SimulationInputs const& inputs, Nodes const& nodes)
    : inputs_(inputs), nodes_(nodes) {
  for (Replica const& r : inputs.plan.replicas) pinned_.push_back(r.initial);
}

void SubmissionPinning::begin_part(FlowPart const& part) {
  ExecutionPlan const& plan = inputs_.plan;
  Seconds const unrolling = inputs_.options.submission_cost * static_cast<double>(part.length());
  for (std::uint32_t n = 0; n < nodes_.count(); ++n) {
    HostMemory& memory = nodes_[NodeId{n}].host_memory();
    Seconds pinning;
    Bytes largest;
    part.for_each_left(NodeId{n}, [&](TaskId task) {
      for (ReplicaId const replica : plan.replicas_of(inputs_.graph, task)) {
        if (pinned_[replica.index()]) continue;
        pinned_[replica.index()] = true;
        Bytes const size = inputs_.graph.handles[plan.handle_of(replica).index()].size;
        pinning += memory.pinning(size);
        largest = std::max(largest, size);
      }
    });
    memory.pins_until(part.start() + pinning + (pinning.value > 0 ? unrolling : Seconds{0}), largest);
  }
}

}  // namespace factosim
