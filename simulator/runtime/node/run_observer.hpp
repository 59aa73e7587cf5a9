#pragma once

#include <algorithm>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "factosim/task_graph.hpp"
#include "platforms/topology.hpp"
#include "simulator/runtime/node/outcome.hpp"
#include "simulator/tasks/plan/machine.hpp"
#include "simulator/traces/trace/run_trace.hpp"
#include "simulator/traces/trace/series.hpp"

namespace factosim {

/// Sums up kernels and transfers during a run.
class Statistics {
 public:
  Statistics(std::size_t nodes, std::size_t kernels, std::size_t workers) : workers_(workers) {
    outcome_.nodes.resize(nodes);
    outcome_.tasks_by_kernel.resize(kernels);
  }

  /// Calls come in the order of `end`. `worker`: numbered within the node; `energy`: above idle.
  void task_ran(std::size_t node, std::size_t worker, std::size_t kernel, Joules energy, Seconds start,
                Seconds end);
  /// Calls come in the order of `date`, the arrival.
  void message_carried(std::size_t from, std::size_t to, Bytes size, Seconds date);
  void copy_carried(bool from_ram, bool to_ram, Bytes size);
  /// A copy to the disk of a node, or from there.
  void disk_carried(std::size_t node, bool to_disk, Bytes size) {
    ++outcome_.transfers;
    SimulationOutcome::Node& n = outcome_.nodes[node];
    (to_disk ? n.disk_written : n.disk_read) += size;
  }
  [[nodiscard]] SimulationOutcome finish();

 private:
  struct Span {
    double start, end;
  };
  std::size_t workers_;
  SimulationOutcome outcome_;
  std::deque<Span> recent_;  // kernels that may end after 90 % of the makespan
  double settled_busy_ = 0;  // of all other kernels, seconds
};

/// Records a run while it happens: always statistics, and a trace and a time series if given.
class RunObserver {
 public:
  /// `flow`: all tasks, where `graph` has only those that are not over; 0: `graph` has all. Traces then number tasks
  /// in submission order, and dates of tasks are not recorded, unless `numbers` says what number to give each, by
  /// submission. `trace` and `series` may be null. All arguments must outlive this.
  RunObserver(TaskGraph const& graph, std::uint64_t flow, std::span<TaskId const> numbers,
              Machine const& machine, Topology const& topology, TraceRecords* trace, Series* series)
      : graph_(graph),
        by_position_(flow > 0),
        numbers_(numbers),
        machine_(machine),
        topology_(topology),
        trace_(trace),
        series_(series),
        statistics_(machine.node_count(), graph.kernels.size(), machine.worker_count()),
        dates_(by_position_ ? numbers.size() : graph.task_count(), machine.worker_count()),
        link_bytes_(topology.links().size(), 0) {
    lost_.resize(machine.node_count());
    if (trace_ != nullptr) trace_->submissions.resize(by_position_ ? flow : graph.task_count());
  }

  /// Returns the task as traces and dates number it.
  [[nodiscard]] TaskId traced(TaskId task) const {
    return by_position_ ? numbered(graph_.submission[task.index()]) : task;
  }
  /// The same of the first reader of a message.
  [[nodiscard]] TaskId traced_reader(TaskId reader) const {
    return by_position_ ? numbered(reader.value()) : reader;
  }
  /// The tasks [begin, end) are submitted one after the other, where traces number them in submission order.
  void all_submitted(std::uint32_t begin, std::uint32_t end, Seconds start, Seconds cost) {
    if (trace_ == nullptr) return;
    for (std::uint32_t t = begin; t < end; ++t)
      trace_->submissions[numbered(t).index()] = start + cost * static_cast<double>(t - begin + 1);
  }

  void task_submitted(TaskId task, NodeId node, Seconds date) {
    if (trace_ != nullptr) trace_->submissions[task.index()] = date;
    if (series_ != nullptr) series_->change(node, Level::submitted, date, 1);
  }
  /// All tasks before a barrier have run.
  void part_begins() { dates_.part_begins(); }
  /// `pusher` and `producer` as in TaskDatesRecorder::ready; the pusher is numbered within the node.
  void task_ready(TaskId task, NodeId node, LocalWorker pusher, TaskId producer, Seconds date) {
    dates_.ready(traced(task), pusher.valid() ? global(node, pusher) : WorkerId{},
                 producer.valid() ? traced(producer) : producer, date);
    if (series_ != nullptr) series_->change(node, Level::ready, date, 1);
  }
  /// A kernel has run on that worker, numbered within the node. Calls come in the order of `end`. `work`: how long it drew
  /// the power of the worker.
  void task_ran(TaskId task, NodeId node, LocalWorker worker, Seconds start, Seconds end, Seconds work) {
    std::size_t const kernel = graph_.kernel[task.index()];
    Joules const energy{machine_.type(node).busy_power(kernel, worker.index()) * work.value};
    statistics_.task_ran(node.index(), worker.index(), kernel, energy, start, end);
    TaskId const number = traced(task);
    dates_.ran(number, global(node, worker), start, end);
    if (trace_ != nullptr) trace_->tasks.push_back({number, global(node, worker), start, end});
    if (series_ != nullptr) series_->task_ran(task, node, start, end);
  }

  /// The outputs of the task for other nodes are in RAM.
  void output_in_ram(TaskId task, Seconds date) { dates_.output_in_ram(traced(task), date); }

  /// The size of the tiles in the RAM of the node has changed by `by` bytes.
  void memory_changed(NodeId node, std::int64_t by, Seconds date) {
    if (series_ != nullptr) series_->change(node, Level::ram, date, static_cast<double>(by));
  }
  /// Memory was allocated for the replica in that memory node.
  void place_taken(NodeId node, LocalMemory memory, LocalReplica replica, HandleId handle, Seconds date) {
    if (is_gpu(node, memory) && lost(node, memory, replica))
      reallocated_ += graph_.handles[handle.index()].size;
    if (trace_ != nullptr) trace_->places.push_back(place(node, memory, replica, handle, date, true));
  }
  /// The number of a replica that has gone stands for another one.
  void replica_replaced(NodeId node, LocalReplica replica) {
    std::size_t const gpus = machine_.type(node).gpu_memories;
    auto& lost = lost_[node.index()];
    for (std::size_t copy = replica.index() * gpus; copy < (replica.index() + 1) * gpus && copy < lost.size();
         ++copy)
      lost[copy] = false;
  }
  /// The memory of the replica in that memory node was released.
  void place_released(NodeId node, LocalMemory memory, LocalReplica replica, HandleId handle, Seconds date) {
    if (is_gpu(node, memory)) lost(node, memory, replica) = true;
    if (trace_ != nullptr) trace_->places.push_back(place(node, memory, replica, handle, date, false));
  }

  void message_carried(TransferRecord const& message, Topology::Path path) {
    NodeId const from = topology_.node_of(message.from), to = topology_.node_of(message.to);
    if (trace_ != nullptr) trace_->transfers.push_back(message);
    statistics_.message_carried(from.index(), to.index(), message.size, message.end);
    Topology::RouteBuffer scratch;
    load(topology_.route(message.from, message.to, scratch, path).links, message.size);
    if (series_ != nullptr) series_->message_carried(from, to, message.start, message.end, message.size);
  }
  /// A copy within a node has ended.
  void copy_carried(TransferRecord const& copy) {
    bool const from_ram = topology_.is_ram(copy.from), to_ram = topology_.is_ram(copy.to);
    if (trace_ != nullptr) trace_->transfers.push_back(copy);
    load(topology_.bus_route(copy.from, copy.to), copy.size);
    if (topology_.is_disk(copy.from) || topology_.is_disk(copy.to))
      return statistics_.disk_carried(topology_.node_of(copy.from).index(), topology_.is_disk(copy.to),
                                      copy.size);
    statistics_.copy_carried(from_ram, to_ram, copy.size);
    if (series_ != nullptr)
      series_->copy_carried(topology_.node_of(copy.from), from_ram, to_ram, copy.end, copy.size);
  }

  /// Returns the statistics of the run, which has ended.
  [[nodiscard]] SimulationOutcome outcome() {
    SimulationOutcome out = statistics_.finish();
    out.dates = dates_.take();
    out.link_bytes = std::move(link_bytes_);
    out.reallocated = reallocated_;
    return out;
  }

 private:
  /// Returns the number of the task at a place in the submission.
  [[nodiscard]] TaskId numbered(std::uint32_t place) const {
    return numbers_.empty() ? TaskId{place} : numbers_[place];
  }
  [[nodiscard]] WorkerId global(NodeId node, LocalWorker worker) const {
    return WorkerId{machine_.first_worker[node.index()] + worker.value()};
  }
  void load(std::span<std::uint32_t const> links, Bytes size) {
    for (std::uint32_t const link : links) link_bytes_[link] += static_cast<double>(size.value);
  }
  [[nodiscard]] bool is_gpu(NodeId node, LocalMemory memory) const {
    Machine::Type const& type = machine_.type(node);
    return memory.index() >= type.rams && memory.index() < type.rams + type.gpu_memories;
  }
  /// Returns whether a copy in GPU memory was evicted, or its replica has gone.
  [[nodiscard]] std::vector<bool>::reference lost(NodeId node, LocalMemory memory, LocalReplica replica) {
    Machine::Type const& type = machine_.type(node);
    std::size_t const copy = replica.index() * type.gpu_memories + memory.index() - type.rams;
    auto& lost = lost_[node.index()];
    if (lost.size() <= copy) lost.resize(std::max(copy + 1, 2 * lost.size()));
    return lost[copy];
  }
  [[nodiscard]] PlaceRecord place(NodeId node, LocalMemory memory, LocalReplica replica, HandleId handle,
                                  Seconds date, bool taken) const {
    return {.handle = handle,
            .memory = MemoryNodeId{topology_.ram_of(node).value() + memory.value()},
            .replica = replica,
            .date = date,
            .taken = taken};
  }

  TaskGraph const& graph_;
  bool by_position_;
  std::span<TaskId const> numbers_;  // [tasks] by submission
  Machine const& machine_;
  Topology const& topology_;
  TraceRecords* trace_;
  Series* series_;
  Statistics statistics_;
  TaskDatesRecorder dates_;
  std::vector<double> link_bytes_;       // [links]
  std::vector<std::vector<bool>> lost_;  // [nodes][replicas][GPUs] as `lost` says; as far as any was
  Bytes reallocated_;
};

}  // namespace factosim
