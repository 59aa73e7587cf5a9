#include "simulator/studies/calibration/occupation.hpp"

#include <algorithm>

namespace factosim {

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

}  // namespace factosim
