// The half of ClusterRuntime that receives on nodes with GPUs, where memory for a message is page-locked and
// so takes time. What a node will receive is known when it submits the first reader; then it wants memory,
// and has the receive ready once it is there. The communication thread of the node answers a message that is
// announced when its receive is ready. Else the message is *early*: the thread wants memory for it, and does
// nothing else until it is there. Source: StarPU-MPI 1.4 `starpu_mpi_mpi.c`.

#include <algorithm>
#include <utility>

#include "factosim/error.hpp"
#include "simulator/runtime/cluster.hpp"

namespace factosim {

void ClusterRuntime::expect_messages() {
  if (std::none_of(nodes_.begin(), nodes_.end(), [](auto const& node) { return node->pins_memory(); }))
    return;
  TaskGraph const& graph = inputs_.graph;
  receiving_.resize(nodes_.size());
  receive_ready_.resize(graph.successors.size(), false);
  for (std::uint32_t t = 0; t < graph.task_count(); ++t)
    for_each_message(TaskId{t}, [&](std::uint32_t first, std::uint32_t, TaskId after) {
      NodeId const node = inputs_.plan.node_of(graph.successors[first]);
      if (!nodes_[node.index()]->pins_memory()) return;
      Receive const receive{
          first, replica_of(graph.successors[first], graph.given_to(TaskId{t}, graph.successors[first]))};
      if (after.valid())
        after_flush_.emplace(after.value(), receive);
      else
        receiving_[node.index()].expected.push_back(receive);
    });
  std::vector<bool> has_memory(inputs_.plan.replica_count(), false);
  for (Receiving& r : receiving_) {
    std::sort(r.expected.begin(), r.expected.end(), [&](Receive const& a, Receive const& b) {
      return std::pair(reader(a), a.successor) < std::pair(reader(b), b.successor);
    });
    for (Receive& receive : r.expected) {
      receive.has_memory = has_memory[receive.replica];
      has_memory[receive.replica] = true;
    }
  }
}

void ClusterRuntime::submit_receives(NodeId node, TaskId last) {
  Receiving& r = receiving_[node.index()];
  while (r.submitted < r.expected.size() && reader(r.expected[r.submitted]) <= last)
    want_receive(node, r.expected[r.submitted++]);
}

void ClusterRuntime::submit_next_receives(NodeId node) {
  Receiving& r = receiving_[node.index()];
  if (r.submitted < r.expected.size()) submit_receives(node, reader(r.expected[r.submitted]));
  await_next_receives(node);
}

/// Those behind a barrier are awaited when it is passed.
void ClusterRuntime::await_next_receives(NodeId node) {
  Receiving const& r = receiving_[node.index()];
  if (r.submitted == r.expected.size() || behind_barrier(reader(r.expected[r.submitted]))) return;
  engine_.at(std::max(engine_.now(), unlimited_submission(reader(r.expected[r.submitted]))),
             event(EventKind::receives_submitted, node.value()));
}

void ClusterRuntime::want_receive(NodeId node, Receive receive) {
  if (receive.has_memory) return receive_ready(node, receive.successor);
  nodes_[node.index()]->want_buffer({.priority = inputs_.graph.priority[reader(receive).index()],
                                     .id = receive.successor,
                                     .size = replica_size(receive.replica)});
}

void ClusterRuntime::receive_again(TaskId flushed) {
  auto const next = after_flush_.find(flushed.value());
  if (next == after_flush_.end()) return;
  NodeId const node = inputs_.plan.node_of(flushed);
  nodes_[node.index()]->give_back_buffer(replica_size(next->second.replica));
  want_receive(node, next->second);
  after_flush_.erase(next);
}

void ClusterRuntime::buffer_ready(NodeId node, BufferRequest const& request) {
  if (!request.early) return receive_ready(node, request.id);
  answer(request.id);
  unblock(node);
}

void ClusterRuntime::receive_ready(NodeId node, std::uint32_t successor) {
  receive_ready_[successor] = true;
  auto const early = early_.find(successor);
  if (early == early_.end()) {
    ++receiving_[node.index()].ready;
    return listen(node);
  }
  if (early->second != none) deliver_early(early->second);
}

void ClusterRuntime::announce(std::uint32_t id) {
  receiving_[destination(id).index()].announced.push_back(id);
  listen(destination(id));
}

/// The thread takes one announcement at a time, and only while some receive is ready, for whatever comes.
void ClusterRuntime::listen(NodeId node) {
  Receiving& r = receiving_[node.index()];
  if (r.blocked || r.listening || r.ready == 0 || r.announced.empty()) return;
  r.listening = true;
  std::uint32_t const id = r.announced.front();
  r.announced.pop_front();
  engine_.after(inputs_.options.rendezvous ? latency_to(id) : Seconds{0},
                event(EventKind::message_announced, id));
}

void ClusterRuntime::announced(std::uint32_t id) {
  NodeId const node = destination(id);
  Receiving& r = receiving_[node.index()];
  r.listening = false;
  std::uint32_t const successor = messages_[id].first_successor;
  if (receive_ready_[successor]) {
    --r.ready;
    answer(id);
    return listen(node);
  }
  early_.emplace(successor, none);
  r.blocked = true;
  nodes_[node.index()]->want_buffer({.id = id, .early = true, .size = size_of(id)});
}

void ClusterRuntime::answer(std::uint32_t id) {
  if (!inputs_.options.rendezvous) return fly_message(id);
  engine_.after(latency_to(id), event(EventKind::message_starts, id));
}

void ClusterRuntime::unblock(NodeId node) {
  Receiving& r = receiving_[node.index()];
  r.blocked = false;
  for (PutOff const& put_off : std::exchange(r.put_off, {})) {
    if (put_off.sent) {
      sends_[node.index()].end();
      continue;
    }
    forward(put_off.message, messages_[put_off.message].source);
    message_arrived(put_off.message);
  }
  start_sends(node);
  listen(node);
}

/// What the communication thread of the node cannot do now, it does when it goes on.
bool ClusterRuntime::puts_off(NodeId node, PutOff what) {
  if (receiving_.empty() || !receiving_[node.index()].blocked) return false;
  receiving_[node.index()].put_off.push_back(what);
  return true;
}

bool ClusterRuntime::arrived_early(std::uint32_t id) {
  std::uint32_t const successor = messages_[id].first_successor;
  auto const early = early_.find(successor);
  if (early == early_.end()) return false;
  early->second = id;
  if (receive_ready_[successor]) deliver_early(id);
  return true;
}

void ClusterRuntime::deliver_early(std::uint32_t id) {
  early_.erase(messages_[id].first_successor);
  nodes_[destination(id).index()]->give_back_buffer(size_of(id));
  deliver(id);
}

}  // namespace factosim
