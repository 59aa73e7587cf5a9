#pragma once

#include <cstdint>
#include <vector>

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

  explicit FlowCopies(std::size_t nodes) : words_((nodes + 63) / 64) {}

  void add_handle() { handles_.emplace_back(); }
  [[nodiscard]] NodeId writer(HandleId handle) const { return handles_[handle.index()].writer; }

  Read read(HandleId handle, NodeId node) {
    Handle& read = handles_[handle.index()];
    if (read.writer == node || !read.writer.valid()) return Read::here;
    if (!read.copies.valid()) read.copies = new_set();
    std::uint64_t& word = copies_[read.copies.index() * words_ + node.index() / 64];
    if ((word & bit(node)) != 0) return Read::again;
    word |= bit(node);
    return Read::sent;
  }
  void write(HandleId handle, NodeId node) {
    release(handles_[handle.index()]);
    handles_[handle.index()].writer = node;
  }
  void last_use(HandleId handle) { release(handles_[handle.index()]); }
  void flush_inputs(PlacedTask const& task);
  void flush_cache();

 private:
  using Copies = Id<struct CopiesTag>;  // a set of nodes, in copies_

  struct Handle {
    NodeId writer{};  // node of the last task that wrote it
    Copies copies{};  // nodes that have received the version; none: the empty set
  };

  static std::uint64_t bit(NodeId node) { return std::uint64_t{1} << (node.value() % 64); }
  void release(Handle& handle);
  Copies new_set();

  std::size_t words_;  // of a set
  std::vector<Handle> handles_;
  std::vector<std::uint64_t> copies_;  // [sets][words]
  std::vector<Copies> free_;           // empty sets
};

}  // namespace factosim
