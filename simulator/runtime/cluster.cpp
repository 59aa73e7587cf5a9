#include "simulator/runtime/cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "factosim/error.hpp"

namespace factosim {

namespace {

/// Puts a value in a pool with a list of free places; returns its index.
template <class T>
std::uint32_t store(std::vector<T>& pool, std::vector<std::uint32_t>& free, T value) {
  if (free.empty()) {
    pool.push_back(value);
    return static_cast<std::uint32_t>(pool.size() - 1);
  }
  std::uint32_t const index = free.back();
  free.pop_back();
  pool[index] = value;
  return index;
}

}  // namespace

ClusterRuntime::ClusterRuntime(SimulationInputs const& inputs, Topology const& topology, Engine& engine,
                               TraceRecords* trace, ProgressCallback progress, Series* series)
    : inputs_(inputs),
      topology_(topology),
      engine_(engine),
      trace_(trace),
      series_(series),
      progress_(std::move(progress)),
      statistics_(inputs.machine.node_count(), inputs.graph.kernels.size(), inputs.machine.worker_count()),
      predecessors_left_(inputs.graph.predecessors),
      unrolled_(inputs.options.unrolling == Unrolling::whole
                    ? std::vector<std::uint32_t>{}
                    : unrolled_tasks(inputs.graph, inputs.plan, inputs.options.unrolling)),
      next_task_(inputs.plan.first_task.begin(), inputs.plan.first_task.end() - 1),
      sends_(inputs.machine.node_count()),
      flushed_(inputs.graph.flushes_inputs.size(), false) {
  if (trace_ != nullptr) trace_->submissions.resize(inputs.graph.task_count());
  if (inputs.recording != nullptr && !inputs.recording->messages.empty())
    ended_.resize(inputs.graph.task_count());
  if (inputs.recording != nullptr && !inputs.recording->pause_s.empty())
    ready_.resize(inputs.graph.task_count());
  make_nodes();
  expect_messages();
}

void ClusterRuntime::make_nodes() {
  NodeServices& services = *this;
  for (std::uint32_t n = 0; n < inputs_.machine.node_count(); ++n) {
    nodes_.push_back(std::make_unique<NodeRuntime>(NodeId{n}, inputs_, services, series_));
    node_of_worker_.resize(inputs_.machine.first_worker[n + 1], NodeId{n});
  }
}

SimulationOutcome ClusterRuntime::run() {
  submit_next_part();
  engine_.run(*this);
  FACTOSIM_ALWAYS(tasks_done_ == inputs_.graph.task_count(),
                  fmt::format("the simulation came to a stop at {:.6g} s after {} of {} tasks",
                              engine_.now().value, tasks_done_, inputs_.graph.task_count()));
  SimulationOutcome outcome = statistics_.finish();
  outcome.events = engine_.events_handled();
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    outcome.nodes[n].peak_memory_bytes = nodes_[n]->peak_memory_bytes();
    outcome.nodes[n].over_memory_bytes = nodes_[n]->over_memory_bytes();
  }
  return outcome;
}

void ClusterRuntime::handle(Event event) {
  auto const kind = static_cast<EventKind>(event.kind);
  if (kind == EventKind::task_submitted) return task_submitted(TaskId{event.subject});
  if (kind == EventKind::message_starts) return fly_message(event.subject);
  if (kind == EventKind::message_announced) return announced(event.subject);
  if (kind == EventKind::message_delivered) return deliver(event.subject);
  if (kind == EventKind::receives_submitted) return submit_next_receives(NodeId{event.subject});
  if (kind == EventKind::barrier_passed) return submit_next_part();
  if (kind == EventKind::transfer_ended) return transfer_ended(event.subject);
  NodeId const node = node_of_worker_[event.subject];
  LocalWorker const worker{event.subject - inputs_.machine.first_worker[node.index()]};
  NodeRuntime& runtime = *nodes_[node.index()];
  if (kind == EventKind::worker_continues)
    runtime.worker_continues(worker);
  else
    runtime.kernel_ends(worker);
}

// ---- tasks ----

void ClusterRuntime::task_ran(TaskId task, NodeId node, LocalWorker worker, Seconds start, Seconds end) {
  statistics_.task_ran(node.index(), worker.index(), inputs_.graph.kernel[task.index()], start, end);
  if (trace_ != nullptr)
    trace_->tasks.push_back(
        {task, WorkerId{inputs_.machine.first_worker[node.index()] + worker.value()}, start, end});
  if (series_ != nullptr) series_->task_ran(task, node, start, end);
  if (!ended_.empty()) ended_[task.index()] = end.value;
  if (++tasks_done_ == part_end_ && part_end_ < inputs_.graph.task_count())
    engine_.after(Seconds{0}, event(EventKind::barrier_passed, 0));
  if (inputs_.graph.flushes(task)) {
    flushed_[task.index()] = true;
    receive_again(task);
    if (auto const held = held_.find(task.value());
        held != held_.end()) {  // not now: the task still holds its data
      engine_.after(Seconds{0}, event(EventKind::message_delivered, held->second));
      held_.erase(held);
    }
  }
  if (!windows_.empty()) {
    --windows_[node.index()].open;
    submit_more(node);
  }
  if (progress_ && tasks_done_ % 4096 == 0) progress_(tasks_done_);
}

bool ClusterRuntime::predecessor_done(TaskId task) {
  return --predecessors_left_[task.index()] == 0 && is_submitted(task);
}

// ---- messages ----

std::uint32_t ClusterRuntime::replica_of(TaskId task, HandleId handle) const {
  auto const accesses = inputs_.graph.accesses_of(task);
  std::size_t i = 0;
  while (accesses[i].handle() != handle) ++i;
  return inputs_.plan.replicas_of(inputs_.graph, task)[i];
}

void ClusterRuntime::send_output(TaskId task) {
  TaskGraph const& graph = inputs_.graph;
  NodeId const home = inputs_.plan.node_of(task);
  for_each_output(graph, inputs_.plan, task, [&](std::size_t output) {
    HandleId const handle = graph.accesses_of(task)[output].handle();
    for_each_message(task, [&](std::uint32_t first, std::uint32_t last, TaskId after) {
      if (graph.given_to(task, graph.successors[first]) != handle) return;
      if (behind_barrier(graph.successors[first]))
        held_outputs_.push_back({task, first, last, after});
      else
        new_message({task, first, last, after});
    });
    arrange(new_messages_, home);
    new_messages_.clear();
  });
  start_sends(home);
}

void ClusterRuntime::new_message(Output const& output) {
  TaskGraph const& graph = inputs_.graph;
  std::int32_t priority = graph.priority[graph.successors[output.first].index()];
  for (std::uint32_t s = output.first + 1; s < output.last; ++s)
    priority = std::max(priority, graph.priority[graph.successors[s].index()]);
  HandleId const written = graph.given_to(output.task, graph.successors[output.first]);
  std::uint32_t const source = replica_of(output.task, written);
  new_messages_.push_back(
      store(messages_, free_messages_,
            Message{.task = output.task,
                    .first_successor = output.first,
                    .last_successor = output.last,
                    .replica = replica_of(graph.successors[output.first], written),
                    .after = output.after,
                    .priority = inputs_.options.sends_by_priority ? priority : 0,
                    .source = inputs_.plan.node_of(output.task),
                    .first_child = none,
                    .next_child = none,
                    .broadcast = none,
                    .source_replica = inputs_.plan.replicas[source].owned ? none : source}));
}

void ClusterRuntime::release_output(std::uint32_t message) {
  std::uint32_t const replica = messages_[message].source_replica;
  if (replica != none) nodes_[inputs_.plan.node_of_replica(replica).index()]->sent(ReplicaId{replica});
}

void ClusterRuntime::arrange(std::vector<std::uint32_t>& messages, NodeId home) {
  Broadcast const broadcast = messages.size() > 1 ? inputs_.options.broadcast : Broadcast::point_to_point;
  if (broadcast == Broadcast::point_to_point) {
    for (std::uint32_t const id : messages) queue_send(id, home);
    return;
  }
  // What a receiver gets once more, after a flush, the owner sends it itself.
  auto const repeated = std::stable_partition(messages.begin(), messages.end(),
                                              [&](std::uint32_t id) { return !messages_[id].after.valid(); });
  for (auto id = repeated; id != messages.end(); ++id) queue_send(*id, home);
  messages.erase(repeated, messages.end());
  std::stable_sort(messages.begin(), messages.end(), [&](std::uint32_t a, std::uint32_t b) {
    return messages_[a].priority > messages_[b].priority;
  });
  if (broadcast == Broadcast::cooperative) {
    std::uint32_t const shared = store(cooperative_, free_cooperative_, CooperativeSend{});
    for (std::uint32_t const id : messages) messages_[id].broadcast = shared;
    cooperative_[shared] = {{messages.rbegin(), messages.rend()},
                            static_cast<std::uint32_t>(messages.size())};
    return help(shared, home);
  }
  auto const parent = forwarding_tree(broadcast, static_cast<std::uint32_t>(messages.size()));
  for (std::uint32_t i = static_cast<std::uint32_t>(messages.size()); i-- > 0;) {
    if (parent[i] == sent_by_owner) continue;
    Message& by = messages_[messages[parent[i]]];
    messages_[messages[i]].next_child = by.first_child;
    by.first_child = messages[i];
  }
  for (std::uint32_t i = 0; i < messages.size(); ++i)
    if (parent[i] == sent_by_owner) queue_send(messages[i], home);
}

void ClusterRuntime::queue_send(std::uint32_t id, NodeId source) {
  messages_[id].source = source;
  sends_[source.index()].push(messages_[id].priority, id);
}

void ClusterRuntime::help(std::uint32_t broadcast, NodeId node) {
  auto& left = cooperative_[broadcast].left;
  if (left.empty()) return;
  std::uint32_t const id = left.back();
  left.pop_back();
  queue_send(id, node);
}

/// The receiver of a message sends on what it has to.
void ClusterRuntime::forward(std::uint32_t id, NodeId from) {
  NodeId const receiver = destination(id);
  for (std::uint32_t child = messages_[id].first_child; child != none; child = messages_[child].next_child)
    queue_send(child, receiver);
  std::uint32_t const broadcast = messages_[id].broadcast;
  if (broadcast == none && messages_[id].first_child == none) return;
  if (broadcast != none) {
    help(broadcast, receiver);
    help(broadcast, from);
    if (--cooperative_[broadcast].users == 0) free_cooperative_.push_back(broadcast);
  }
  start_sends(receiver);
}

Seconds ClusterRuntime::latency_to(std::uint32_t id) const {
  Topology::RouteBuffer scratch;
  return topology_.route(topology_.ram_of(messages_[id].source), topology_.ram_of(destination(id)), scratch)
      .latency;
}

void ClusterRuntime::start_sends(NodeId node) {
  if (!receiving_.empty() && receiving_[node.index()].blocked) return;
  SendQueue& queue = sends_[node.index()];
  while (queue.can_start(inputs_.options.max_sends_per_node) && network_is_free()) {
    std::uint32_t const id = queue.start();
    ++sends_under_way_;
    if (nodes_[destination(id).index()]->pins_memory())
      announce(id);  // and its receiver answers when it is ready
    else if (inputs_.options.rendezvous)
      engine_.after(2 * latency_to(id), event(EventKind::message_starts, id));  // there and back
    else
      fly_message(id);
  }
}

void ClusterRuntime::fly_message(std::uint32_t id) {
  Message const& message = messages_[id];
  fly({.message = true,
       .node = message.source,
       .id = id,
       .handle = inputs_.plan.handle_of(message.replica),
       .from = topology_.ram_of(message.source),
       .to = topology_.ram_of(inputs_.plan.node_of_replica(message.replica)),
       .start = engine_.now()});
}

void ClusterRuntime::message_arrived(std::uint32_t id) {
  if (!receiving_.empty() && arrived_early(id)) return;
  TaskId const after = messages_[id].after;
  if (after.valid() && !flushed_[after.index()]) {
    held_.emplace(after.value(), id);
    return;
  }
  std::uint32_t const replica = messages_[id].replica;
  HostMemory& memory = nodes_[inputs_.plan.node_of_replica(replica).index()]->host_memory();
  Seconds pinning{0};  // by the thread that receives
  if (memory.on_demand() && !after.valid()) pinning = memory.take(replica_size(replica), engine_.now());
  if (pinning.value > 0)
    engine_.after(pinning, event(EventKind::message_delivered, id));
  else
    deliver(id);
}

void ClusterRuntime::deliver(std::uint32_t id) {
  Message const message = messages_[id];
  free_messages_.push_back(id);
  NodeId const destination = inputs_.plan.node_of_replica(message.replica);
  if (message.after.valid())
    nodes_[destination.index()]->received_again(ReplicaId{message.replica});
  else
    nodes_[destination.index()]->received(ReplicaId{message.replica});
  for (std::uint32_t s = message.first_successor; s < message.last_successor; ++s) {
    TaskId const successor = inputs_.graph.successors[s];
    if (predecessor_done(successor)) push(successor);
  }
}

// ---- transfers ----

void ClusterRuntime::start_copy(NodeId node, RequestId request, LocalMemory from, LocalMemory to,
                                HandleId handle) {
  std::uint32_t const first = topology_.ram_of(node).value();
  fly({.message = false,
       .node = node,
       .id = request.value(),
       .handle = handle,
       .from = MemoryNodeId{first + from.value()},
       .to = MemoryNodeId{first + to.value()},
       .start = engine_.now()});
}

void ClusterRuntime::fly(Flight flight) {
  std::uint32_t const token = store(flights_, free_flights_, flight);
  if (flight.message && !ended_.empty()) {
    TaskId const task = messages_[flight.id].task;
    if (auto const time = inputs_.recording->message_time(task, destination(flight.id)))
      return engine_.at(std::max(engine_.now(), Seconds{ended_[task.index()]} + *time),
                        event(EventKind::transfer_ended, token));
  }
  engine_.start_transfer(flight.from, flight.to, inputs_.graph.handles[flight.handle.index()].size, token);
}

void ClusterRuntime::record(Flight const& flight) {
  TransferRecord record{.handle = flight.handle,
                        .from = flight.from,
                        .to = flight.to,
                        .start = flight.start,
                        .end = engine_.now(),
                        .size = inputs_.graph.handles[flight.handle.index()].size};
  if (flight.message) {
    record.producer = messages_[flight.id].task;
    record.consumer = inputs_.graph.successors[messages_[flight.id].first_successor];
  }
  trace_->transfers.push_back(record);
}

void ClusterRuntime::place_changed(NodeId node, LocalMemory memory, ReplicaId replica, bool taken) {
  if (trace_ == nullptr) return;
  trace_->places.push_back({inputs_.plan.handle_of(replica.value()),
                            MemoryNodeId{topology_.ram_of(node).value() + memory.value()}, replica.value(),
                            engine_.now(), taken});
}

void ClusterRuntime::transfer_ended(TransferToken token) {
  Flight const flight = flights_[token];
  free_flights_.push_back(token);
  Bytes const size = inputs_.graph.handles[flight.handle.index()].size;
  if (trace_ != nullptr) record(flight);
  if (!flight.message) {
    bool const from_ram = topology_.is_ram(flight.from), to_ram = topology_.is_ram(flight.to);
    statistics_.copy_carried(from_ram, to_ram, size);
    if (series_ != nullptr) series_->copy_carried(flight.node, from_ram, to_ram, engine_.now(), size);
    return nodes_[flight.node.index()]->copy_ended(RequestId{flight.id});
  }
  NodeId const destination = topology_.node_of(flight.to);
  statistics_.message_carried(flight.node.index(), destination.index(), size, engine_.now());
  if (series_ != nullptr)
    series_->message_carried(flight.node, destination, flight.start, engine_.now(), size);
  bool const noticed = !puts_off(destination, {.sent = false, .message = flight.id});
  if (!puts_off(flight.node, {.sent = true, .message = flight.id})) sends_[flight.node.index()].end();
  --sends_under_way_;
  release_output(flight.id);
  if (noticed) forward(flight.id, flight.node);
  if (inputs_.options.max_sends > 0)  // the others in turn
    for (std::uint32_t i = 1; i < nodes_.size() && network_is_free(); ++i)
      start_sends(NodeId{(flight.node.value() + i) % static_cast<std::uint32_t>(nodes_.size())});
  start_sends(flight.node);
  if (noticed) message_arrived(flight.id);
}

}  // namespace factosim
