#include "simulator/runtime/node/node_runtime.hpp"

#include <cmath>

namespace factosim {

WakeUps::WakeUps(Machine::Type const& type, Scheduler const& scheduler, std::vector<Driver>& drivers)
    : type_(type), scheduler_(scheduler), drivers_(drivers) {
  std::size_t const workers = type.workers.size();
  all_ = Set(workers).set();
  gpus_ = cores_ = Set(workers);
  of_ram_.resize(type.rams);
  for (std::size_t w = 0; w < workers; ++w) (type.workers[w].gpu ? gpus_ : cores_).set(w);
  for (std::size_t ram = 0; ram < type.rams; ++ram) {
    of_ram_[ram] = gpus_;
    for (std::size_t w = 0; w < workers; ++w)
      if (type.workers[w].memory.index() == ram) of_ram_[ram].set(w);
  }
  flags_ = {.signalled = Set(workers), .asleep = all_, .kept_awake = Set(workers)};
}

template <class Call>
void WakeUps::signal_all(Set const& drivers, Call const& call) {
  flags_.signalled |= drivers;
  for (std::size_t w = flags_.asleep.find_first(); w != Set::npos; w = flags_.asleep.find_next(w))
    if (drivers[w]) call(drivers_[w]);
}

void WakeUps::wake_all(Set const& drivers) {
  signal_all(drivers, [](Driver& driver) { driver.wake(); });
}

bool WakeUps::wake_first(Set const& drivers) {
  std::size_t first = flags_.asleep.find_first();
  while (first != Set::npos && (!drivers[first] || flags_.kept_awake[first]))
    first = flags_.asleep.find_next(first);
  if (first == Set::npos) {
    wake_all(drivers);
    return false;
  }
  up_to_first_ = drivers;
  up_to_first_.reset(first, drivers.size() - first);
  wake_all(up_to_first_);
  return drivers_[first].wake();
}

WakeUps::Set const& WakeUps::that_run(std::uint32_t kernel, std::span<double const> durations) {
  if (kernel >= that_run_.size()) that_run_.resize(kernel + 1);
  Set& workers = that_run_[kernel];
  if (workers.empty())
    for (double const duration : durations) workers.push_back(!std::isinf(duration));
  return workers;
}

void WakeUps::task_assigned(Scheduler::Assignment const& assignment, std::uint32_t kernel,
                            std::span<double const> durations) {
  switch (assignment.to) {
    case Scheduler::Assignment::To::worker:
      drivers_[assignment.worker.index()].wake();
      break;
    case Scheduler::Assignment::To::all_workers:
      wake_all(all_);
      break;
    case Scheduler::Assignment::To::first_idle:
      wake_first(that_run(kernel, durations));
      break;
    case Scheduler::Assignment::To::idle_of_memories:
      wake_by_memory();
      break;
  }
}

void WakeUps::memory_changed(LocalMemory memory) {
  if (memory.index() >= type_.rams) {
    for (Driver& driver : drivers_of_gpu(memory)) {
      driver.keep_awake();
      driver.signal();
    }
    return;
  }
  for (std::size_t w = drivers_.size(); w-- > 0;)
    if (drivers_[w].waits() && drivers_[w].drives(memory)) return drivers_[w].signal();
  for (Driver& driver : drivers_)
    if (driver.drives(memory)) driver.signal();
}

std::span<Driver> WakeUps::drivers_of_gpu(LocalMemory memory) const {
  return std::span(drivers_).subspan((memory.index() - type_.rams) * type_.workers_per_gpu,
                                     type_.workers_per_gpu);
}

/// Source: StarPU 1.5 `component_sched.c` (starpu_sched_component_can_pull), `component_eager.c`: RAM is first.
void WakeUps::wake_by_memory() {
  std::size_t const last = drivers_.size() - 1;
  bool const woken = cores_[last] && flags_.asleep[last] && !flags_.kept_awake[last];
  wake_all(cores_);
  if (woken && cores_.count() == 1) return;
  wake_first(gpus_);
}

/// Where workers share tasks, the drivers that make the transfers of a RAM progress look for tasks; elsewhere they would
/// find none.
void WakeUps::operand_arrived(LocalMemory memory) {
  if (memory.index() >= type_.rams)
    for (Driver& driver : drivers_of_gpu(memory)) driver.signal();
  else if (scheduler_.shares_tasks())
    signal_all(of_ram_[memory.index()], [](Driver& driver) { driver.signal(); });
}

void WakeUps::buffer_requested() {
  for (std::size_t w = drivers_.size(); w-- > 0;) {
    if (!drivers_[w].drives_first_ram()) continue;
    drivers_[w].keep_awake();
    drivers_[w].signal();
  }
}

NodeRuntime::NodeRuntime(NodeId id, SimulationInputs const& inputs, NodeServices& services,
                         ReplayOracle& replay, RunObserver& observer)
    : id_(id),
      inputs_(inputs),
      services_(services),
      observer_(observer),
      view_(id, inputs, services.engine(), data_),
      scheduler_(make_policy(replay)),
      eviction_(choose_eviction()),
      data_(id, inputs, services, *scheduler_, eviction_.policy, observer, *this),
      kernels_(id, inputs, replay, services.engine().grid()),
      wake_ups_(inputs.machine.type(id), *scheduler_, drivers_),
      parts_{.id = id,
             .inputs = inputs,
             .services = services,
             .engine = services.engine(),
             .type = inputs.machine.type(id),
             .scheduler = *scheduler_,
             .data = data_,
             .kernels = kernels_,
             .wake_ups = wake_ups_} {
  scheduler_->connect(*this);
  drivers_.reserve(parts_.type.workers.size());
  for (std::size_t w = 0; w < parts_.type.workers.size(); ++w) drivers_.emplace_back(LocalWorker{w}, parts_);
  data_.place_initial();
  if (inputs.options.pinning_waits_for_kernels)
    host_memory().wait_for_kernels([this] {
      Seconds left;
      for (Driver const& driver : drivers_) left = std::max(left, driver.kernels_left());
      return left;
    });
}

std::unique_ptr<Scheduler> NodeRuntime::make_policy(ReplayOracle const& replay) const {
  if (Recording const* const recorded = replay.order())
    return std::make_unique<RecordedScheduler>(*recorded, view_);
  SchedulerOptions options = inputs_.scheduler;
  options.limited_submission = inputs_.options.max_submitted_tasks > 0;
  return inputs_.make_policy(options, view_);
}

EvictionChoice NodeRuntime::choose_eviction() {
  if (inputs_.platform.type_of(id_).memory_node_count() == 1) return {};  // nothing is evicted
  EvictionChoice choice = make_eviction(inputs_.options.eviction, view_, *scheduler_);
  if (choice.owned) scheduler_ = observed(std::move(scheduler_), view_, *choice.policy);
  return choice;
}

void NodeRuntime::push(TaskId task, LocalWorker pusher, TaskId producer) {
  Seconds const now = parts_.engine.now();
  observer_.task_ready(task, id_, producer.valid() ? LocalWorker{} : pusher, producer, now);
  kernels_.task_ready(task, now);
  data_.task_ready(task);
  Scheduler::Assignment const assignment = scheduler_->push(task, pusher);
  if (assignment.worker.valid()) data_.prefetch(task, parts_.type.workers[assignment.worker.index()].memory);
  std::uint32_t const kernel = inputs_.graph.kernel[task.index()];
  wake_ups_.task_assigned(assignment, kernel, inputs_.machine.durations(id_, kernel));
}

void NodeRuntime::worker_continues(LocalWorker worker) {
  Driver& driver = drivers_[worker.index()];
  if (ReadyTask const ready = driver.end_activity(); ready.task.valid())
    push(ready.task, worker, ready.producer);
  driver.advance();
}

void NodeRuntime::kernel_ends(LocalWorker worker) {
  SharedGpus const* const gpus = kernels_.shared_gpus(worker);
  if (gpus != nullptr && !gpus->ends(worker, parts_.engine.now()))
    return;  // it was slowed down, or has ended
  if (drivers_[worker.index()].runs_kernel()) return worker_continues(worker);
  drivers_[worker.index()].kernel_ended();
}

bool NodeRuntime::make_way(WayOut way) {
  bool changed = way == WayOut::look_again;
  if (data_.has_transfers()) {
    auto const handle_of = [this](LocalReplica replica) { return data_.handle_of(replica); };
    if (way == WayOut::drop_prefetches) changed = data_.transfers().drop_prefetches(handle_of);
    if (way == WayOut::release_sources) changed = data_.transfers().release_sources(handle_of);
    if (way == WayOut::spare_chunks) changed = data_.spare_chunks();
  }
  if (changed)
    for (Driver& driver : drivers_) driver.signal();
  return changed;
}

void NodeRuntime::want_buffer(BufferRequest const& request) {
  host_memory().request(request);
  wake_ups_.buffer_requested();
}

void NodeRuntime::data_arrived(Waiter const& waiter) {
  if (waiter.sender.valid()) return data_.output_arrived(waiter.sender);
  Driver& driver = drivers_[waiter.worker.index()];
  driver.operand_arrived();
  driver.signal();
  wake_ups_.operand_arrived(parts_.type.workers[waiter.worker.index()].memory);
}

void NodeRuntime::start_copy(RequestId request, LocalMemory from, LocalMemory to, LocalReplica replica) {
  HandleId const handle = data_.handle_of(replica);
  if (inputs_.options.copies_wait_for_kernels && data_.is_memory_short() && to.index() >= parts_.type.rams &&
      drivers_[(to.index() - parts_.type.rams) * parts_.type.workers_per_gpu].holds(
          {request, from, to, handle}))
    return;
  services_.start_copy(id_, request, from, to, handle);
}

void NodeRuntime::place_taken(LocalReplica replica, LocalMemory memory) {
  observer_.place_taken(id_, memory, replica, data_.handle_of(replica), parts_.engine.now());
  if (memory.index() < parts_.type.rams) data_.ram().allocated(replica);
}

void NodeRuntime::place_released(LocalReplica replica, LocalMemory memory) {
  observer_.place_released(id_, memory, replica, data_.handle_of(replica), parts_.engine.now());
  if (memory.index() < parts_.type.rams) data_.ram().released(replica);
}

}  // namespace factosim
