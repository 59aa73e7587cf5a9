#include "simulator/report/analysis/causes.hpp"

#include <algorithm>
#include <cmath>

namespace factosim {

namespace {

template <class Arrivals>
void sort_by_key(Arrivals& arrivals) {
  std::sort(arrivals.begin(), arrivals.end(), [](auto const& a, auto const& b) {
    if (a.key != b.key) return a.key < b.key;
    return a.date != b.date ? a.date < b.date : a.index < b.index;
  });
}

/// Index of the workers of one kind on one node.
std::size_t kind_on_node(Trace::Worker const& worker) {
  return 2 * worker.node.index() + (worker.device == Trace::Device::gpu ? 1 : 0);
}

}  // namespace

Causes::Causes(Trace const& trace)
    : trace_(trace), order_(trace.workers.size()), alike_(2 * trace.nodes.size()) {
  for (std::uint32_t w = 0; w < trace.workers.size(); ++w)
    alike_[kind_on_node(trace.workers[w])].push_back(WorkerId{w});
  for (std::uint32_t t = 0; t < trace.task_count(); ++t)
    if (trace.ran(TaskId{t})) order_[trace.worker[t].index()].push_back(TaskId{t});
  for (std::vector<TaskId>& tasks : order_) {
    std::sort(tasks.begin(), tasks.end(), [&](TaskId a, TaskId b) {
      double const sa = trace.start_s[a.index()], sb = trace.start_s[b.index()];
      return sa != sb ? sa < sb : a < b;
    });
  }
  // Where no accesses are known, no tile of a task is.
  auto const tile = [&](HandleId handle) { return trace.access_begin.empty() ? HandleId{} : handle; };
  for (std::uint32_t m = 0; m < trace.messages.size(); ++m) {
    Trace::Message const& message = trace.messages[m];
    if (!std::isnan(message.end_s))
      messages_.push_back({key(message.to.value(), tile(message.handle)), message.end_s, m});
  }
  for (std::uint32_t c = 0; c < trace.copies.size(); ++c) {
    Trace::Copy const& copy = trace.copies[c];
    if (!std::isnan(copy.end_s)) copies_.push_back({key(copy.to.value(), tile(copy.handle)), copy.end_s, c});
  }
  sort_by_key(messages_);
  sort_by_key(copies_);
}

void Causes::add(Cause::Kind kind, double date, double begin, std::uint32_t index, double start) {
  if (std::isnan(date) || begin >= start) return;
  causes_.push_back({kind, std::min(date, start), index});
}

Causes::Arrival const* Causes::last_arrival(std::vector<Arrival> const& arrivals, std::uint64_t wanted,
                                            double until) {
  auto const after = std::upper_bound(
      arrivals.begin(), arrivals.end(), std::pair{wanted, until}, [](auto const& limit, Arrival const& a) {
        return limit.first != a.key ? limit.first < a.key : limit.second < a.date;
      });
  return after == arrivals.begin() || std::prev(after)->key != wanted ? nullptr : &*std::prev(after);
}

double Causes::last_copy_s(MemoryNodeId memory, HandleId handle, double until_s) const {
  Arrival const* const last = last_arrival(copies_, key(memory.value(), handle), until_s);
  return last == nullptr ? unknown : last->date;
}

void Causes::add_last_arrival(std::vector<Arrival> const& arrivals, std::uint64_t wanted, Cause::Kind kind,
                              double start) {
  // Rounding: an arrival up to a nanosecond late still counts.
  Arrival const* const last = last_arrival(arrivals, wanted, start + 1e-9);
  if (last == nullptr) return;
  double const begin = kind == Cause::Kind::message ? trace_.messages[last->index].start_s
                                                    : trace_.copies[last->index].start_s;
  add(kind, last->date, begin, last->index, start);
}

void Causes::add_arrivals(TaskId t) {
  if (messages_.empty() && copies_.empty()) return;
  add_arrivals_without_tile(t);
  if (trace_.access_begin.empty()) return;
  std::size_t const i = t.index();
  Trace::Worker const& worker = trace_.workers[trace_.worker[i].index()];
  for (std::uint32_t a = trace_.access_begin[i]; a < trace_.access_begin[i + 1]; ++a) {
    HandleId const handle = trace_.accesses[a].handle();
    if (!reads(trace_.accesses[a].mode())) continue;
    add_last_arrival(messages_, key(worker.node.value(), handle), Cause::Kind::message, trace_.start_s[i]);
    if (worker.memory.valid())
      add_last_arrival(copies_, key(worker.memory.value(), handle), Cause::Kind::copy, trace_.start_s[i]);
  }
}

void Causes::add_arrivals_without_tile(TaskId t) {
  Trace::Worker const& worker = trace_.workers[trace_.worker[t.index()].index()];
  bool other_node = false, other_memory = false;
  for (TaskId const p : trace_.predecessors_of(t)) {
    if (!trace_.ran(p)) continue;
    Trace::Worker const& before = trace_.workers[trace_.worker[p.index()].index()];
    other_node = other_node || before.node != worker.node;
    other_memory = other_memory || before.memory != worker.memory;
  }
  double const start = trace_.start_s[t.index()];
  if (other_node)
    add_last_arrival(messages_, key(worker.node.value(), HandleId{}), Cause::Kind::message, start);
  if (other_memory && worker.memory.valid())
    add_last_arrival(copies_, key(worker.memory.value(), HandleId{}), Cause::Kind::copy, start);
}

std::vector<Cause> const& Causes::of(TaskId t) {
  std::size_t const i = t.index();
  double const start = trace_.start_s[i];
  causes_.clear();
  // A submission after the start shows that clocks differ, not what the task waited for.
  add(Cause::Kind::submission, trace_.submit_s[i], trace_.submit_s[i], t.value(), start);
  for (TaskId const before : trace_.predecessors_of(t))
    if (trace_.ran(before))
      add(Cause::Kind::predecessor, trace_.end_s[before.index()], trace_.start_s[before.index()],
          before.value(), start);
  add_arrivals(t);
  sort();
  return causes_;
}

std::vector<Cause> const& Causes::of_with_worker(TaskId t) {
  static_cast<void>(of(t));
  add_worker(t);
  sort();
  return causes_;
}

void Causes::sort() {
  std::stable_sort(causes_.begin(), causes_.end(), [](Cause const& a, Cause const& b) {
    return a.date != b.date ? a.date > b.date : a.kind < b.kind;
  });
}

TaskId Causes::last_before(WorkerId w, double date) const {
  std::vector<TaskId> const& tasks = order_[w.index()];
  auto const after = std::lower_bound(tasks.begin(), tasks.end(), date, [&](TaskId t, double limit) {
    return trace_.start_s[t.index()] < limit;
  });
  return after == tasks.begin() ? TaskId{} : *std::prev(after);
}

void Causes::add_worker(TaskId t) {
  WorkerId const own = trace_.worker[t.index()];
  double const start = trace_.start_s[t.index()];
  TaskId longest_idle = last_before(own, start);
  if (!longest_idle.valid()) return;
  if (!causes_.empty())
    for (WorkerId const w : alike_[kind_on_node(trace_.workers[own.index()])]) {
      TaskId const last = last_before(w, start);
      if (!last.valid()) return;
      double const end = trace_.end_s[last.index()];
      if (end <= start && end < trace_.end_s[longest_idle.index()]) longest_idle = last;
    }
  add(Cause::Kind::worker, trace_.end_s[longest_idle.index()], trace_.start_s[longest_idle.index()],
      longest_idle.value(), start);
}

double Causes::ready_s(TaskId t) {
  for (Cause const& c : of(t))
    if (c.kind != Cause::Kind::copy) return c.date;
  return trace_.start_s[t.index()];
}

std::vector<MemoryNodeId> rams_of(Trace const& trace) {
  std::vector<MemoryNodeId> out(trace.nodes.size());
  for (std::uint32_t m = 0; m < trace.memory_nodes.size(); ++m)
    if (MemoryNodeId& ram = out[trace.memory_nodes[m].node.index()]; !ram.valid()) ram = MemoryNodeId{m};
  return out;
}

}  // namespace factosim
