#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "simulator/tasks/bounds/placed_flow.hpp"

namespace factosim {

/// Lists of some of many things, by place. A list that is given back is empty and keeps its memory for another one.
template <class Place, class List>
class ListPool {
 public:
  /// Returns the list of a place, which is set if it is none.
  List& of(Place& place) {
    if (!place.valid()) {
      if (free_.empty()) {
        free_.emplace_back(lists_.size());
        lists_.emplace_back();
      }
      place = free_.back();
      free_.pop_back();
    }
    return lists_[place.index()];
  }
  [[nodiscard]] List const& operator[](Place place) const { return lists_[place.index()]; }
  [[nodiscard]] List& operator[](Place place) { return lists_[place.index()]; }
  /// Gives the list back, if there is one, and makes the place none.
  void give_back(Place& place) {
    if (!place.valid()) return;
    lists_[place.index()].clear();
    free_.push_back(place);
    place = {};
  }

 private:
  std::vector<List> lists_;
  std::vector<Place> free_;  // of empty lists
};

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

/// Longest chains of tasks that end with each task of a flow, over the dependencies of the graph that `plan_execution`
/// makes of it. State is kept for each handle, not for each task.
///
/// A task waits for the writers of what it reads, with a message from another node, and on its own node for the last
/// users of what it overwrites. Readers on other nodes have copies of their own, so that nothing waits for them. The graph
/// has more edges where a task overwrites a handle unread that another node has used, and fewer where it also reads what that
/// handle's readers on other nodes wrote. No application with formulas or iterations has such tasks.
///
/// `Times` has a type Value of dates, ordered by `extend(Value& longest, Value const& other)`; a default Value is the
/// start. `end(start, task)` is the end of a task, `arrival(end, from, to, size)` that of a message.
template <class Times>
class FlowChains {
 public:
  using Value = typename Times::Value;

  explicit FlowChains(Times times) : times_(std::move(times)) {}

  void add_handle(HandleInfo const& handle) {
    handles_.emplace_back();
    sizes_.push_back(handle.size);
  }

  /// Returns the start of the task at the end of the longest chain that ends with it.
  Value task(PlacedTask const& task) {
    Value start{};
    for (DataAccess const access : task.accesses) {
      Handle const& handle = handles_[access.handle().index()];
      if (handle.writer == task.node)
        Times::extend(start, handle.end);
      else if (reads(access.mode()) && handle.writer.valid())
        Times::extend(start,
                      times_.arrival(handle.end, handle.writer, task.node, sizes_[access.handle().index()]));
      if (writes(access.mode()) && handle.readers.valid())
        for (auto const& [node, end] : readers_[handle.readers])
          if (node == task.node) Times::extend(start, end);
    }
    Value const end = times_.end(start, task);
    for (DataAccess const access : task.accesses) {
      Handle& handle = handles_[access.handle().index()];
      if (writes(access.mode())) {
        readers_.give_back(handle.readers);
        handle.end = end;
        handle.writer = task.node;
      } else if (!handle.is_final) {
        read(handle, task.node, end);
      }
    }
    Times::extend(longest_, end);
    return start;
  }

  void last_write(HandleId handle) {
    handles_[handle.index()].is_final = true;
    last_use(handle);
  }
  void last_use(HandleId handle) { readers_.give_back(handles_[handle.index()].readers); }

  [[nodiscard]] Value const& longest() const { return longest_; }
  /// Returns the end of the last task that wrote the handle.
  [[nodiscard]] Value const& end_of_writer(HandleId handle) const { return handles_[handle.index()].end; }
  /// Returns the node of the last task that wrote the handle, or none.
  [[nodiscard]] NodeId writer(std::size_t handle) const { return handles_[handle].writer; }

 private:
  using ReadersPlace = Id<struct ReadersTag>;  // in readers_

  struct Handle {
    Value end{};             // of the last writer
    NodeId writer{};         // its node; none: nothing has written the handle
    ReadersPlace readers{};  // of this version; none: no readers
    bool is_final = false;   // nothing will write it, so that nothing will wait for its readers
  };
  using Reader = std::pair<NodeId, Value>;  // a node, and the end of its last reader

  void read(Handle& handle, NodeId node, Value const& end) {
    std::vector<Reader>& readers = readers_.of(handle.readers);
    auto const known = std::ranges::find(readers, node, &Reader::first);
    if (known == readers.end())
      readers.emplace_back(node, end);
    else
      Times::extend(known->second, end);
  }

  Times times_;
  std::vector<Handle> handles_;
  std::vector<Bytes> sizes_;                             // [handles]
  ListPool<ReadersPlace, std::vector<Reader>> readers_;  // of some handles
  Value longest_{};
};

}  // namespace factosim
