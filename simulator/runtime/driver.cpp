// The half of NodeRuntime that a worker's driver runs. A driver works in rounds:
//
//   launch what has its inputs -> finish what has ended -> data management -> take a task and ask for its
//   inputs
//
// and waits to be signalled when a round has found nothing to do. It does one thing at a time; each takes
// time, after which it goes on from there (`advance`). A core runs its kernel itself; a GPU has a stream of
// launched kernels beside its driver. Source: StarPU 1.4 driver_cpu.c, driver_cuda.c
// (_starpu_*_driver_run_once), driver_common.c.

#include <algorithm>
#include <cmath>
#include <utility>

#include "factosim/error.hpp"
#include "simulator/runtime/node_runtime.hpp"

namespace factosim {

// ---- being woken ----

void NodeRuntime::signal(std::uint32_t worker) {
  Driver& d = drivers_[worker];
  if (!d.waiting) {
    d.signalled = true;
    return;
  }
  d.waiting = false;
  d.signalled = false;
  if (d.fetching.valid() ? d.missing == 0
                         : d.done > 0) {  // at once would be in the middle of the caller's changes
    d.stage = Driver::Stage::begin;
    return spend(worker, 0, Driver::Then::nothing);
  }
  d.progressed = false;
  d.stage = Driver::Stage::wishes;
  make_progress(worker);
}

void NodeRuntime::make_progress(std::uint32_t worker) {
  // Who then looks for a task finds those pushed at that date; GPUs look first.
  drivers_[worker].busy = true;
  engine_.after(Seconds{progress_time(worker)}, event(EventKind::worker_continues, worker),
                type_.workers[worker].gpu ? 1 : 2);
}

void NodeRuntime::signal_memory(std::uint32_t memory, bool keep_awake) {
  auto const rams = static_cast<std::uint32_t>(type_.rams);
  if (memory >= rams) {
    std::uint32_t const gpu = memory - rams;
    drivers_[gpu].kept_awake = drivers_[gpu].kept_awake || keep_awake;
    return signal(gpu);
  }
  if (!scheduler_->shares_tasks()) return;  // nobody would find a task that was not meant for it
  for (std::uint32_t w = 0; w < drivers_.size(); ++w) {
    if (!type_.workers[w].gpu && type_.workers[w].memory != memory) continue;
    drivers_[w].kept_awake = drivers_[w].kept_awake || keep_awake;
    if (drivers_[w].asleep || !drivers_[w].waiting) signal(w);
  }
}

bool NodeRuntime::wake(std::uint32_t worker) {
  Driver& d = drivers_[worker];
  bool const told = d.asleep && !d.kept_awake;
  if (d.asleep) d.kept_awake = true;
  if (d.asleep || !d.waiting) signal(worker);
  return told;
}

void NodeRuntime::wake_first(TaskId task) {
  auto const lasts = durations(task);
  for (std::uint32_t w = 0; w < lasts.size(); ++w)
    if (!std::isinf(lasts[w]) && wake(w)) return;
}

void NodeRuntime::wake_driver(std::uint32_t memory) { signal_memory(memory, true); }

// ---- spending time ----

void NodeRuntime::spend(std::uint32_t worker, double seconds, Driver::Then then) {
  drivers_[worker].busy = true;
  drivers_[worker].then = then;
  after(seconds, EventKind::worker_continues, worker);
}

double NodeRuntime::progress_time(std::uint32_t worker) const {
  // A core makes the transfers of its RAM progress, a GPU's driver those of all RAMs and of its own memory.
  return inputs_.options.progress_cost.value *
         (type_.workers[worker].gpu ? static_cast<double>(1 + type_.rams) : 1);
}

void NodeRuntime::worker_continues(std::uint32_t worker) {
  Driver& d = drivers_[worker];
  d.busy = false;
  switch (std::exchange(d.then, Driver::Then::nothing)) {
    case Driver::Then::nothing:
      break;
    case Driver::Then::push:
      push(d.releases.ready[d.releases.next], worker);
      ++d.releases.next;
      break;
    case Driver::Then::write_back:
      write_back(worker);
      break;
    case Driver::Then::launch:
      d.stream.push_back(d.launching);
      if (d.stream.size() == d.done + 1) start_next_kernel(worker);
      break;
    case Driver::Then::buffer:
      buffer_provided(worker);
      break;
    case Driver::Then::submit:
      data_->submit(d.request);
      break;
    case Driver::Then::finish:
      d.last_end = engine_.now().value;
      release(d.launching, worker, d.kernel_start, engine_.now());
      if (!type_.workers[worker].gpu) d.stage = Driver::Stage::begin;
      break;
  }
  advance(worker);
}

void NodeRuntime::advance(std::uint32_t worker) {
  using Stage = Driver::Stage;
  Driver& d = drivers_[worker];
  while (!d.busy) {
    if (push_released(worker)) continue;
    switch (d.stage) {
      case Stage::begin:
        d.signalled = d.progressed = false;
        d.stage = Stage::finish;
        launch_fetched(worker);
        break;
      case Stage::finish:
        d.stage = Stage::progress;
        finish_first(worker);
        break;
      case Stage::progress:
        d.stage = Stage::wishes;
        make_progress(worker);
        break;
      case Stage::wishes:
        d.stage = Stage::buffers;
        take_wishes(worker);
        break;
      case Stage::buffers:
        if (!provide_buffer(worker)) d.stage = Stage::transfers;
        break;
      case Stage::transfers:
        if (!make_transfers_progress(worker)) d.stage = Stage::pop;
        break;
      case Stage::pop:
        d.stage = Stage::end;
        pop(worker);
        break;
      case Stage::acquire:
        if (!acquire_operands(worker)) d.stage = Stage::end;
        break;
      case Stage::end:
        if (!d.progressed && !d.signalled) {
          d.waiting = true;
          return;
        }
        d.stage = Stage::begin;
        break;
    }
  }
}

// ---- kernels ----

void NodeRuntime::launch_fetched(std::uint32_t worker) {
  Driver& d = drivers_[worker];
  if (!d.fetching.valid() || d.missing > 0) return;
  bool const blocking = blocks_driver(worker, d.fetching);
  if (blocking && !d.stream.empty()) return;  // waits until all before it have ended
  d.launching = std::exchange(d.fetching, TaskId{});
  if (data_ && inputs_.options.prefetch && scheduler_->prefetches())
    for (ReplicaId const r : replicas_of(d.launching)) data_->redeem(local(r), type_.workers[worker].memory);
  if (d.stream.empty()) scheduler_->started(worker, d.launching);
  if (!blocking) return spend(worker, inputs_.options.gpu_queue_cost.value, Driver::Then::launch);
  double const pause = pause_before(d.launching, worker);
  d.kernel_start = engine_.now() + Seconds{pause};
  spend(worker, pause + duration(d.launching, worker), Driver::Then::finish);
}

void NodeRuntime::start_next_kernel(std::uint32_t worker) {
  Driver& d = drivers_[worker];
  TaskId const task = d.stream[d.done];
  double const pause = pause_before(task, worker);
  d.kernel_start = engine_.now() + Seconds{pause};
  after(pause + duration(task, worker), EventKind::kernel_ends, worker);
}

double NodeRuntime::pause_before(TaskId task, std::uint32_t worker) {
  return replay_.pause(task, type_.workers[worker].gpu, Seconds{drivers_[worker].last_end}, engine_.now())
      .value;
}

void NodeRuntime::kernel_ends(std::uint32_t worker) {
  Driver& d = drivers_[worker];
  d.ended.push_back({d.kernel_start, engine_.now()});
  d.last_end = engine_.now().value;
  ++d.done;
  if (d.done < d.stream.size()) start_next_kernel(worker);
  if (!wake(worker)) signal(worker);
}

void NodeRuntime::finish_first(std::uint32_t worker) {
  Driver& d = drivers_[worker];
  if (d.done == 0) return;
  TaskId const task = d.stream.front();
  Driver::Times const times = d.ended.front();
  d.stream.erase(d.stream.begin());
  d.ended.erase(d.ended.begin());
  --d.done;
  release(task, worker, times.start, times.end);
  // The next kernel followed on the stream by itself; the driver only learns of it now.
  if (!d.stream.empty())
    scheduler_->started(worker, d.stream.front());
  else if (d.fetching.valid() && d.missing == 0)
    d.stage = Driver::Stage::begin;  // it waited for the stream to be empty
}

// ---- pushes ----

bool NodeRuntime::push_released(std::uint32_t worker) {
  Releases const& releases = drivers_[worker].releases;
  if (releases.pending())
    spend(worker, inputs_.options.push_cost.value, Driver::Then::push);
  else if (releases.unused.valid())
    spend(worker, inputs_.options.wont_use_cost.value, Driver::Then::write_back);
  else
    return false;
  return true;
}

void NodeRuntime::write_back(std::uint32_t worker) {
  TaskId const task = std::exchange(drivers_[worker].releases.unused, TaskId{});
  if (data_) data_->wont_use(written_replica(task));
}

// ---- memory for what is received ----

namespace {
constexpr std::size_t wishes_per_round = 5;  // MAX_PENDING_REQUESTS_PER_NODE in data_request.h
constexpr double longest_service_s = 1e-3;   // MAX_PUSH_TIME there: who has spent that goes on with its round
}  // namespace

void NodeRuntime::want_buffer(ReceiveBuffers::Wish wish) {
  buffers_->want(wish);
  wake_for_buffers();
}

void NodeRuntime::wake_for_buffers() {
  // All are woken; a core's round is shorter than that of a GPU's driver, so that an idle core comes first.
  for (std::uint32_t w = static_cast<std::uint32_t>(drivers_.size()); w-- > 0;)
    if (drivers_[w].waiting && drives_ram(w)) return signal(w);
}

void NodeRuntime::take_wishes(std::uint32_t worker) {
  if (!buffers_ || !drives_ram(worker)) return;
  Driver& d = drivers_[worker];
  d.wishes = buffers_->take(wishes_per_round);
  std::reverse(d.wishes.begin(), d.wishes.end());
  d.wishes_taken = engine_.now();
}

bool NodeRuntime::provide_buffer(std::uint32_t worker) {
  Driver& d = drivers_[worker];
  if (d.wishes.empty()) return false;
  if (engine_.now().value - d.wishes_taken.value >= longest_service_s) {
    for (ReceiveBuffers::Wish const& wish : d.wishes) buffers_->put_back(wish);
    d.wishes.clear();
    wake_for_buffers();
    return false;
  }
  d.progressed = true;
  if (auto const time = buffers_->allocate(worker, d.wishes.back().size)) {
    if (time->value > 0)
      spend(worker, time->value, Driver::Then::buffer);
    else
      buffer_provided(worker);
  } else {
    d.busy = true;  // until another worker has allocated
  }
  return true;
}

void NodeRuntime::buffer_provided(std::uint32_t worker) {
  Driver& d = drivers_[worker];
  for (auto const& [other, after] : buffers_->finish(worker)) spend(other, after.value, Driver::Then::buffer);
  ReceiveBuffers::Wish const wish = d.wishes.back();
  d.wishes.pop_back();
  services_.buffer_ready(id_, wish);
}

// ---- data and tasks ----

double NodeRuntime::allocator_time(DataManager::Step const& step) {
  double const cost = (step.allocates ? inputs_.options.gpu_malloc_cost.value : 0) +
                      (step.frees ? inputs_.options.gpu_free_cost.value : 0);
  if (cost == 0) return 0;
  double const now = engine_.now().value;
  allocator_free_at_ = std::max(allocator_free_at_, now) + cost;
  return allocator_free_at_ - now;
}

bool NodeRuntime::make_transfers_progress(std::uint32_t worker) {
  if (!type_.workers[worker].gpu) return false;
  Driver& d = drivers_[worker];
  std::uint32_t const memory = type_.workers[worker].memory;
  if (data_->complete_ended(memory)) d.progressed = true;
  auto const step = data_->next_step(memory);
  if (!step) return false;
  d.progressed = true;
  d.request = step->request;
  spend(worker,
        inputs_.options.gpu_queue_cost.value + allocator_time(*step) +
            host_memory_.driver_waits(engine_.now()).value,
        Driver::Then::submit);
  return true;
}

void NodeRuntime::pop(std::uint32_t worker) {
  Driver& d = drivers_[worker];
  if (d.fetching.valid() || d.stream.size() >= pipeline_depth(worker)) return;
  TaskId const task = scheduler_->pop(worker);
  // In simulation StarPU's GPU drivers forget that they were told to stay awake, its cores do not.
  bool const kept_awake = type_.workers[worker].gpu && std::exchange(d.kept_awake, false);
  d.asleep = !task.valid() && !kept_awake;
  d.progressed = d.progressed || task.valid() || kept_awake;
  if (!task.valid()) return;
  d.fetching = task;
  d.missing = static_cast<std::uint32_t>(replicas_of(task).size());
  d.next_operand = 0;
  d.stage = Driver::Stage::acquire;
}

bool NodeRuntime::acquire_operands(std::uint32_t worker) {
  Driver& d = drivers_[worker];
  std::uint32_t const memory = type_.workers[worker].memory;
  auto const replicas = replicas_of(d.fetching);
  auto const accesses = inputs_.graph.accesses_of(d.fetching);
  std::uint32_t const first = d.next_operand;
  // Those who look for tasks look again at each operand that arrives in their memory.
  std::size_t const last =
      scheduler_->shares_tasks() ? std::min<std::size_t>(first + 1, replicas.size()) : replicas.size();
  double pinning = 0;
  for (; d.next_operand < last; ++d.next_operand) {
    std::size_t const i = d.next_operand;
    if (!reads(accesses[i].mode())) pinning += take_place(replicas[i]);
    if (!data_ || data_->fetch(d.fetching, local(replicas[i]), memory, accesses[i].mode(),
                               request_priority(d.fetching), {Waiter::Kind::worker, worker}))
      data_arrived({Waiter::Kind::worker, worker});
  }
  if (d.next_operand == first) return false;
  spend(worker, inputs_.options.fetch_cost.value * (d.next_operand - first) + pinning, Driver::Then::nothing);
  return true;
}

}  // namespace factosim
