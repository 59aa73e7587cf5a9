#include "simulator/runtime/cluster/formula_flow.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "factosim/error.hpp"

namespace factosim {

namespace {

constexpr std::uint32_t most_accesses = 3;

}  // namespace

// ---- the start ----

FormulaFlow::FormulaFlow(TaskFormulas const& formulas, TaskGraph const& data, OwnersByPlacement const& owners,
                         std::size_t nodes, bool numbers_messages)
    : formulas_(formulas),
      places_(formulas, owners, nodes),
      graph_(data),
      plan_(planned()),
      has_gaps_(formulas.versions_have_gaps()),
      states_(places_.count()),
      flush_(formulas.flush_position()),
      lines_(lines()),
      messages_(places_, plan_, lines_),
      received_(nodes) {
  std::size_t const tiles = places_.count();
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
  for (std::uint64_t const barrier : formulas.barriers())
    graph_.barriers.push_back(static_cast<std::uint32_t>(barrier));
  if (formulas.passes_tiles()) passed_.resize(tiles);
  for (std::uint32_t n = 0; n < nodes; ++n)
    for (std::uint32_t t = plan_.first_task[n]; t < plan_.first_task[n + 1]; ++t)
      plan_replica(TaskId{t}, NodeId{n});
  if (places_.have_moves()) plan_moves();
  begin_all();
  if (numbers_messages) messages_.number();
}

ExecutionPlan FormulaFlow::planned() const {
  ExecutionPlan out;
  out.first_task = out.first_replica = places_.first();
  for (std::uint32_t t = 0; t < places_.count(); ++t)
    out.replicas.push_back({.handle = tile(TaskId{t}), .owned = true});
  return out;
}

void FormulaFlow::plan_replica(TaskId task, NodeId node) {
  Replica& replica = plan_.replicas[task.index()];
  HandleId const handle = tile(task);
  if (formulas_.last_version(handle) == 0) {
    replica.initial = passed_.empty();  // else one of the tasks of another tile creates it
    return;
  }
  if (moves_here(task)) return;
  replica.initial = reads(places_.task(task, formulas_.first_version(handle)).access);
  if (passed_.empty()) return;
  replica.uses = messages_.uses_from(handle, 0, node);
  replica.owned = replica.uses == 0;
}

void FormulaFlow::plan_moves() {
  std::uint32_t const repetitions = formulas_.repetitions();
  for (std::uint32_t n = 0; n + 1 < plan_.first_task.size(); ++n)
    for (std::uint32_t t = plan_.first_task[n]; t < plan_.first_task[n + 1]; ++t) {
      if (!places_.moves_away(TaskId{t})) continue;
      Replica& replica = plan_.replicas[t];
      replica.owned = false;
      bool const comes_back = repetitions > 1 && messages_.goes_to(places_.other_place(TaskId{t}), NodeId{n});
      // By the task and by the message with its output. What comes back is the replica of the next repetition.
      replica.uses = (comes_back ? 1 : repetitions) * FormulaMessages::uses_of_move;
    }
  if (repetitions == 1) return;
  for (std::uint32_t t = 0; t < places_.count(); ++t) held_.emplace_back(t);
}

void FormulaFlow::begin_all() {
  for (std::uint32_t n = 0; n + 1 < plan_.first_task.size(); ++n)
    for (std::uint32_t t = plan_.first_task[n]; t < plan_.first_task[n + 1]; ++t) begin(TaskId{t}, NodeId{n});
}

void FormulaFlow::part_begins(std::uint32_t first) {
  std::uint64_t const length = formulas_.task_count() / formulas_.repetitions();
  if (first < before_ + length) return;
  ++repetition_;
  before_ += length;
  flush_ += length;
  for (std::uint32_t t = 0; t < held_.size(); ++t) {
    if (!places_.moves_away(TaskId{t})) continue;
    NodeId const node = plan_.node_of(TaskId{t});
    for (bool const after_flush : {false, true}) {
      HandleId const received = key(tile(TaskId{t}), after_flush);
      LocalReplica const* const replica = received_[node.index()].find(received);
      if (replica == nullptr) continue;
      held_[t] = ReplicaId{plan_.first_replica[node.index()] + replica->value()};
      received_[node.index()].remove(received);
    }
  }
  begin_all();
}

void FormulaFlow::begin(TaskId task, NodeId node) {
  std::size_t const t = task.index();
  states_[t] = {};
  HandleId const handle = tile(task);
  if (formulas_.last_version(handle) == 0) {
    states_[t].missing = 1;  // no task of its own is ever free
    return;
  }
  if (moves_here(task)) {
    states_[t].version = elsewhere;
    states_[t].missing = 1;
    graph_.kernel[t] = places_.task(task, places_.moved_version(handle)).kernel;
    return;
  }
  states_[t].version = formulas_.first_version(handle) & elsewhere;
  FormulaTask const first = places_.task(task, states_[t].version);
  if (!passed_.empty()) passed_[t].replica = own_replica(task);
  bool const is_given = first.passed.valid() && reads(first.passed_access);
  states_[t].missing = (first.input_count + (is_given ? 1U : 0U)) & 3U;
  graph_.kernel[t] = first.kernel;
  if (states_[t].missing == 0) prepare(task, node);
}

TileLines FormulaFlow::lines() const {
  return TileLines(
      formulas_, [&](HandleId handle) { return places_.of(handle); },
      [&](TaskId task) { return plan_.node_of(task); });
}

// ---- tasks ----

ReplicaId FormulaFlow::find(HandleId handle, NodeId node, bool after_flush) const {
  TaskId const writer = places_.of(handle);
  if (plan_.runs_on(writer, node)) {
    if (!states_[writer.index()].over) return {};
    return passed_.empty() ? own_replica(writer) : passed_[writer.index()].replica;
  }
  LocalReplica const* const replica = received_[node.index()].find(key(handle, after_flush));
  return replica != nullptr ? ReplicaId{plan_.first_replica[node.index()] + replica->value()} : ReplicaId{};
}

ReplicaId FormulaFlow::find_passed(FormulaTask const& formula) const {
  TaskId const place = places_.of(formula.passed);
  if (!reads(formula.passed_access)) return own_replica(place);
  Passed const& passed = passed_[place.index()];
  return passed.version == formula.passed_version ? passed.replica : ReplicaId{};
}

bool FormulaFlow::prepare(TaskId task, NodeId node) {
  State& state = states_[task.index()];
  FormulaTask const formula = places_.task(task, state.version);
  std::array<ReplicaId, most_accesses - 1> replicas;
  std::size_t others = formula.input_count;
  std::uint32_t missing = 0;
  for (std::size_t i = 0; i < formula.input_count; ++i) {
    replicas[i] = find(formula.inputs[i], node, formula.reads_flushed && i == 0);
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
  graph_.submission[t] = static_cast<std::uint32_t>(before_ + formula.position);
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
      passed_[places_.of(formula.passed).index()] = {.replica = {}, .version = formula.passed_written};
  }
  graph_.access_end[t] = a;
}

TaskId FormulaFlow::ended(TaskId task, NodeId node, std::vector<TaskId>& free) {
  State& state = states_[task.index()];
  if (!state.followed) return pass_on(task, node, free);
  if (has_gaps_) {
    state.version = formulas_.next_version(tile(task), state.version) & elsewhere;
  } else if (passed_.empty()) {
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
  if (state.writes_two)
    sends_second = hand_out(places_.of(graph_.accesses[second].handle()), second, node, free);
  if (keeps_tile) {
    passed_[task.index()].replica = plan_.replica_of_access[first];
  } else {
    if (passed_.empty()) ++state.version;
    state.over = state.last ? 1 : 0;
    sends_tile = hand_out(task, first, node, free);
  }
  TaskId sender;
  if (sends_second && !state.last) {
    // The number of the task may be that of the next one soon.
    sender = places_.of(graph_.accesses[second].handle());
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

bool FormulaFlow::hand_out(TaskId place, std::uint32_t access, NodeId node, std::vector<TaskId>& free) {
  HandleId const handle = tile(place);
  State& state = states_[place.index()];
  if (!passed_.empty()) {
    passed_[place.index()].replica = plan_.replica_of_access[access];
    if (formulas_.last_version(handle) == 0) state.over = 1;  // a handle without tasks has been created
    if (!state.over) state.version = elsewhere;
  }
  TileReaders const readers = places_.readers(place, version(place));
  release(handle, readers, node, Served::all, free);
  if (!read_elsewhere(readers, node)) return false;
  if (readers.taker.valid() && !passed_.empty()) passed_[place.index()].replica = {};
  return true;
}

void FormulaFlow::release(HandleId handle, TileReaders const& readers, NodeId node, Served served,
                          std::vector<TaskId>& free) {
  std::size_t const begin = free.size();
  auto const has_one_more = [&](TaskId task, std::uint32_t version) {
    State& state = states_[task.index()];
    if (state.version == version && --state.missing == 0 && prepare(task, node)) free.push_back(task);
  };
  for (TileRun const& run : readers.all()) {
    if (served == Served::after_flush) break;
    TileLines::Part const* const part = lines_.part(run, node);
    if (part == nullptr) continue;
    for (TaskId const task : lines_.tasks(run, *part)) has_one_more(task, readers.version);
  }
  for (TileReader const& reader : readers.all_singles()) {
    if (served == (reader.after_flush ? Served::before_flush : Served::after_flush)) continue;
    if (TaskId const task = places_.of(reader.tile); plan_.runs_on(task, node))
      has_one_more(task, reader.version);
  }
  if (readers.run_count + readers.single_count > 1) sort_by_submission(free, begin);
  if (!readers.taker.valid()) return;
  TaskId const taker = places_.of(readers.taker);
  if (!plan_.runs_on(taker, node)) return;
  if (readers.taker != handle) return has_one_more(taker, readers.version);
  states_[taker.index()].version = readers.version;
  if (prepare(taker, node)) free.push_back(taker);
}

bool FormulaFlow::read_elsewhere(TileReaders const& readers, NodeId node) const {
  if (readers.taker.valid()) return !plan_.runs_on(places_.of(readers.taker), node);
  if (std::ranges::any_of(readers.all_singles(), [&](TileReader const& reader) {
        return !plan_.runs_on(places_.of(reader.tile), node);
      }))
    return true;
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
    TaskId const place = passed_.empty() ? sender : places_.of(graph_.accesses[a].handle());
    messages_.append(sender, home,
                     {.place = place,
                      .version = version(place),
                      .position = graph_.submission[s],
                      .replica = plan_.local(home, plan_.replica_of_access[a]),
                      .repetition = repetition_},
                     out);
  }
}

void FormulaFlow::delivered(PlannedMessage const& message, LocalReplica replica, std::vector<TaskId>& free) {
  NodeId const node = message.destination;
  TaskId const place = places_.of(message.handle);
  ReplicaId const brought{plan_.first_replica[node.index()] + replica.value()};
  if (places_.have_moves() && plan_.runs_on(place, node)) return arrived(place, brought, node, free);
  TileReaders const readers = places_.readers(place, version(place));
  bool const after_flush = message.first_reader.value() >= flush_ &&
                           std::ranges::any_of(readers.all_singles(), &TileReader::after_flush);
  if (readers.taker.valid())
    passed_[place.index()].replica = brought;
  else
    received_[node.index()].find_or_add(key(message.handle, after_flush), replica);
  release(message.handle, readers, node, after_flush ? Served::after_flush : Served::before_flush, free);
}

void FormulaFlow::arrived(TaskId place, ReplicaId replica, NodeId node, std::vector<TaskId>& free) {
  if (!held_.empty()) held_[place.index()] = replica;
  states_[place.index()].version = places_.moved_version(tile(place)) & elsewhere;
  if (prepare(place, node)) free.push_back(place);
}

void FormulaFlow::dropped(NodeId node, HandleId handle, LocalReplica replica) {
  auto& received = received_[node.index()];
  for (bool const after_flush : {false, true}) {
    LocalReplica const* const known = received.find(key(handle, after_flush));
    if (known != nullptr && *known == replica) return received.remove(key(handle, after_flush));
  }
}

}  // namespace factosim
