#include "simulator/studies/calibration/kernel_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>

#include "simulator/report/analysis/trace_timings.hpp"

namespace factosim {

namespace {

std::optional<TimingSubject> subject_of(Trace const& trace, std::uint32_t t, TileSizes const& sizes) {
  auto const symbol = symbol_of(trace, trace.kernel[t]);
  auto const nb = symbol ? sizes.of(*symbol, data_of(trace, t)) : std::nullopt;
  if (!nb) return std::nullopt;
  Trace::Worker const& worker = trace.workers[trace.worker[t].index()];
  return TimingSubject{symbol->kernel, symbol->application, symbol->precision, timing_worker(worker), *nb};
}

}  // namespace

std::vector<int> busy_cores_at_start(Trace const& trace, std::vector<std::uint32_t> const& by_start) {
  std::vector<std::vector<std::size_t>> cores(trace.nodes.size());  // workers by node
  for (std::size_t w = 0; w < trace.workers.size(); ++w)
    if (trace.workers[w].device == Trace::Device::cpu) cores[trace.workers[w].node.index()].push_back(w);
  std::vector<double> busy_until(trace.workers.size(), 0.0);
  std::vector<int> out(trace.task_count(), 0);
  for (std::uint32_t const t : by_start) {
    if (!trace.ran(TaskId{t})) continue;
    std::size_t const worker = trace.worker[t].index();
    busy_until[worker] = trace.end_s[t];
    out[t] =
        static_cast<int>(std::ranges::count_if(cores[trace.workers[worker].node.index()], [&](std::size_t w) {
          return w == worker || busy_until[w] > trace.start_s[t];
        }));
  }
  return out;
}

void add_samples(KernelSamples& samples, Trace const& trace, std::size_t run,
                 std::vector<Finding>& findings) {
  std::vector<double> const seconds = kernel_seconds(trace);
  std::vector<std::uint32_t> order(trace.task_count());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t t) { return trace.start_s[t]; });
  std::vector<int> const busy_cores = busy_cores_at_start(trace, order);
  std::set<std::tuple<std::uint16_t, int, WorkerId>> warm;
  std::map<std::uint16_t, std::size_t> left_out;
  TileSizes const sizes = tile_sizes(trace);
  for (std::uint32_t const t : order) {
    if (!trace.worker[t].valid()) continue;
    auto const subject = subject_of(trace, t, sizes);
    if (!subject) {
      ++left_out[trace.kernel[t]];
      continue;
    }
    KernelExecutions& e = samples[*subject];
    bool const first = warm.insert({trace.kernel[t], subject->nb, trace.worker[t]}).second;
    (first ? e.first : e.later).push_back({{run, trace.worker[t]}, seconds[t], busy_cores[t]});
  }
  for (auto const& [kernel, count] : left_out)
    findings.push_back(
        {trace.source, 0,
         fmt::format("{} executions of {} are left out (its name or its data tell no tile size)", count,
                     trace.kernels[kernel].name)});
}

}  // namespace factosim
