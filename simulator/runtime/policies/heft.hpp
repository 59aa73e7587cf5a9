#pragma once

#include <cstdint>
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

}  // namespace factosim
