#pragma once

#include <vector>

#include "simulator/runtime/cluster/messages.hpp"
#include "simulator/runtime/cluster/outbox.hpp"
#include "simulator/runtime/cluster/submission.hpp"

namespace factosim {

/// Creates messages with the outputs of tasks, one for each node where successors read one. Messages whose
/// first reader is behind a barrier are created when it is passed.
class Outputs {
 public:
  Outputs(SimulationInputs const& inputs, TaskFlow const& flow, Submission const& submission,
          Nodes const& nodes, Messages& messages, Outbox& outbox)
      : inputs_(inputs),
        flow_(flow),
        submission_(submission),
        nodes_(nodes),
        messages_(messages),
        outbox_(outbox) {}

  /// Sends the outputs of a task of the node, by the number that TaskFlow::ended returned. `from_gpu`: they are in the
  /// memory of a GPU and leave it, else they are in RAM.
  void send(TaskId sender, NodeId home, bool from_gpu);
  /// Returns whether some of its outputs are held until a barrier has been passed.
  [[nodiscard]] bool are_held(TaskId sender, NodeId home);
  /// Sends the outputs that were held until the barrier that has been passed.
  void send_held();

 private:
  [[nodiscard]] bool behind_barrier(PlannedMessage const& message) const {
    if (inputs_.graph.barriers.empty()) return false;
    return flow_.by_formulas() ? submission_.part().behind_barrier(message.first_reader.value())
                               : submission_.part().behind_barrier(message.first_reader);
  }
  /// Returns whether both belong to one broadcast.
  [[nodiscard]] static bool same_output(PlannedMessage const& a, PlannedMessage const& b) {
    return a.producer == b.producer && a.handle == b.handle;
  }
  MessageId create(PlannedMessage const& message);
  void spread(NodeId home);

  SimulationInputs const& inputs_;
  TaskFlow const& flow_;
  Submission const& submission_;
  Nodes const& nodes_;
  Messages& messages_;
  Outbox& outbox_;
  std::vector<PlannedMessage> held_;     // behind a barrier; those of one output follow each other
  std::vector<PlannedMessage> planned_;  // scratch: of one task
  std::vector<MessageId> new_messages_;  // scratch: of one output
};

}  // namespace factosim
