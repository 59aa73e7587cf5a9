#include "simulator/runtime/cluster/submission.hpp"

#include <algorithm>
#include <ranges>

namespace factosim {

SubmissionThreads::SubmissionThreads(SimulationInputs const& inputs, FlowPart& part, Nodes const& nodes,
                                     Engine& engine, RunObserver& observer)
    : inputs_(inputs),
      part_(part),
      nodes_(nodes),
      engine_(engine),
      observer_(observer),
      submitted_(inputs.graph.task_count(), false),
      threads_(inputs.machine.node_count()) {
  if (!pins_at_submission(nodes)) return;
  for (std::uint32_t n = 0; n < threads_.size(); ++n) {
    bool const pins = nodes[NodeId{n}].host_memory().at_submission();
    auto const replicas = inputs.plan.replicas_on(NodeId{n});
    for (std::uint32_t r = 0; r < replicas.size(); ++r)
      has_ram_.push_back(!pins || replicas[r].initial ||
                         inputs.plan.copy_before(NodeId{n}, LocalReplica{r}).valid());
  }
}

void SubmissionThreads::begin_part() {
  for (Thread& t : threads_) {
    t.unrolled = t.reached = 0;
    t.paces.clear();
  }
}

void SubmissionThreads::submit(NodeId node) {
  Thread& t = threads_[node.index()];
  if (t.pins || (t.full && t.open > inputs_.options.min_submitted_tasks)) return;
  t.full = false;
  t.date = std::max(t.date, engine_.now());
  t.paces.push_back({t.unrolled, t.date});
  for (TaskId task = part_.next(node); task.valid() && !t.full; task = part_.next(node)) {
    // The node may unroll tasks of other nodes in between.
    std::uint32_t const unrolled = part_.unrolled(task);
    t.date = t.date + inputs_.options.submission_cost * static_cast<double>(unrolled - t.unrolled);
    t.unrolled = unrolled;
    if (ReplicaId const received = next_receive(task); received.valid() && pin(node, received)) {
      engine_.at(t.date, event(EventKind::submission_continues, node.value()));
      return reach(t, unrolled - 1);
    }
    part_.advance(node);
    t.full = has_window() && ++t.open > inputs_.options.max_submitted_tasks;
    observer_.task_submitted(task, node, t.date);
    engine_.at(t.date, event(EventKind::task_submitted, task.value()));
  }
  reach(t, t.full ? t.unrolled : part_.length());
}

ReplicaId SubmissionThreads::next_receive(TaskId task) {
  if (has_ram_.empty()) return {};
  auto const accesses = inputs_.graph.accesses_of(task);
  auto const replicas = inputs_.plan.replicas_of(inputs_.graph, task);
  for (std::size_t i = 0; i < replicas.size(); ++i)
    if (!has_ram_[replicas[i].index()]) {
      if (reads(accesses[i].mode())) return replicas[i];
      has_ram_[replicas[i].index()] = true;  // a worker allocates what its task creates
    }
  return {};
}

bool SubmissionThreads::pin(NodeId node, ReplicaId replica) {
  Thread& t = threads_[node.index()];
  t.pins = t.date > engine_.now();
  if (t.pins) return true;
  has_ram_[replica.index()] = true;
  Bytes const size = inputs_.graph.handles[inputs_.plan.handle_of(replica).index()].size;
  t.date = engine_.now() + nodes_[node].host_memory().take(size, engine_.now());
  return t.pins = true;
}

void SubmissionThreads::task_ran(NodeId node) {
  if (!has_window()) return;
  FACTOSIM_EXPECT(threads_[node.index()].open > 0, "a node runs a task that it has not submitted");
  --threads_[node.index()].open;
  submit(node);
}

void SubmissionThreads::reach(Thread& thread, std::uint32_t unrolled) {
  thread.reached = unrolled;
  auto const end = thread.waiting.upper_bound(unrolled);
  for (auto waiting = thread.waiting.begin(); waiting != end; ++waiting)
    engine_.at(std::max(engine_.now(), date_of(thread, waiting->first)),
               event(EventKind::message_submitted, waiting->second.value()));
  thread.waiting.erase(thread.waiting.begin(), end);
}

Seconds SubmissionThreads::date_of(Thread const& thread, std::uint32_t unrolled) const {
  auto const later = std::ranges::upper_bound(thread.paces, unrolled, {}, &Pace::unrolled);
  if (later == thread.paces.begin()) return part_.start();
  Pace const& pace = *std::prev(later);
  return pace.date + inputs_.options.submission_cost * static_cast<double>(unrolled - pace.unrolled);
}

std::optional<Seconds> SubmissionThreads::date(NodeId node, std::uint32_t unrolled, MessageId waiting) {
  Thread& thread = threads_[node.index()];
  if (unrolled <= thread.reached) return date_of(thread, unrolled);
  thread.waiting.emplace(unrolled, waiting);
  return std::nullopt;
}

Submission::Submission(SimulationInputs const& inputs, TaskFlow const& flow, ReplayOracle const& replay,
                       Nodes const& nodes, Engine& engine, RunObserver& observer)
    : inputs_(inputs),
      flow_(flow),
      replay_(replay),
      engine_(engine),
      observer_(observer),
      part_(inputs, flow.task_count()) {
  if (inputs.options.max_submitted_tasks > 0 || SubmissionThreads::pins_at_submission(nodes))
    threads_.emplace(inputs, part_, nodes, engine, observer);
}

void Submission::submit_part() {
  if (!threads_) return submit_at_once();
  for (std::uint32_t n = 0; n < inputs_.machine.node_count(); ++n) threads_->submit(NodeId{n});
}

bool Submission::is_posted(MessageId id, PlannedMessage const& message) {
  std::uint32_t const number = flow_.by_formulas() ? message.first_reader.value()
                                                   : inputs_.graph.submission_number(message.first_reader);
  Seconds date = part_.start();
  if (threads_) {
    for (NodeId const node : {message.destination, message.home}) {
      auto const known = threads_->date(node, part_.unrolled_by(node, number), id);
      if (!known) return false;
      date = std::max(date, *known);
    }
  } else if (inputs_.options.unrolling == Unrolling::whole && inputs_.recording == nullptr) {
    date = date_of(number);
  } else {
    if (replay_.message_arrival(message.producer, message.destination)) return true;
    date =
        std::max(this->date(message.first_reader), date_of_unrolled(part_.unrolled_by(message.home, number)));
  }
  if (engine_.grid().rounded(date) <= engine_.now()) return true;
  engine_.at(date, event(EventKind::message_submitted, id.value()));
  return false;
}

void Submission::submit_at_once() {
  std::vector<TaskId> ready;
  if (flow_.by_formulas()) {
    for (std::uint32_t t = 0; t < inputs_.graph.task_count(); ++t)
      if (flow_.is_free(TaskId{t})) ready.emplace_back(t);
    observer_.all_submitted(part_.begin(), part_.end(), part_.start(), inputs_.options.submission_cost);
  }
  for (std::uint32_t n = 0; n < inputs_.machine.node_count() && !flow_.by_formulas(); ++n)
    for (TaskId task = part_.next(NodeId{n}); task.valid(); task = part_.next(NodeId{n})) {
      part_.advance(NodeId{n});
      observer_.task_submitted(task, NodeId{n}, date(task));
      if (flow_.is_free(task)) ready.push_back(task);
    }
  auto const number = [&](TaskId task) { return inputs_.graph.submission_number(task); };
  std::sort(ready.begin(), ready.end(), [&](TaskId a, TaskId b) { return number(a) < number(b); });
  for (TaskId const task : ready) engine_.at(date(task), event(EventKind::task_submitted, task.value()));
}

bool Submission::is_submitted(TaskId task) {
  if (threads_) return threads_->is_submitted(task);
  if (part_.behind_barrier(task)) return false;
  if (date(task) <= engine_.now()) return true;
  engine_.at(date(task), event(EventKind::task_submitted, task.value()));
  return false;
}

FlowPart::FlowPart(SimulationInputs const& inputs, std::uint64_t tasks)
    : inputs_(inputs),
      tasks_(static_cast<std::uint32_t>(tasks)),
      next_(inputs.plan.first_task.begin(), inputs.plan.first_task.end() - 1) {
  if (inputs.options.unrolling != Unrolling::whole)
    unrolled_ = unrolled_tasks(inputs.graph, inputs.plan, inputs.options.unrolling);
}

std::uint32_t FlowPart::unrolled_by(NodeId node, std::uint32_t number) const {
  if (!unrolled_) return unrolled_to(number);
  std::uint32_t const first = inputs_.plan.first_task[node.index()];
  auto const own = std::views::iota(first, inputs_.plan.first_task[node.index() + 1]);
  auto const later =
      std::ranges::partition_point(own, [&](std::uint32_t t) { return this->number(TaskId{t}) <= number; });
  if (later == own.begin()) return 0;
  TaskId const last{*later - 1};
  return this->number(last) < begin_ ? 0 : unrolled(last);
}

void FlowPart::begin_next(Seconds date) {
  auto const& barriers = inputs_.graph.barriers;
  FACTOSIM_EXPECT(date >= start_, "a barrier is passed before the one before it");
  begin_ = end_;
  end_ = next_barrier_ < barriers.size() ? barriers[next_barrier_++] : tasks_;
  start_ = date;
  FACTOSIM_ENSURE(end_ >= begin_ && end_ <= tasks_, "barriers are in the order of submission");
}

}  // namespace factosim
