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
  std::size_t const t = task.index();
  std::uint32_t const tasks = formulas_.tasks_of(tile(task));
  if (tasks == 0) {
    states_[t].missing = 1;  // no task of its own is ever free
    return;
  }
  FormulaTask const first = formulas_.task(tile(task), 0);
  Replica& replica = plan_.replicas[t];
  replica.initial = reads(first.access);
  if (formulas_.readers(tile(task), tasks).taker.valid()) {
    replica.owned = false;
    replica.uses = tasks + uses_from(tile(task), tasks, node);
    passed_.resize(states_.size());
    passed_[t] = own_replica(task);
    states_[t].is_passed_on = true;
  }
  bool const is_given = first.passed.valid() && reads(first.passed_access);
  states_[t].missing = static_cast<std::uint8_t>(first.input_count + (is_given ? 1 : 0));
  graph_.kernel[t] = first.kernel;
  if (states_[t].missing == 0) prepare(task, node);
}

std::uint32_t FormulaFlow::uses_from(HandleId handle, std::uint32_t version, NodeId node) const {
  std::uint32_t uses = 1;
  for (HandleId taker = formulas_.readers(handle, version).taker;
       taker.valid() && plan_.runs_on(task_of_[taker.index()], node);
       taker = formulas_.readers(handle, ++version).taker)
    ++uses;
  return uses;
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
  std::vector<std::pair<std::uint64_t, TaskId>> writers;  // last ones of the final tiles of one node
  std::vector<PlannedMessage> messages;
  std::vector<std::uint32_t> first(tile_of_.size());
  for (std::uint32_t n = 0; n + 1 < plan_.first_task.size(); ++n) {
    writers.clear();
    for (std::uint32_t t = plan_.first_task[n]; t < plan_.first_task[n + 1]; ++t) {
      std::uint32_t const tasks = formulas_.tasks_of(tile(TaskId{t}));
      if (formulas_.readers(tile(TaskId{t}), tasks).run_count == 0) continue;
      writers.emplace_back(tasks > 0 ? formulas_.task(tile(TaskId{t}), tasks - 1).position : 0, TaskId{t});
    }
    std::ranges::sort(writers);
    for (auto const& [position, task] : writers) {
      std::uint32_t const version = formulas_.tasks_of(tile(task));
      std::uint32_t const of_readers = formulas_.readers(tile(task), version).version;
      by_version_.resize(std::max<std::size_t>(by_version_.size(), of_readers + 1));
      by_version_[of_readers].push_back(task);
      messages.clear();
      append(task, NodeId{n}, {.handle = tile(task), .version = version, .position = position}, messages);
      first[task.index()] = message_count_;
      message_count_ += static_cast<std::uint32_t>(messages.size());
    }
  }
  FACTOSIM_ALWAYS(message_count_ + formulas_.task_count() < EdgeId::none,
                  "more messages than 32 bits can number");
  first_message_ = std::move(first);
}

TileLines FormulaFlow::lines() const {
  return TileLines(
      formulas_, [&](HandleId handle) { return task_of_[handle.index()]; },
      [&](TaskId task) { return plan_.node_of(task); });
}

// ---- tasks ----

ReplicaId FormulaFlow::find(HandleId handle, NodeId node) const {
  TaskId const writer = task_of_[handle.index()];
  if (plan_.runs_on(writer, node)) return states_[writer.index()].over ? own_replica(writer) : ReplicaId{};
  LocalReplica const* const replica = received_[node.index()].find(handle);
  return replica != nullptr ? ReplicaId{plan_.first_replica[node.index()] + replica->value()} : ReplicaId{};
}

ReplicaId FormulaFlow::find_passed(FormulaTask const& formula) const {
  TaskId const place = task_of_[formula.passed.index()];
  if (!reads(formula.passed_access)) return own_replica(place);
  State const& state = states_[place.index()];
  return state.over && state.version == formula.passed_version ? passed_[place.index()] : ReplicaId{};
}

bool FormulaFlow::prepare(TaskId task, NodeId node) {
  State& state = states_[task.index()];
  FormulaTask const formula = formulas_.task(tile(task), state.version);
  std::array<ReplicaId, most_accesses - 1> replicas;
  std::size_t others = formula.input_count;
  state.missing = 0;
  for (std::size_t i = 0; i < formula.input_count; ++i) {
    replicas[i] = find(formula.inputs[i], node);
    if (!replicas[i].valid()) ++state.missing;
  }
  if (formula.passed.valid()) {
    FACTOSIM_EXPECT(others < replicas.size(), "a task has at most three accesses");
    replicas[others] = find_passed(formula);
    if (!replicas[others++].valid()) ++state.missing;
  }
  if (state.missing > 0) return false;
  store(task, formula, {replicas.data(), others});
  return true;
}

void FormulaFlow::store(TaskId task, FormulaTask const& formula, std::span<ReplicaId const> others) {
  std::size_t const t = task.index();
  states_[t].last = formula.last;
  states_[t].writes_two = formula.passed.valid();
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
  access(tile(task), formula.access, own_replica(task));
  if (formula.passed.valid()) access(formula.passed, formula.passed_access, others.back());
  graph_.access_end[t] = a;
}

TaskId FormulaFlow::ended(TaskId task, NodeId node, std::vector<TaskId>& free) {
  State& state = states_[task.index()];
  bool const writes_two = state.writes_two;
  ++state.version;
  if (!state.last && !writes_two) {
    if (prepare(task, node)) free.push_back(task);
    return {};
  }
  std::size_t const begin = free.size();
  TaskId sender = writes_two ? pass_on(task, node, free) : TaskId{};
  if (state.last) {
    state.over = true;
    TileReaders const readers = formulas_.readers(tile(task), state.version);
    release(readers, node, free);
    bool const sends_tile = read_elsewhere(readers, node);
    std::uint32_t const end = graph_.access_end[task.index()];
    auto const is_not_sent = [&](std::uint32_t a) {
      graph_.accesses[a] = DataAccess(graph_.accesses[a].handle(), Access::read);
    };
    if (sends_tile && writes_two && !sender.valid()) is_not_sent(end - 1);
    if (!sends_tile && sender.valid()) is_not_sent(end - 2);
    if (sends_tile && state.is_passed_on) passed_[task.index()] = {};
    if (sends_tile) sender = task;
  } else if (prepare(task, node)) {
    free.push_back(task);
  }
  if (writes_two) sort_by_submission(free, begin);
  return sender;
}

TaskId FormulaFlow::pass_on(TaskId task, NodeId node, std::vector<TaskId>& free) {
  std::uint32_t const a = graph_.access_end[task.index()] - 1;
  HandleId const handle = graph_.accesses[a].handle();
  TaskId const place = task_of_[handle.index()];
  State& state = states_[place.index()];
  ++state.version;
  state.over = true;
  if (state.is_passed_on) passed_[place.index()] = plan_.replica_of_access[a];
  TileReaders const readers = formulas_.readers(handle, state.version);
  release(readers, node, free);
  if (!read_elsewhere(readers, node)) return {};
  if (state.is_passed_on) passed_[place.index()] = {};
  if (states_[task.index()].last) return task;
  graph_.priority[place.index()] = graph_.priority[task.index()];
  graph_.submission[place.index()] = graph_.submission[task.index()];
  std::uint32_t const sent = graph_.access_begin[place.index()];
  graph_.accesses[sent] = DataAccess(handle, Access::write);
  plan_.replica_of_access[sent] = plan_.replica_of_access[a];
  graph_.access_end[place.index()] = sent + 1;
  return place;
}

void FormulaFlow::release(TileReaders const& readers, NodeId node, std::vector<TaskId>& free) {
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
  if (plan_.runs_on(taker, node)) has_one_more(taker);
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
    append(sender, home,
           {.handle = handle,
            .version = states_[task_of_[handle.index()].index()].version,
            .position = graph_.submission[s],
            .replica = plan_.local(home, plan_.replica_of_access[a])},
           out);
  }
}

void FormulaFlow::append(TaskId sender, NodeId home, Output const& output,
                         std::vector<PlannedMessage>& out) const {
  TileReaders const readers = formulas_.readers(output.handle, output.version);
  if (readers.taker.valid()) {
    TaskId const taker = task_of_[readers.taker.index()];
    if (plan_.runs_on(taker, home)) return;
    PlannedMessage message{.producer = sender,
                           .handle = output.handle,
                           .home = home,
                           .destination = plan_.node_of(taker),
                           .first_reader = {},
                           .source_replica = output.replica};
    add_readers({&taker, 1}, readers.version, message);
    message.uses = uses_from(output.handle, output.version, message.destination);
    if (!first_message_.empty()) message.first = EdgeId{message_count_ + output.position};
    out.push_back(message);
    return;
  }
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
      out.push_back({.producer = sender,
                     .handle = output.handle,
                     .home = home,
                     .destination = part.node,
                     .first_reader = {}});
      add_readers(tasks, readers.version, out.back());
    }
    std::inplace_merge(
        out.begin() + static_cast<std::ptrdiff_t>(begin),
        out.begin() + static_cast<std::ptrdiff_t>(known_end), out.end(),
        [](PlannedMessage const& a, PlannedMessage const& b) { return a.destination < b.destination; });
  }
  if (first_message_.empty()) return;
  std::uint32_t const first = first_message_[task_of_[output.handle.index()].index()];
  for (std::size_t i = begin; i < out.size(); ++i) out[i].first = EdgeId{first + i - begin};
}

bool FormulaFlow::for_next_readers(std::function<void(PlannedMessage const&)> const& use) {
  if (next_version_ == by_version_.size()) return false;
  std::uint32_t const version = next_version_++;
  std::vector<PlannedMessage> messages;
  auto const tell = [&](TaskId task, FormulaTask const& formula, std::uint32_t written) {
    NodeId const home = plan_.node_of(task);
    messages.clear();
    if (formula.last)
      append(task, home, {.handle = tile(task), .version = written, .position = formula.position}, messages);
    if (formula.passed.valid())
      append(task, home,
             {.handle = formula.passed, .version = formula.passed_version + 1, .position = formula.position},
             messages);
    std::ranges::for_each(messages, use);
  };
  if (passed_.empty()) {
    for (TaskId const task : by_version_[version]) {
      std::uint32_t const tasks = formulas_.tasks_of(tile(task));
      tell(task, formulas_.task(tile(task), tasks - 1), tasks);
    }
    return true;
  }
  // Where tiles are passed on, readers and what they read have the same version.
  std::vector<std::pair<std::uint64_t, TaskId>> writers;  // of one node
  for (std::size_t n = 0; n + 1 < plan_.first_task.size(); ++n) {
    writers.clear();
    for (std::uint32_t t = plan_.first_task[n]; t < plan_.first_task[n + 1]; ++t)
      if (formulas_.tasks_of(tile(TaskId{t})) > version)
        writers.emplace_back(formulas_.task(tile(TaskId{t}), version).position, TaskId{t});
    std::ranges::sort(writers);
    for (auto const& [position, task] : writers) tell(task, formulas_.task(tile(task), version), version + 1);
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
  NodeId const node = message.destination;
  TaskId const place = task_of_[message.handle.index()];
  if (is_passed_on(place))
    passed_[place.index()] = ReplicaId{plan_.first_replica[node.index()] + replica.value()};
  else
    received_[node.index()].find_or_add(message.handle, replica);
  release(formulas_.readers(message.handle, states_[place.index()].version), node, free);
}

}  // namespace factosim
