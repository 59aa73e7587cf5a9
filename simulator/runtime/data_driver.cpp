// The half of DataManager that the GPU drivers run: starting requests within their limits, memory,
// completion. What goes between NUMA nodes goes by itself.

#include <limits>
#include <tuple>
#include <utility>

#include "factosim/error.hpp"
#include "simulator/runtime/data_manager.hpp"

namespace factosim {

DataManager::Room DataManager::evict_one(std::uint32_t memory, Urgency urgency) {
  using Kind = ReplicaStates::Kind;
  if (urgency == Urgency::idle) return Room::none;
  EvictionOrder& order = states_.order(memory);
  bool const promised_too = urgency == Urgency::fetch;
  std::uint32_t const shared =
      promised_too ? order.first(Kind::shared, Kind::promised_shared) : order.first(Kind::shared);
  if (shared != ReplicaStates::none) {
    memories_[memory].give_back(sizes_[shared]);
    states_.set_allocated(shared, memory, false);
    client_.place_changed(shared, memory, false);
    bool const freed = drivers_[memory].reclaimed == shared && !GpuMemory::cut_from_chunks(sizes_[shared]);
    return freed ? Room::freed : Room::reused;
  }
  std::uint32_t const owned =
      promised_too ? order.first(Kind::owned, Kind::promised_owned) : order.first(Kind::owned);
  if (owned == ReplicaStates::none) return Room::none;
  Driver& driver = drivers_[memory];
  std::size_t const out = states_.memory_nodes();
  bool const writing_back =
      driver.pending[out] > 0 || !driver.queues[out][static_cast<std::size_t>(urgency)].empty();
  if (!writing_back) {
    driver.reclaimed = owned;
    write_back(owned, memory, urgency);
  }
  return Room::none;  // the caller tries again when the copy has ended
}

void DataManager::tidy(std::uint32_t memory) {
  to_write_back_.clear();
  states_.order(memory).tidy(being_written_, to_write_back_);
  for (std::uint32_t const replica : to_write_back_) copy_to_ram_when_idle(replica);
}

void DataManager::write_back(std::uint32_t replica, std::uint32_t memory, Urgency urgency) {
  request_copy({.replica = replica,
                .priority = std::numeric_limits<std::int32_t>::max(),
                .from = static_cast<std::uint8_t>(memory),
                .to = 0,
                .urgency = urgency});
}

DataManager::Room DataManager::allocate(std::uint32_t memory, Bytes size, Urgency urgency) {
  Room evicted = Room::reused;
  while (true) {
    switch (memories_[memory].take(size)) {
      case GpuMemory::Grant::cached:
        return evicted;
      case GpuMemory::Grant::allocated:
        return Room::allocated;
      case GpuMemory::Grant::refused:
        break;
    }
    evicted = evict_one(memory, urgency);
    if (evicted == Room::none) return Room::none;
  }
}

DataManager::Handled DataManager::handle(std::uint32_t id) {
  TransferRequest& r = requests_[id];
  r.queued = false;
  std::uint32_t& loading = loading_[copy_index(r.replica, r.to)];
  if (!r.canceled && loading != none) {  // another request brings the same copy: end with it
    r.next_dependent = requests_[loading].first_dependent;
    requests_[loading].first_dependent = id;
    return Handled::done;
  }
  if (r.canceled || states_.valid(r.replica, r.to)) {
    complete(id);
    return Handled::done;
  }
  Room room = Room::reused;
  if (!states_.allocated(r.replica, r.to)) {
    // By value: an eviction may create a request and move the pool.
    auto const [to, urgency, replica] = std::tuple(r.to, r.urgency, r.replica);
    room = allocate(to, sizes_[replica], urgency);
    if (room == Room::none) return Handled::no_memory;
    states_.set_allocated(replica, to, true);
    client_.place_changed(replica, to, true);
  }
  TransferRequest& started = requests_[id];
  loading_[copy_index(started.replica, started.to)] = id;
  if (started.from == started.to) {
    complete(id);
    return Handled::done;
  }
  started.under_way = true;
  states_.pin(started.replica, started.to);
  ++drivers_[driver_of(started)].pending[queue_of(started)];
  drivers_[started.to].reclaimed = none;
  return room == Room::freed       ? Handled::copy_after_free
         : room == Room::allocated ? Handled::copy_after_allocation
                                   : Handled::copy;
}

std::optional<DataManager::Step> DataManager::step_from(Driver& driver, std::size_t queue, Urgency urgency) {
  int const limits[urgencies] = {options_.fetch_limit, options_.prefetch_limit, options_.idle_limit};
  RequestQueue& waiting = driver.queues[queue][static_cast<std::size_t>(urgency)];
  while (!waiting.empty() && driver.pending[queue] < limits[static_cast<std::size_t>(urgency)]) {
    RequestQueue::Item const item = waiting.top();
    waiting.pop();
    TransferRequest const& r = requests_[item.request];
    if (!r.queued || r.ticket != item.ticket) continue;  // promoted since, or gone
    Handled const handled = handle(item.request);
    if (handled == Handled::no_memory) {
      requests_[item.request].queued = true;
      waiting.push(item);
      out_of_memory_ = true;
      return std::nullopt;
    }
    if (handled != Handled::done)
      return Step{.request = item.request,
                  .allocates = handled != Handled::copy,
                  .frees = handled == Handled::copy_after_free};
  }
  return std::nullopt;
}

std::optional<DataManager::Step> DataManager::next_step(std::uint32_t memory) {
  if (!is_ram(memory)) tidy(memory);
  Driver& driver = drivers_[memory];
  std::size_t const out = states_.memory_nodes();
  // Urgent ones of all peers, then prefetches, then idle ones if nothing is under way: first what comes in,
  // then what goes out (datawizard.c).
  for (auto const& [first, last] : {std::pair<std::size_t, std::size_t>{0, out}, {out, out + 1}}) {
    out_of_memory_ = false;
    for (Urgency const urgency : {Urgency::fetch, Urgency::prefetch, Urgency::idle}) {
      bool busy = false;
      for (std::size_t q = first; q < last; ++q) busy = busy || driver.pending[q] > 0;
      if (urgency == Urgency::idle && busy) continue;
      // What found no memory is not overtaken by what would need some too.
      for (std::size_t q = first; q < last && !out_of_memory_; ++q)
        if (auto const step = step_from(driver, q, urgency)) return step;
    }
  }
  return std::nullopt;
}

void DataManager::submit(std::uint32_t request) {
  TransferRequest const& r = requests_[request];
  if (streams_.submit(request, r.from, r.to)) client_.start_copy(request, r.from, r.to, r.replica);
}

void DataManager::copy_ended(std::uint32_t request) {
  std::uint32_t const driver = driver_of(requests_[request]);
  drivers_[driver].ended.push_back(request);
  startable_.clear();
  streams_.end(request, startable_);
  for (BusStreams::Copy const& c : startable_)
    client_.start_copy(c.request, c.from, c.to, requests_[c.request].replica);
  if (!is_ram(driver)) return client_.wake_driver(driver);
  complete_ended(driver);
  start_between_rams();
}

void DataManager::start_between_rams() {
  more_between_rams_ = true;
  if (std::exchange(starting_between_rams_, true)) return;  // whoever is at it makes another turn
  while (std::exchange(more_between_rams_, false))
    for (std::uint32_t ram = 0; ram < rams_; ++ram)
      while (auto const step = next_step(ram)) submit(step->request);
  starting_between_rams_ = false;
}

bool DataManager::complete_ended(std::uint32_t memory) {
  Driver& driver = drivers_[memory];
  if (driver.ended.empty()) return false;
  // Completing wakes workers, which may ask for more; none of that ends a copy at once.
  for (std::uint32_t const id : driver.ended) {
    --driver.pending[queue_of(requests_[id])];
    complete(id);
  }
  driver.ended.clear();
  return true;
}

}  // namespace factosim
