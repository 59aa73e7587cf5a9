#include "simulator/runtime/cluster/stored_flow.hpp"

#include <algorithm>
#include <utility>

namespace factosim {

TaskId StoredFlow::ended(TaskId task, NodeId node, std::vector<TaskId>& free) {
  for (TaskId const successor : inputs_.graph.successors_of(task)) {
    if (!inputs_.plan.runs_on(successor, node)) return task;  // successors on the own node come first
    if (count_predecessor(successor)) free.push_back(successor);
  }
  return {};
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
    if (graph.flushes(before) && plan.runs_on(before, out.destination)) out.after = before;
  }
  return out;
}

void StoredFlow::delivered(PlannedMessage const& message, LocalReplica /*replica*/,
                           std::vector<TaskId>& free) {
  for (std::uint32_t e = message.first.value(); e < message.last.value(); ++e)
    if (TaskId const reader = inputs_.graph.successors[e]; count_predecessor(reader)) free.push_back(reader);
}

}  // namespace factosim
