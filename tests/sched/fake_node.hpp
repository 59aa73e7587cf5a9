#pragma once

#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "factosim/scheduler.hpp"

namespace factosim::testing {

/// The duration of a task where it cannot run.
constexpr double never = std::numeric_limits<double>::infinity();

/// A node whose every answer is set by a test.
struct FakeNode : NodeView {
  std::vector<Worker> worker_list;
  double date = 0;
  std::map<TaskId, int> priorities;
  std::map<TaskId, std::vector<double>> lasts;      // [workers]
  std::map<TaskId, std::vector<double>> transfers;  // [memory nodes]
  std::map<TaskId, Readiness> missing;
  TaskGraph task_graph;
  std::set<std::pair<LocalReplica, LocalMemory>> copies;  // present
  double copy_seconds = 0;
  std::size_t memory_nodes = 2;

  std::span<Worker const> workers() const override { return worker_list; }
  std::size_t memory_node_count() const override { return memory_nodes; }
  Seconds now() const override { return {date}; }
  int priority(TaskId t) const override { return priorities.contains(t) ? priorities.at(t) : 0; }
  std::span<double const> durations(TaskId t) const override { return lasts.at(t); }
  void predict_transfers(TaskId t, std::span<double> seconds) const override {
    for (std::size_t m = 0; m < seconds.size(); ++m)
      seconds[m] = transfers.contains(t) ? transfers.at(t)[m] : 0.0;
  }
  TaskGraph const& graph() const override { return task_graph; }
  bool runs_here(TaskId) const override { return true; }
  Seconds copy_time(LocalMemory from, LocalMemory to, Bytes) const override {
    return Seconds{from == to ? 0 : copy_seconds};
  }
  std::size_t replica_count() const override { return task_graph.handles.size(); }
  LocalReplica replica(TaskId t, std::size_t operand) const override {
    return LocalReplica{task_graph.accesses_of(t)[operand].handle().value()};
  }
  bool present(LocalReplica r, LocalMemory m) const override { return copies.contains({r, m}); }
  Seconds transfer_time(LocalReplica r, LocalMemory m) const override {
    return Seconds{present(r, m) ? 0 : copy_seconds};
  }
  Readiness readiness(TaskId t, LocalMemory) const override {
    return missing.contains(t) ? missing.at(t) : Readiness{};
  }
};

/// The pusher of a task that no worker of the node made ready.
constexpr LocalWorker outside{};

/// The assignment to one worker.
constexpr Scheduler::Assignment to(std::uint32_t worker) { return Scheduler::to_worker(LocalWorker{worker}); }

/// A policy by its name, as a node makes it.
inline std::unique_ptr<Scheduler> policy(std::string const& type, NodeView const& node,
                                         SchedulerOptions options = {}) {
  options.type = type;
  return make_scheduler(options, node);
}

/// One GPU (worker 0, memory 1) and two cores (workers 1 and 2, memory 0).
inline FakeNode gpu_and_two_cores() {
  FakeNode node;
  node.worker_list = {{.memory = LocalMemory{1}, .gpu = true}, {}, {}};
  return node;
}

}  // namespace factosim::testing
