#pragma once

#include <vector>

#include "simulator/tasks/bounds/link_loads.hpp"
#include "simulator/tasks/bounds/load_and_path.hpp"
#include "simulator/tasks/bounds/node_area_bounds.hpp"
#include "simulator/tasks/bounds/tick_times.hpp"

namespace factosim {

/// What the first look at placed tasks finds.
struct TaskChains {
  ChainHead longest;
  std::vector<MessageCount> messages_by_phase;  // as `count_messages_by_phase`
};

/// Work between the longest chains before and after it, in ticks.
struct ChainedWork {
  std::vector<PathTasks> paths;        // all tasks, with chains that are `fastest`
  double load_and_path = 0;            // largest bound of a node: of its work by the prices of its area bound
  std::vector<WindowedWork> messages;  // of the link, sorted by their work: sums do not depend on their order
};

/// Finds chains and messages in passes over a flow, without storing its tasks.
class FlowAnalysis {
 public:
  /// All must outlive it.
  FlowAnalysis(PlacedFlow& placed, TickTimes const& times) : placed_(placed), times_(times) {}

  /// Sums the messages in `loads`. The first pass.
  TaskChains chains(LinkLoads& loads);
  /// `areas`: of the nodes' work. `link`: of which messages are asked for, if any; `loads`: its. The two other passes.
  ChainedWork chained_work(NodeAreaBounds const& areas, LinkLoads const& loads,
                           std::optional<std::uint32_t> link, TimeGrid const& grid);

 private:
  PlacedFlow& placed_;
  TickTimes const& times_;
  std::vector<double> longest_heads_;  // [nodes] with messages
  std::vector<Bytes> sizes_;           // [handles]
};

}  // namespace factosim
