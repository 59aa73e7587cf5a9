#include "simulator/tasks/bounds/flow_analysis.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "simulator/base/core/id_table.hpp"
#include "simulator/tasks/bounds/flow_chains.hpp"

namespace factosim {

namespace {

/// Heads and messages, which it counts and sums on links, in the first pass.
class HeadReader : public FlowReader {
 public:
  HeadReader(TickTimes const& times, std::size_t nodes, LinkLoads& loads)
      : longest_heads(nodes, 0), chains_(times), copies_(nodes), loads_(loads) {}

  std::vector<double> longest_heads;
  std::vector<Bytes> sizes;

  void add_handle(HandleInfo const& handle, NodeId /*owner*/) {
    chains_.add_handle(handle);
    copies_.add_handle();
    sizes.push_back(handle.size);
    versions_.push_back({.data = handle.data});
  }
  void task(PlacedTask const& task) {
    double& longest = longest_heads[task.node.index()];
    longest = std::max(longest, chains_.task(task).with_messages);
    for (DataAccess const access : task.accesses)
      if (reads(access.mode()) && copies_.read(access.handle(), task.node) == FlowCopies::Read::sent)
        send(access.handle(), task);
    for (DataAccess const access : task.accesses)
      if (writes(access.mode())) {
        copies_.write(access.handle(), task.node);
        versions_[access.handle().index()].phase = task.phase;
      }
  }
  void last_write(HandleId handle) { chains_.last_write(handle); }
  void last_use(HandleId handle) {
    chains_.last_use(handle);
    copies_.last_use(handle);
  }
  void flush_inputs(PlacedTask const& task) { copies_.flush_inputs(task); }
  void flush_cache() { copies_.flush_cache(); }

  TaskChains chains() && {
    std::ranges::sort(counts_, {}, [](MessageCount const& c) { return std::tuple(c.from, c.to, c.data); });
    return {chains_.longest(), std::move(counts_)};
  }

 private:
  struct Version {
    DataKind data = DataKind::tile;
    std::uint8_t phase = 0;  // of the task that wrote it
  };

  void send(HandleId handle, PlacedTask const& reader) {
    Version const& sent = versions_[handle.index()];
    auto counts = std::ranges::find_if(counts_, [&](MessageCount const& c) {
      return c.from == sent.phase && c.to == reader.phase && c.data == sent.data;
    });
    if (counts == counts_.end())
      counts = counts_.insert(counts, MessageCount{sent.phase, reader.phase, sent.data, 0, Bytes{}});
    ++counts->messages;
    counts->bytes += sizes[handle.index()];
    loads_.add(copies_.writer(handle), reader.node, sizes[handle.index()]);
  }

  FlowChains<TickTimes> chains_;
  FlowCopies copies_;
  LinkLoads& loads_;
  std::vector<Version> versions_;     // [handles] the last one
  std::vector<MessageCount> counts_;  // in the order of their first messages
};

/// Computes the tails of a flow's tasks, over the dependencies of `FlowChains`; the tasks are handed over from the last
/// to the first.
class FlowTails {
 public:
  /// `sizes`: [handles].
  FlowTails(std::vector<Bytes> sizes, TickTimes times)
      : times_(std::move(times)), sizes_(std::move(sizes)), handles_(sizes_.size()) {}

  /// Returns the longest chain from the end of the task on.
  ChainTail task(PlacedTask const& task) {
    ChainTail tail;
    for (DataAccess const access : task.accesses) {
      Handle const& handle = handles_[access.handle().index()];
      if (writes(access.mode())) follow_readers(access.handle(), task.node, tail);
      if (handle.writer == task.node) tail.extend(handle.from_writer);
    }
    ChainTail const from_start{tail.fastest + times_.of_any(task), tail.with_messages + times_.on_node(task)};
    for (DataAccess const access : task.accesses) {
      Handle& handle = handles_[access.handle().index()];
      if (writes(access.mode())) {
        readers_.give_back(handle.readers);
        handle = {.from_writer = from_start, .writer = task.node, .writer_reads = reads(access.mode())};
      } else {
        handle.readers_fastest = std::max(handle.readers_fastest, from_start.fastest);
        double& longest = readers_.of(handle.readers).find_or_add(task.node, 0);
        longest = std::max(longest, from_start.with_messages);
      }
    }
    return tail;
  }

 private:
  using ReadersPlace = Id<struct ReadersTag>;  // in readers_

  struct Handle {
    ChainTail from_writer{};    // from the start of the task that writes the next version
    NodeId writer{};            // the node of that task; none: nothing writes the handle any more
    bool writer_reads = false;  // it reads this version
    ReadersPlace readers{};     // of this version, with their chains with messages
    double readers_fastest = 0;
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

  TickTimes times_;
  std::vector<Bytes> sizes_;  // [handles]
  std::vector<Handle> handles_;
  /// Of some handles: the longest chain of each node.
  ListPool<ReadersPlace, IdTable<NodeId, double>> readers_;
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

/// The messages of one link, each with the longest chains before and after it.
class LinkWindows {
 public:
  /// Without a `link` there are no messages. `loads` must outlive the object.
  LinkWindows(std::optional<std::uint32_t> link, LinkLoads const& loads, std::size_t nodes, Seconds tick)
      : link_(link), loads_(loads), tick_(tick), copies_(nodes) {}

  void add_handle(HandleInfo const& handle) {
    if (!link_) return;
    copies_.add_handle();
    sizes_.push_back(handle.size);
    on_link_.push_back(false);
  }
  /// The task reads and writes its handles. `end_of_writer(handle)`: of the version that it reads. `from_start`: longest
  /// chain from the start of the task on.
  template <class EndOfWriter>
  void task(PlacedTask const& task, EndOfWriter const& end_of_writer, double from_start) {
    if (!link_) return;
    for (DataAccess const access : task.accesses)
      if (reads(access.mode())) read(access.handle(), task.node, end_of_writer(access.handle()), from_start);
    for (DataAccess const access : task.accesses)
      if (writes(access.mode())) {
        copies_.write(access.handle(), task.node);
        on_link_[access.handle().index()] = false;
      }
  }
  void last_use(HandleId handle) {
    if (link_) copies_.last_use(handle);
  }
  void flush_inputs(PlacedTask const& task) {
    if (link_) copies_.flush_inputs(task);
  }
  void flush_cache() { copies_.flush_cache(); }

  [[nodiscard]] std::vector<WindowedWork> messages() && {
    std::ranges::stable_sort(messages_, {}, &WindowedWork::work);
    return std::move(messages_);
  }

 private:
  void read(HandleId handle, NodeId node, double end, double from_start) {
    FlowCopies::Read const read = copies_.read(handle, node);
    if (read == FlowCopies::Read::here) return;
    std::uint64_t const key = std::uint64_t{handle.value()} << 32U | node.value();
    if (read == FlowCopies::Read::sent)
      loads_.for_each_link(copies_.writer(handle), node, [&](std::uint32_t link) {
        if (link != link_) return;
        on_link_[handle.index()] = true;
        known_[key] = messages_.size();
        messages_.push_back(
            {.head = end, .tail = 0, .work = loads_.time(link, sizes_[handle.index()]).value / tick_.value});
      });
    if (!on_link_[handle.index()]) return;
    if (auto const message = known_.find(key); message != known_.end()) {
      double& tail = messages_[message->second].tail;
      tail = std::max(tail, from_start);
    }
  }

  std::optional<std::uint32_t> link_;
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
  /// `longest_heads`, `longest_tails`: [nodes] with messages. `areas`: of the nodes' work.
  WindowReader(TickTimes const& times, StoredTails tails, std::vector<double> const& longest_heads,
               std::vector<double> const& longest_tails, NodeAreaBounds const& areas, LinkWindows link)
      : times_(times), chains_(times), tails_(std::move(tails)), areas_(areas), link_(std::move(link)) {
    loads_.reserve(longest_heads.size());
    for (std::size_t n = 0; n < longest_heads.size(); ++n)
      loads_.emplace_back(longest_heads[n], longest_tails[n]);
  }

  void add_handle(HandleInfo const& handle, NodeId /*owner*/) {
    chains_.add_handle(handle);
    link_.add_handle(handle);
  }
  void task(PlacedTask const& task) {
    ChainTail const duration{times_.of_any(task), times_.on_node(task)};
    ChainTail const tail = tails_.take_first(task.written(), duration);
    link_.task(
        task, [&](HandleId handle) { return chains_.end_of_writer(handle).with_messages; },
        tail.with_messages + duration.with_messages);
    ChainHead const head = chains_.task(task);
    paths_.add(head.fastest, tail.fastest, task.kernel);
    loads_[task.node.index()].add({.head = head.with_messages,
                                   .tail = tail.with_messages,
                                   .work = areas_.of_node(task.node.index()).prices[task.kernel]});
  }
  void last_write(HandleId handle) { chains_.last_write(handle); }
  void last_use(HandleId handle) {
    chains_.last_use(handle);
    link_.last_use(handle);
  }
  void flush_inputs(PlacedTask const& task) { link_.flush_inputs(task); }
  void flush_cache() { link_.flush_cache(); }

  ChainedWork work() && {
    ChainedWork out{.paths = paths_.tasks(), .messages = std::move(link_).messages()};
    for (WindowedLoads& loads : loads_) out.load_and_path = std::max(out.load_and_path, loads.bound());
    return out;
  }

 private:
  TickTimes const& times_;
  FlowChains<TickTimes> chains_;
  StoredTails tails_;
  NodeAreaBounds const& areas_;
  std::vector<WindowedLoads> loads_;  // [nodes]
  PathCounts paths_;
  LinkWindows link_;
};

}  // namespace

TaskChains FlowAnalysis::chains(LinkLoads& loads) {
  HeadReader reader(times_, placed_.nodes(), loads);
  placed_.read(reader);
  longest_heads_ = std::move(reader.longest_heads);
  sizes_ = std::move(reader.sizes);
  return std::move(reader).chains();
}

ChainedWork FlowAnalysis::chained_work(NodeAreaBounds const& areas, LinkLoads const& loads,
                                       std::optional<std::uint32_t> link, TimeGrid const& grid) {
  FlowTails tails(std::move(sizes_), times_);
  StoredTails stored(placed_.handle_count());
  std::vector<double> longest_tails(placed_.nodes(), 0);
  placed_.for_each_backwards([&](PlacedTask const& task) {
    ChainTail const tail = tails.task(task);
    stored.add_before(task.written(), tail, {times_.of_any(task), times_.on_node(task)});
    double& longest = longest_tails[task.node.index()];
    longest = std::max(longest, tail.with_messages);
  });
  WindowReader reader(times_, std::move(stored), longest_heads_, longest_tails, areas,
                      LinkWindows(link, loads, placed_.nodes(), grid.tick()));
  placed_.read(reader);
  return std::move(reader).work();
}

}  // namespace factosim
