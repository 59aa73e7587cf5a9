#include "simulator/runtime/node/node_data.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "factosim/error.hpp"

namespace factosim {

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
  for_each_operand(
      task, [&](LocalReplica replica, DataAccess access) { manager_->accessed(replica, access.mode()); });
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
  for_each_operand(task,
                   [&](LocalReplica replica, DataAccess) { manager_->release_reservation(replica, memory); });
}

void NodeData::release(TaskId task, LocalMemory memory) {
  for_each_operand(task, [&](LocalReplica replica, DataAccess) {
    if (manager_) manager_->unpin(replica, memory);
    release_use(replica);
  });
}

void NodeData::release_use(LocalReplica replica) {
  if (!ram_.release_use(replica)) return;
  if (manager_) manager_->forget(replica);
  if (ram_.was_added(replica)) services_.replica_dropped(node_, ram_.handle_of(replica), replica);
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
  manager_->hold(replica, memory);
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
