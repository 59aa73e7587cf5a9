#include "distributions/node_workers.hpp"

#include <algorithm>
#include <limits>

#include "factosim/error.hpp"

namespace factosim {

namespace {

constexpr std::size_t ram = 0;

}  // namespace

NodeWorkers::NodeWorkers(NodeCosts const& costs, std::size_t data) : data_(data), memories_(1) {
  for (EqualWorkers const& equal : costs.workers)
    for (int w = 0; w < equal.count; ++w) {
      workers_.push_back({.costs = &equal, .memory = equal.copy > 0 ? memories_.size() : ram});
      if (equal.copy > 0) memories_.push_back({.copy = equal.copy});
    }
}

void NodeWorkers::put(std::size_t datum, std::size_t memory) {
  if (present_.empty()) present_.resize(memories_.size() * data_, false);
  present_[memory * data_ + datum] = true;
}

std::size_t NodeWorkers::source(std::size_t datum) const {
  for (std::size_t memory = 0; memory < memories_.size(); ++memory)
    if (has(datum, memory)) return memory;
  FACTOSIM_EXPECT(false, "an operand that is not on the node");
  return ram;
}

double NodeWorkers::copied(std::size_t from, std::size_t to, double in_end, double now) const {
  double const start = std::max({now, in_end, memories_[from].out_end});
  return start + std::max(memories_[from].copy, memories_[to].copy);
}

double NodeWorkers::fetch_to_ram(std::size_t memory, double now) {
  if (memory == ram) return now;
  return memories_[memory].out_end = copied(memory, ram, 0, now);
}

std::size_t NodeWorkers::push(Task task, std::span<std::size_t const> read, std::size_t& written,
                              double now) {
  struct Copy {
    std::size_t from;
    double end;
  };
  auto const for_copies = [&](std::size_t to, auto&& visit) {
    double in_end = memories_[to].in_end;
    auto const copy = [&](std::size_t from) {
      double const end = copied(from, to, to == ram ? 0 : in_end, now);
      in_end = std::max(in_end, end);
      visit(from, end);
    };
    for (std::size_t const datum : read)
      if (!has(datum, to)) copy(source(datum));
    if (written != to) copy(written);
    return in_end;
  };
  std::size_t best = workers_.size();
  double earliest = std::numeric_limits<double>::infinity();
  std::size_t last = memories_.size();  // memory looked at last, and when the operands would be there
  double ready = now;
  for (std::size_t w = 0; w < workers_.size(); ++w) {
    Worker const& worker = workers_[w];
    if (worker.memory != last) {
      last = worker.memory;
      ready = now;
      for_copies(last, [&](std::size_t, double end) { ready = std::max(ready, end); });
    }
    double const end = std::max(ready, worker.end_of_all) + worker.costs->seconds[task.kind];
    if (end >= earliest) continue;
    earliest = end;
    best = w;
    task.ready = ready;
  }
  FACTOSIM_EXPECT(best < workers_.size(), "a node that cannot run its tasks");
  Worker& worker = workers_[best];
  for_copies(worker.memory, [&](std::size_t from, double end) {
    if (from != ram) memories_[from].out_end = end;
    if (worker.memory != ram) memories_[worker.memory].in_end = end;
  });
  for (std::size_t const datum : read) put(datum, worker.memory);
  written = worker.memory;
  worker.end_of_all = earliest;
  worker.queue.push(task);
  return best;
}

std::optional<NodeWorkers::Started> NodeWorkers::start(std::size_t w, double now) {
  Worker& worker = workers_[w];
  if (worker.held >= worker.costs->held || worker.queue.empty()) return std::nullopt;
  Task const task = worker.queue.top();
  worker.queue.pop();
  ++worker.held;
  worker.end_of_held = std::max({now, task.ready, worker.end_of_held}) + worker.costs->seconds[task.kind];
  return Started{task.tile, worker.end_of_held};
}

}  // namespace factosim
