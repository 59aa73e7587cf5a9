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

void Inbox::deliver(MessageId id, std::vector<ReadyTask>* pushes_of_worker) {
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
  auto& pushes = pushes_[message.destination.index()];
  bool const idle = pushes.empty();
  for (TaskId const reader : free_) {
    if (!submission_.is_submitted(reader)) continue;
    if (pushes_of_worker != nullptr)
      pushes_of_worker->push_back({reader, message.producer});
    else
      pushes.push_back({reader, message.producer});
  }
  if (idle && !pushes.empty())
    engine_.after(options_.release_cost() + options_.push_cost,
                  event(EventKind::reader_pushed, message.destination.value()));
}

void Inbox::push_next(NodeId node) {
  auto& pushes = pushes_[node.index()];
  auto const [reader, producer] = pushes.front();
  pushes.pop_front();
  if (!pushes.empty()) engine_.after(options_.push_cost, event(EventKind::reader_pushed, node.value()));
  nodes_[node].push(reader, LocalWorker{}, producer);
}

void Inbox::task_flushed(TaskId task) {
  flushed_[task.index()] = true;
  auto const [first, last] = held_.equal_range(task);
  for (auto held = first; held != last; ++held)  // later at this date: the task still holds its data
    engine_.after(Seconds{0}, event(EventKind::message_delivered, held->second.value()));
  held_.erase(first, last);
}

}  // namespace factosim
