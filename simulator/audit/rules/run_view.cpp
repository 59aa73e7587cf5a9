#include "simulator/audit/rules/run_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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

}  // namespace factosim::audit
