#include "distributions/node_workers.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "factosim/error.hpp"

namespace factosim {

NodeWorkers::NodeWorkers(std::uint32_t node, NodeCosts const& costs, WorkerChoice choice,
                         ListTasks const& tasks, std::vector<TilePlace>& places, TileFlows& flows)
    : node_(node),
      costs_(costs),
      choice_(choice),
      tasks_(tasks),
      memories_(costs.bus ? static_cast<std::uint32_t>(costs.bus->memories) : 1),
      places_(places),
      flows_(flows) {
  for (EqualWorkers const& equal : costs.workers)
    for (int w = 0; w < equal.count; ++w)
      workers_.push_back(
          {.costs = &equal,
           .memory = equal.memory == ram ? ram : equal.memory + static_cast<std::uint32_t>(w)});
  if (!costs.bus) return;
  FACTOSIM_EXPECT(memories_ <= 32, "a bit for each memory");
  copies_.resize(tasks.data());
  std::uint32_t const first_link = flows.add_links(costs.bus->links);
  kept_.resize(memories_, 0);
  first_queue_ =
      flows.add_queues(std::size_t{memories_} * memories_ + memories_, 1);  // of copies, then of allocations
  for (NodeBus::Route const& route : costs.bus->routes) {
    auto& own = routes_.emplace_back(TileFlows::Route{route.links, route.alone});
    for (std::uint32_t& link : own.links) link += first_link;
  }
  allocator_.links.push_back(flows.add_links(std::span(&costs.bus->allocation, 1)));
}

void NodeWorkers::send(TileFlows::Cargo cargo, bool has_memory, double now) {
  cargo.node = node_;
  if (has_memory || costs_.bus->allocation == 0) return send_copy(cargo, now);
  if (kept_[cargo.memory] > 0) {
    --kept_[cargo.memory];
    return send_copy(cargo, now);
  }
  cargo.allocation = true;
  auto const queue = memories_ * memories_ + cargo.memory;
  flows_.send(first_queue_ + queue, allocator_, cargo, now);
}

void NodeWorkers::send_copy(TileFlows::Cargo const& cargo, double now) {
  std::uint32_t const pair = cargo.from * memories_ + cargo.memory;
  // Without parallel copies those into a GPU follow each other.
  std::uint32_t const queue = costs_.bus->parallel_copies || cargo.memory == ram ? pair : cargo.memory;
  flows_.send(first_queue_ + queue, routes_[pair], cargo, now);
}

void NodeWorkers::put(std::uint32_t datum, std::uint32_t memory) {
  if (costs_.bus) copies_[datum].there |= bit(memory);
}

std::uint32_t NodeWorkers::source(std::uint32_t datum, std::uint32_t to) const {
  std::uint32_t best = ram;
  double shortest = std::numeric_limits<double>::infinity();
  for (std::uint32_t left = copies_[datum].there; left != 0; left &= left - 1) {
    auto const memory = static_cast<std::uint32_t>(std::countr_zero(left));
    if (predicted(memory, to).predicted >= shortest) continue;
    shortest = predicted(memory, to).predicted;
    best = memory;
  }
  FACTOSIM_EXPECT(!std::isinf(shortest), "an operand that is not on the node");
  return best;
}

void NodeWorkers::bring(std::uint32_t datum, std::uint32_t memory, int order, double now) {
  Copies& copies = copies_[datum];
  if (((copies.there | copies.coming) & bit(memory)) != 0) return;
  copies.coming |= bit(memory);
  std::size_t const tile = tasks_.tile_of(datum);
  bool const has_memory = memory == ram || (tasks_.owner(tile) == node_ && places_[tile].was_in(memory));
  send({.kind = TileFlows::Cargo::Kind::operand,
        .from = static_cast<std::uint8_t>(source(datum, memory)),
        .memory = static_cast<std::uint8_t>(memory),
        .number = datum,
        .order = order},
       has_memory, now);
}

void NodeWorkers::bring_all(ListTask const& task, std::uint32_t memory, double now) {
  if (!costs_.bus) return;
  for (std::uint32_t const datum : task.operands()) bring(datum, memory, task.order, now);
  TilePlace& place = places_[task.tile];
  if (place.memory == memory) return;
  TileFlows::Cargo const cargo{.kind = TileFlows::Cargo::Kind::own_tile,
                               .from = place.memory,
                               .memory = static_cast<std::uint8_t>(memory),
                               .number = task.tile,
                               .order = task.order};
  bool const has_memory = place.was_in(memory);
  place.memory = cargo.memory;
  place.comes = true;
  place.been |= bit(memory);
  send(cargo, has_memory, now);
}

Readiness NodeWorkers::readiness(ListTask const& task, std::uint32_t memory) const {
  Readiness out;
  if (!costs_.bus) return out;
  for (std::uint32_t const datum : task.operands()) {
    if ((copies_[datum].there & bit(memory)) != 0) continue;
    ++out.missing;
    if ((copies_[datum].coming & bit(memory)) == 0) ++out.not_loading;
  }
  TilePlace const& place = places_[task.tile];
  if (place.memory != memory || place.comes) ++out.missing;
  return out;
}

double NodeWorkers::expected_copies(ListTask const& task, std::uint32_t memory) const {
  double sum = 0;
  if (!costs_.bus) return sum;
  for (std::uint32_t const datum : task.operands())
    if (((copies_[datum].there | copies_[datum].coming) & bit(memory)) == 0)
      sum += predicted(source(datum, memory), memory).predicted;
  if (std::uint32_t const from = places_[task.tile].memory; from != memory)
    sum += predicted(from, memory).predicted;
  return sum;
}

std::size_t NodeWorkers::enqueue(ListTask const& task, double now) {
  std::size_t best = workers_.size();
  double least = std::numeric_limits<double>::infinity(), of_best = 0;
  double copies = 0;
  std::uint32_t memory = memories_;  // looked at last
  std::size_t w = 0;
  for (EqualWorkers const& equal : costs_.workers) {
    std::size_t const end_of_equal = w + static_cast<std::size_t>(equal.count);
    double const seconds = equal.seconds[task.kind];
    for (; w < end_of_equal && !std::isinf(seconds); ++w) {
      if (workers_[w].memory != memory) copies = expected_copies(task, memory = workers_[w].memory);
      double const queue_end = workers_[w].queue.end(now);
      if (double const fitness = std::max(queue_end, now + copies) + seconds + copies; fitness < least) {
        least = fitness;
        of_best = copies;
        best = w;
      }
      if (queue_end <= now && memory == ram) break;  // no worker like this one ends earlier
    }
    w = end_of_equal;
  }
  FACTOSIM_EXPECT(best < workers_.size(), "a node that cannot run its tasks");
  Worker& worker = workers_[best];
  worker.queue.push({.task = TaskId{task.tile},
                     .priority = -task.order,
                     .transfer = of_best,
                     .kernel = worker.costs->seconds[task.kind]},
                    now, ExpectedQueue::Order::priority);
  return best;
}

std::optional<std::size_t> NodeWorkers::first_idle(std::size_t kind) const {
  bool const gpu_first = choice_ == WorkerChoice::gpu_first;
  for (bool const is_gpu : {gpu_first, !gpu_first})
    for (std::size_t w = 0; w < workers_.size(); ++w)
      if (Worker const& worker = workers_[w];
          is_gpu == (worker.memory != ram) && worker.may_take() && worker.can_run(kind))
        return w;
  return std::nullopt;
}

std::optional<std::size_t> NodeWorkers::push(std::size_t tile, double now) {
  ListTask const task = tasks_.next(tile);
  if (choice_ != WorkerChoice::earliest_end) {
    ready_[task.kind].emplace(task.order, task.tile);
    return first_idle(task.kind);
  }
  std::size_t const best = enqueue(task, now);
  bring_all(task, workers_[best].memory, now);
  return best;
}

std::optional<std::size_t> NodeWorkers::take(Worker& worker, double now) {
  if (choice_ == WorkerChoice::earliest_end) {
    TaskId const task = worker.queue.pop_most_ready(
        now, [&](TaskId of) { return readiness(tasks_.next(of.index()), worker.memory); });
    return task.valid() ? std::optional(task.index()) : std::nullopt;
  }
  ReadyTasks* first = nullptr;
  for (std::size_t kind = 0; kind < task_kinds; ++kind)
    if (ReadyTasks& tasks = ready_[kind];
        !tasks.empty() && worker.can_run(kind) && (first == nullptr || tasks.top() < first->top()))
      first = &tasks;
  if (first == nullptr) return std::nullopt;
  std::size_t const tile = first->top().second;
  first->pop();
  return tile;
}

std::optional<NodeWorkers::Started> NodeWorkers::start(std::size_t w, double now) {
  Worker& worker = workers_[w];
  if (worker.may_take())
    if (auto const tile = take(worker, now)) {
      worker.fetching = tasks_.next(*tile);
      bring_all(*worker.fetching, worker.memory, now);
    }
  if (!worker.fetching || readiness(*worker.fetching, worker.memory).missing > 0) return std::nullopt;
  ListTask const task = *worker.fetching;
  worker.fetching.reset();
  worker.running.push_back(task.tile);
  if (choice_ == WorkerChoice::earliest_end && worker.running.size() == 1)
    worker.queue.started(TaskId{task.tile}, now);
  worker.end_of_held = std::max(now, worker.end_of_held) + worker.costs->seconds[task.kind];
  return Started{task.tile, worker.end_of_held};
}

void NodeWorkers::copied(TileFlows::Cargo const& cargo, double now, std::vector<std::size_t>& startable) {
  if (cargo.allocation) {
    TileFlows::Cargo copy = cargo;
    copy.allocation = false;
    if (cargo.kind == TileFlows::Cargo::Kind::operand)
      copy.from = static_cast<std::uint8_t>(source(cargo.number, cargo.memory));
    return send_copy(copy, now);
  }
  if (cargo.kind == TileFlows::Cargo::Kind::own_tile)
    places_[cargo.number].comes = false;
  else
    put(cargo.number, cargo.memory);
  for (std::size_t w = 0; w < workers_.size(); ++w)
    if (workers_[w].memory == cargo.memory && workers_[w].fetching) startable.push_back(w);
}

void NodeWorkers::receive(std::uint32_t datum, std::size_t uses) {
  put(datum, ram);
  if (costs_.bus) copies_[datum].uses = static_cast<std::uint32_t>(uses);
}

void NodeWorkers::end_use(std::uint32_t datum) {
  Copies& copies = copies_[datum];
  if (copies.uses == 0 || --copies.uses > 0) return;
  for (std::uint32_t memory = 1; memory < memories_; ++memory)
    if ((copies.there & bit(memory)) != 0) ++kept_[memory];
}

void NodeWorkers::finish(std::size_t w, double now) {
  Worker& worker = workers_[w];
  std::uint32_t const ended = worker.running.front();
  if (costs_.bus) {
    ListTask const task = tasks_.next(ended);
    for (std::uint32_t const datum : task.operands()) end_use(datum);
  }
  worker.running.erase(worker.running.begin());
  if (choice_ != WorkerChoice::earliest_end) return;
  worker.queue.finished(TaskId{ended}, now);
  if (!worker.running.empty()) worker.queue.started(TaskId{worker.running.front()}, now);
}

}  // namespace factosim
