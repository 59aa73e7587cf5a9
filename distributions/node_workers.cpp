#include "distributions/node_workers.hpp"

#include <algorithm>
#include <limits>

#include "factosim/error.hpp"

namespace factosim {

namespace {

constexpr std::size_t ram = 0;

}  // namespace

NodeWorkers::NodeWorkers(NodeCosts const& costs, std::size_t data, WorkerChoice choice,
                         std::vector<std::size_t>& places)
    : data_(data), choice_(choice), places_(places), memories_(1) {
  for (EqualWorkers const& equal : costs.workers)
    for (int w = 0; w < equal.count; ++w) {
      workers_.push_back({.costs = &equal, .memory = equal.copy > 0 ? memories_.size() : ram});
      if (equal.copy > 0) memories_.push_back({.copy = equal.copy});
    }
}

void NodeWorkers::put(std::size_t datum, std::size_t memory) {
  if (present_.empty()) present_.resize(memories_.size() * data_, false);
  present_[memory * data_ + datum] = true;
}

std::size_t NodeWorkers::source(std::size_t datum) const {
  for (std::size_t memory = 0; memory < memories_.size(); ++memory)
    if (has(datum, memory)) return memory;
  FACTOSIM_EXPECT(false, "an operand that is not on the node");
  return ram;
}

double NodeWorkers::copied(std::size_t from, std::size_t to, double in_end, double now) const {
  double const start = std::max({now, in_end, memories_[from].out_end});
  return start + std::max(memories_[from].copy, memories_[to].copy);
}

double NodeWorkers::fetch_to_ram(std::size_t memory, double now) {
  if (memory == ram) return now;
  return memories_[memory].out_end = copied(memory, ram, 0, now);
}

template <class Visit>
void NodeWorkers::for_copies(Task const& task, std::size_t to, double now, Visit const& visit) const {
  double in_end = memories_[to].in_end;
  auto const copy = [&](std::size_t from) {
    double const end = copied(from, to, to == ram ? 0 : in_end, now);
    in_end = std::max(in_end, end);
    visit(from, end);
  };
  for (std::size_t const datum : task.read.data())
    if (!has(datum, to)) copy(source(datum));
  if (places_[task.tile] != to) copy(places_[task.tile]);
}

std::size_t NodeWorkers::earliest(Task& task, double now) const {
  std::size_t best = workers_.size();
  double earliest = std::numeric_limits<double>::infinity();
  std::size_t last = memories_.size();  // memory looked at last, and when the operands would be there
  double ready = now;
  for (std::size_t w = 0; w < workers_.size(); ++w) {
    Worker const& worker = workers_[w];
    if (worker.memory != last) {
      last = worker.memory;
      ready = now;
      for_copies(task, last, now, [&](std::size_t, double end) { ready = std::max(ready, end); });
    }
    double const end = std::max(ready, worker.end_of_all) + worker.costs->seconds[task.kind];
    if (end >= earliest) continue;
    earliest = end;
    best = w;
    task.ready = ready;
  }
  FACTOSIM_EXPECT(best < workers_.size(), "a node that cannot run its tasks");
  return best;
}

double NodeWorkers::bring(Task const& task, Worker const& worker, double now) {
  double ready = now;
  for_copies(task, worker.memory, now, [&](std::size_t from, double end) {
    if (from != ram) memories_[from].out_end = end;
    if (worker.memory != ram) memories_[worker.memory].in_end = end;
    ready = std::max(ready, end);
  });
  for (std::size_t const datum : task.read.data()) put(datum, worker.memory);
  places_[task.tile] = worker.memory;
  return ready;
}

std::optional<std::size_t> NodeWorkers::first_idle(std::size_t kind) const {
  bool const gpu_first = choice_ == WorkerChoice::gpu_first;
  for (bool const is_gpu : {gpu_first, !gpu_first})
    for (std::size_t w = 0; w < workers_.size(); ++w)
      if (Worker const& worker = workers_[w];
          is_gpu == (worker.memory != ram) && may_take(worker) && can_run(worker, kind))
        return w;
  return std::nullopt;
}

std::optional<std::size_t> NodeWorkers::push(Task task, double now) {
  if (choice_ != WorkerChoice::earliest_end) {
    ready_[task.kind].push(task);
    return first_idle(task.kind);
  }
  std::size_t const best = earliest(task, now);
  Worker& worker = workers_[best];
  bring(task, worker, now);
  worker.end_of_all = std::max(task.ready, worker.end_of_all) + worker.costs->seconds[task.kind];
  worker.queue.push(task);
  return best;
}

std::priority_queue<NodeWorkers::Task>* NodeWorkers::queue_for(Worker& worker) {
  if (choice_ == WorkerChoice::earliest_end) return worker.queue.empty() ? nullptr : &worker.queue;
  std::priority_queue<Task>* first = nullptr;
  for (std::size_t kind = 0; kind < task_kinds; ++kind)
    if (auto& queue = ready_[kind];
        !queue.empty() && can_run(worker, kind) && (first == nullptr || first->top() < queue.top()))
      first = &queue;
  return first;
}

std::optional<NodeWorkers::Started> NodeWorkers::start(std::size_t w, double now) {
  Worker& worker = workers_[w];
  auto* const queue = queue_for(worker);
  if (!may_take(worker) || queue == nullptr) return std::nullopt;
  Task task = queue->top();
  queue->pop();
  if (choice_ != WorkerChoice::earliest_end) {
    task.ready = bring(task, worker, now);
    worker.fetches = worker.costs->held > 1;
  }
  ++worker.held;
  worker.end_of_held = std::max({now, task.ready, worker.end_of_held}) + worker.costs->seconds[task.kind];
  return Started{task.tile, worker.end_of_held, task.ready, worker.fetches};
}

}  // namespace factosim
