#include "simulator/runtime/node/transfers.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "simulator/base/core/quantity_text.hpp"

namespace factosim {

Transfers::Transfers(NodeType const& type, RuntimeOptions const& options, ReplicaStates& states,
                     GpuAllocation& gpus, CopyPrediction const& prediction, DataClient& client)
    : type_(type),
      states_(states),
      gpus_(gpus),
      prediction_(prediction),
      client_(client),
      streams_(type.out_of_core ? BusStreams(states.rams(), type.bus.parallel_copies,
                                             LocalMemory{states.memory_nodes() - 1}, type.disk->half_duplex)
                                : BusStreams(states.rams(), type.bus.parallel_copies)),
      barriers_(states.memory_nodes()),
      requests_(states),
      queues_(states.memory_nodes(), TransferQueue(states.memory_nodes(), options)),
      reclaims_(states.memory_nodes()),
      rounds_(states.memory_nodes(), TransferRound(options.buffer_round)),
      nested_(rounds_),
      has_handled_(states.memory_nodes(), false),
      without_room_(states.memory_nodes(), false) {}

void Transfers::write_back_when_idle(LocalReplica replica, LocalMemory to) {
  if (states_.valid(replica, to) || !states_.valid_somewhere(replica)) return;
  request({.replica = replica,
           .from = prediction_.cheapest_source(replica, to),
           .to = to,
           .urgency = Urgency::idle});
}

void Transfers::request(TransferRequest request) {
  std::size_t const pair = request.from.index() * states_.memory_nodes() + request.to.index();
  if (request.from == request.to || !type_.bus.routes[pair].empty()) return queue(add(request));
  // No direct link between the two: through RAM; the second hop is queued when the first has ended.
  TransferRequest to_ram = request;
  to_ram.to = first_ram;
  to_ram.writes = false;
  to_ram.waiter = {};
  request.from = first_ram;
  to_ram.second_hop = add(request);
  queue(add(to_ram));
}

RequestId Transfers::add(TransferRequest const& request) {
  RequestId const id = requests_.add(request);
  // Out of core, prefetches that wait for room in a GPU must not keep RAM from being evicted.
  requests_[id].holds_source =
      request.from != request.to && !(states_.has_disk() && states_.is_ram(request.from) &&
                                      !states_.is_disk(request.to) && request.urgency != Urgency::fetch);
  if (requests_[id].holds_source) states_.pin(request.replica, request.from);
  return id;
}

void Transfers::queue(RequestId id) {
  TransferRequest& r = requests_[id];
  r.ticket = next_ticket_++;
  put_back(id);
  LocalMemory const driver = driver_of(r);
  if (!has_driver(driver)) return start_between_rams();
  client_.wake_driver(driver);
}

void Transfers::promote(RequestId id) {
  TransferRequest& r = requests_[id];
  if (r.urgency == Urgency::fetch) return;
  r.urgency = Urgency::fetch;
  if (r.queued) queue(id);  // its item in the less urgent queue becomes void by the new ticket
}

void Transfers::cancel(RequestId id) {
  requests_[id].canceled = true;
  // Where memory is short it stays in its queue until its turn, as in StarPU: it counts as present, and holds its source.
  if (requests_[id].queued && !states_.is_memory_short())
    complete(id, Ends::by_itself);  // its item in the queue becomes void
}

void Transfers::forget(LocalReplica replica) {
  requests_.for_each(replica, [this](RequestId id) { requests_[id].canceled = true; });
  // Ending one may queue another one for the same replica.
  for (RequestId id = requests_.queued(replica); id.valid(); id = requests_.queued(replica))
    complete(id, Ends::by_itself);
  if (requests_.count(replica) > 0)
    leaving_.push_back(replica);
  else
    leave(replica);
}

void Transfers::leave(LocalReplica replica) {
  gpus_.release_all(replica);
  states_.forget(replica);
  room_freed();
}

// ---- the end of requests ----

void Transfers::complete(RequestId id, Ends how) {
  requests_[id].queued = false;
  TransferRequest const r = requests_[id];
  RequestId& loading = requests_.loading(r.replica, r.to);
  if (loading == id) loading = {};
  if (!r.canceled && states_.allocated(r.replica, r.to)) states_.make_valid(r.replica, r.to);
  // As in StarPU, a request that ends with the copy of another one reserves nothing.
  if (!r.canceled && how == Ends::by_itself) states_.reserve(r.replica, r.to, r.reservations);
  if (r.holds_source) states_.unpin(r.replica, r.from);
  if (goes_out(r)) gpus_.left(r.replica, r.from);
  if (r.moving) states_.unpin(r.replica, r.to);
  requests_.remove(id);
  for (RequestId dependent = r.first_dependent; dependent.valid();) {
    RequestId const next = requests_[dependent].next_dependent;
    requests_[dependent].attached = false;
    bool const arrived = !r.canceled || r.moving || states_.valid(r.replica, r.to);
    arrived ? complete(dependent, Ends::with_another) : queue(dependent);
    dependent = next;
  }
  if (r.second_hop.valid()) queue(r.second_hop);
  if (RequestId& awaited = reclaims_[r.from.index()].write_back(); awaited == id) {
    awaited = {};
    client_.wake_driver(r.from);
  }
  if (!r.canceled) {
    if (r.writes && !r.waiter.valid() && states_.is_memory_short())
      states_.write(r.replica, r.to);  // also where other requests make copies afterwards
    else if (r.writes)
      grant_write(r.replica, r.to, r.waiter);
    else if (r.waiter.valid())
      client_.data_arrived(r.waiter);
  }
  unblock_writer(r.replica);
  if (requests_.count(r.replica) == 0 && std::erase(leaving_, r.replica) > 0) return leave(r.replica);
  room_freed();
}

void Transfers::wake_those_without_room() {
  waits_for_room_ = false;
  for (std::size_t m = 0; m < without_room_.size(); ++m)
    if (without_room_[m]) {
      without_room_[m] = false;
      client_.wake_driver(LocalMemory{m});
    }
}

void Transfers::grant_write(LocalReplica replica, LocalMemory memory, Waiter waiter) {
  if (requests_.count(replica) == 0)
    states_.write(replica, memory);
  else if (waiter.valid()) {
    blocked_writers_.push_back({replica, memory, waiter});
    // With a disk, idle requests may wait for room in RAM for ever.
    if (states_.has_disk() || states_.is_memory_short()) hasten(replica);
    return;
  }
  if (waiter.valid()) client_.data_arrived(waiter);
}

void Transfers::unblock_writer(LocalReplica replica) {
  if (requests_.count(replica) > 0 || blocked_writers_.empty()) return;
  auto const blocked = std::find_if(blocked_writers_.begin(), blocked_writers_.end(),
                                    [&](BlockedWriter const& b) { return b.replica == replica; });
  if (blocked == blocked_writers_.end()) return;
  BlockedWriter const writer = *blocked;
  blocked_writers_.erase(blocked);
  grant_write(writer.replica, writer.memory, writer.waiter);
}

// ---- starting copies ----

Transfers::Outcome Transfers::handle(RequestId id) {
  TransferRequest const r = requests_[id];
  RequestId const loading = requests_.loading(r.replica, r.to);
  if (!r.canceled && loading.valid() && loading != id) {
    requests_.attach(id);
    if (r.urgency == Urgency::fetch) promote(loading);
    return Outcome::done;
  }
  if (r.canceled || states_.valid(r.replica, r.to)) {
    complete(id, Ends::by_itself);
    return Outcome::done;
  }
  if (!r.holds_source && r.from != r.to && !states_.valid(r.replica, r.from)) {
    take_another_source(id);
    return Outcome::done;
  }
  bool const reclaims = gpus_.reclaims(r.to);
  // Also while it finds no memory: other requests for the copy wait for this one.
  if (reclaims) requests_.loading(r.replica, r.to) = id;
  if (this->reclaims(r.to) && !states_.allocated(r.replica, r.to)) return Outcome::refused;
  source_ = gpus_.allocate(r.replica, r.to, r.urgency);
  if (source_ != GpuAllocation::Source::none) return begin_copy(id);
  if (reclaims) {
    if (!gpus_.victim(r.replica, r.to, r.urgency).valid()) return Outcome::refused;
    reclaims_[r.to.index()].begin(id, r, gpus_);
    return Outcome::reclaims;
  }
  if (states_.is_ram(r.to)) without_room_[driver_of(r).index()] = waits_for_room_ = true;
  write_back_to_make_room(r.to, r.urgency);
  return Outcome::refused;
}

Transfers::Outcome Transfers::begin_copy(RequestId id) {
  TransferRequest const r = requests_[id];
  requests_.loading(r.replica, r.to) = id;
  if (r.from == r.to) {
    complete(id, Ends::by_itself);
    return Outcome::done;
  }
  requests_[id].moving = true;
  if (!r.holds_source) {
    requests_[id].holds_source = true;
    states_.pin(r.replica, r.from);
  }
  states_.pin(r.replica, r.to);
  queue_of(r).started(lane_of(r));
  gpus_.copy_starts(r.to);
  return Outcome::copies;
}

void Transfers::take_another_source(RequestId id) {
  TransferRequest const r = requests_[id];
  drop(id);
  if (r.urgency != Urgency::fetch) return;  // a prefetch whose source was evicted
  request({.replica = r.replica,
           .task = r.task,
           .priority = r.priority,
           .reservations = r.reservations,
           .from = prediction_.cheapest_source(r.replica, r.to),
           .to = r.to,
           .urgency = r.urgency,
           .writes = r.writes,
           .waiter = r.waiter});
}

/// The request that found no memory is handled again once the copy has ended.
void Transfers::write_back_to_make_room(LocalMemory memory, Urgency urgency) {
  LocalReplica const victim = gpus_.to_write_back(memory, urgency);
  TransferQueue& queue = queues_[memory.index()];
  if (!victim.valid() || queue.in_flight(queue.out_lane(), queue.out_lane() + 1) ||
      !queue.none_waiting(queue.out_lane(), urgency))
    return;
  LocalMemory const to = states_.behind(memory);
  if (!to.valid())
    throw InfeasibleError(
        fmt::format("the disk of a {} is full ({}). Use more nodes, a smaller matrix, or a disk with more "
                    "\"size_bytes\"",
                    type_.name, format_bytes(type_.disk->size)));
  gpus_.writes_back(victim, memory);
  request({.replica = victim,
           .priority = std::numeric_limits<std::int32_t>::max(),
           .from = memory,
           .to = to,
           .urgency = urgency});
}

RequestId Transfers::write_back(LocalReplica victim, LocalMemory memory) {
  RequestId id = requests_.find_shared(victim, memory, states_.behind(memory), TaskId{});
  if (id.valid())
    promote(id);
  else
    queue(id = add({.replica = victim, .from = memory, .to = states_.behind(memory)}));
  return id;
}

std::optional<Transfers::Step> Transfers::continue_reclaim(LocalMemory memory) {
  MemoryReclaim& reclaim = reclaims_[memory.index()];
  if (reclaim.write_back().valid()) return std::nullopt;
  RequestId const id = reclaim.request();
  switch (reclaim.advance(gpus_, states_)) {
    case MemoryReclaim::Progress::write_back:
      reclaim.write_back() = write_back(reclaim.victim(), memory);
      break;
    case MemoryReclaim::Progress::freed:
      return Step{};
    case MemoryReclaim::Progress::allocated:
      source_ = reclaim.source();
      if (begin_copy(id) == Outcome::copies) return Step{id, source_};
      break;
    case MemoryReclaim::Progress::ended:
      rounds_[memory.index()].active() ? rounds_[memory.index()].refused(id) : put_back(id);
  }
  return std::nullopt;
}

std::optional<Transfers::Step> Transfers::next_step(LocalMemory memory, Seconds now) {
  TransferRound& nested = nested_[memory.index()];
  bool const short_before = states_.is_memory_short();
  if (!reclaims(memory) && !nested.active() && !(short_before && rounds_[memory.index()].active()))
    tidy(memory);
  if (reclaims(memory) && !nested.active())
    if (auto const step = continue_reclaim(memory)) return step;
  TransferQueue& queue = queues_[memory.index()];
  has_handled_[memory.index()] = false;
  // Until a memory has been full, the most urgent request of all is looked for anew after each copy.
  std::size_t const out = queue.out_lane();
  for (auto const& [first, last] : {std::pair<std::size_t, std::size_t>{0, out}, {out, out + 1}}) {
    bool refused = short_before;
    for (Urgency const urgency : {Urgency::fetch, Urgency::prefetch, Urgency::idle})
      for (std::size_t lane = first; lane < last; ++lane)
        while (!refused && queue.may_start(lane, urgency) &&
               !(urgency == Urgency::idle && queue.in_flight(first, last))) {
          auto const item = queue.take(lane, urgency, requests_);
          if (!item) break;
          requests_[item->value].queued = false;
          Outcome const outcome = handle(item->value);
          if (outcome == Outcome::copies) return Step{item->value, source_};
          if (outcome == Outcome::reclaims) return next_step(memory, now);
          if ((refused = outcome == Outcome::refused)) put_back(item->value);
        }
  }
  if (!states_.is_memory_short()) return std::nullopt;
  TransferRound& round = reclaims(memory) || nested.active() ? nested : rounds_[memory.index()];
  for (RequestId id = round.next(queue, requests_, now); id.valid(); id = round.next(queue, requests_, now)) {
    Outcome const outcome = handle(id);
    if (outcome == Outcome::copies) return Step{id, source_};
    if (outcome == Outcome::refused) round.refused(id);
    if (outcome != Outcome::reclaims) continue;
    if (auto const step = continue_reclaim(memory)) return step;
    if (reclaims(memory)) return next_step(memory, now);
  }
  has_handled_[memory.index()] = round.has_handled();
  return std::nullopt;
}

void Transfers::tidy(LocalMemory memory) {
  // RAM that has always had room is left alone: its tiles would go to the disk for nothing.
  if (states_.is_ram(memory) && !(states_.has_disk() && gpus_.was_full(memory))) return;
  to_write_back_.clear();
  states_.tidy(memory, to_write_back_);
  for (LocalReplica const replica : to_write_back_) write_back_when_idle(replica, states_.behind(memory));
}

void Transfers::copy_ended(RequestId request) {
  LocalMemory const driver = driver_of(requests_[request]);
  queues_[driver.index()].carried(request);
  startable_.clear();
  streams_.end(request, startable_);
  for (BusStreams::Copy const& c : startable_)
    client_.start_copy(c.request, c.from, c.to, requests_[c.request].replica);
  barriers_.release(streams_, [this](LocalMemory m) { client_.wake_driver(m); });
  if (has_driver(driver)) return client_.wake_driver(driver);
  complete_ended(driver);
  start_between_rams();
}

bool Transfers::drop_prefetches(HandleOf const& handle_of) {
  auto const dropped = by_handle(handle_of, [](TransferRequest const& r) {
    return r.queued && r.urgency == Urgency::prefetch && !r.second_hop.valid() && !r.first_dependent.valid();
  });
  for (RequestId const id : dropped) drop(id);
  return !dropped.empty();
}

bool Transfers::release_sources(HandleOf const& handle_of) {
  bool const locked = states_.ignore_locks();
  auto const holding = by_handle(handle_of, [this](TransferRequest const& r) {
    return r.queued && r.holds_source && r.from != r.to && !states_.is_ram(r.from) && !goes_out(r);
  });
  for (RequestId const id : holding) {
    requests_[id].holds_source = false;
    states_.unpin(requests_[id].replica, requests_[id].from);
  }
  return locked || !holding.empty();
}

/// Completing a copy may queue requests and so call this again; the outermost call then repeats its loop.
void Transfers::start_between_rams() {
  more_between_rams_ = true;
  if (std::exchange(starting_between_rams_, true)) return;
  while (std::exchange(more_between_rams_, false))
    for (std::size_t m = 0; m < states_.rams(); ++m) {
      do {
        while (auto const step = next_step(LocalMemory{m}, Seconds{0})) submit(step->request);
      } while (has_handled(LocalMemory{m}));
    }
  starting_between_rams_ = false;
}

bool Transfers::complete_ended(LocalMemory memory) {
  TransferQueue& queue = queues_[memory.index()];
  if (queue.carried().empty()) return false;
  // Completing wakes workers, which may request more copies; none of these ends at once.
  for (RequestId const id : queue.carried()) {
    queue.completed(lane_of(requests_[id]));
    complete(id, Ends::by_itself);
  }
  queue.carried().clear();
  return true;
}

}  // namespace factosim
