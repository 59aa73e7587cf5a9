#include "simulator/cluster/formula_flow.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "factosim/error.hpp"

namespace factosim {

namespace {

constexpr std::uint32_t most_accesses = 3;

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
      messages_(formulas_, plan_, task_of_, tile_of_, lines_),
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
  if (formulas.passes_tiles()) passed_.resize(tiles);
  for (std::uint32_t n = 0; n < nodes; ++n)
    for (std::uint32_t t = plan_.first_task[n]; t < plan_.first_task[n + 1]; ++t) begin(TaskId{t}, NodeId{n});
  if (numbers_messages) messages_.number();
}

void FormulaFlow::begin(TaskId task, NodeId node) {
  std::size_t const t = task.index();
  if (formulas_.last_version(tile(task)) == 0) {
    states_[t].missing = 1;  // no task of its own is ever free
    return;
  }
  FormulaTask const first = formulas_.task(tile(task), 0);
  Replica& replica = plan_.replicas[t];
  replica.initial = reads(first.access);
  if (!passed_.empty()) {
    replica.uses = messages_.uses_from(tile(task), 0, node);
    replica.owned = replica.uses == 0;
    passed_[t].replica = own_replica(task);
  }
  bool const is_given = first.passed.valid() && reads(first.passed_access);
  states_[t].missing = (first.input_count + (is_given ? 1U : 0U)) & 3U;
  graph_.kernel[t] = first.kernel;
  if (states_[t].missing == 0) prepare(task, node);
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

TileLines FormulaFlow::lines() const {
  return TileLines(
      formulas_, [&](HandleId handle) { return task_of_[handle.index()]; },
      [&](TaskId task) { return plan_.node_of(task); });
}

// ---- tasks ----

ReplicaId FormulaFlow::find(HandleId handle, NodeId node) const {
  TaskId const writer = task_of_[handle.index()];
  if (plan_.runs_on(writer, node)) {
    if (!states_[writer.index()].over) return {};
    return passed_.empty() ? own_replica(writer) : passed_[writer.index()].replica;
  }
  LocalReplica const* const replica = received_[node.index()].find(handle);
  return replica != nullptr ? ReplicaId{plan_.first_replica[node.index()] + replica->value()} : ReplicaId{};
}

ReplicaId FormulaFlow::find_passed(FormulaTask const& formula) const {
  TaskId const place = task_of_[formula.passed.index()];
  if (!reads(formula.passed_access)) return own_replica(place);
  Passed const& passed = passed_[place.index()];
  return passed.version == formula.passed_version ? passed.replica : ReplicaId{};
}

bool FormulaFlow::prepare(TaskId task, NodeId node) {
  State& state = states_[task.index()];
  FormulaTask const formula = formulas_.task(tile(task), state.version);
  std::array<ReplicaId, most_accesses - 1> replicas;
  std::size_t others = formula.input_count;
  std::uint32_t missing = 0;
  for (std::size_t i = 0; i < formula.input_count; ++i) {
    replicas[i] = find(formula.inputs[i], node);
    if (!replicas[i].valid()) ++missing;
  }
  if (formula.passed.valid()) {
    FACTOSIM_EXPECT(others < replicas.size(), "a task has at most three accesses");
    replicas[others] = find_passed(formula);
    if (!replicas[others++].valid()) ++missing;
  }
  state.missing = missing & 3U;
  if (missing > 0) return false;
  store(task, formula, {replicas.data(), others});
  return true;
}

void FormulaFlow::store(TaskId task, FormulaTask const& formula, std::span<ReplicaId const> others) {
  std::size_t const t = task.index();
  State& state = states_[t];
  bool const writes_two = formula.passed.valid();
  state = {.version = state.version,
           .followed = !formula.last && !formula.passed_on && !writes_two,
           .last = formula.last,
           .passed_on = formula.passed_on,
           .writes_two = writes_two};
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
  for (std::size_t i = 0; i < formula.input_count; ++i) access(formula.inputs[i], Access::read, others[i]);
  access(tile(task), formula.access, passed_.empty() ? own_replica(task) : passed_[t].replica);
  if (formula.passed.valid()) access(formula.passed, formula.passed_access, others.back());
  if (!passed_.empty()) {
    passed_[t] = {.replica = {}, .version = formula.written};
    if (formula.passed.valid())
      passed_[task_of_[formula.passed.index()].index()] = {.replica = {}, .version = formula.passed_written};
  }
  graph_.access_end[t] = a;
}

TaskId FormulaFlow::ended(TaskId task, NodeId node, std::vector<TaskId>& free) {
  State& state = states_[task.index()];
  if (!state.followed) return pass_on(task, node, free);
  if (passed_.empty()) {
    ++state.version;
  } else {
    state.version = passed_[task.index()].version;
    passed_[task.index()].replica = plan_.replica_of_access[graph_.access_end[task.index()] - 1];
  }
  if (prepare(task, node)) free.push_back(task);
  return {};
}

TaskId FormulaFlow::pass_on(TaskId task, NodeId node, std::vector<TaskId>& free) {
  State& state = states_[task.index()];
  std::size_t const begin = free.size();
  std::uint32_t const second = graph_.access_end[task.index()] - 1;
  std::uint32_t const first = state.writes_two ? second - 1 : second;
  bool const keeps_tile = !state.last && !state.passed_on;
  bool sends_second = false, sends_tile = false;
  if (state.writes_two) sends_second = hand_out(second, node, free);
  if (keeps_tile) {
    passed_[task.index()].replica = plan_.replica_of_access[first];
  } else {
    if (passed_.empty()) ++state.version;
    state.over = state.last ? 1 : 0;
    sends_tile = hand_out(first, node, free);
  }
  TaskId sender;
  if (sends_second && !state.last) {
    // The number of the task may be that of the next one soon.
    sender = task_of_[graph_.accesses[second].handle().index()];
    graph_.priority[sender.index()] = graph_.priority[task.index()];
    graph_.submission[sender.index()] = graph_.submission[task.index()];
    std::uint32_t a = graph_.access_begin[sender.index()];
    for (std::uint32_t const sent : {first, second}) {
      if (sent == first && !sends_tile) continue;
      graph_.accesses[a] = graph_.accesses[sent];
      plan_.replica_of_access[a++] = plan_.replica_of_access[sent];
    }
    graph_.access_end[sender.index()] = a;
  } else if (sends_tile || sends_second) {
    sender = task;
    auto const is_not_sent = [&](std::uint32_t a) {
      graph_.accesses[a] = DataAccess(graph_.accesses[a].handle(), Access::read);
    };
    if (!sends_tile) is_not_sent(first);
    if (!sends_second && state.writes_two) is_not_sent(second);
  }
  if (keeps_tile) {
    state.version = passed_[task.index()].version;
    if (prepare(task, node)) free.push_back(task);
  }
  if (second > first) sort_by_submission(free, begin);
  return sender;
}

bool FormulaFlow::hand_out(std::uint32_t access, NodeId node, std::vector<TaskId>& free) {
  HandleId const handle = graph_.accesses[access].handle();
  TaskId const place = task_of_[handle.index()];
  State& state = states_[place.index()];
  if (!passed_.empty()) {
    passed_[place.index()].replica = plan_.replica_of_access[access];
    if (formulas_.last_version(handle) == 0) state.over = 1;  // a handle without tasks has been created
    if (!state.over) state.version = elsewhere;
  }
  TileReaders const readers = formulas_.readers(handle, version(place));
  release(handle, readers, node, free);
  if (!read_elsewhere(readers, node)) return false;
  if (readers.taker.valid()) passed_[place.index()].replica = {};
  return true;
}

void FormulaFlow::release(HandleId handle, TileReaders const& readers, NodeId node,
                          std::vector<TaskId>& free) {
  std::size_t const begin = free.size();
  auto const has_one_more = [&](TaskId task) {
    State& state = states_[task.index()];
    if (state.version == readers.version && --state.missing == 0 && prepare(task, node)) free.push_back(task);
  };
  for (TileRun const& run : readers.all()) {
    TileLines::Part const* const part = lines_.part(run, node);
    if (part == nullptr) continue;
    for (TaskId const task : lines_.tasks(run, *part)) has_one_more(task);
  }
  if (readers.run_count > 1) sort_by_submission(free, begin);
  if (!readers.taker.valid()) return;
  TaskId const taker = task_of_[readers.taker.index()];
  if (!plan_.runs_on(taker, node)) return;
  if (readers.taker != handle) return has_one_more(taker);
  states_[taker.index()].version = readers.version;
  if (prepare(taker, node)) free.push_back(taker);
}

bool FormulaFlow::read_elsewhere(TileReaders const& readers, NodeId node) const {
  if (readers.taker.valid()) return !plan_.runs_on(task_of_[readers.taker.index()], node);
  return std::ranges::any_of(readers.all(), [&](TileRun const& run) {
    return std::ranges::any_of(lines_.parts(run), [&](TileLines::Part const& part) {
      return part.node != node && !lines_.tasks(run, part).empty();
    });
  });
}

void FormulaFlow::sort_by_submission(std::vector<TaskId>& free, std::size_t begin) const {
  std::sort(free.begin() + static_cast<std::ptrdiff_t>(begin), free.end(),
            [&](TaskId a, TaskId b) { return graph_.submission[a.index()] < graph_.submission[b.index()]; });
}

// ---- messages ----

void FormulaFlow::append_messages(TaskId sender, NodeId home, std::vector<PlannedMessage>& out) const {
  std::size_t const s = sender.index();
  for (std::uint32_t a = graph_.access_begin[s]; a < graph_.access_end[s]; ++a) {
    if (!writes(graph_.accesses[a].mode())) continue;
    HandleId const handle = graph_.accesses[a].handle();
    messages_.append(sender, home,
                     {.handle = handle,
                      .version = version(task_of_[handle.index()]),
                      .position = graph_.submission[s],
                      .replica = plan_.local(home, plan_.replica_of_access[a])},
                     out);
  }
}

void FormulaFlow::delivered(PlannedMessage const& message, LocalReplica replica, std::vector<TaskId>& free) {
  NodeId const node = message.destination;
  TaskId const place = task_of_[message.handle.index()];
  TileReaders const readers = formulas_.readers(message.handle, version(place));
  if (readers.taker.valid())
    passed_[place.index()].replica = ReplicaId{plan_.first_replica[node.index()] + replica.value()};
  else
    received_[node.index()].find_or_add(message.handle, replica);
  release(message.handle, readers, node, free);
}

}  // namespace factosim
