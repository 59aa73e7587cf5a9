#include "simulator/tasks/flow/flow_work.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "simulator/tasks/bounds/expected_makespan.hpp"
#include "simulator/tasks/flow/flow_chains.hpp"

namespace factosim {

namespace {

/// Shortest durations of kernels, and times of messages by `MessageTime(from, to, size)`, in seconds.
template <class MessageTime>
class ExpectedTimes {
 public:
  using Value = Seconds;

  ExpectedTimes(Machine const& machine, std::size_t kernels, MessageTime message_time)
      : machine_(machine),
        kernels_(kernels),
        durations_(shortest_durations(machine, kernels)),
        message_time_(std::move(message_time)) {}

  static void extend(Seconds& longest, Seconds other) { longest = std::max(longest, other); }
  [[nodiscard]] Seconds duration(PlacedTask const& task) const {
    return durations_[machine_.type_of[task.node.index()] * kernels_ + task.kernel];
  }
  [[nodiscard]] Seconds end(Seconds start, PlacedTask const& task) const { return start + duration(task); }
  [[nodiscard]] Seconds arrival(Seconds end, NodeId from, NodeId to, Bytes size) const {
    return end + message_time_(from, to, size);
  }

 private:
  Machine const& machine_;
  std::size_t kernels_;
  std::vector<Seconds> durations_;  // [types][kernels]
  MessageTime message_time_;
};

template <class MessageTime>
class WorkReader : public FlowReader {
 public:
  WorkReader(Machine const& machine, std::size_t kernels, MessageTime message_time)
      : times_(machine, kernels, message_time),
        kernels_(kernels),
        chains_(times_),
        tasks_(machine.node_count() * kernels, 0),
        work_(machine.node_count()) {}

  void add_kernel(Kernel const& kernel) { out_.kernels.push_back(kernel); }
  void add_handle(HandleInfo const& handle, NodeId owner) {
    chains_.add_handle(handle);
    owners_.push_back(owner);
    sizes_.push_back(handle.size);
    data_ += handle.size;
  }
  void task(PlacedTask const& task) {
    ++tasks_[task.node.index() * kernels_ + task.kernel];
    work_[task.node.index()] += times_.duration(task);
    chains_.task(task);
  }
  void last_write(HandleId handle) { chains_.last_write(handle); }
  void last_use(HandleId handle) { chains_.last_use(handle); }

  [[nodiscard]] Seconds longest_chain() const { return chains_.longest(); }
  [[nodiscard]] std::vector<Seconds> const& work() const { return work_; }
  [[nodiscard]] Bytes data() const { return data_; }

  FlowWork result() && {
    out_.owned.resize(work_.size());
    for (std::size_t n = 0; n < work_.size(); ++n) {
      auto const first = tasks_.begin() + static_cast<std::ptrdiff_t>(n * kernels_);
      out_.tasks_by_node.emplace_back(first, first + static_cast<std::ptrdiff_t>(kernels_));
      std::uint64_t const tasks =
          std::accumulate(first, first + static_cast<std::ptrdiff_t>(kernels_), std::uint64_t{0});
      out_.tasks += tasks;
      out_.most_tasks = std::max(out_.most_tasks, tasks);
    }
    for (std::size_t h = 0; h < owners_.size(); ++h) {
      NodeId const writer = chains_.writer(h);
      if (NodeId const keeper = writer.valid() ? writer : owners_[h]; keeper.valid())
        out_.owned[keeper.index()] += sizes_[h];
    }
    return std::move(out_);
  }

 private:
  ExpectedTimes<MessageTime> times_;
  std::size_t kernels_;
  FlowChains<ExpectedTimes<MessageTime>> chains_;
  std::vector<std::uint64_t> tasks_;  // [nodes][kernels]
  std::vector<Seconds> work_;         // [nodes]
  std::vector<NodeId> owners_;        // [handles]
  std::vector<Bytes> sizes_;          // [handles]
  Bytes data_;
  FlowWork out_;
};

template <class MessageTime>
WorkReader<MessageTime> read_work(PlacedFlow& placed, Machine const& machine, MessageTime message_time) {
  Machine::Type const& type = machine.types.front();
  WorkReader<MessageTime> reader(machine, type.durations.size() / type.workers.size(), message_time);
  placed.read(reader);
  return reader;
}

}  // namespace

FlowWork flow_work(PlacedFlow& placed, Machine const& machine, Topology const& topology,
                   RuntimeOptions const& options) {
  LinkRate const slowest = slowest_rate(topology);
  auto reader = read_work(placed, machine, [&](NodeId, NodeId, Bytes size) {
    return slowest.latency + size / slowest.bandwidth;
  });
  MakespanParts parts{.work = most_work_per_worker(reader.work(), machine),
                      .data = reader.data(),
                      .slow_chain = [length = reader.longest_chain()] { return length; },
                      .chain =
                          [&] {
                            return read_work(placed, machine,
                                             [&](NodeId from, NodeId to, Bytes size) {
                                               return topology.least_time(from, to, size);
                                             })
                                .longest_chain();
                          }};
  FlowWork out = std::move(reader).result();
  out.phases = placed.phases();
  parts.tasks = out.tasks;
  parts.most_tasks = out.most_tasks;
  out.expected = expected_makespan(parts, machine, topology, options);
  return out;
}

}  // namespace factosim
