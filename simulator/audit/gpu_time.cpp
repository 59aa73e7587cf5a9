#include "simulator/audit/gpu_time.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace factosim::audit {

GpuTime::GpuTime(RunView const& view) : alone_s_(view.run.graph.task_count(), 0) {
  std::map<std::pair<NodeId, std::size_t>, std::vector<std::uint32_t>> on_device;
  for (std::uint32_t t = 0; t < alone_s_.size(); ++t) {
    if (!view.ran(t)) continue;
    alone_s_[t] = view.end_s(t) - view.start_s(t);
    if (view.run.runtime.workers_per_gpu > 1 && view.worker(t).device == Trace::Device::gpu)
      on_device[{view.node(t), view.machine.workers(view.node(t))[view.local_worker(t)].device}].push_back(t);
  }
  for (auto const& [device, tasks] : on_device) {
    std::vector<std::pair<double, int>> changes;
    for (std::uint32_t const t : tasks) {
      changes.emplace_back(view.start_s(t), 1);
      changes.emplace_back(view.end_s(t), -1);
    }
    std::sort(changes.begin(), changes.end());
    std::vector<std::pair<double, double>> passed{{changes.front().first, 0}};  // date, integral up to it
    int running = 0;
    for (auto const& [date, change] : changes) {
      double const since = date - passed.back().first;
      passed.emplace_back(date, passed.back().second + (running > 0 ? since / running : 0));
      running += change;
    }
    auto const integral = [&](double date) {
      return std::ranges::lower_bound(passed, date, {}, &std::pair<double, double>::first)->second;
    };
    for (std::uint32_t const t : tasks) alone_s_[t] = integral(view.end_s(t)) - integral(view.start_s(t));
  }
}

}  // namespace factosim::audit
