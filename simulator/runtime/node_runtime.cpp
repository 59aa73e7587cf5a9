#include "simulator/runtime/node_runtime.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "factosim/error.hpp"
#include "simulator/sched/recorded.hpp"

namespace factosim {

namespace {

/// What the tiles of a node may fill.
std::int64_t ram_limit(NodeType const& type) {
  return type.ram.value > 0 ? type.ram.value : std::numeric_limits<std::int64_t>::max();
}

}  // namespace

NodeRuntime::NodeRuntime(NodeId id, SimulationInputs const& inputs, NodeServices& services,
                         ReplayOracle& replay, RunObserver& observer)
    : id_(id),
      inputs_(inputs),
      services_(services),
      engine_(services.engine()),
      replay_(replay),
      observer_(observer),
      type_(inputs.machine.type(id)),
      first_replica_(inputs.plan.first_replica[id.index()]),
      drivers_(type_.workers.size()),
      host_memory_(inputs.options, inputs.platform.type_of(id).ram, type_.gpus > 0),
      max_bytes_(inputs.options.out_of_core ? std::numeric_limits<std::int64_t>::max()
                                            : ram_limit(inputs.platform.type_of(id))) {
  std::vector<Bytes> sizes;
  std::vector<bool> initial;
  for (Replica const& r : inputs.plan.replicas_on(id)) {
    held_.push_back({.uses_left = r.uses, .owned = r.owned, .present = r.initial, .buffered = false});
    sizes.push_back(inputs.graph.handles[r.handle.index()].size);
    initial.push_back(r.initial);
    if (!r.initial) continue;
    change_memory(sizes.back().value);
    place_changed(in_plan(static_cast<std::uint32_t>(held_.size()) - 1), 0, true);
  }
  peak_bytes_ = bytes_in_use_;
  if (memory_node_count() > 1) {
    DataClient& client = *this;
    data_.emplace(inputs.platform.type_of(id), std::move(sizes), initial, inputs.options, client);
  }
  if (inputs.machine.node_count() > 1 && type_.gpus > 0 && inputs.options.pinning_cost.value > 0 &&
      inputs.options.host_alloc_cost.value == 0)
    buffers_.emplace(inputs.options.pinning_cost);
  if (auto const recorded = replay.order())
    scheduler_ = std::make_unique<RecordedScheduler>(*recorded, *this);
  else
    scheduler_ = make_scheduler(inputs.scheduler, *this);
  if (inputs.noise.on()) noise_.emplace(inputs.noise, inputs.machine, id);
}

// ---- ready tasks ----

void NodeRuntime::push(TaskId task, std::uint32_t pusher) {
  observer_.task_ready(id_, engine_.now());
  replay_.task_ready(task, engine_.now());
  std::uint32_t const worker = scheduler_->push(task, pusher);
  if (worker == Scheduler::any_worker) return wake_first(task);
  if (worker == Scheduler::all_workers) {
    for (std::uint32_t w = 0; w < drivers_.size(); ++w) wake(w);
    return;
  }
  if (data_ && inputs_.options.prefetch && scheduler_->prefetches())
    prefetch(task, type_.workers[worker].memory);
  wake(worker);
}

void NodeRuntime::prefetch(TaskId task, std::uint32_t memory) {
  auto const replicas = replicas_of(task);
  auto const accesses = inputs_.graph.accesses_of(task);
  for (std::size_t i = 0; i < replicas.size(); ++i) {
    data_->prefetch(task, local(replicas[i]), memory, accesses[i].mode(), request_priority(task));
  }
}

// ---- a kernel has run ----

void NodeRuntime::release(TaskId task, std::uint32_t worker, Seconds start, Seconds end) {
  Releases& releases = drivers_[worker].releases;
  scheduler_->finished(worker, task);
  services_.task_ran(task, id_, worker, start, end);
  release_data(task, type_.workers[worker].memory);
  if (inputs_.options.wont_use && inputs_.graph.writes_back[task.index()]) releases.unused = task;
  releases.ready.clear();
  releases.next = 0;
  bool elsewhere = false;
  for (TaskId const successor : inputs_.graph.successors_of(task)) {
    if (!runs_here(successor)) {
      elsewhere = true;
      break;  // successors on the own node come first
    }
    if (services_.predecessor_done(successor)) releases.ready.push_back(successor);
  }
  if (elsewhere) send(task);
}

std::uint32_t NodeRuntime::written_replica(TaskId task) const {
  auto const accesses = inputs_.graph.accesses_of(task);
  std::size_t i = 0;
  while (!writes(accesses[i].mode())) ++i;
  return local(replicas_of(task)[i]);
}

void NodeRuntime::send(TaskId task) {
  Waiter const waiter{Waiter::Kind::message, task.value()};
  if (!data_) return services_.send_output(task);
  outputs_.clear();
  for_each_output(inputs_.graph, inputs_.plan, task,
                  [&](std::size_t i) { outputs_.push_back(local(replicas_of(task)[i])); });
  if (outputs_.size() > 1) outputs_to_fetch_[task.value()] = outputs_.size();
  for (std::uint32_t const replica : outputs_)
    if (data_->fetch({}, replica, 0, Access::read, request_priority(task), waiter)) data_arrived(waiter);
}

void NodeRuntime::release_data(TaskId task, std::uint32_t memory) {
  for (ReplicaId const plan_replica : replicas_of(task)) {
    std::uint32_t const replica = local(plan_replica);
    if (data_) data_->unpin(replica, memory);
    release_use(plan_replica);
  }
}

void NodeRuntime::release_use(ReplicaId plan_replica) {
  Held& held = held_[local(plan_replica)];
  if (--held.uses_left > 0 || held.owned) return;
  if (data_) data_->forget(local(plan_replica));
  if (!held.present) return;
  held.present = false;
  place_changed(plan_replica, 0, false);
  Bytes const size = size_of(plan_replica);
  host_memory_.give_back(size);
  if (buffers_ && held.buffered) buffers_->give_back(size);
  change_memory(-size.value);
}

double NodeRuntime::take_place(ReplicaId plan_replica) {
  if (held_[local(plan_replica)].present) return 0;
  grow_memory(plan_replica);
  return host_memory_.on_demand() ? host_memory_.take(size_of(plan_replica), engine_.now()).value : 0;
}

void NodeRuntime::grow_memory(ReplicaId plan_replica) {
  held_[local(plan_replica)].present = true;
  place_changed(plan_replica, 0, true);
  change_memory(size_of(plan_replica).value);
  if (bytes_in_use_ <= peak_bytes_) return;
  peak_bytes_ = bytes_in_use_;
  if (peak_bytes_ > max_bytes_) fail_without_memory();
}

// ---- events ----

void NodeRuntime::copy_ended(std::uint32_t request) { data_->copy_ended(request); }

void NodeRuntime::received(ReplicaId replica, bool again) {
  if (data_) data_->received(local(replica));
  if (buffers_) held_[local(replica)].buffered = true;
  if (!again) grow_memory(replica);
}

void NodeRuntime::change_memory(std::int64_t by) {
  bytes_in_use_ += by;
  observer_.memory_changed(id_, by, engine_.now());
}

std::int64_t NodeRuntime::over_memory_bytes() const {
  return std::max<std::int64_t>(0, peak_bytes_ - ram_limit(inputs_.platform.type_of(id_)));
}

void NodeRuntime::fail_without_memory() const {
  NodeType const& type = inputs_.platform.type_of(id_);
  throw InfeasibleError(fmt::format(
      "node {} ({}) needs {} bytes at {:.6g} s and has a RAM of {} (its own tiles and those that it "
      "received and still needs). {}",
      id_.value(), type.name, bytes_in_use_, engine_.now().value, type.ram.value, memory_advice));
}

void NodeRuntime::data_arrived(Waiter waiter) {
  if (waiter.kind == Waiter::Kind::message) {
    TaskId const task{waiter.id};
    // What a task wrote is sent when all of it is in RAM; until then it stays there.
    if (auto const left = outputs_to_fetch_.find(waiter.id); left != outputs_to_fetch_.end()) {
      if (--left->second > 0) return;
      outputs_to_fetch_.erase(left);
    }
    for_each_output(inputs_.graph, inputs_.plan, task,
                    [&](std::size_t i) { data_->unpin(local(replicas_of(task)[i]), 0); });
    return services_.send_output(task);
  }
  --drivers_[waiter.id].missing;
  signal(waiter.id);
  signal_memory(type_.workers[waiter.id].memory, false);
}

// ---- what policies ask ----

void NodeRuntime::predict_transfers(TaskId task, std::span<double> seconds) const {
  std::fill(seconds.begin(), seconds.end(), 0.0);
  if (!data_) return;
  auto const replicas = replicas_of(task);
  auto const accesses = inputs_.graph.accesses_of(task);
  for (std::size_t i = 0; i < replicas.size(); ++i)
    if (reads(accesses[i].mode()))
      for (std::uint32_t m = 0; m < seconds.size(); ++m) seconds[m] += data_->predict(local(replicas[i]), m);
}

double NodeRuntime::copy_time(std::uint32_t from, std::uint32_t to, Bytes size) const {
  if (from == to) return 0;
  Bus const& bus = inputs_.platform.type_of(id_).bus;
  std::size_t const memories = memory_node_count();
  if (bus.routes[from * memories + to].empty()) return copy_time(from, 0, size) + copy_time(0, to, size);
  return bus.predicted[from * memories + to].latency.value +
         (size / bus.predicted[from * memories + to].bandwidth).value;
}

Readiness NodeRuntime::readiness(TaskId task, std::uint32_t memory) const {
  Readiness out;
  if (!data_) return out;
  auto const replicas = replicas_of(task);
  auto const accesses = inputs_.graph.accesses_of(task);
  for (std::size_t i = 0; i < replicas.size(); ++i) {
    std::uint32_t const r = local(replicas[i]);
    std::int64_t const bytes = inputs_.graph.handles[accesses[i].handle().index()].size.value;
    if (!data_->allocated(r, memory)) out.not_allocated += bytes;
    if (!reads(accesses[i].mode()) || data_->valid(r, memory)) continue;
    out.missing += bytes;
    if (!data_->loading(r, memory)) out.not_loading += bytes;
  }
  return out;
}

}  // namespace factosim
