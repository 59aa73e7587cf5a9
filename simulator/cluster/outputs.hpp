#pragma once

#include <vector>

#include "simulator/cluster/messages.hpp"
#include "simulator/cluster/outbox.hpp"
#include "simulator/cluster/submission.hpp"

namespace factosim {

/// Creates messages with the outputs of tasks, one for each node where successors read one. Messages whose
/// first reader is behind a barrier are created when it is passed.
class Outputs {
 public:
  Outputs(SimulationInputs const& inputs, Submission const& submission, Messages& messages, Outbox& outbox)
      : inputs_(inputs), submission_(submission), messages_(messages), outbox_(outbox) {}

  /// Sends the outputs of the task, which are in RAM.
  void send(TaskId task);
  /// Sends the outputs that were held until the barrier that has been passed.
  void send_held();

 private:
  [[nodiscard]] HandleId handle(PlannedMessage const& message) const {
    return inputs_.graph.given_to(message.producer, messages_.readers(message).front());
  }
  [[nodiscard]] bool behind_barrier(PlannedMessage const& message) const {
    return submission_.part().behind_barrier(messages_.readers(message).front());
  }
  /// Returns whether both belong to one broadcast.
  [[nodiscard]] bool same_output(PlannedMessage const& a, PlannedMessage const& b) const {
    return a.producer == b.producer && handle(a) == handle(b);
  }
  void spread(NodeId home);

  SimulationInputs const& inputs_;
  Submission const& submission_;
  Messages& messages_;
  Outbox& outbox_;
  std::vector<PlannedMessage> held_;     // behind a barrier; those of one output follow each other
  std::vector<MessageId> new_messages_;  // scratch: of one output
};

}  // namespace factosim
