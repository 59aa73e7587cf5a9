#include "simulator/runtime/data_manager.hpp"

#include <limits>
#include <utility>

#include "factosim/error.hpp"

namespace factosim {

DataManager::DataManager(NodeType const& type, std::vector<Bytes> sizes, std::vector<bool> const& owned,
                         RuntimeOptions const& options, DataClient& client)
    : type_(type),
      rams_(static_cast<std::uint32_t>(type.ram_count())),
      options_(options),
      client_(client),
      sizes_(std::move(sizes)),
      states_(owned, type.memory_node_count(), type.ram_count()),
      streams_(rams_),
      drivers_(type.memory_node_count()),
      requests_on_(owned.size() * states_.memory_nodes(), none),
      loading_(requests_on_.size(), none),
      request_count_(owned.size(), 0),
      being_written_(owned.size(), false) {
  memories_.resize(rams_, GpuMemory(Bytes{0}));
  for (GpuSpec const& gpu : type.gpus)
    memories_.emplace_back(Bytes{
        static_cast<std::int64_t>(static_cast<double>(gpu.memory.value) * options.gpu_memory_fraction)});
  for (Driver& driver : drivers_) {
    driver.queues.resize(states_.memory_nodes() + 1);
    driver.pending.resize(states_.memory_nodes() + 1);
  }
}

double DataManager::predicted_copy(std::uint32_t from, std::uint32_t to, Bytes size) const {
  if (from == to) return 0;
  std::size_t const m = states_.memory_nodes();
  if (type_.bus.routes[from * m + to].empty())
    return predicted_copy(from, 0, size) + predicted_copy(0, to, size);
  // StarPU's pessimism: all GPUs are taken to share the bus, in both directions (perfmodel_bus.c).
  double const sharing = type_.gpus.empty() ? 1.0 : 2.0 * static_cast<double>(type_.gpus.size());
  return type_.bus.predicted[from * m + to].latency.value +
         (size / type_.bus.predicted[from * m + to].bandwidth).value * sharing;
}

std::uint32_t DataManager::cheapest_source(std::uint32_t replica, std::uint32_t memory) const {
  double minimum = std::numeric_limits<double>::infinity();
  std::uint32_t best = none;
  for (std::uint32_t m = 0; m < states_.memory_nodes(); ++m) {
    if (!states_.valid(replica, m)) continue;
    double const cost = predicted_copy(m, memory, sizes_[replica]);
    if (cost < minimum) {
      minimum = cost;
      best = m;
    }
  }
  FACTOSIM_ALWAYS(best != none, "a replica is wanted that is valid nowhere");
  return best;
}

double DataManager::predict(std::uint32_t replica, std::uint32_t memory) const {
  if (states_.valid(replica, memory) || requests_on_[copy_index(replica, memory)] != none) return 0;
  return predicted_copy(cheapest_source(replica, memory), memory, sizes_[replica]);
}

std::uint32_t DataManager::find_request(std::uint32_t replica, std::uint32_t memory, TaskId task) const {
  if (!task.valid()) return none;
  std::uint32_t id = requests_on_[copy_index(replica, memory)];
  while (id != none && (requests_[id].task != task || requests_[id].canceled))
    id = requests_[id].next_on_copy;
  return id;
}

bool DataManager::fetch(TaskId task, std::uint32_t replica, std::uint32_t memory, Access access,
                        std::int32_t priority, Waiter waiter) {
  states_.pin(replica, memory);
  if (writes(access)) being_written_[replica] = true;
  std::uint32_t const own = find_request(replica, memory, task);
  if (states_.valid(replica, memory)) {
    states_.touch(replica, memory);
    if (own != none) cancel(own);
    if (!writes(access)) return true;
    if (request_count_[replica] == 0) {
      states_.make_valid(replica, memory, true);
      return true;
    }
    blocked_writers_.push_back({replica, memory, waiter});
    return false;
  }
  if (own != none) {
    requests_[own].writes = requests_[own].writes || writes(access);
    requests_[own].waiter = waiter;
    promote(own, Urgency::fetch);
    if (std::uint32_t const first_hop = find_request(replica, 0, task);
        first_hop != none && requests_[first_hop].second_hop == own)
      promote(first_hop, Urgency::fetch);
    return false;
  }
  if (is_ram(memory) && !reads(access)) {  // RAM needs no allocation: the task creates the value there
    states_.make_valid(replica, memory, true);
    return true;
  }
  request_copy({.replica = replica,
                .task = task,
                .priority = priority,
                .from = static_cast<std::uint8_t>(reads(access) ? cheapest_source(replica, memory) : memory),
                .to = static_cast<std::uint8_t>(memory),
                .urgency = Urgency::fetch,
                .writes = writes(access),
                .waiter = waiter});
  return false;
}

void DataManager::prefetch(TaskId task, std::uint32_t replica, std::uint32_t memory, Access access,
                           std::int32_t priority) {
  if (!reads(access)) return;
  if (states_.valid(replica, memory)) {
    states_.touch(replica, memory);
    states_.promise(replica, memory);
    if (writes(access) && request_count_[replica] == 0) states_.make_valid(replica, memory, true);
    return;
  }
  request_copy({.replica = replica,
                .task = task,
                .priority = priority,
                .from = static_cast<std::uint8_t>(cheapest_source(replica, memory)),
                .to = static_cast<std::uint8_t>(memory),
                .urgency = Urgency::prefetch,
                .writes = writes(access),
                .promises = true});
}

void DataManager::wont_use(std::uint32_t replica) {
  states_.wont_use(replica);
  copy_to_ram_when_idle(replica);
}

void DataManager::copy_to_ram_when_idle(std::uint32_t replica) {
  if (states_.valid(replica, 0)) return;
  request_copy({.replica = replica,
                .from = static_cast<std::uint8_t>(cheapest_source(replica, 0)),
                .to = 0,
                .urgency = Urgency::idle});
}

void DataManager::forget(std::uint32_t replica) {
  for (std::uint32_t m = rams_; m < states_.memory_nodes(); ++m)
    if (states_.allocated(replica, m)) {
      memories_[m].give_back(sizes_[replica]);
      client_.place_changed(replica, m, false);
    }
  states_.forget(replica);
}

std::uint32_t DataManager::create(TransferRequest request) {
  std::uint32_t id = static_cast<std::uint32_t>(requests_.size());
  if (free_requests_.empty()) {
    requests_.push_back(request);
  } else {
    id = free_requests_.back();
    free_requests_.pop_back();
    requests_[id] = request;
  }
  std::uint32_t& head = requests_on_[copy_index(request.replica, request.to)];
  requests_[id].next_on_copy = head;
  head = id;
  ++request_count_[request.replica];
  if (request.from != request.to) states_.pin(request.replica, request.from);
  return id;
}

void DataManager::request_copy(TransferRequest wish) {
  std::size_t const m = states_.memory_nodes();
  if (wish.from == wish.to || !type_.bus.routes[wish.from * m + wish.to].empty()) return queue(create(wish));
  // No direct link between the two: through the RAM, the second half queued when the first has ended.
  TransferRequest to_ram = wish;
  to_ram.to = 0;
  to_ram.writes = false;
  to_ram.waiter = {};
  wish.from = 0;
  std::uint32_t const second = create(wish);
  to_ram.second_hop = second;
  queue(create(to_ram));
}

void DataManager::queue(std::uint32_t id) {
  TransferRequest& r = requests_[id];
  r.queued = true;
  r.ticket = next_ticket_++;
  std::uint32_t const driver = driver_of(r);
  drivers_[driver].queues[queue_of(r)][static_cast<std::size_t>(r.urgency)].push({r.priority, r.ticket, id});
  if (is_ram(driver)) return start_between_rams();
  client_.wake_driver(driver);
}

void DataManager::promote(std::uint32_t id, Urgency urgency) {
  TransferRequest& r = requests_[id];
  if (urgency >= r.urgency) return;
  r.urgency = urgency;
  if (r.queued) queue(id);  // its old place in the less urgent list is void: the ticket no longer fits
}

void DataManager::cancel(std::uint32_t id) {
  requests_[id].canceled = true;
  if (requests_[id].queued)
    complete(id);  // its place in the driver's list is void: the ticket no longer fits
}

void DataManager::satisfy(std::uint32_t replica, std::uint32_t memory, bool writes, Waiter waiter) {
  if (writes && request_count_[replica] > 0 && waiter.kind != Waiter::Kind::nobody) {
    blocked_writers_.push_back({replica, memory, waiter});
    return;
  }
  if (writes && request_count_[replica] == 0) states_.make_valid(replica, memory, true);
  if (waiter.kind != Waiter::Kind::nobody) client_.data_arrived(waiter);
}

void DataManager::remove_from_copy(std::uint32_t id) {
  std::uint32_t* link = &requests_on_[copy_index(requests_[id].replica, requests_[id].to)];
  while (*link != id) link = &requests_[*link].next_on_copy;
  *link = requests_[id].next_on_copy;
}

void DataManager::complete(std::uint32_t id, bool by_itself) {
  requests_[id].queued = false;
  TransferRequest const r = requests_[id];
  std::uint32_t& loading = loading_[copy_index(r.replica, r.to)];
  if (loading == id) loading = none;
  if (!r.canceled) states_.make_valid(r.replica, r.to, false);
  // As in the real runtime, a request that ends with another one's copy makes no promise.
  if (!r.canceled && r.promises && by_itself) states_.promise(r.replica, r.to);
  if (r.from != r.to) states_.unpin(r.replica, r.from);
  if (r.under_way) states_.unpin(r.replica, r.to);
  remove_from_copy(id);
  --request_count_[r.replica];
  free_requests_.push_back(id);
  for (std::uint32_t d = r.first_dependent; d != none;) {
    std::uint32_t const next = requests_[d].next_dependent;
    complete(d, false);
    d = next;
  }
  if (r.second_hop != none) queue(r.second_hop);
  if (!r.canceled) satisfy(r.replica, r.to, r.writes, r.waiter);
  if (request_count_[r.replica] > 0 || blocked_writers_.empty()) return;
  auto const blocked = std::find_if(blocked_writers_.begin(), blocked_writers_.end(),
                                    [&](BlockedWriter const& b) { return b.replica == r.replica; });
  if (blocked == blocked_writers_.end()) return;
  BlockedWriter const writer = *blocked;
  blocked_writers_.erase(blocked);
  satisfy(writer.replica, writer.memory, true, writer.waiter);
}

}  // namespace factosim
