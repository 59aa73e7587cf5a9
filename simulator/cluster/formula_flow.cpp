#include "simulator/cluster/formula_flow.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "factosim/error.hpp"

namespace factosim {

namespace {

constexpr std::uint32_t most_accesses = std::tuple_size_v<decltype(FormulaTask::inputs)> + 1;

}  // namespace

// ---- the start ----

FormulaFlow::FormulaFlow(TaskFormulas const& formulas, TaskGraph const& data, std::span<NodeId const> owner,
                         std::size_t nodes, bool numbers_messages)
    : formulas_(formulas),
      graph_(data),
      task_of_(owner.size()),
      tile_of_(owner.size()),
      states_(owner.size()),
      lines_((number_tiles(owner, nodes), lines())),
      received_(nodes) {
  std::size_t const tiles = owner.size();
  graph_.successor_begin.clear();
  graph_.kernel.resize(tiles);
  graph_.priority.resize(tiles);
  graph_.indices.resize(tiles);
  graph_.access_end.resize(tiles);
  graph_.accesses.resize(most_accesses * tiles, DataAccess(HandleId{0}, Access::read));
  graph_.writes_back.resize(tiles);
  graph_.submission.resize(tiles);
  plan_.replica_of_access.resize(graph_.accesses.size());
  graph_.access_begin.resize(tiles);
  for (std::uint32_t t = 0; t < tiles; ++t) graph_.access_begin[t] = most_accesses * t;
  if (numbers_messages) number_messages();
  for (std::uint32_t n = 0; n < nodes; ++n)
    for (std::uint32_t t = plan_.first_task[n]; t < plan_.first_task[n + 1]; ++t) {
      if (!formulas.is_written(tile(TaskId{t}))) {
        states_[t] = {.version = final_version, .missing = 1};
        continue;
      }
      FormulaTask const first = formulas.task(tile(TaskId{t}), 0);
      plan_.replicas[t].initial = reads(first.access);
      states_[t].missing = first.input_count;
      graph_.kernel[t] = first.kernel;
      if (first.input_count == 0) store(TaskId{t}, first, {});
    }
}

void FormulaFlow::number_tiles(std::span<NodeId const> owner, std::size_t nodes) {
  plan_.first_task.assign(nodes + 1, 0);
  for (NodeId const node : owner) ++plan_.first_task[node.index() + 1];
  for (std::size_t n = 0; n < nodes; ++n) plan_.first_task[n + 1] += plan_.first_task[n];
  plan_.first_replica = plan_.first_task;
  plan_.replicas.resize(owner.size());
  std::vector<std::uint32_t> next(plan_.first_task.begin(), plan_.first_task.end() - 1);
  for (std::uint32_t h = 0; h < owner.size(); ++h) {
    task_of_[h] = TaskId{next[owner[h].index()]++};
    tile_of_[task_of_[h].index()] = HandleId{h};
    plan_.replicas[task_of_[h].index()] = {.handle = HandleId{h}, .owned = true};
  }
}

void FormulaFlow::number_messages() {
  std::vector<std::pair<std::uint64_t, TaskId>> last_tasks;  // of one node
  std::vector<PlannedMessage> messages;
  std::vector<std::uint32_t> first(tile_of_.size());
  for (std::size_t n = 0; n + 1 < plan_.first_task.size(); ++n) {
    last_tasks.clear();
    for (std::uint32_t t = plan_.first_task[n]; t < plan_.first_task[n + 1]; ++t)
      if (formulas_.is_written(tile(TaskId{t})))
        last_tasks.emplace_back(last_position(tile(TaskId{t})), TaskId{t});
    std::ranges::sort(last_tasks);
    for (auto const& [position, task] : last_tasks) {
      std::uint32_t const version = formulas_.readers(tile(task)).version;
      by_version_.resize(std::max<std::size_t>(by_version_.size(), version + 1));
      by_version_[version].push_back(task);
      messages.clear();
      append_messages(task, messages);
      first[task.index()] = message_count_;
      message_count_ += static_cast<std::uint32_t>(messages.size());
    }
  }
  first_message_ = std::move(first);
}

TileLines FormulaFlow::lines() const {
  return TileLines(
      formulas_, [&](HandleId handle) { return task_of_[handle.index()]; },
      [&](TaskId task) { return plan_.node_of(task); });
}

std::uint64_t FormulaFlow::last_position(HandleId tile) const {
  std::uint32_t version = formulas_.readers(tile).version;
  FormulaTask task = formulas_.task(tile, version);
  while (!task.last) task = formulas_.task(tile, ++version);
  return task.position;
}

// ---- tasks ----

ReplicaId FormulaFlow::find(HandleId handle, NodeId node) const {
  TaskId const writer = task_of_[handle.index()];
  if (plan_.runs_on(writer, node))
    return states_[writer.index()].version == final_version ? own_replica(writer) : ReplicaId{};
  LocalReplica const* const replica = received_[node.index()].find(handle);
  return replica != nullptr ? ReplicaId{plan_.first_replica[node.index()] + replica->value()} : ReplicaId{};
}

bool FormulaFlow::prepare(TaskId task, NodeId node) {
  State& state = states_[task.index()];
  FormulaTask const formula = formulas_.task(tile(task), state.version);
  std::array<ReplicaId, most_accesses - 1> replicas;
  state.missing = 0;
  for (std::size_t i = 0; i < formula.input_count; ++i) {
    replicas[i] = find(formula.inputs[i], node);
    if (!replicas[i].valid()) ++state.missing;
  }
  if (state.missing > 0) return false;
  store(task, formula, {replicas.data(), formula.input_count});
  return true;
}

void FormulaFlow::store(TaskId task, FormulaTask const& formula, std::span<ReplicaId const> inputs) {
  std::size_t const t = task.index();
  states_[t].last = formula.last;
  graph_.kernel[t] = formula.kernel;
  graph_.priority[t] = formula.priority;
  graph_.indices[t] = formula.indices;
  graph_.submission[t] = static_cast<std::uint32_t>(formula.position);
  graph_.writes_back[t] = formula.writes_back;
  std::uint32_t a = graph_.access_begin[t];
  for (std::size_t i = 0; i < inputs.size(); ++i, ++a) {
    graph_.accesses[a] = DataAccess(formula.inputs[i], Access::read);
    plan_.replica_of_access[a] = inputs[i];
  }
  graph_.accesses[a] = DataAccess(tile(task), formula.access);
  plan_.replica_of_access[a] = own_replica(task);
  graph_.access_end[t] = a + 1;
}

bool FormulaFlow::ended(TaskId task, NodeId node, std::vector<TaskId>& free) {
  State& state = states_[task.index()];
  if (!state.last) {
    ++state.version;
    if (prepare(task, node)) free.push_back(task);
    return false;
  }
  state.version = final_version;
  TileReaders const readers = formulas_.readers(tile(task));
  release(readers, node, free);
  return std::ranges::any_of(readers.all(), [&](TileRun const& run) {
    return std::ranges::any_of(lines_.parts(run), [&](TileLines::Part const& part) {
      return part.node != node && !lines_.tasks(run, part).empty();
    });
  });
}

void FormulaFlow::release(TileReaders const& readers, NodeId node, std::vector<TaskId>& free) {
  std::size_t const begin = free.size();
  for (TileRun const& run : readers.all()) {
    TileLines::Part const* const part = lines_.part(run, node);
    if (part == nullptr) continue;
    for (TaskId const task : lines_.tasks(run, *part)) {
      State& state = states_[task.index()];
      if (state.version == readers.version && --state.missing == 0 && prepare(task, node))
        free.push_back(task);
    }
  }
  if (readers.run_count > 1)
    std::sort(free.begin() + static_cast<std::ptrdiff_t>(begin), free.end(), [&](TaskId a, TaskId b) {
      return graph_.submission[a.index()] < graph_.submission[b.index()];
    });
}

// ---- messages ----

void FormulaFlow::append_messages(TaskId task, std::vector<PlannedMessage>& out) const {
  NodeId const home = plan_.node_of(task);
  HandleId const handle = tile(task);
  TileReaders const readers = formulas_.readers(handle);
  std::size_t const begin = out.size();
  for (TileRun const& run : readers.all()) {
    std::size_t known = begin;  // messages for the runs before, by destination
    std::size_t const known_end = out.size();
    for (TileLines::Part const& part : lines_.parts(run)) {
      if (part.node == home) continue;
      auto const tasks = lines_.tasks(run, part);
      if (tasks.empty()) continue;
      while (known < known_end && out[known].destination < part.node) ++known;
      if (known < known_end && out[known].destination == part.node) {
        add_readers(tasks, readers.version, out[known]);
        continue;
      }
      out.push_back({.producer = task, .handle = handle, .destination = part.node, .first_reader = {}});
      add_readers(tasks, readers.version, out.back());
    }
    std::inplace_merge(
        out.begin() + static_cast<std::ptrdiff_t>(begin),
        out.begin() + static_cast<std::ptrdiff_t>(known_end), out.end(),
        [](PlannedMessage const& a, PlannedMessage const& b) { return a.destination < b.destination; });
  }
  if (first_message_.empty()) return;
  for (std::size_t i = begin; i < out.size(); ++i)
    out[i].first = EdgeId{first_message_[task.index()] + i - begin};
}

bool FormulaFlow::for_next_readers(std::function<void(PlannedMessage const&)> const& use) {
  if (next_version_ == by_version_.size()) return false;
  std::vector<PlannedMessage> messages;
  for (TaskId const task : by_version_[next_version_++]) {
    messages.clear();
    append_messages(task, messages);
    std::ranges::for_each(messages, use);
  }
  return true;
}

void FormulaFlow::add_readers(std::span<TaskId const> tasks, std::uint32_t version,
                              PlannedMessage& message) const {
  FormulaTask const first = formulas_.task(tile(tasks.front()), version);
  bool const is_new = message.uses == 0;
  message.uses += static_cast<std::uint32_t>(tasks.size());
  TaskId const position{first.position};
  if (!is_new && position > message.first_reader) return;
  message.first_reader = position;
  message.priority = first.priority;
}

void FormulaFlow::delivered(PlannedMessage const& message, LocalReplica replica, std::vector<TaskId>& free) {
  received_[message.destination.index()].find_or_add(message.handle, replica);
  release(formulas_.readers(message.handle), message.destination, free);
}

}  // namespace factosim
