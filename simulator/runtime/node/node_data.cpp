#include "simulator/runtime/node/node_data.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "factosim/error.hpp"

namespace factosim {

DataManager::DataManager(NodeType const& type, std::vector<Bytes> sizes, std::vector<bool> const& initial,
                         RuntimeOptions const& options, EvictionPolicy* eviction, DataClient& client)
    : sizes_(std::move(sizes)),
      states_(type.out_of_core ? std::vector<bool>(initial.size(), false) : initial, type.memory_node_count(),
              type.ram_count(), type.out_of_core),
      gpus_(type, sizes_, options, states_, eviction, client),
      prediction_(type, sizes_, states_),
      transfers_(type, options, states_, gpus_, prediction_, client),
      shares_requests_(options.shared_requests) {}

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
  if (states_.valid(replica, memory) || !(states_.is_memory_short() || shares_requests_))
    return requests.find(replica, memory, task);
  TaskId const of = shares_requests_ ? TaskId{} : task;
  LocalMemory const from = reads(access) ? prediction_.cheapest_source(replica, memory) : memory;
  if (RequestId const direct = requests.find_shared(replica, from, memory, of); direct.valid()) return direct;
  // Without a direct route, the request for the copy follows one to the RAM.
  RequestId const first_hop = requests.find_shared(replica, from, first_ram, of);
  RequestId const second_hop = first_hop.valid() ? requests[first_hop].second_hop : RequestId{};
  bool const shared = second_hop.valid() && !requests[second_hop].waiter.valid();
  return shared && requests[second_hop].to == memory ? second_hop : RequestId{};
}

bool DataManager::fetch(Need const& need, Waiter waiter) {
  auto const [task, replica, memory, access, priority] = need;
  TransferRequests& requests = transfers_.requests();
  states_.pin(replica, memory);
  if (writes(access)) states_.begin_write(replica);
  // A write follows the copies that are still requested; StarPU 1.4 `coherency.c`, `nwait`.
  auto const write_here = [&] {
    if (requests.count(replica) == 0) {
      states_.write(replica, memory);
      return true;
    }
    transfers_.grant_write(replica, memory, waiter);
    return false;
  };
  RequestId own = own_request(need);
  if (states_.valid(replica, memory)) {
    states_.touch(replica, memory);
    if (own.valid() && !requests[own].waiter.valid())
      transfers_.cancel(own);  // unless another task shares it
    return !writes(access) || write_here();
  }
  if (own.valid() && requests[own].from != memory && !requests[own].holds_source) {
    transfers_.cancel(own);  // its source may be evicted
    own = {};
  }
  if (own.valid()) {
    requests[own].writes = requests[own].writes || writes(access);
    requests[own].waiter = waiter;
    transfers_.promote(own);
    RequestId const first_hop = requests.find(replica, first_ram, requests[own].task);
    if (first_hop.valid() && requests[first_hop].second_hop == own) transfers_.promote(first_hop);
    if (writes(access) && states_.is_memory_short()) transfers_.hasten(replica);
    return false;
  }
  if (!states_.is_limited(memory) && !reads(access))
    return write_here();  // RAM needs no allocation: the task creates the value
  // Out of core, RAM that a copy is on its way to for others must not hold the new value before.
  bool const needs_copy = reads(access) || (states_.is_ram(memory) && requests.any(replica, memory));
  transfers_.request({.replica = replica,
                      .task = task,
                      .priority = priority,
                      .from = needs_copy ? prediction_.cheapest_source(replica, memory) : memory,
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
  if (RequestId const shared = shares_requests_ ? own_request(need) : RequestId{}; shared.valid()) {
    TransferRequest& request = transfers_.requests()[shared];
    request.writes = request.writes || writes(access);
    ++request.reservations;
    return;
  }
  transfers_.request({.replica = replica,
                      .task = task,
                      .priority = priority,
                      .reservations = 1,
                      .from = prediction_.cheapest_source(replica, memory),
                      .to = memory,
                      .urgency = Urgency::prefetch,
                      .writes = writes(access)});
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
  if (source != GpuAllocation::Source::none) states_.pin(replica, memory);
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

namespace {

/// Calls `use(i)` for each operand of the task, whose output others read, that is sent to other nodes.
template <class Use>
void for_each_sent(SimulationInputs const& inputs, TaskId task, Use const& use) {
  TaskGraph const& graph = inputs.graph;
  if (!graph.successor_begin.empty()) return for_each_output(graph, inputs.plan, task, use);
  auto const accesses = graph.accesses_of(task);  // by formulas: those that are sent are left as written
  for (std::size_t i = 0; i < accesses.size(); ++i)
    if (writes(accesses[i].mode())) use(i);
}

}  // namespace

NodeData::NodeData(NodeId node, SimulationInputs const& inputs, NodeServices& services,
                   Scheduler const& scheduler, EvictionPolicy* eviction, RunObserver& observer,
                   DataClient& client)
    : node_(node),
      inputs_(inputs),
      services_(services),
      prefetches_(inputs.options.prefetch && scheduler.prefetches()),
      by_priority_(scheduler.knows_priorities()),
      out_of_core_(inputs.platform.type_of(node).out_of_core),
      sends_from_gpus_(inputs.platform.network.gpu_direct != GpuDirect::none),
      first_replica_(inputs.plan.first_replica[node.index()]),
      ram_(node, inputs, services.engine(), observer) {
  NodeType const& type = inputs.platform.type_of(node);
  if (type.memory_node_count() == 1) return;
  std::vector<Bytes> sizes;
  std::vector<bool> initial;
  for (Replica const& r : inputs.plan.replicas_on(node)) {
    sizes.push_back(inputs.graph.handles[r.handle.index()].size);
    initial.push_back(r.initial);
  }
  manager_.emplace(type, std::move(sizes), initial, inputs.options, eviction, client);
}

void NodeData::place_initial() {
  if (!out_of_core_) return;
  std::vector<bool> initial;
  for (Replica const& r : inputs_.plan.replicas_on(node_)) initial.push_back(r.initial);
  manager_->place_initial(initial, inputs_.options.data_starts_on_disk);
}

// ---- tasks ----

void NodeData::task_ready(TaskId task) {
  if (!manager_) return;
  for_each_operand(task, [&](LocalReplica replica, DataAccess access) {
    manager_->states().accessed(replica, writes(access.mode()));
  });
}

void NodeData::prefetch(TaskId task, LocalMemory memory) {
  if (!manager_ || !prefetches_) return;
  auto const request = [&](LocalReplica replica, Access access) {
    manager_->prefetch({task, replica, memory, access, request_priority(task)});
  };
  if (!inputs_.options.sorted_prefetches)
    return for_each_operand(
        task, [&](LocalReplica replica, DataAccess access) { request(replica, access.mode()); });
  sort_operands(task, order_);
  for (std::uint32_t const i : order_) request(operand(task, i), access(task, i));
}

void NodeData::order_of_fetch(TaskId task, std::vector<std::uint32_t>& order) const {
  order.clear();
  if (is_memory_short()) sort_operands(task, order);
}

void NodeData::sort_operands(TaskId task, std::vector<std::uint32_t>& order) const {
  order.resize(operand_count(task));
  std::iota(order.begin(), order.end(), 0);
  auto const accesses = inputs_.graph.accesses_of(task);
  auto const& handles = inputs_.graph.handles;
  // StarPU's LU examples number their tiles by column, then row.
  bool const by_column = inputs_.graph.kernels.front().name == "getrf";
  auto const rank = [&](std::uint32_t i) {
    Access const mode = accesses[i].mode();
    std::size_t const handle = accesses[i].handle().index();
    return std::tuple(!writes(mode), !reads(mode), by_column ? handles[handle].n : 0, handle, i);
  };
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return rank(a) < rank(b); });
}

Seconds NodeData::reserve(TaskId task, std::size_t i) {
  return reads(access(task, i)) ? Seconds{0} : ram_.reserve(operand(task, i));
}

bool NodeData::fetch(TaskId task, std::size_t i, LocalWorker worker, LocalMemory memory) {
  return !manager_ ||
         manager_->fetch({task, operand(task, i), memory, access(task, i), request_priority(task)},
                         {.worker = worker});
}

void NodeData::release_reservations(TaskId task, LocalMemory memory) {
  if (!manager_ || !prefetches_) return;
  for_each_operand(task, [&](LocalReplica replica, DataAccess) {
    manager_->states().release_reservation(replica, memory);
  });
}

Seconds NodeData::release(TaskId task, LocalMemory memory) {
  HostMemory const& ram = ram_.host_memory();
  std::uint64_t const calls = ram.driver_calls();
  for_each_operand(task, [&](LocalReplica replica, DataAccess) {
    if (manager_) manager_->unpin(replica, memory);
    release_use(replica);
  });
  return ram.driver_calls() > calls ? ram.pinning_left(services_.engine().now()) : Seconds{0};
}

void NodeData::release_use(LocalReplica replica) {
  if (!ram_.release_use(replica)) return;
  if (manager_) manager_->forget(replica);
  services_.replica_dropped(node_, ram_.handle_of(replica), replica);
  ram_.remove(replica);
}

void NodeData::wont_use(TaskId task) {
  if (!manager_) return;
  std::size_t i = 0;
  while (!writes(access(task, i))) ++i;
  manager_->wont_use(operand(task, i));
}

// ---- messages ----

void NodeData::send_output(TaskId task) {
  if (!manager_) return services_.send_output(task, node_, false);
  outputs_.clear();
  for_each_sent(inputs_, task, [&](std::size_t i) { outputs_.push_back(operand(task, i)); });
  auto const on_gpu = [&](LocalReplica replica) { return manager_->states().on_gpu(replica).valid(); };
  if (sends_from_gpus_ && std::ranges::all_of(outputs_, on_gpu) && !services_.holds_output(task, node_))
    return services_.send_output(task, node_, true);
  if (outputs_.size() > 1) outputs_to_fetch_[task.value()] = outputs_.size();
  for (LocalReplica const replica : outputs_)
    if (manager_->fetch({TaskId{}, replica, first_ram, Access::read, request_priority(task)},
                        {.sender = task}))
      output_arrived(task);
}

void NodeData::output_arrived(TaskId task) {
  // The output of a task is sent when all of it is in RAM; until then it stays there.
  if (auto const left = outputs_to_fetch_.find(task.value()); left != outputs_to_fetch_.end()) {
    if (--left->second > 0) return;
    outputs_to_fetch_.erase(left);
  }
  for_each_sent(inputs_, task, [&](std::size_t i) { manager_->unpin(operand(task, i), first_ram); });
  services_.send_output(task, node_, false);
}

std::pair<LocalReplica, LocalMemory> NodeData::hold_output(TaskId sender, HandleId handle) {
  auto const accesses = inputs_.graph.accesses_of(sender);
  auto const access = std::ranges::find(accesses, handle, &DataAccess::handle);
  LocalReplica const replica = operand(sender, static_cast<std::size_t>(access - accesses.begin()));
  LocalMemory const memory = manager_->states().on_gpu(replica);
  manager_->states().pin(replica, memory);  // until `let_go`
  return {replica, memory};
}

std::optional<Seconds> NodeData::make_room(LocalReplica replica, LocalMemory memory) {
  auto const source = manager_->make_room(replica, memory);
  if (source == GpuAllocation::Source::none) return std::nullopt;
  if (source == GpuAllocation::Source::kept) return Seconds{0};
  return gpu_allocator_.serve(inputs_.options.gpu_malloc_cost, services_.engine().now());
}

void NodeData::received(LocalReplica replica, LocalMemory memory) {
  if (manager_) manager_->received(replica, memory);
  ram_.receive(replica);
}

void NodeData::received_again(LocalReplica replica) {
  if (manager_) manager_->received(replica, first_ram);
  ram_.receive_again(replica);
}

LocalReplica NodeData::add_replica(HandleId handle, std::uint32_t uses) {
  LocalReplica const replica =
      ram_.add_replica(handle, uses, [&](LocalReplica r) { return !manager_ || !manager_->uses(r); });
  if (manager_) manager_->add_replica(replica, inputs_.graph.handles[handle.index()].size);
  return replica;
}

// ---- policies ----

void NodeData::predict_transfers(TaskId task, std::span<double> seconds) const {
  std::fill(seconds.begin(), seconds.end(), 0.0);
  if (!manager_) return;
  for_each_operand(task, [&](LocalReplica replica, DataAccess access) {
    if (!reads(access.mode())) return;
    for (std::size_t m = 0; m < seconds.size(); ++m)
      seconds[m] += manager_->predict(replica, LocalMemory{m}).value;
  });
}

Readiness NodeData::readiness(TaskId task, LocalMemory memory) const {
  Readiness out;
  if (!manager_) return out;
  for_each_operand(task, [&](LocalReplica replica, DataAccess access) {
    std::int64_t const bytes = inputs_.graph.handles[access.handle().index()].size.value;
    if (!manager_->states().allocated(replica, memory)) out.not_allocated += bytes;
    if (!reads(access.mode()) || manager_->states().valid(replica, memory)) return;
    out.missing += bytes;
    if (!manager_->loading(replica, memory)) out.not_loading += bytes;
  });
  return out;
}

// ---- GPU drivers ----

Seconds NodeData::preparation(Transfers::Step const& step, Seconds now) {
  using Source = GpuAllocation::Source;
  RuntimeOptions const& o = inputs_.options;
  if (step.frees_memory()) return gpu_allocator_.serve(o.gpu_free_cost, now);
  Seconds const allocation = (step.source != Source::kept ? o.gpu_malloc_cost : Seconds{0}) +
                             (step.source == Source::freed ? o.gpu_free_cost : Seconds{0});
  Seconds const waiting = allocation.value > 0 ? gpu_allocator_.serve(allocation, now) : Seconds{0};
  return o.gpu_queue_cost + waiting + ram_.host_memory().driver_waits(now);
}

}  // namespace factosim
