#include "simulator/runtime/node/driver.hpp"

namespace factosim {

Driver::Driver(LocalWorker worker, NodeParts const& node)
    : node_(node),
      worker_(worker),
      memory_(node.type.workers[worker.index()].memory),
      gpu_(node.type.workers[worker.index()].gpu),
      stream_(worker, node) {}

// ---- signals ----

auto Driver::flag(boost::dynamic_bitset<> DriverFlags::*flags) const {
  return (node_.wake_ups.flags().*flags)[worker_.index()];
}

void Driver::keep_awake() { flag(&DriverFlags::kept_awake) = true; }

void Driver::signal() {
  if (!waits()) {
    flag(&DriverFlags::signalled) = true;
    return;
  }
  if (synchronises_) {
    if (!node_.data.transfers().synchronised(memory_)) return;
    synchronises_ = false;
    flag(&DriverFlags::signalled) = was_signalled_;
    state_ = State::transfers;
    return spend(Seconds{0}, Activity::proceed);
  }
  flag(&DriverFlags::signalled) = false;
  if (reclaims_) {
    progressed_ = false;
    return progress();
  }
  bool const notices_end = stream_.has_ended() && (!fetching_.valid() || node_.data.is_memory_short());
  if (operands_there() || notices_end) {
    state_ = State::launch;
    return spend(Seconds{0}, Activity::proceed);  // the caller is in the middle of its changes
  }
  progressed_ = false;
  progress();
}

bool Driver::wake() {
  bool const asleep = flag(&DriverFlags::asleep);
  bool const was_asleep = asleep && !flag(&DriverFlags::kept_awake);
  if (asleep) keep_awake();
  if (asleep || !waits()) signal();
  return was_asleep;
}

// ---- activities ----

void Driver::spend(Seconds time, Activity activity) {
  FACTOSIM_EXPECT(activity_ == Activity::none, "a driver begins an activity within another one");
  activity_ = activity;
  node_.engine.after(time, node_.event(EventKind::worker_continues, worker_));
}

ReadyTask Driver::end_activity() {
  switch (std::exchange(activity_, Activity::none)) {
    case Activity::none:
    case Activity::proceed:
      break;
    case Activity::push:
      return release_.take_ready();
    case Activity::give_hint:
      release_.give_hint(node_.data);
      break;
    case Activity::launch:
      stream_.launch(launching_, EventKind::kernel_ends);
      break;
    case Activity::provide_buffer:
      buffer_provided();
      break;
    case Activity::submit_copy:
      node_.data.transfers().submit(copy_);
      break;
    case Activity::free_memory:
      synchronises_ = node_.data.transfers().synchronise(memory_);
      if (synchronises_) {
        was_signalled_ = flag(&DriverFlags::signalled);
        state_ = State::waiting;
      }
      break;
    case Activity::run_kernel:
      if (stream_.is_late(EventKind::worker_continues)) {
        activity_ = Activity::run_kernel;
        break;
      }
      end_kernel();
      release_.complete(stream_.take_ended(), worker_, node_);
      if (!gpu_) state_ = State::launch;
      break;
  }
  return {};
}

void Driver::advance() {
  while (activity_ == Activity::none && !waits())
    if (!begin_release()) step();
}

bool Driver::begin_release() {
  if (Seconds const pause = release_.take_pause(); pause.value > 0)
    spend(pause, Activity::proceed);
  else if (release_.has_ready())
    spend(node_.inputs.options.push_cost, Activity::push);
  else if (release_.has_unused())
    spend(node_.inputs.options.wont_use_cost, Activity::give_hint);
  else
    return false;
  return true;
}

// ---- the states of a round: each function chooses the next state ----

void Driver::step() {
  switch (state_) {
    case State::launch:
      return launch();
    case State::finish:
      return finish();
    case State::start_next:
      return start_next();
    case State::progress:
      return progress();
    case State::take_requests:
      return take_requests();
    case State::provide_buffers:
      return provide_buffer();
    case State::transfers:
      return progress_transfers();
    case State::pop:
      return pop();
    case State::fetch:
      return fetch();
    case State::end_of_round:
      return end_round();
    case State::waiting:
      return;
  }
}

void Driver::launch() {
  flag(&DriverFlags::signalled) = progressed_ = false;
  state_ = State::finish;
  if (!operands_there()) return;
  bool const blocking = stream_.blocks_driver(fetching_);
  if (blocking && !stream_.empty()) return;  // waits until all kernels before it have ended
  launching_ = std::exchange(fetching_, TaskId{});
  node_.data.release_reservations(launching_, memory_);
  if (stream_.empty()) node_.scheduler.started(worker_, launching_);
  if (!blocking) return spend(node_.inputs.options.gpu_queue_cost, Activity::launch);
  activity_ = Activity::run_kernel;
  stream_.launch(launching_, EventKind::worker_continues);
}

void Driver::finish() {
  state_ = stream_.has_ended() ? State::start_next : State::progress;
  if (!stream_.has_ended()) return;
  release_.complete(stream_.take_ended(), worker_, node_);
  if (stream_.has_ended())
    flag(&DriverFlags::signalled) = true;  // a further kernel has ended: makes another round
}

/// The stream has started the next kernel; the driver tells the policy once it has pushed what the last one made ready.
void Driver::start_next() {
  state_ = State::progress;
  if (!stream_.empty())
    node_.scheduler.started(worker_, stream_.front());
  else if (operands_there())
    state_ = State::launch;  // its kernel waited for the stream to be empty
}

/// A core makes the transfers of its RAM progress, a GPU's driver those of all RAMs and then of its own memory. Source:
/// StarPU 1.4 datawizard.c (__starpu_datawizard_progress).
void Driver::progress() {
  state_ = State::take_requests;
  std::size_t const own = has_own_memory() && !serves_buffers() ? 1 : 0;
  // Of requests for buffers at one date, cores come first.
  progress_memories(gpu_ ? node_.type.rams + own : 1, serves_buffers() ? 3 : 1);
}

/// Behind all pushes of that date, so that the driver finds these tasks; GPUs look first.
void Driver::progress_memories(std::size_t count, std::uint32_t rank_of_gpus) {
  activity_ = Activity::proceed;
  node_.engine.after(node_.inputs.options.progress_cost * static_cast<double>(count),
                     node_.event(EventKind::worker_continues, worker_), gpu_ ? rank_of_gpus : 2);
}

bool Driver::serves_buffers() const {
  return node_.data.ram().host_memory().pins_receive_buffers() && drives_first_ram();
}

void Driver::take_requests() {
  state_ = State::provide_buffers;
  if (serves_buffers()) buffers_.begin(node_.data.ram().host_memory(), node_.engine.now());
}

void Driver::provide_buffer() {
  HostMemory& memory = node_.data.ram().host_memory();
  Seconds const now = node_.engine.now();
  if (!buffers_.has_request()) {
    progress_own_memory();
  } else if (buffers_.give_up(memory, now, node_.inputs.options.buffer_round)) {
    progress_own_memory();
    node_.wake_ups.buffer_requested();
  } else {
    progressed_ = true;
    Seconds const time = memory.take(buffers_.size(), now);
    if (time.value > 0) return spend(time, Activity::provide_buffer);
    buffer_provided();
  }
}

void Driver::progress_own_memory() {
  state_ = State::transfers;
  if (serves_buffers() && has_own_memory()) progress_memories(1, 1);
}

void Driver::progress_transfers() {
  state_ = State::pop;
  if (node_.data.out_of_core())
    for (std::size_t m = 0; m < node_.type.rams; ++m)
      if (drives(LocalMemory{m}) && progress_transfers(LocalMemory{m})) return;
  if (has_own_memory()) progress_transfers(memory_);
}

bool Driver::progress_transfers(LocalMemory memory) {
  Transfers& transfers = node_.data.transfers();
  if (transfers.complete_ended(memory)) progressed_ = true;
  auto const step = transfers.next_step(memory, node_.engine.now());
  reclaims_ = transfers.reclaims(memory);
  if (!step) {
    progressed_ = progressed_ || transfers.has_handled(memory);
    if (reclaims_) state_ = State::end_of_round;
    return false;
  }
  state_ = State::transfers;  // until there is nothing to start
  progressed_ = true;
  copy_ = step->request;
  spend(node_.data.preparation(*step, node_.engine.now()),
        step->frees_memory() ? Activity::free_memory : Activity::submit_copy);
  return true;
}

void Driver::pop() {
  state_ = State::end_of_round;
  if (fetching_.valid() || stream_.full()) return;
  TaskId const task = node_.scheduler.pop(worker_);
  // In simulation, StarPU's GPU drivers forget that they were kept awake; its cores do not.
  bool const kept_awake = gpu_ && flag(&DriverFlags::kept_awake);
  if (gpu_) flag(&DriverFlags::kept_awake) = false;
  flag(&DriverFlags::asleep) = !task.valid() && !kept_awake;
  progressed_ = progressed_ || task.valid() || kept_awake;
  if (!task.valid()) return;
  fetching_ = task;
  missing_ = static_cast<std::uint32_t>(node_.data.operand_count(task));
  next_operand_ = 0;
  node_.data.order_of_fetch(task, fetch_order_);
  state_ = State::fetch;
}

void Driver::fetch() {
  auto const count = static_cast<std::uint32_t>(node_.data.operand_count(fetching_));
  // Where workers share tasks, each operand that arrives makes the drivers of its memory look for tasks.
  bool const shares = node_.scheduler.shares_tasks();
  std::uint32_t const first = next_operand_;
  std::uint32_t const last = shares ? std::min(first + 1, count) : count;
  Seconds pinning{0};
  for (; next_operand_ < last; ++next_operand_) {
    std::uint32_t const operand = fetch_order_.empty() ? next_operand_ : fetch_order_[next_operand_];
    pinning += node_.data.reserve(fetching_, operand);
    if (!node_.data.fetch(fetching_, operand, worker_, memory_)) continue;
    operand_arrived();
    flag(&DriverFlags::signalled) = true;
    if (shares) node_.wake_ups.operand_arrived(memory_);
  }
  if (first == count) {
    state_ = State::end_of_round;
    return;
  }
  spend(node_.inputs.options.fetch_cost * static_cast<double>(next_operand_ - first) + pinning,
        Activity::proceed);
}

void Driver::end_round() {
  if (!progressed_ && !flag(&DriverFlags::signalled)) {
    state_ = State::waiting;
  } else if (reclaims_) {
    flag(&DriverFlags::signalled) = progressed_ = false;
    progress();
  } else {
    state_ = State::launch;
  }
}

bool Driver::holds(Copy const& copy) {
  if (!stream_.runs()) return false;
  held_copies_.push_back(copy);
  return true;
}

void Driver::end_kernel() {
  stream_.end();
  for (Copy const& copy : std::exchange(held_copies_, {}))
    node_.services.start_copy(node_.id, copy.request, copy.from, copy.to, copy.handle);
}

void Driver::kernel_ended() {
  end_kernel();
  if (!wake()) signal();
}

void Driver::buffer_provided() {
  bool const delivers = release_.append(
      [this](auto& ready) { node_.services.buffer_ready(node_.id, buffers_.take_served(), ready); });
  // It releases the early data, their memory and the tile (StarPU 1.4 starpu_mpi_mpi.c, _starpu_mpi_early_data_cb).
  if (delivers) release_.pause(node_.inputs.options.release_cost() * 3);
}

}  // namespace factosim
