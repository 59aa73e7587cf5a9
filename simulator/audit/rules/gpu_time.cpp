#include "simulator/audit/rules/gpu_time.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace factosim::audit {

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
