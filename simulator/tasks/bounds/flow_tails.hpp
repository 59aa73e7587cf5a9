#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "simulator/base/core/id_table.hpp"
#include "simulator/tasks/bounds/list_pool.hpp"
#include "simulator/tasks/bounds/placed_flow.hpp"
#include "simulator/tasks/bounds/tick_times.hpp"

namespace factosim {

/// Computes the tails of a flow's tasks, over the dependencies of `FlowChains`; the tasks are handed over from the last
/// to the first.
class FlowTails {
 public:
  /// `sizes`: [handles].
  FlowTails(std::vector<Bytes> sizes, TickTimes times)
      : times_(std::move(times)), sizes_(std::move(sizes)), handles_(sizes_.size()) {}

  /// Returns the longest chain from the end of the task on. `waits_for_users`: as of FlowChains for this task.
  ChainTail task(PlacedTask const& task, bool waits_for_users) {
    ChainTail tail;
    for (DataAccess const access : task.accesses) {
      Handle const& handle = handles_[access.handle().index()];
      if (writes(access.mode())) follow_readers(access.handle(), task.node, tail);
      if (handle.writer == task.node) tail.extend(handle.from_writer);
      if (handle.overwriters.valid())
        for (auto const& [node, from_start] : overwriters_[handle.overwriters.index()])
          if (node == task.node) tail.extend(from_start);
    }
    ChainTail const from_start{tail.fastest + times_.of_any(task), tail.with_messages + times_.on_node(task)};
    for (DataAccess const access : task.accesses)
      if (writes(access.mode()))
        write(handles_[access.handle().index()], access, task.node, from_start, waits_for_users);
      else
        read(handles_[access.handle().index()], task.node, from_start);
    return tail;
  }

 private:
  /// The node of a task that waits for all users of a handle there, and the longest chain from its start on.
  using Overwriter = std::pair<NodeId, ChainTail>;
  using OverwritersPlace = Id<struct OverwritersTag>;  // in overwriters_
  using ReadersPlace = Id<struct ReadersTag>;          // in readers_

  struct Handle {
    ChainTail from_writer;      // from the start of the task that writes the next version
    NodeId writer{};            // the node of that task; none: nothing writes the handle any more
    bool writer_reads = false;  // it reads this version
    ReadersPlace readers{};     // of this version, with their chains with messages
    double readers_fastest = 0;
    OverwritersPlace overwriters{};
  };

  void follow_readers(HandleId id, NodeId node, ChainTail& tail) {
    Handle const& handle = handles_[id.index()];
    auto const follow = [&](NodeId there, double with_messages) {
      double const message = there == node ? 0 : times_.message(node, there, sizes_[id.index()]);
      tail.with_messages = std::max(tail.with_messages, message + with_messages);
    };
    if (handle.readers.valid()) {
      tail.fastest = std::max(tail.fastest, handle.readers_fastest);
      readers_[handle.readers].for_each(follow);
    }
    if (handle.writer.valid() && handle.writer != node && handle.writer_reads) {
      tail.fastest = std::max(tail.fastest, handle.from_writer.fastest);
      follow(handle.writer, handle.from_writer.with_messages);
    }
  }

  void write(Handle& handle, DataAccess access, NodeId node, ChainTail const& from_start,
             bool waits_for_users) {
    readers_.give_back(handle.readers);
    handle.readers_fastest = 0;
    handle.writer = node;
    handle.writer_reads = reads(access.mode());
    handle.from_writer = from_start;
    if (handle.overwriters.valid())
      std::erase_if(overwriters_[handle.overwriters.index()],
                    [&](Overwriter const& o) { return o.first == node; });
    if (!waits_for_users || reads(access.mode())) return;
    if (!handle.overwriters.valid()) {
      handle.overwriters = OverwritersPlace{overwriters_.size()};
      overwriters_.emplace_back();
    }
    overwriters_[handle.overwriters.index()].emplace_back(node, from_start);
  }

  void read(Handle& handle, NodeId node, ChainTail const& from_start) {
    handle.readers_fastest = std::max(handle.readers_fastest, from_start.fastest);
    double& longest = readers_.of(handle.readers).find_or_add(node, 0);
    longest = std::max(longest, from_start.with_messages);
  }

  TickTimes times_;
  std::vector<Bytes> sizes_;  // [handles]
  std::vector<Handle> handles_;
  ListPool<ReadersPlace, IdTable<NodeId, double>>
      readers_;                                       // of some handles: the longest chain of each node
  std::vector<std::vector<Overwriter>> overwriters_;  // of some handles
};

/// The tails of a flow's tasks, given from the last task to the first and taken from the first to the last. In most tasks
/// the longest chain goes on with the next task on the tile that they write: only the tails of the others are stored.
class StoredTails {
 public:
  explicit StoredTails(std::size_t handles) : from_next_(handles), has_next_(handles, false) {}

  /// `duration`: of the task, alone and on its node.
  void add_before(HandleId written, ChainTail const& tail, ChainTail const& duration) {
    ChainTail& next = from_next_[written.index()];
    if (has_next_[written.index()] && next != tail) others_.emplace_back(count_, next);
    next = {tail.fastest + duration.fastest, tail.with_messages + duration.with_messages};
    has_next_[written.index()] = true;
    ++count_;
  }
  ChainTail take_first(HandleId written, ChainTail const& duration) {
    --count_;
    ChainTail& next = from_next_[written.index()];
    ChainTail const tail{next.fastest - duration.fastest, next.with_messages - duration.with_messages};
    next = tail;
    if (!others_.empty() && others_.back().first == count_) {
      next = others_.back().second;
      others_.pop_back();
    }
    return tail;
  }

 private:
  std::vector<ChainTail> from_next_;  // [handles] from the start of the next task that writes it first
  std::vector<bool> has_next_;        // [handles]
  std::vector<std::pair<std::uint64_t, ChainTail>> others_;  // number from the end; from_next_ after the task
  std::uint64_t count_ = 0;
};

}  // namespace factosim
