#include "simulator/runtime/cluster/formula_flow.hpp"

#include <array>
#include <numeric>
#include <utility>

#include "factosim/error.hpp"

namespace factosim {

namespace {

constexpr std::uint32_t most_accesses = 3;

/// Numbers the tiles by node, and plans their replicas on their owners.
ExecutionPlan plan_of_tiles(std::span<NodeId const> owner, std::size_t nodes) {
  ExecutionPlan out;
  std::vector<std::uint32_t>& first = out.first_task;
  first.assign(nodes + 1, 0);
  for (NodeId const node : owner) ++first[node.index() + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  out.first_replica = first;
  out.replicas.resize(owner.size());
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  for (std::uint32_t h = 0; h < owner.size(); ++h)
    out.replicas[next[owner[h].index()]++] = {.handle = HandleId{h}, .owned = true};
  return out;
}

/// Returns the number of each tile: [tiles].
std::vector<TaskId> numbers_of_tiles(ExecutionPlan const& plan) {
  std::vector<TaskId> out(plan.replica_count());
  for (std::uint32_t t = 0; t < out.size(); ++t) out[plan.replicas[t].handle.index()] = TaskId{t};
  return out;
}

}  // namespace

// ---- the start ----

FormulaFlow::FormulaFlow(TaskFormulas const& formulas, TaskGraph const& data, std::span<NodeId const> owner,
                         std::size_t nodes, bool numbers_messages)
    : formulas_(formulas),
      graph_(data),
      plan_(plan_of_tiles(owner, nodes)),
      task_of_(numbers_of_tiles(plan_)),
      states_(owner.size()),
      lines_(
          formulas, [&](HandleId handle) { return task_of(handle); },
          [&](TaskId task) { return plan_.node_of(task); }),
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
  for (std::uint32_t n = 0; n < nodes; ++n)
    for (std::uint32_t t = plan_.first_task[n]; t < plan_.first_task[n + 1]; ++t) begin(TaskId{t}, NodeId{n});
  if (numbers_messages) number_messages();
}

void FormulaFlow::begin(TaskId task, NodeId node) {
  State& state = states_[task.index()];
  Replica& replica = plan_.replicas[task.index()];
  if (formulas_.last_version(replica.handle) == 0) {
    replica.initial = true;
    state.missing = 1;  // no task of its own is ever free
    return;
  }
  FormulaTask const first = formulas_.task(replica.handle, 0);
  replica.initial = reads(first.access);
  state.missing = first.input_count & 3U;
  graph_.kernel[task.index()] = first.kernel;
  if (state.missing == 0) prepare(task, node);
}

// ---- tasks ----

ReplicaId FormulaFlow::find(HandleId tile, NodeId node) const {
  TaskId const writer = task_of(tile);
  if (plan_.runs_on(writer, node))
    return states_[writer.index()].is_final ? ReplicaId{writer.value()} : ReplicaId{};
  LocalReplica const* const replica = received_[node.index()].find(tile);
  return replica != nullptr ? ReplicaId{plan_.first_replica[node.index()] + replica->value()} : ReplicaId{};
}

bool FormulaFlow::prepare(TaskId task, NodeId node) {
  State& state = states_[task.index()];
  FormulaTask const formula = formulas_.task(tile(task), state.version);
  std::array<ReplicaId, most_accesses - 1> inputs;
  std::uint32_t missing = 0;
  for (std::size_t i = 0; i < formula.input_count; ++i) {
    inputs[i] = find(formula.inputs[i], node);
    if (!inputs[i].valid()) ++missing;
  }
  state.missing = missing & 3U;
  if (missing > 0) return false;
  store(task, formula, {inputs.data(), formula.input_count});
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
  auto const access = [&](HandleId handle, Access mode, ReplicaId replica) {
    graph_.accesses[a] = DataAccess(handle, mode);
    plan_.replica_of_access[a++] = replica;
  };
  for (std::size_t i = 0; i < inputs.size(); ++i) access(formula.inputs[i], Access::read, inputs[i]);
  access(tile(task), formula.access, ReplicaId{task.value()});
  graph_.access_end[t] = a;
}

bool FormulaFlow::ended(TaskId task, NodeId node, std::vector<TaskId>& free) {
  State& state = states_[task.index()];
  ++state.version;
  if (!state.last) {
    if (prepare(task, node)) free.push_back(task);
    return false;
  }
  FACTOSIM_EXPECT(state.version == formulas_.last_version(tile(task)), "a tile is final after its last task");
  state.is_final = 1;
  TileReaders const readers = formulas_.readers(tile(task));
  release(readers, node, free);
  return read_elsewhere(readers, node);
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

bool FormulaFlow::read_elsewhere(TileReaders const& readers, NodeId node) const {
  return std::ranges::any_of(readers.all(), [&](TileRun const& run) {
    return std::ranges::any_of(lines_.parts(run), [&](TileLines::Part const& part) {
      return part.node != node && !lines_.tasks(run, part).empty();
    });
  });
}

// ---- messages ----

void FormulaFlow::number_messages() {
  first_message_.resize(states_.size());
  std::uint64_t count = 0;
  std::vector<std::pair<std::uint64_t, TaskId>> writers;  // last ones of the final tiles of one node
  std::vector<PlannedMessage> messages;
  for (std::uint32_t n = 0; n + 1 < plan_.first_task.size(); ++n) {
    writers.clear();
    for (std::uint32_t t = plan_.first_task[n]; t < plan_.first_task[n + 1]; ++t) {
      HandleId const handle = tile(TaskId{t});
      if (formulas_.readers(handle).run_count == 0) continue;
      std::uint32_t const last = formulas_.last_version(handle);
      FACTOSIM_EXPECT(last > 0, "tiles that are read are written before");
      writers.emplace_back(formulas_.task(handle, last - 1).position, t);
    }
    std::ranges::sort(writers);
    for (auto const& [position, task] : writers) {
      messages.clear();
      append_messages(task, NodeId{n}, messages);
      first_message_[task.index()] = static_cast<std::uint32_t>(count);
      count += messages.size();
      if (messages.empty()) continue;
      std::size_t const version = formulas_.readers(tile(task)).version;
      by_version_.resize(std::max(by_version_.size(), version + 1));
      by_version_[version].push_back(task);
    }
  }
  FACTOSIM_ALWAYS(count < EdgeId::none, "more messages than 32 bits can number");
}

void FormulaFlow::append_messages(TaskId task, NodeId home, std::vector<PlannedMessage>& out) const {
  TileReaders const readers = formulas_.readers(tile(task));
  std::size_t const begin = out.size();
  PlannedMessage const message{
      .producer = task, .handle = tile(task), .home = home, .destination = home, .first_reader = {}};
  for (TileRun const& run : readers.all()) {
    std::size_t known = begin;  // messages for the run before, by destination
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
      out.push_back(message);
      out.back().destination = part.node;
      add_readers(tasks, readers.version, out.back());
    }
    auto const place = [&](std::size_t i) { return out.begin() + static_cast<std::ptrdiff_t>(i); };
    std::inplace_merge(
        place(begin), place(known_end), out.end(),
        [](PlannedMessage const& a, PlannedMessage const& b) { return a.destination < b.destination; });
  }
  if (first_message_.empty()) return;
  for (std::size_t i = begin; i < out.size(); ++i)
    out[i].first = EdgeId{first_message_[task.index()] + i - begin};
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

bool FormulaFlow::for_next_readers(std::function<void(PlannedMessage const&)> const& use) {
  if (next_version_ == by_version_.size()) return false;
  std::vector<PlannedMessage> messages;
  for (TaskId const task : by_version_[next_version_++]) {
    messages.clear();
    append_messages(task, plan_.node_of(task), messages);
    std::ranges::for_each(messages, use);
  }
  return true;
}

void FormulaFlow::delivered(PlannedMessage const& message, LocalReplica replica, std::vector<TaskId>& free) {
  received_[message.destination.index()].find_or_add(message.handle, replica);
  release(formulas_.readers(message.handle), message.destination, free);
}

void FormulaFlow::dropped(NodeId node, HandleId handle, LocalReplica replica) {
  auto& received = received_[node.index()];
  LocalReplica const* const known = received.find(handle);
  if (known != nullptr && *known == replica) received.remove(handle);
}

}  // namespace factosim
