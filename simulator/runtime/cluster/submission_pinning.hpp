#pragma once

#include <vector>

#include "simulator/runtime/cluster/flow_part.hpp"
#include "simulator/runtime/cluster/nodes.hpp"

namespace factosim {

/// Charges the page-locking of RAM to the thread that submits tasks: before a part of the flow, each node
/// pins RAM for those of its replicas in that part that have none.
class SubmissionPinning {
 public:
  SubmissionPinning(SimulationInputs const& inputs, Nodes const& nodes);
  /// Returns whether some node pins RAM at submission.
  [[nodiscard]] static bool needed(Nodes const& nodes) {
    return nodes.any([](NodeRuntime& node) { return node.host_memory().at_submission(); });
  }

  void begin_part(FlowPart const& part);

 private:
  SimulationInputs const& inputs_;
  Nodes const& nodes_;
  std::vector<bool> pinned_;  // [replicas]
};

}  // namespace factosim
