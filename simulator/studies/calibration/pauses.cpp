#include "simulator/studies/calibration/pauses.hpp"

#include <algorithm>
#include <map>

#include "simulator/report/analysis/trace_links.hpp"
#include "simulator/scenario/replay/trace_platform.hpp"

namespace factosim {

namespace {

constexpr std::size_t min_tasks = 20;  // fewer say nothing about a mean of microseconds

struct Pause {
  double operands, seconds;
};

/// Returns the pauses before the tasks on cores, except the first on each.
std::vector<Pause> pauses_on_cores(Trace const& trace) {
  std::vector<Pause> out;
  if (trace.access_begin.empty() || trace.predecessor_begin.empty() || trace.task_count() == 0) return out;
  std::vector<double> const seconds = pauses(trace);
  std::map<WorkerId, double> first_start;
  for (std::size_t t = 0; t < trace.task_count(); ++t) {
    auto const [place, is_new] = first_start.try_emplace(trace.worker[t], trace.start_s[t]);
    if (!is_new) place->second = std::min(place->second, trace.start_s[t]);
  }
  for (std::uint32_t t = 0; t < trace.task_count(); ++t) {
    WorkerId const worker = trace.worker[t];
    if (!worker.valid() || trace.workers[worker.index()].device != Trace::Device::cpu) continue;
    if (trace.start_s[t] == first_start[worker]) continue;
    out.push_back({static_cast<double>(trace.accesses_of(TaskId{t}).size()), seconds[t]});
  }
  return out;
}

}  // namespace

std::optional<WorkerCosts> estimate_worker_costs(std::vector<Trace> const& traces) {
  std::vector<TransferTime> all;  // a line, as that of a link: operands instead of bytes
  for (Trace const& trace : traces)
    for (Pause const& p : pauses_on_cores(trace)) all.push_back({p.operands, p.seconds});
  if (all.size() < min_tasks) return std::nullopt;
  auto const line = fit_link(all);
  if (!line) return std::nullopt;
  return WorkerCosts{
      .push = Seconds{0}, .fetch = Seconds{1 / line->rate.bandwidth.value}, .progress = line->rate.latency};
}

}  // namespace factosim
