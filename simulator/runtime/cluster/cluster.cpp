#include "simulator/runtime/cluster/cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <tuple>

namespace factosim {

bool StoredFlow::ended(TaskId task, NodeId node, std::vector<TaskId>& free) {
  for (TaskId const successor : inputs_.graph.successors_of(task)) {
    if (!inputs_.plan.runs_on(successor, node)) return true;  // successors on the own node come first
    if (count_predecessor(successor)) free.push_back(successor);
  }
  return false;
}

void StoredFlow::append_messages(TaskId task, NodeId home, std::vector<PlannedMessage>& out) const {
  TaskGraph const& graph = inputs_.graph;
  std::size_t const begin = out.size();
  for_each_message(graph, inputs_.plan, task, [&](std::uint32_t first, std::uint32_t last) {
    out.push_back(message(task, home, EdgeId{first}, EdgeId{last}));
  });
  auto const by_output = [&](PlannedMessage const& m) {
    auto const accesses = graph.accesses_of(task);
    return std::ranges::find(accesses, m.handle, &DataAccess::handle) - accesses.begin();
  };
  auto const added = std::ranges::subrange(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end());
  bool const one_output =
      std::ranges::all_of(added, [&](PlannedMessage const& m) { return m.handle == added.front().handle; });
  if (!one_output) std::ranges::stable_sort(added, {}, by_output);
}

bool StoredFlow::for_next_readers(std::function<void(PlannedMessage const&)> const& use) {
  if (std::exchange(told_readers_, true)) return false;
  std::vector<PlannedMessage> messages;
  for (std::uint32_t t = 0; t < inputs_.graph.task_count(); ++t) {
    messages.clear();
    append_messages(TaskId{t}, inputs_.plan.node_of(TaskId{t}), messages);
    std::ranges::for_each(messages, use);
  }
  return true;
}

PlannedMessage StoredFlow::message(TaskId task, NodeId home, EdgeId first, EdgeId last) const {
  TaskGraph const& graph = inputs_.graph;
  ExecutionPlan const& plan = inputs_.plan;
  auto const reader = [&](std::uint32_t edge) { return graph.successors[edge]; };
  PlannedMessage out{.producer = task,
                     .handle = graph.given_to(task, reader(first.value())),
                     .home = home,
                     .destination = plan.node_of(reader(first.value())),
                     .first_reader = reader(first.value()),
                     .first = first,
                     .last = last};
  out.priority = graph.priority[out.first_reader.index()];
  out.replica = plan.local(out.destination, plan.replica_of(graph, out.first_reader, out.handle));
  ReplicaId const source = plan.replica_of(graph, task, out.handle);
  if (!plan.replicas[source.index()].owned) out.source_replica = plan.local(home, source);
  if (first.value() > graph.successor_begin[task.index()]) {
    TaskId const before = reader(first.value() - 1);
    if (graph.flushes(before, out.handle) && plan.runs_on(before, out.destination) &&
        graph.given_to(task, before) == out.handle &&
        out.replica == plan.local(out.destination, plan.replica_of(graph, before, out.handle)))
      out.after = before;
  }
  return out;
}

void StoredFlow::delivered(PlannedMessage const& message, LocalReplica /*replica*/,
                           std::vector<TaskId>& free) {
  for (std::uint32_t e = message.first.value(); e < message.last.value(); ++e)
    if (TaskId const reader = inputs_.graph.successors[e]; count_predecessor(reader)) free.push_back(reader);
}

bool Outputs::are_held(TaskId sender, NodeId home) {
  if (inputs_.graph.barriers.empty()) return false;
  return std::ranges::any_of(planned(sender, home),
                             [&](PlannedMessage const& m) { return behind_barrier(m); });
}

void Outputs::send(TaskId sender, NodeId home, bool from_gpu) {
  auto const& messages = planned(sender, home);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (behind_barrier(messages[i])) {
      held_.push_back(messages[i]);
    } else {
      MessageId const id = create(messages[i]);
      if (from_gpu) {
        Message& message = messages_[id];
        std::tie(message.held, message.from) = nodes_[home].data().hold_output(sender, message.plan.handle);
      }
    }
    if (i + 1 == messages.size() || !same_output(messages[i], messages[i + 1])) spread(home);
  }
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
    if (last_of_output) spread(home);
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

ClusterRuntime::ClusterRuntime(SimulationInputs const& inputs, Topology const& topology, Engine& engine,
                               TraceRecords* trace, ProgressCallback progress, Series* series, TaskFlow* flow,
                               std::span<TaskId const> numbers)
    : inputs_(inputs),
      engine_(engine),
      progress_(std::move(progress)),
      observer_(inputs.graph, flow != nullptr ? flow->task_count() : 0, numbers, inputs.machine, topology,
                trace, series),
      replay_(inputs.recording, inputs.graph.task_count()),
      stored_(flow == nullptr ? std::optional<StoredFlow>(std::in_place, inputs) : std::nullopt),
      flow_(flow != nullptr ? *flow : *stored_),
      nodes_(make_nodes()),
      submission_(inputs, flow_, replay_, nodes_, engine, observer_),
      messages_(inputs, topology),
      transfers_(inputs, topology, engine, replay_, observer_, messages_),
      inbox_(inputs, engine, flow_, submission_, nodes_, messages_),
      receives_(PinnedReceives::needed(nodes_)
                    ? std::optional<PinnedReceives>(std::in_place, inputs, flow_, engine, submission_, nodes_,
                                                    messages_, transfers_, inbox_)
                    : std::nullopt),
      threads_(CommunicationThreads::needed(inputs.platform)
                   ? std::optional<CommunicationThreads>(std::in_place, inputs.platform, engine, nodes_)
                   : std::nullopt),
      outbox_(inputs, engine, submission_, nodes_, messages_, transfers_, receives_ ? &*receives_ : nullptr,
              threads_ ? &*threads_ : nullptr),
      outputs_(inputs, flow_, submission_, nodes_, messages_, outbox_) {
  for (std::uint32_t n = 0; n < nodes_.count(); ++n)
    node_of_worker_.resize(inputs_.machine.first_worker[n + 1], NodeId{n});
}

Nodes ClusterRuntime::make_nodes() {
  NodeServices& services = *this;
  Nodes nodes;
  for (std::uint32_t n = 0; n < inputs_.machine.node_count(); ++n)
    nodes.add(std::make_unique<NodeRuntime>(NodeId{n}, inputs_, services, replay_, observer_));
  return nodes;
}

bool ClusterRuntime::make_way() {
  using WayOut = NodeRuntime::WayOut;
  constexpr int most_stops = 10;
  stops_ = submission_.tasks_ran() == ran_at_stop_ ? stops_ + 1 : 0;
  ran_at_stop_ = submission_.tasks_ran();
  if (stops_ == most_stops) return false;
  for (WayOut const way :
       {WayOut::look_again, WayOut::drop_prefetches, WayOut::release_sources, WayOut::spare_chunks}) {
    if (static_cast<int>(way) < stops_ && way < WayOut::release_sources) continue;
    bool changed = false;
    for (std::uint32_t n = 0; n < nodes_.count(); ++n) changed = nodes_[NodeId{n}].make_way(way) || changed;
    if (changed) return true;
  }
  return false;
}

SimulationOutcome ClusterRuntime::run() {
  submit_next_part();
  engine_.run(*this);
  while (!complete() && make_way()) engine_.run(*this);
  FACTOSIM_ALWAYS(complete(), fmt::format("the simulation came to a stop at {:.6g} s after {} of {} tasks",
                                          engine_.now().value, submission_.tasks_ran(), flow_.task_count()));
  SimulationOutcome outcome = observer_.outcome();
  FACTOSIM_ALWAYS(std::isfinite(outcome.makespan.value), "a run lasts for ever");
  outcome.events = engine_.events_handled();
  for (std::uint32_t n = 0; n < nodes_.count(); ++n) {
    outcome.nodes[n].peak_memory_bytes = nodes_[NodeId{n}].data().ram().peak_bytes();
    outcome.nodes[n].over_memory_bytes = nodes_[NodeId{n}].data().ram().excess_bytes();
  }
  return outcome;
}

void ClusterRuntime::handle(Event event) {
  switch (auto const kind = static_cast<EventKind>(event.kind)) {
    case EventKind::worker_continues:
    case EventKind::kernel_ends:
      return handle_worker(kind, WorkerId{event.subject});
    case EventKind::task_submitted:
      return task_submitted(TaskId{event.subject});
    case EventKind::submission_continues:
      return submission_.resume_thread(NodeId{event.subject});
    case EventKind::message_submitted:
      return outbox_.submitted(MessageId{event.subject});
    case EventKind::sends_start:
      return outbox_.wake(NodeId{event.subject});
    case EventKind::message_posted:
      return outbox_.post(MessageId{event.subject});
    case EventKind::message_starts:
      return transfers_.start_message(MessageId{event.subject});
    case EventKind::message_announced:
      return receives_->announced(MessageId{event.subject});
    case EventKind::message_received:
      return message_received(MessageId{event.subject});
    case EventKind::message_delivered:
      return inbox_.deliver(MessageId{event.subject});
    case EventKind::reader_pushed:
      return inbox_.push_next(NodeId{event.subject});
    case EventKind::receives_submitted:
      return receives_->post_next(NodeId{event.subject});
    case EventKind::barrier_passed:
      return submit_next_part();
    case EventKind::transfer_ended:
      return transfer_ended(event.subject);
    case EventKind::receive_allocated:
      return resume_communication(MessageId{event.subject});
  }
}

void ClusterRuntime::handle_worker(EventKind kind, WorkerId worker) {
  NodeId const node = node_of_worker_[worker.index()];
  LocalWorker const number{worker.value() - inputs_.machine.first_worker[node.index()]};
  if (kind == EventKind::worker_continues)
    nodes_[node].worker_continues(number);
  else
    nodes_[node].kernel_ends(number);
}

// ---- tasks ----

void ClusterRuntime::submit_next_part() {
  observer_.part_begins();
  submission_.begin_next_part();
  outputs_.send_held();
  submission_.submit_part();
  if (!receives_ || submission_.has_threads()) return;
  for (std::uint32_t n = 0; n < nodes_.count(); ++n) receives_->schedule_next(NodeId{n});
}

void ClusterRuntime::task_submitted(TaskId task) {
  NodeId const node = inputs_.plan.node_of(task);
  bool const ready = submission_.task_submitted(task);
  if (receives_ && submission_.has_threads()) receives_->post_until(node, task);
  if (ready) nodes_[node].push(task, LocalWorker{});
}

void ClusterRuntime::task_ran(TaskId task, NodeId node, LocalWorker worker, Seconds start, Seconds end,
                              Seconds work) {
  observer_.task_ran(task, node, worker, start, end, work);
  replay_.task_ran(task, end);
  if (submission_.task_ran()) engine_.after(Seconds{0}, event(EventKind::barrier_passed, 0));
  if (inputs_.graph.flushes(task)) {
    if (receives_) receives_->task_flushed(task);
    inbox_.task_flushed(task);
  }
  submission_.resume(node);
  if (progress_ && submission_.tasks_ran() % 4096 == 0) progress_(submission_.tasks_ran());
}

// ---- messages ----

void ClusterRuntime::transfer_ended(TransferToken token) {
  auto const carried = transfers_.end(TransferId{token});
  if (auto const* const copy = std::get_if<LocalCopy>(&carried))
    nodes_[copy->node].data().transfers().copy_ended(copy->request);
  else
    message_carried(std::get<MessageId>(carried));
}

void ClusterRuntime::message_carried(MessageId id) {
  NodeId const source = messages_[id].source;
  using End = PinnedReceives::Deferred::End;
  bool const noticed = !receives_ || !receives_->defer(messages_.destination(id), {End::received, id});
  outbox_.sent(id);
  if (noticed && !threads_) outbox_.forward(id);
  outbox_.start_delayed_sends(source);
  if (!noticed) return;
  if (threads_)
    message_noticed(id);
  else
    message_arrived(id);
}

void ClusterRuntime::message_noticed(MessageId id) {
  if (!threads_) return message_received(id);
  Seconds const time = threads_->handle(messages_.destination(id), messages_.size(id));
  engine_.after(time, event(EventKind::message_received, id.value()));
}

void ClusterRuntime::message_received(MessageId id) {
  NodeId const source = messages_[id].source;
  outbox_.forward(id);
  outbox_.start_sends(source);  // a broadcast may have given it another message after its send has ended
  message_arrived(id);
}

void ClusterRuntime::message_arrived(MessageId id) {
  if (!receives_ || !receives_->arrived_early(id)) inbox_.arrived(id);
}

void ClusterRuntime::buffer_ready(NodeId node, BufferRequest const& request, std::vector<ReadyTask>& ready) {
  if (request.early)
    resume_communication(MessageId{request.id});
  else
    receives_->receive_ready(node, EdgeId{request.id}, true, &ready);
}

void ClusterRuntime::resume_communication(MessageId id) {
  NodeId const node = messages_.destination(id);
  for (auto const& [end, message] : receives_->memory_ready(id)) {
    if (end == PinnedReceives::Deferred::End::sent) {
      outbox_.end_send(node);
      continue;
    }
    message_noticed(message);
  }
  outbox_.start_sends(node);
  receives_->listen(node);
}

}  // namespace factosim
