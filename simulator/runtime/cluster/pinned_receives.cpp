#include "simulator/runtime/cluster/pinned_receives.hpp"

#include <algorithm>
#include <span>

namespace factosim {

PinnedReceives::PinnedReceives(SimulationInputs const& inputs, TaskFlow& flow, Engine& engine,
                               Submission const& submission, Nodes const& nodes, Messages const& messages,
                               NetworkTransfers& transfers, Inbox& inbox)
    : inputs_(inputs),
      flow_(flow),
      engine_(engine),
      submission_(submission),
      nodes_(nodes),
      messages_(messages),
      transfers_(transfers),
      inbox_(inbox),
      nodes_receiving_(nodes.count()) {}

bool PinnedReceives::expect_next_part() {
  if (all_expected_) return false;
  for (Receiving& r : nodes_receiving_) {
    r.expected.erase(r.expected.begin(), r.expected.begin() + static_cast<std::ptrdiff_t>(r.posted));
    r.posted = 0;
  }
  std::vector<std::size_t> known;  // [nodes] receives of the parts before
  for (Receiving const& r : nodes_receiving_) known.push_back(r.expected.size());
  all_expected_ = !flow_.for_next_readers([&](PlannedMessage const& message) { expect(message); });
  if (all_expected_) return false;
  std::vector<bool> has_memory;  // [replicas of a node]
  for (std::uint32_t n = 0; n < nodes_.count(); ++n) {
    std::span<Receive> const added = std::span(nodes_receiving_[n].expected).subspan(known[n]);
    has_memory.assign(inputs_.plan.replicas_on(NodeId{n}).size(), false);
    std::ranges::stable_sort(added, {}, &Receive::task);
    for (Receive& receive : added) {
      if (!receive.replica.valid()) continue;  // each message brings one of its own
      receive.has_memory = has_memory[receive.replica.index()];
      has_memory[receive.replica.index()] = true;
    }
  }
  return true;
}

void PinnedReceives::expect(PlannedMessage const& message) {
  if (!nodes_[message.destination].pins_memory()) return;
  Receive const receive{message.first, message.first_reader, message.priority, message.handle,
                        message.replica};
  if (message.after.valid())
    after_flush_.emplace(message.after, receive);
  else
    nodes_receiving_[message.destination.index()].expected.push_back(receive);
}

PinnedReceives::Receive const* PinnedReceives::next(NodeId node) {
  Receiving const& r = nodes_receiving_[node.index()];
  while (r.posted == r.expected.size())
    if (!expect_next_part()) return nullptr;
  return &r.expected[r.posted];
}

// ---- receives ----

void PinnedReceives::post_until(NodeId node, TaskId last) {
  for (Receive const* receive = next(node); receive != nullptr && receive->task <= last;
       receive = next(node)) {
    ++nodes_receiving_[node.index()].posted;
    LocalReplica const before =
        receive->replica.valid() ? inputs_.plan.copy_before(node, receive->replica) : LocalReplica{};
    if (before.valid() && nodes_[node].data().ram().is_needed(before))
      after_copy_.emplace(std::pair(node, before), *receive);
    else
      post(node, Receive(*receive));
  }
}

void PinnedReceives::post_next(NodeId node) {
  if (Receive const* const receive = next(node)) post_until(node, receive->task);
  schedule_next(node);
}

void PinnedReceives::schedule_next(NodeId node) {
  Receive const* const receive = next(node);
  if (receive == nullptr) return;
  bool const by_number = flow_.by_formulas();
  if (!by_number && submission_.part().behind_barrier(receive->task)) return;  // formulas have no barriers
  Seconds const date =
      by_number ? submission_.date_of(receive->task.value()) : submission_.date(receive->task);
  engine_.at(std::max(engine_.now(), date), event(EventKind::receives_submitted, node.value()));
}

void PinnedReceives::post(NodeId node, Receive const& receive) {
  bool const late = inputs_.options.late_receive_buffers;
  if (late || receive.has_memory) return receive_ready(node, receive.number, receive.has_memory);
  nodes_[node].want_buffer(
      {.priority = receive.priority, .id = receive.number.value(), .size = size(receive)});
}

void PinnedReceives::copy_dropped(NodeId node, LocalReplica replica) {
  auto const next = after_copy_.find({node, replica});
  if (next == after_copy_.end()) return;
  post(node, next->second);
  after_copy_.erase(next);
}

void PinnedReceives::task_flushed(TaskId task) {
  NodeId const node = inputs_.plan.node_of(task);
  auto const [first, last] = after_flush_.equal_range(task);
  for (auto next = first; next != last; ++next) {
    nodes_[node].host_memory().give_back(size(next->second), engine_.now());
    post(node, next->second);
  }
  after_flush_.erase(first, last);
}

void PinnedReceives::receive_ready(NodeId node, EdgeId number, bool has_memory,
                                   std::vector<ReadyTask>* pushes) {
  ready_.find_or_add(number, has_memory);
  auto const early = early_.find(number);
  if (early == early_.end()) {
    ++nodes_receiving_[node.index()].ready;
    return listen(node);
  }
  if (early->second.valid()) deliver_early(early->second, pushes);
}

// ---- announcements ----

void PinnedReceives::announce(MessageId id) {
  NodeId const node = messages_.destination(id);
  nodes_receiving_[node.index()].announced.push_back(id);
  listen(node);
}

void PinnedReceives::listen(NodeId node) {
  Receiving& r = nodes_receiving_[node.index()];
  if (r.blocked || r.listening || r.ready == 0 || r.announced.empty()) return;
  r.listening = true;
  MessageId const id = r.announced.front();
  r.announced.pop_front();
  engine_.after(messages_.latency(id) * inputs_.options.rendezvous.question,
                event(EventKind::message_announced, id.value()));
}

void PinnedReceives::announced(MessageId id) {
  NodeId const node = messages_.destination(id);
  Receiving& r = nodes_receiving_[node.index()];
  r.listening = false;
  EdgeId const number = messages_[id].plan.first;
  bool const* const ready = ready_.find(number);
  if (ready == nullptr) {
    early_.emplace(number, MessageId{});
    return allocate(id, node);
  }
  bool const has_memory = *ready;
  ready_.remove(number);
  --r.ready;
  if (!has_memory) return allocate(id, node);
  answer(id);
  listen(node);
}

void PinnedReceives::allocate(MessageId id, NodeId node) {
  nodes_receiving_[node.index()].blocked = true;
  Bytes const size = messages_.size(id);
  if (!inputs_.options.late_receive_buffers)
    return nodes_[node].want_buffer({.id = id.value(), .early = true, .size = size});
  Seconds const time = nodes_[node].host_memory().take(size, engine_.now());
  engine_.after(inputs_.options.progress_cost + time, event(EventKind::receive_allocated, id.value()));
}

void PinnedReceives::answer(MessageId id) {
  double const latencies = inputs_.options.rendezvous.answer;
  if (latencies == 0) return transfers_.start_message(id);
  engine_.after(messages_.latency(id) * latencies, event(EventKind::message_starts, id.value()));
}

std::vector<PinnedReceives::Deferred> PinnedReceives::memory_ready(MessageId id) {
  answer(id);
  Receiving& r = nodes_receiving_[messages_.destination(id).index()];
  r.blocked = false;
  return std::exchange(r.deferred, {});
}

// ---- early messages ----

bool PinnedReceives::defer(NodeId node, Deferred end) {
  Receiving& r = nodes_receiving_[node.index()];
  if (r.blocked) r.deferred.push_back(end);
  return r.blocked;
}

bool PinnedReceives::arrived_early(MessageId id) {
  EdgeId const number = messages_[id].plan.first;
  auto const early = early_.find(number);
  if (early == early_.end()) return false;
  early->second = id;
  if (ready_.find(number) != nullptr) deliver_early(id);
  return true;
}

void PinnedReceives::deliver_early(MessageId id, std::vector<ReadyTask>* pushes) {
  EdgeId const number = messages_[id].plan.first;
  HostMemory& memory = nodes_[messages_.destination(id)].host_memory();
  Bytes const size = messages_.size(id);
  bool const has_memory = *ready_.find(number);
  ready_.remove(number);
  early_.erase(number);
  // The tile is copied to its receive, which may need memory of its own first.
  Seconds const allocation = has_memory ? Seconds{0} : memory.take(size, engine_.now());
  memory.give_back(size, engine_.now());
  if (allocation.value > 0)
    engine_.after(allocation, event(EventKind::message_delivered, id.value()));
  else
    inbox_.deliver(id, pushes);
}

}  // namespace factosim
