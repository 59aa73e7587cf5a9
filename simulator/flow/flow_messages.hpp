#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "simulator/bounds/link_loads.hpp"
#include "simulator/flow/placed_flow.hpp"
#include "simulator/plan/execution_plan.hpp"

namespace factosim {

/// Counts the messages of a flow: a version of a handle goes to each node that reads it, once, and again after a flush.
/// Which nodes have a version is kept in one bit for each node and each handle in use elsewhere.
class FlowMessages : public FlowReader {
 public:
  /// `loads` may be null.
  FlowMessages(std::size_t nodes, LinkLoads* loads) : words_((nodes + 63) / 64), loads_(loads) {}

  void add_handle(HandleInfo const& handle, NodeId /*owner*/) {
    handles_.push_back({.data = handle.data});
    sizes_.push_back(handle.size);
  }
  void task(PlacedTask const& task) {
    for (DataAccess const access : task.accesses)
      if (reads(access.mode())) read(access.handle(), task);
    for (DataAccess const access : task.accesses)
      if (writes(access.mode())) written(handles_[access.handle().index()], task);
  }
  void last_use(HandleId handle) { release(handles_[handle.index()]); }
  void flush_inputs(PlacedTask const& task);
  void flush_cache();

  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// By phases and kinds of data, as `count_messages_by_phase`.
  [[nodiscard]] std::vector<MessageCount> by_phase() const;

 private:
  using Copies = Id<struct CopiesTag>;  // a set of nodes, in copies_

  struct Handle {
    NodeId writer{};  // node of the last task that wrote it
    Copies copies{};  // nodes that have received the version; none: the empty set
    DataKind data = DataKind::tile;
    std::uint8_t phase = 0;  // of that task
  };

  void read(HandleId handle, PlacedTask const& task) {
    Handle& read = handles_[handle.index()];
    if (read.writer == task.node || !read.writer.valid()) return;
    if (!read.copies.valid()) read.copies = new_set();
    std::uint64_t& word = copies_[read.copies.index() * words_ + task.node.index() / 64];
    std::uint64_t const bit = std::uint64_t{1} << (task.node.value() % 64);
    if ((word & bit) != 0) return;
    word |= bit;
    send(read, sizes_[handle.index()], task);
  }
  void written(Handle& handle, PlacedTask const& task) {
    release(handle);
    handle.writer = task.node;
    handle.phase = task.phase;
  }
  void release(Handle& handle);
  Copies new_set();
  void send(Handle const& handle, Bytes size, PlacedTask const& reader);

  std::size_t words_;  // of a set
  LinkLoads* loads_;
  std::vector<Handle> handles_;
  std::vector<Bytes> sizes_;           // [handles]
  std::vector<std::uint64_t> copies_;  // [sets][words]
  std::vector<Copies> free_;           // empty sets
  std::uint64_t count_ = 0;
  std::vector<MessageCount> counts_;  // in the order of their first messages
};

}  // namespace factosim
