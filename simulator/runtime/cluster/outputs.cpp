#include "simulator/runtime/cluster/outputs.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace factosim {

bool Outputs::are_held(TaskId sender, NodeId home) {
  if (inputs_.graph.barriers.empty()) return false;
  planned_.clear();
  flow_.append_messages(sender, home, planned_);
  return std::ranges::any_of(planned_, [&](PlannedMessage const& m) { return behind_barrier(m); });
}

void Outputs::send(TaskId sender, NodeId home, bool from_gpu) {
  planned_.clear();
  flow_.append_messages(sender, home, planned_);
  for (std::size_t i = 0; i < planned_.size(); ++i) {
    if (behind_barrier(planned_[i])) {
      held_.push_back(planned_[i]);
    } else {
      MessageId const id = create(planned_[i]);
      if (from_gpu) {
        Message& message = messages_[id];
        std::tie(message.held, message.from) = nodes_[home].hold_output(sender, message.plan.handle);
      }
    }
    if (i + 1 == planned_.size() || !same_output(planned_[i], planned_[i + 1])) spread(home);
  }
  outbox_.start_sends(home);
}

void Outputs::send_held() {
  std::vector<PlannedMessage> const held = std::exchange(held_, {});
  for (std::size_t i = 0; i < held.size(); ++i) {
    if (behind_barrier(held[i])) {
      held_.push_back(held[i]);
      continue;
    }
    NodeId const home = held[i].home;
    create(held[i]);
    bool const last_of_output =
        i + 1 == held.size() || !same_output(held[i], held[i + 1]) || behind_barrier(held[i + 1]);
    if (!last_of_output) continue;
    spread(home);
    outbox_.start_sends(home);
  }
}

MessageId Outputs::create(PlannedMessage const& message) {
  MessageId const id = messages_.create(message);
  messages_[id].source = message.home;
  new_messages_.push_back(id);
  return id;
}

void Outputs::spread(NodeId home) {
  outbox_.spread(new_messages_, home);
  new_messages_.clear();
}

}  // namespace factosim
