#include "simulator/runtime/node/data_manager.hpp"

#include <utility>

#include "factosim/error.hpp"

namespace factosim {

DataManager::DataManager(NodeType const& type, std::vector<Bytes> sizes, std::vector<bool> const& initial,
                         RuntimeOptions const& options, EvictionPolicy* eviction, DataClient& client)
    : sizes_(std::move(sizes)),
      states_(type.out_of_core ? std::vector<bool>(initial.size(), false) : initial, type.memory_node_count(),
              type.ram_count(), type.out_of_core),
      gpus_(type, sizes_, options, states_, eviction, client),
      prediction_(type, sizes_, states_),
      transfers_(type, options, states_, gpus_, prediction_, client) {}

void DataManager::add_replica(LocalReplica replica, Bytes size) {
  if (replica.index() == sizes_.size()) sizes_.emplace_back();
  sizes_[replica.index()] = size;
  states_.add(replica);
  transfers_.requests().add_replica(replica);
  gpus_.replaced(replica);
}

Seconds DataManager::predict(LocalReplica replica, LocalMemory memory) const {
  if (present(replica, memory)) return Seconds{0};
  return prediction_.time(replica, prediction_.cheapest_source(replica, memory), memory);
}

RequestId DataManager::own_request(Need const& need) const {
  auto const [task, replica, memory, access, priority] = need;
  TransferRequests const& requests = transfers_.requests();
  if (!states_.is_memory_short() || states_.valid(replica, memory))
    return requests.find(replica, memory, task);
  LocalMemory const from = reads(access) ? prediction_.cheapest_source(replica, memory) : memory;
  if (RequestId const direct = requests.find_shared(replica, from, memory, task); direct.valid())
    return direct;
  // Without a direct route, the request for the copy follows one to the RAM.
  RequestId const first_hop = requests.find_shared(replica, from, first_ram, task);
  RequestId const second_hop = first_hop.valid() ? requests[first_hop].second_hop : RequestId{};
  return second_hop.valid() && requests[second_hop].to == memory ? second_hop : RequestId{};
}

bool DataManager::fetch(Need const& need, Waiter waiter) {
  auto const [task, replica, memory, access, priority] = need;
  TransferRequests& requests = transfers_.requests();
  states_.pin(replica, memory);
  if (writes(access)) states_.begin_write(replica);
  RequestId own = own_request(need);
  if (states_.valid(replica, memory)) {
    states_.touch(replica, memory);
    if (own.valid()) transfers_.cancel(own);
    if (!writes(access)) return true;
    if (requests.count(replica) == 0) {
      states_.write(replica, memory);
      return true;
    }
    transfers_.grant_write(replica, memory, waiter);
    return false;
  }
  if (own.valid() && requests[own].from != memory && !requests[own].holds_source) {
    transfers_.cancel(own);  // its source may be evicted
    own = {};
  }
  if (own.valid()) {
    requests[own].writes = requests[own].writes || writes(access);
    requests[own].waiter = waiter;
    transfers_.promote(own);
    RequestId const first_hop = requests.find(replica, first_ram, task);
    if (first_hop.valid() && requests[first_hop].second_hop == own) transfers_.promote(first_hop);
    if (writes(access) && states_.is_memory_short()) transfers_.hasten(replica);
    return false;
  }
  if (!states_.is_limited(memory) && !reads(access)) {  // RAM needs no allocation: the task creates the value
    states_.write(replica, memory);
    return true;
  }
  transfers_.request({.replica = replica,
                      .task = task,
                      .priority = priority,
                      .from = reads(access) ? prediction_.cheapest_source(replica, memory) : memory,
                      .to = memory,
                      .urgency = Urgency::fetch,
                      .writes = writes(access),
                      .waiter = waiter});
  if (writes(access) && states_.is_memory_short()) transfers_.hasten(replica);
  return false;
}

void DataManager::prefetch(Need const& need) {
  auto const [task, replica, memory, access, priority] = need;
  if (!reads(access)) return;
  if (states_.valid(replica, memory)) {
    states_.touch(replica, memory);
    states_.reserve(replica, memory);
    if (writes(access) && (states_.is_memory_short() || transfers_.requests().count(replica) == 0))
      states_.write(replica, memory);
    return;
  }
  transfers_.request({.replica = replica,
                      .task = task,
                      .priority = priority,
                      .from = prediction_.cheapest_source(replica, memory),
                      .to = memory,
                      .urgency = Urgency::prefetch,
                      .writes = writes(access),
                      .reserves = true});
}

void DataManager::wont_use(LocalReplica replica) {
  states_.wont_use(replica);
  transfers_.copy_to_ram_when_idle(replica);
}

void DataManager::received(LocalReplica replica, LocalMemory memory) {
  if (states_.is_ram(memory) && states_.is_limited(memory)) gpus_.force(replica, memory);
  states_.write(replica, memory);
  if (!states_.is_ram(memory)) let_go(replica, memory);
}

GpuAllocation::Source DataManager::make_room(LocalReplica replica, LocalMemory memory) {
  auto const source = gpus_.allocate_unused(replica, memory);
  if (source != GpuAllocation::Source::none) hold(replica, memory);
  return source;
}

void DataManager::place_initial(std::vector<bool> const& initial, bool on_disk) {
  LocalMemory const disk = states_.behind(first_ram);
  for (std::size_t r = 0; r < initial.size(); ++r) {
    if (!initial[r]) continue;
    LocalReplica const replica{r};
    LocalMemory memory = on_disk ? disk : first_ram;
    while (gpus_.allocate(replica, memory, Urgency::idle) == GpuAllocation::Source::none) {
      FACTOSIM_ALWAYS(memory != disk, "a disk that holds less than the data of its node");
      memory = memory.index() + 1 < states_.rams() ? LocalMemory{memory.index() + 1} : disk;
    }
    states_.make_valid(replica, memory);
  }
}

void DataManager::forget(LocalReplica replica) {
  gpus_.release_all(replica);
  states_.forget(replica);
  transfers_.room_freed();
}

}  // namespace factosim
