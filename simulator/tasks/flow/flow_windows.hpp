#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "simulator/tasks/bounds/bounds.hpp"
#include "simulator/tasks/bounds/windowed_loads.hpp"
#include "simulator/tasks/flow/flow_chains.hpp"
#include "simulator/tasks/flow/flow_copies.hpp"
#include "simulator/tasks/flow/flow_tails.hpp"
#include "simulator/tasks/flow/path_counts.hpp"

namespace factosim {

/// The messages of one link, each with the longest chains before and after it, as `messages_of_link`.
class LinkWindows {
 public:
  /// `loads` must outlive it.
  LinkWindows(std::uint32_t link, LinkLoads const& loads, std::size_t nodes, Seconds tick)
      : link_(link), loads_(loads), tick_(tick), copies_(nodes) {}

  void add_handle(HandleInfo const& handle) {
    copies_.add_handle();
    sizes_.push_back(handle.size);
    on_link_.push_back(false);
  }
  /// The task reads the handle. `end`: of its writer. `from_start`: longest chain from the start of the task on.
  void read(HandleId handle, NodeId node, double end, double from_start);
  void write(HandleId handle, NodeId node) {
    copies_.write(handle, node);
    on_link_[handle.index()] = false;
  }
  void last_use(HandleId handle) { copies_.last_use(handle); }
  void flush_inputs(PlacedTask const& task) { copies_.flush_inputs(task); }
  void flush_cache() { copies_.flush_cache(); }

  /// Sorted by their work.
  [[nodiscard]] std::vector<WindowedWork> messages() &&;

 private:
  std::uint32_t link_;
  LinkLoads const& loads_;
  Seconds tick_;
  FlowCopies copies_;
  std::vector<Bytes> sizes_;   // [handles]
  std::vector<bool> on_link_;  // [handles] some message with this version crosses the link
  std::unordered_map<std::uint64_t, std::size_t> known_;  // by handle and node: the last message
  std::vector<WindowedWork> messages_;
};

/// Work and messages between chains, in a pass over the tasks in the order of their submission.
class WindowReader : public FlowReader {
 public:
  /// `longest_heads`, `longest_tails`: [nodes] with messages. `areas`: of the nodes' work. `link` may be null.
  WindowReader(TickTimes times, StoredTails tails, std::vector<double> const& longest_heads,
               std::vector<double> const& longest_tails, NodeAreaBounds const& areas, LinkWindows* link);

  void add_handle(HandleInfo const& handle, NodeId /*owner*/) {
    chains_.add_handle(handle);
    if (link_ != nullptr) link_->add_handle(handle);
  }
  void task(PlacedTask const& task);
  void last_write(HandleId handle) { chains_.last_write(handle); }
  void last_use(HandleId handle) {
    chains_.last_use(handle);
    if (link_ != nullptr) link_->last_use(handle);
  }
  void flush_inputs(PlacedTask const& task) {
    if (link_ != nullptr) link_->flush_inputs(task);
  }
  void flush_cache() {
    if (link_ != nullptr) link_->flush_cache();
  }

  /// The largest bound of a node, in ticks.
  [[nodiscard]] double load_and_path();
  [[nodiscard]] std::vector<PathTasks> paths() const { return paths_.tasks(); }

 private:
  TickTimes times_;
  FlowChains<TickTimes> chains_;
  StoredTails tails_;
  std::vector<double> prices_;  // [nodes][kernels]
  std::size_t kernels_;
  std::vector<WindowedLoads> loads_;  // [nodes]
  PathCounts paths_;
  LinkWindows* link_;
};

}  // namespace factosim
