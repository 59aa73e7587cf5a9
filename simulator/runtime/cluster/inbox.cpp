#include "simulator/runtime/cluster/inbox.hpp"

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
  PlannedMessage const message = messages_[id].plan;
  LocalMemory const memory = messages_[id].to;
  NodeRuntime& node = nodes_[message.destination];
  messages_.remove(id);
  LocalReplica replica = message.replica;
  if (!replica.valid()) replica = node.data().add_replica(message.handle, message.uses);
  if (message.after.valid())
    node.data().received_again(replica);
  else
    node.data().received(replica, memory);
  free_.clear();
  flow_.delivered(message, replica, free_);
  for (TaskId const reader : free_)
    if (submission_.is_submitted(reader)) node.push(reader, LocalWorker{}, message.producer);
}

void Inbox::task_flushed(TaskId task) {
  flushed_[task.index()] = true;
  auto const [first, last] = held_.equal_range(task);
  for (auto held = first; held != last; ++held)  // later at this date: the task still holds its data
    engine_.after(Seconds{0}, event(EventKind::message_delivered, held->second.value()));
  held_.erase(first, last);
}

}  // namespace factosim
