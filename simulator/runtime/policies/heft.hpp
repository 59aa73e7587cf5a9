#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "factosim/scheduler.hpp"

namespace factosim {

/// The schedule that HEFT computes before the run. Times in seconds; tasks of other nodes have a rank and no
/// worker.
struct HeftPlan {
  std::vector<double> rank;            // [tasks] from the start of the task to the end of the graph
  std::vector<LocalWorker> worker;     // [tasks]
  std::vector<double> start;           // [tasks]
  std::vector<double> end;             // [tasks] of other nodes: a lower bound
  std::vector<TaskId> sequence;        // [tasks of the node] worker after worker, in the order planned
  std::vector<std::uint32_t> begin;    // [workers + 1] into sequence
  bool waits_for_other_nodes = false;  // a task of this node reads an output of another node
};

/// Heterogeneous earliest finish time:
///
///   rank(t) = mean duration of t + max over successors s of (mean copy time of what t writes + rank(s))
///
/// over the workers that can run t and the pairs of memory nodes. By decreasing rank, then in order of
/// submission, a task goes where it ends first, into the first idle gap that is long enough once its
/// predecessors have ended and its inputs have been copied from where they were written. Initial data is in
/// RAM, and so is data from other nodes. A task of another node is assumed to start when its predecessors have
/// ended and to last as long as on the fastest worker here. Source: Topcuoglu, Hariri, Wu, "Performance-effective
/// and low-complexity task scheduling for heterogeneous computing", IEEE Transactions on Parallel and
/// Distributed Systems 13(3), 2002.
HeftPlan plan_by_heft(NodeView const& node);

/// Each worker runs its tasks of `plan_by_heft`, in the order of the plan, and waits for the next one. Only
/// where tasks wait for other nodes, for all tasks before a barrier, or for a limited submission, does a worker take the
/// first task of its plan that is ready: such dates are estimates, and strict plans could deadlock.
class HeftScheduler final : public Scheduler {
 public:
  HeftScheduler(SchedulerOptions const& options, NodeView const& node);

  Assignment push(TaskId task, LocalWorker pusher) override;
  TaskId pop(LocalWorker worker) override;
  [[nodiscard]] bool prefetches() const override { return true; }
  [[nodiscard]] bool shares_tasks() const override { return false; }
  [[nodiscard]] bool knows_priorities() const override { return false; }

 private:
  using FirstOnTop = std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>>;
  struct PerWorker {
    std::uint32_t next = 0;  // into sequence_
    FirstOnTop ready;        // into sequence_
  };

  bool strict_ = true;
  std::vector<TaskId> sequence_;         // [tasks of the node] by worker, in planned order
  std::vector<std::uint32_t> begin_;     // [workers + 1] into sequence_
  std::vector<std::uint32_t> position_;  // [tasks] in sequence_
  std::vector<PerWorker> workers_;
};

}  // namespace factosim
