#pragma once

#include <cstdint>
#include <vector>

#include "simulator/tasks/bounds/list_pool.hpp"
#include "simulator/tasks/bounds/placed_flow.hpp"

namespace factosim {

/// The nodes that have received the versions of handles: a version goes to each node that reads it, once, and again after
/// a flush. One bit for each node and each handle in use elsewhere.
class FlowCopies {
 public:
  enum class Read : std::uint8_t {
    here,   // the node wrote the version, or it was there at the start
    again,  // the node has received it
    sent    // a message brings it
  };

  explicit FlowCopies(std::size_t nodes) : nodes_(nodes) {}

  void add_handle() { handles_.emplace_back(); }
  [[nodiscard]] NodeId writer(HandleId handle) const { return handles_[handle.index()].writer; }

  Read read(HandleId handle, NodeId node) {
    Handle& read = handles_[handle.index()];
    if (read.writer == node || !read.writer.valid()) return Read::here;
    std::vector<bool>& copies = copies_.of(read.copies);
    copies.resize(nodes_, false);
    if (copies[node.index()]) return Read::again;
    copies[node.index()] = true;
    return Read::sent;
  }
  void write(HandleId handle, NodeId node) {
    last_use(handle);
    handles_[handle.index()].writer = node;
  }
  void last_use(HandleId handle) { copies_.give_back(handles_[handle.index()].copies); }
  void flush_inputs(PlacedTask const& task) {
    for (DataAccess const access : task.accesses) {
      Handle const& handle = handles_[access.handle().index()];
      if (!writes(access.mode()) && handle.copies.valid()) copies_[handle.copies][task.node.index()] = false;
    }
  }
  void flush_cache() {
    for (Handle& handle : handles_) copies_.give_back(handle.copies);
  }

 private:
  using Copies = Id<struct CopiesTag>;

  struct Handle {
    NodeId writer{};  // node of the last task that wrote it
    Copies copies{};  // nodes that have received the version; none: the empty set
  };

  std::size_t nodes_;
  std::vector<Handle> handles_;
  ListPool<Copies, std::vector<bool>> copies_;  // [nodes] of some handles
};

}  // namespace factosim
