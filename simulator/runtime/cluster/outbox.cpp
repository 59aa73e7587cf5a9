#include "simulator/runtime/cluster/cluster.hpp"

#include <algorithm>

namespace factosim {

// ---- broadcasts ----

void Outbox::spread(std::vector<MessageId>& messages, NodeId home) {
  Broadcast const broadcast = messages.size() > 1 ? inputs_.options.broadcast : Broadcast::point_to_point;
  if (broadcast == Broadcast::point_to_point) {
    for (MessageId const id : messages) queue(id, home);
    return;
  }
  // The producer itself sends again what a receiver has flushed or will flush, and sends to those who have not posted their
  // receives when the output is there: they forward nothing, or the others would wait for their submission.
  NodeId before;  // destinations are in order
  std::erase_if(messages, [&](MessageId id) {
    bool const again = messages_[id].plan.after.valid() || messages_.destination(id) == before;
    before = messages_.destination(id);
    if (again) queue(id, home);
    if (again || submission_.is_posted(id, messages_[id].plan)) return again;
    messages_[id].source = home;
    return true;
  });
  std::stable_sort(messages.begin(), messages.end(),
                   [&](MessageId a, MessageId b) { return priority(a) > priority(b); });
  if (messages.empty()) return;
  if (broadcast == Broadcast::cooperative)
    spread_cooperatively(messages, home);
  else
    spread_in_tree(messages, home);
}

void Outbox::spread_cooperatively(std::vector<MessageId> const& messages, NodeId home) {
  BroadcastId const shared =
      cooperative_.add({{messages.rbegin(), messages.rend()}, static_cast<std::uint32_t>(messages.size())});
  for (MessageId const id : messages) messages_[id].broadcast = shared;
  cooperate(shared, home);
}

void Outbox::spread_in_tree(std::vector<MessageId> const& messages, NodeId home) {
  auto const parent = forwarding_tree(inputs_.options.broadcast, messages.size());
  for (std::size_t i = messages.size(); i-- > 0;) {
    if (!parent[i]) continue;
    Message& by = messages_[messages[*parent[i]]];
    messages_[messages[i]].next_child = by.first_child;
    by.first_child = messages[i];
  }
  for (std::size_t i = 0; i < messages.size(); ++i)
    if (!parent[i]) queue(messages[i], home);
}

void Outbox::cooperate(BroadcastId broadcast, NodeId node) {
  auto& left = cooperative_[broadcast].left;
  if (left.empty()) return;
  MessageId const id = left.back();
  left.pop_back();
  queue(id, node);
}

void Outbox::forward(MessageId id) {
  NodeId const receiver = messages_.destination(id);
  MessageId child = messages_[id].first_child;
  BroadcastId const broadcast = messages_[id].broadcast;
  if (!child.valid() && !broadcast.valid()) return;
  for (; child.valid(); child = messages_[child].next_child) queue(child, receiver);
  if (broadcast.valid()) {
    cooperate(broadcast, receiver);
    cooperate(broadcast, messages_[id].source);
    if (--cooperative_[broadcast].users == 0) cooperative_.remove(broadcast);
  }
}

// ---- sends ----

void Outbox::queue(MessageId id, NodeId source) {
  messages_[id].source = source;
  if (!waits_for_copy(id) && submission_.is_posted(id, messages_[id].plan)) push(id, source);
}

void Outbox::push(MessageId id, NodeId source) {
  queues_[source.index()].push(priority(id), id);
  if (!awake_[source.index()]) engine_.after(Seconds{0}, event(EventKind::sends_start, source.value()), 3);
  awake_.set(source.index());
}

void Outbox::wake(NodeId node) {
  awake_.reset(node.index());
  start_sends(node);
}

void Outbox::submitted(MessageId id) { queue(id, messages_[id].source); }

bool Outbox::waits_for_copy(MessageId id) {
  PlannedMessage const& plan = messages_[id].plan;
  if (!plan.replica.valid()) return false;
  LocalReplica const before = inputs_.plan.copy_before(plan.destination, plan.replica);
  if (!before.valid() || !nodes_[plan.destination].data().ram().is_needed(before)) return false;
  waiting_[{plan.destination, before}].push_back(id);
  return true;
}

void Outbox::copy_dropped(NodeId node, LocalReplica replica) {
  auto const found = waiting_.find({node, replica});
  if (found == waiting_.end()) return;
  for (MessageId const id : found->second) {
    // Whoever has used the copy last allocates RAM for the next one, where receives do.
    HostMemory& memory = nodes_[node].host_memory();
    Seconds const time = memory.at_submission() ? memory.take(messages_.size(id), engine_.now()) : Seconds{0};
    engine_.after(time, event(EventKind::message_submitted, id.value()));
  }
  waiting_.erase(found);
}

void Outbox::start_sends(NodeId node) {
  bool const parallel = inputs_.options.parallel_sends;
  if (!parallel && receives_ != nullptr && receives_->blocked(node)) return;
  SendQueue<MessageId>& queue = queues_[node.index()];
  while (queue.can_start(inputs_.options.max_sends_per_node) && network_admits()) {
    MessageId const id = queue.start();
    ++in_flight_;
    if (threads_ == nullptr) {
      post(id);
      continue;
    }
    Bytes const size = messages_.size(id);
    engine_.after(parallel ? threads_->elsewhere(node, size) : threads_->handle(node, size),
                  event(EventKind::message_posted, id.value()));
  }
}

void Outbox::post(MessageId id) {
  if (nodes_[messages_.destination(id)].pins_memory()) return receives_->announce(id);
  Seconds wait = choose_arrival(id);
  Rendezvous const& rendezvous = inputs_.options.rendezvous;
  if (rendezvous.asks()) wait += messages_.latency(id) * (rendezvous.question + rendezvous.answer);
  if (rendezvous.asks() || wait.value > 0)
    engine_.after(wait, event(EventKind::message_starts, id.value()));
  else
    transfers_.start_message(id);
}

Seconds Outbox::choose_arrival(MessageId id) {
  LocalMemory const nearest = messages_.arrival(id);
  Message& message = messages_[id];
  if (nearest == first_ram || message.plan.after.valid()) return Seconds{0};
  NodeRuntime& receiver = nodes_[message.plan.destination];
  if (!message.plan.replica.valid())
    message.plan.replica = receiver.data().add_replica(message.plan.handle, message.plan.uses);
  auto const allocation = receiver.data().make_room(message.plan.replica, nearest);
  if (allocation) message.to = nearest;
  return allocation.value_or(Seconds{0});
}

void Outbox::sent(MessageId id) {
  NodeId const source = messages_[id].source;
  if (receives_ == nullptr || !receives_->defer(source, {PinnedReceives::Deferred::End::sent, id}))
    end_send(source);
  FACTOSIM_EXPECT(in_flight_ > 0, "a message has been sent that was not started");
  --in_flight_;
  if (messages_[id].held.valid()) nodes_[source].data().let_go(messages_[id].held, messages_[id].from);
  PlannedMessage const& plan = messages_[id].plan;
  if (plan.source_replica.valid()) nodes_[plan.home].data().sent(plan.source_replica);
}

void Outbox::start_delayed_sends(NodeId first) {
  if (inputs_.options.max_sends > 0)
    for (std::uint32_t i = 1; i < nodes_.count() && network_admits(); ++i)
      start_sends(NodeId{(first.value() + i) % nodes_.count()});
  start_sends(first);
}

}  // namespace factosim
