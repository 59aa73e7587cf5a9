#include "simulator/audit/rules/run_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

namespace factosim::audit {

namespace {

constexpr double simgrid_precision_s = 2e-9;

/// A tick of the simulator's clock is at most this part of the makespan, by the contract of its dates.
constexpr double most_per_makespan = 0x1p-41;

double longest_tick_s(nlohmann::json const& result) {
  auto const makespan = result.find("makespan_s");
  bool const known = makespan != result.end() && makespan->is_number();
  return known ? most_per_makespan * makespan->get<double>() : 0;
}

}  // namespace

RunView::RunView(AuditedRun const& audited)
    : run(audited),
      machine(audited),
      routes(audited.platform),
      home(audited.node_of_task),
      tick_s(longest_tick_s(audited.result)),
      tie_s(std::max(simgrid_precision_s, ticks_per_tie * tick_s)) {
  for (std::uint32_t t = 0; home.size() < run.graph.task_count(); ++t) {
    HandleId const written = run.graph.written_by(TaskId{t});
    home.push_back(written.valid() ? run.owners[run.graph.placement(TaskId{t})][written.index()] : NodeId{});
  }
  if (run.trace == nullptr) return;
  Trace const& trace = *run.trace;
  for (std::size_t w = 0; w < trace.workers.size(); ++w)
    if (w == 0 || trace.workers[w].node != trace.workers[w - 1].node) {
      first_worker_.resize(std::max(first_worker_.size(), trace.workers[w].node.index() + 1), w);
      first_worker_[trace.workers[w].node.index()] = w;
    }
  for (std::size_t t = 0; t < trace.task_count(); ++t)
    ran_.push_back(trace.worker[t].valid() && std::isfinite(trace.start_s[t]) &&
                   std::isfinite(trace.end_s[t]));
}

std::vector<Trace::Message> RunView::messages_by_pair() const {
  std::vector<Trace::Message> out = run.trace->messages;
  // A message without bytes ends with the one that it follows.
  std::ranges::sort(out, {}, [](Trace::Message const& m) {
    return std::tuple(m.from, m.to, m.end_s, -m.size.value, m.start_s);
  });
  return out;
}

std::string RunView::name_of_task(std::size_t task) const {
  TaskIndices const i = run.graph.indices[task];
  std::string out =
      fmt::format("task {} {} ({}, {}, {})", task, run.graph.kernel_of(TaskId{task}).name, i.k, i.m, i.n);
  if (ran(task)) out += fmt::format(" on {}:{}", node(task).value(), worker(task).name);
  return out;
}

std::string RunView::name_of_handle(HandleId handle) const {
  HandleInfo const& h = run.graph.handles[handle.index()];
  return fmt::format("{} ({}, {})", factosim::name_of(h.data), h.m, h.n);
}

std::string RunView::name_of_memory(MemoryNodeId memory) const {
  return fmt::format("{}:{}", memory_owner(memory).value(), run.trace->memory_nodes[memory.index()].name);
}

GpuTime::GpuTime(RunView const& view) : alone_s_(view.run.graph.task_count(), 0) {
  std::map<std::pair<NodeId, std::size_t>, std::vector<std::uint32_t>> on_device;
  drawn_s_ = alone_s_;
  for (std::uint32_t t = 0; t < alone_s_.size(); ++t) {
    if (!view.ran(t)) continue;
    bool const shares = view.run.runtime.workers_per_gpu > 1 && view.worker(t).device == Trace::Device::gpu;
    if (!shares)
      drawn_s_[t] = alone_s_[t] = view.end_s(t) - view.start_s(t);
    else if (view.end_s(t) > view.start_s(t))
      on_device[{view.node(t), view.machine.workers(view.node(t))[view.local_worker(t)].device}].push_back(t);
  }
  for (auto const& [device, tasks] : on_device) {
    std::vector<std::pair<double, std::uint32_t>> changes;
    for (std::uint32_t const t : tasks) {
      changes.emplace_back(view.start_s(t), t);
      changes.emplace_back(view.end_s(t), t);
    }
    std::sort(changes.begin(), changes.end());
    std::vector<Running> by_part;  // ascending
    double since = 0;
    for (auto const& [date, t] : changes) {
      pass(date - since, by_part);
      since = date;
      if (std::erase_if(by_part, [task = t](Running const& r) { return r.task == task; }) > 0) continue;
      double const part = view.on_worker(t).part;
      by_part.insert(std::ranges::upper_bound(by_part, part, {}, &Running::part), {t, part});
    }
  }
}

void GpuTime::pass(double seconds, std::span<Running const> by_part) {
  // The level is the part that kernels limited by others have: were the first i limited by what they use, the others would
  // share the rest equally. The right i gives the largest of these shares.
  double level = 0, before = 0, sum = 0;
  for (std::size_t i = 0; i < by_part.size(); ++i) {
    level = std::max(level, (1 - before) / static_cast<double>(by_part.size() - i));
    before += by_part[i].part;
  }
  for (Running const& r : by_part) sum += std::min(r.part, level);
  for (Running const& r : by_part) {
    alone_s_[r.task] += seconds * std::min(1.0, level / r.part);
    drawn_s_[r.task] += seconds * std::min(r.part, level) / sum;
  }
}

}  // namespace factosim::audit
