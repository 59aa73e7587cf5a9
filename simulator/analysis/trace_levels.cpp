#include "simulator/analysis/trace_levels.hpp"

#include <array>
#include <cmath>
#include <map>
#include <string>

#include "simulator/analysis/causes.hpp"
#include "simulator/analysis/time_bins.hpp"

namespace factosim {

namespace {

class LevelCounter {
 public:
  LevelCounter(Trace const& trace, double origin, double end, std::size_t intervals)
      : trace_(trace), origin_(origin), end_(end), intervals_(intervals) {}

  std::vector<LevelRows> levels() {
    tasks();
    messages();
    copies();
    std::vector<LevelRows> out;
    for (char const* id :
         {"submitted_tasks", "ready_tasks", "running_tasks", "gflops", "messages_sent", "messages_received",
          "nic_out_Bps", "nic_in_Bps", "h2d_Bps", "d2h_Bps", "d2d_Bps", "h2h_Bps"})
      if (auto const level = bins_.find(id); level != bins_.end()) {
        out.push_back({.id = id, .rows = {}});
        for (TimeBins const& b : level->second) out.back().rows.push_back(b.averages());
      }
    return out;
  }

 private:
  void add(char const* level, NodeId node, double from, double to, double amount) {
    auto const [place, is_new] = bins_.try_emplace(level);
    if (is_new) place->second.assign(trace_.nodes.size(), TimeBins(end_, intervals_));
    place->second[node.index()].add(from - origin_, to - origin_, amount);
  }

  void tasks() {
    Causes causes(trace_);
    bool const dependencies = !trace_.predecessor_begin.empty();
    for (std::uint32_t t = 0; t < trace_.task_count(); ++t) {
      if (!causes.ran(TaskId{t})) continue;
      NodeId const node = trace_.workers[trace_.worker[t].index()].node;
      double const start = trace_.start_s[t], end = trace_.end_s[t];
      bool const submission = !std::isnan(trace_.submit_s[t]);
      add("running_tasks", node, start, end, 1);
      if (submission) add("submitted_tasks", node, trace_.submit_s[t], end, 1);
      if (submission || dependencies) add("ready_tasks", node, causes.ready_s(TaskId{t}), start, 1);
      if (!trace_.flops.empty() && trace_.flops[t] > 0 && end > start)
        add("gflops", node, start, end, trace_.flops[t] / 1e9 / (end - start));
    }
  }

  void messages() {
    for (Trace::Message const& m : trace_.messages) {
      add("messages_sent", m.from, m.start_s, m.end_s, 1);
      add("messages_received", m.to, m.start_s, m.end_s, 1);
      add("nic_out_Bps", m.from, m.start_s, m.end_s, rate(m.size, m.start_s, m.end_s));
      add("nic_in_Bps", m.to, m.start_s, m.end_s, rate(m.size, m.start_s, m.end_s));
    }
  }

  void copies() {
    std::vector<bool> on_gpu(trace_.memory_nodes.size(), false);
    for (Trace::Worker const& w : trace_.workers)
      if (w.device == Trace::Device::gpu && w.memory.valid()) on_gpu[w.memory.index()] = true;
    constexpr std::array<char const*, 4> names{"h2h_Bps", "h2d_Bps", "d2h_Bps", "d2d_Bps"};
    for (Trace::Copy const& c : trace_.copies)
      add(names[(on_gpu[c.from.index()] ? 2U : 0U) + (on_gpu[c.to.index()] ? 1U : 0U)],
          trace_.memory_nodes[c.to.index()].node, c.start_s, c.end_s, rate(c.size, c.start_s, c.end_s));
  }

  [[nodiscard]] static double rate(Bytes size, double start, double end) {
    return end > start && size.value > 0 ? static_cast<double>(size.value) / (end - start) : 0;
  }

  Trace const& trace_;
  double origin_, end_;
  std::size_t intervals_;
  std::map<std::string, std::vector<TimeBins>, std::less<>> bins_;  // [nodes] each
};

}  // namespace

std::vector<LevelRows> trace_levels(Trace const& trace, double origin_s, double end_s,
                                    std::size_t intervals) {
  return LevelCounter(trace, origin_s, end_s, intervals).levels();
}

}  // namespace factosim
