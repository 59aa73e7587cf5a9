#pragma once

#include <cstdint>
#include <vector>

#include "simulator/tasks/bounds/link_loads.hpp"
#include "simulator/tasks/flow/flow_copies.hpp"
#include "simulator/tasks/plan/execution_plan.hpp"

namespace factosim {

/// Counts the messages of a flow and sums them on links.
class FlowMessages : public FlowReader {
 public:
  FlowMessages(std::size_t nodes, LinkLoads& loads) : copies_(nodes), loads_(loads) {}

  void add_handle(HandleInfo const& handle, NodeId /*owner*/) {
    copies_.add_handle();
    handles_.push_back({.size = handle.size, .data = handle.data});
  }
  void task(PlacedTask const& task) {
    for (DataAccess const access : task.accesses)
      if (reads(access.mode()) && copies_.read(access.handle(), task.node) == FlowCopies::Read::sent)
        send(access.handle(), task);
    for (DataAccess const access : task.accesses)
      if (writes(access.mode())) {
        copies_.write(access.handle(), task.node);
        handles_[access.handle().index()].phase = task.phase;
      }
  }
  void last_use(HandleId handle) { copies_.last_use(handle); }
  void flush_inputs(PlacedTask const& task) { copies_.flush_inputs(task); }
  void flush_cache() { copies_.flush_cache(); }

  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// By phases and kinds of data, as `count_messages_by_phase`.
  [[nodiscard]] std::vector<MessageCount> by_phase() const;

 private:
  struct Handle {
    Bytes size;
    DataKind data = DataKind::tile;
    std::uint8_t phase = 0;  // of the last task that wrote it
  };

  void send(HandleId handle, PlacedTask const& reader);

  FlowCopies copies_;
  LinkLoads& loads_;
  std::vector<Handle> handles_;
  std::uint64_t count_ = 0;
  std::vector<MessageCount> counts_;  // in the order of their first messages
};

}  // namespace factosim
