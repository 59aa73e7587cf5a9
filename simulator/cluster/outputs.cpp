#include "simulator/cluster/outputs.hpp"

#include <utility>

namespace factosim {

void Outputs::send(TaskId task) {
  TaskGraph const& graph = inputs_.graph;
  NodeId const home = inputs_.plan.node_of(task);
  for_each_output(graph, inputs_.plan, task, [&](std::size_t output) {
    HandleId const written = graph.accesses_of(task)[output].handle();
    for_each_planned_message(graph, inputs_.plan, task, [&](PlannedMessage const& message) {
      if (handle(message) != written) return;
      if (behind_barrier(message))
        held_.push_back(message);
      else
        new_messages_.push_back(messages_.create(message));
    });
    spread(home);
  });
  outbox_.start_sends(home);
}

void Outputs::send_held() {
  std::vector<PlannedMessage> const held = std::exchange(held_, {});
  for (std::size_t i = 0; i < held.size(); ++i) {
    if (behind_barrier(held[i])) {
      held_.push_back(held[i]);
      continue;
    }
    new_messages_.push_back(messages_.create(held[i]));
    bool const last_of_output =
        i + 1 == held.size() || !same_output(held[i], held[i + 1]) || behind_barrier(held[i + 1]);
    if (!last_of_output) continue;
    NodeId const home = inputs_.plan.node_of(held[i].producer);
    spread(home);
    outbox_.start_sends(home);
  }
}

void Outputs::spread(NodeId home) {
  outbox_.spread(new_messages_, home);
  new_messages_.clear();
}

}  // namespace factosim
