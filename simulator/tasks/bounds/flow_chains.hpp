#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "simulator/tasks/bounds/list_pool.hpp"
#include "simulator/tasks/bounds/placed_flow.hpp"

namespace factosim {

/// Longest chains of tasks that end with each task of a flow, over the dependencies of the graph that `plan_execution`
/// makes of it. State is kept for each handle, not for each task.
///
/// A task waits for the writers of what it reads, with a message from another node, and on its own node for the last
/// users of what it overwrites. Readers on other nodes have copies of their own, so that nothing waits for them; a task
/// that overwrites a handle unread and would have waited for another node waits for all users of the handle on its node
/// since that node last wrote it. (The graph has fewer edges for tasks that overwrite a handle and read what its readers on
/// other nodes wrote; no application has such tasks.)
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
    bool overwrites_unread = false, waits_less = false;
    for (DataAccess const access : task.accesses) {
      Handle const& handle = handles_[access.handle().index()];
      if (reads(access.mode())) {
        if (handle.writer == task.node)
          Times::extend(start, handle.end);
        else if (handle.writer.valid())
          Times::extend(
              start, times_.arrival(handle.end, handle.writer, task.node, sizes_[access.handle().index()]));
      }
      if (!writes(access.mode())) continue;
      bool const has_readers = handle.users.valid() && wait_for_readers(handle, task.node, start, waits_less);
      if (reads(access.mode())) continue;
      overwrites_unread = true;
      if (handle.writer == task.node)
        Times::extend(start, handle.end);
      else if (handle.writer.valid() && !has_readers)
        waits_less = true;
    }
    waits_for_users_ = overwrites_unread && waits_less;
    if (waits_for_users_) wait_for_users(task, start);
    Value const end = times_.end(start, task);
    for (DataAccess const access : task.accesses) {
      Handle& handle = handles_[access.handle().index()];
      if (writes(access.mode()))
        write(handle, task.node, end);
      else if (!handle.is_final)
        read(handle, task.node, end);
    }
    Times::extend(longest_, end);
    return start;
  }

  void last_write(HandleId handle) {
    handles_[handle.index()].is_final = true;
    users_.give_back(handles_[handle.index()].users);
  }
  void last_use(HandleId handle) { users_.give_back(handles_[handle.index()].users); }

  [[nodiscard]] Value const& longest() const { return longest_; }
  /// Returns whether the last task waited for all users, on its node, of what it overwrote.
  [[nodiscard]] bool waits_for_users() const { return waits_for_users_; }
  /// Returns the end of the last task that wrote the handle.
  [[nodiscard]] Value const& end_of_writer(HandleId handle) const { return handles_[handle.index()].end; }
  /// Returns the node of the last task that wrote the handle, or none.
  [[nodiscard]] NodeId writer(std::size_t handle) const { return handles_[handle].writer; }

 private:
  using UsersPlace = Id<struct UsersTag>;  // in users_

  struct Handle {
    Value end{};                // of the last writer
    NodeId writer{};            // its node; none: nothing has written the handle
    UsersPlace users{};         // none: no users but the writer
    std::uint32_t version = 0;  // number of writes
    bool is_final = false;      // nothing will write it, so that nothing will wait for its readers
  };
  /// The users of a handle on one node.
  struct Users {
    NodeId node{};
    std::uint32_t version = 0;  // that of `readers`
    bool has_readers = false;   // of any version
    Value readers{};            // end of the last reader of the version
    Value all{};                // end of the last user since the node last wrote the handle
  };

  /// Returns whether the handle's version has readers. `waits_less`: some are on other nodes.
  bool wait_for_readers(Handle const& handle, NodeId node, Value& start, bool& waits_less) const {
    bool any = false;
    for (Users const& users : users_[handle.users]) {
      if (!users.has_readers || users.version != handle.version) continue;
      any = true;
      if (users.node == node)
        Times::extend(start, users.readers);
      else
        waits_less = true;
    }
    return any;
  }

  void wait_for_users(PlacedTask const& task, Value& start) const {
    for (DataAccess const access : task.accesses) {
      Handle const& handle = handles_[access.handle().index()];
      if (reads(access.mode()) || !handle.users.valid()) continue;
      for (Users const& users : users_[handle.users])
        if (users.node == task.node) Times::extend(start, users.all);
    }
  }

  void write(Handle& handle, NodeId node, Value const& end) {
    if (handle.writer.valid() && handle.writer != node)
      Times::extend(users_on(handle, handle.writer).all, handle.end);
    if (handle.users.valid())
      std::erase_if(users_[handle.users], [&](Users const& users) { return users.node == node; });
    handle.end = end;
    handle.writer = node;
    ++handle.version;
  }

  void read(Handle& handle, NodeId node, Value const& end) {
    Users& users = users_on(handle, node);
    if (users.version != handle.version) users.readers = {};
    users.version = handle.version;
    users.has_readers = true;
    Times::extend(users.readers, end);
    Times::extend(users.all, end);
  }

  Users& users_on(Handle& handle, NodeId node) {
    auto& list = users_.of(handle.users);
    auto const known = std::ranges::find(list, node, &Users::node);
    if (known != list.end()) return *known;
    list.push_back({.node = node});
    return list.back();
  }

  Times times_;
  std::vector<Handle> handles_;
  std::vector<Bytes> sizes_;                        // [handles]
  ListPool<UsersPlace, std::vector<Users>> users_;  // of some handles
  Value longest_{};
  bool waits_for_users_ = false;
};

}  // namespace factosim
