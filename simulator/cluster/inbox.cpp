#include "simulator/cluster/inbox.hpp"

namespace factosim {

void Inbox::arrived(MessageId id) {
  TaskId const after = messages_[id].plan.after;
  if (after.valid() && !flushed_[after.index()]) {
    held_.emplace(after, id);
    return;
  }
  HostMemory& memory = nodes_[messages_.destination(id)].host_memory();
  Seconds pinning{0};  // by the thread that receives
  if (memory.on_demand() && !after.valid()) pinning = memory.take(messages_.size(id), engine_.now());
  if (pinning.value > 0)
    engine_.after(pinning, event(EventKind::message_delivered, id.value()));
  else
    deliver(id);
}

void Inbox::deliver(MessageId id) {
  Message const message = messages_[id];
  NodeRuntime& node = nodes_[messages_.destination(id)];
  messages_.remove(id);
  if (message.plan.after.valid())
    node.received_again(message.replica);
  else
    node.received(message.replica);
  for (TaskId const reader : messages_.readers(message.plan))
    if (submission_.predecessor_done(reader)) node.push(reader, LocalWorker{}, message.plan.producer);
}

void Inbox::task_flushed(TaskId task) {
  flushed_[task.index()] = true;
  auto const held = held_.find(task);
  if (held == held_.end()) return;
  // Later at this date: the task still holds its data.
  engine_.after(Seconds{0}, event(EventKind::message_delivered, held->second.value()));
  held_.erase(held);
}

}  // namespace factosim
