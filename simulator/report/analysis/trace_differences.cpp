#include "simulator/report/analysis/trace_differences.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "simulator/base/core/sample.hpp"

namespace factosim {

namespace {

/// Returns true if task i is the same in both runs, for all i.
bool same_tasks(Trace const& a, Trace const& b) {
  if (a.task_count() != b.task_count() || a.indices.empty() != b.indices.empty()) return false;
  for (std::size_t t = 0; t < a.task_count(); ++t) {
    if (timing_name(a.kernels[a.kernel[t]]) != timing_name(b.kernels[b.kernel[t]])) return false;
    if (a.indices.empty()) continue;
    TaskIndices const &in_a = a.indices[t], &in_b = b.indices[t];
    if (in_a.k != in_b.k || in_a.m != in_b.m || in_a.n != in_b.n) return false;
  }
  return true;
}

/// Tasks of each kernel on each node.
std::map<std::pair<std::string, std::uint32_t>, std::size_t> tasks_of_nodes(Trace const& trace) {
  std::map<std::pair<std::uint16_t, std::uint32_t>, std::size_t> counts;
  for (std::size_t t = 0; t < trace.task_count(); ++t)
    ++counts[{trace.kernel[t], trace.node_of(TaskId{t}).value()}];
  std::map<std::pair<std::string, std::uint32_t>, std::size_t> out;
  for (auto const& [key, count] : counts) out[{timing_name(trace.kernels[key.first]), key.second}] += count;
  return out;
}

bool other_map(Trace const& a, Trace const& b) {
  if (a.nodes.size() != b.nodes.size()) return true;
  if (a.nodes.size() == 1) return false;
  if (!same_tasks(a, b)) return a.task_count() == b.task_count() && tasks_of_nodes(a) != tasks_of_nodes(b);
  for (std::size_t t = 0; t < a.task_count(); ++t)
    if (a.node_of(TaskId{t}) != b.node_of(TaskId{t})) return true;
  return false;
}

bool other_workers(Trace const& a, Trace const& b) {
  if (a.nodes.size() != b.nodes.size()) return false;
  std::vector<std::array<int, 2>> balance(a.nodes.size());  // [nodes] cores and GPUs of a without those of b
  auto const count = [&](Trace const& trace, int sign) {
    for (Trace::Worker const& w : trace.workers)
      balance[w.node.index()][w.device == Trace::Device::gpu ? 1 : 0] += sign;
  };
  count(a, 1);
  count(b, -1);
  return std::ranges::any_of(balance, [](auto const& n) { return n[0] != 0 || n[1] != 0; });
}

bool other_priorities(Trace const& a, Trace const& b) { return same_tasks(a, b) && a.priority != b.priority; }

/// Seconds of the fastest transfer by ends and size.
template <class Transfer>
std::map<std::tuple<std::uint32_t, std::uint32_t, Bytes>, double> fastest(
    std::vector<Transfer> const& transfers) {
  std::map<std::tuple<std::uint32_t, std::uint32_t, Bytes>, double> out;
  for (Transfer const& t : transfers) {
    double const seconds = t.end_s - t.start_s;
    if (std::isnan(seconds)) continue;
    auto const [place, is_new] = out.try_emplace({t.from.value(), t.to.value(), t.size}, seconds);
    if (!is_new) place->second = std::min(place->second, seconds);
  }
  return out;
}

/// On a busy network few transfers are alone, so that the fastest between two ends depends on the order.
/// Therefore the fastest between any ends must differ too.
template <class Transfer>
bool other_speed(std::vector<Transfer> const& a, std::vector<Transfer> const& b) {
  auto const differs = [](double ratio) { return ratio > 1.1 || ratio < 1 / 1.1; };
  auto const in_b = fastest(b);
  std::vector<double> ratios;
  std::map<Bytes, std::pair<double, double>> by_size;  // the fastest of both runs
  for (auto const& [key, seconds] : fastest(a)) {
    auto const other = in_b.find(key);
    if (other == in_b.end() || seconds <= 0) continue;
    ratios.push_back(other->second / seconds);
    auto const [place, is_new] = by_size.try_emplace(std::get<Bytes>(key), seconds, other->second);
    auto& [of_a, of_b] = place->second;
    of_a = std::min(of_a, seconds);
    of_b = std::min(of_b, other->second);
  }
  std::ranges::sort(ratios);
  return !ratios.empty() && differs(median(ratios)) && std::ranges::any_of(by_size, [&](auto const& s) {
    return differs(s.second.second / s.second.first);
  });
}

struct GpuMemory {
  double peak = 0;          // bytes allocated at once
  std::int64_t copied = 0;  // bytes copied into it
};

/// [memory nodes]
std::vector<GpuMemory> gpu_memories(Trace const& trace) {
  std::vector<GpuMemory> out(trace.memory_nodes.size());
  for (Trace::Copy const& copy : trace.copies) out[copy.to.index()].copied += copy.size.value;
  std::vector<std::vector<std::pair<double, double>>> changes(out.size());  // dates, bytes
  for (Trace::Place const& place : trace.places) {
    auto const bytes = static_cast<double>(trace.handles[place.handle.index()].size.value);
    changes[place.memory.index()].emplace_back(place.start_s, bytes);
    if (!std::isnan(place.end_s)) changes[place.memory.index()].emplace_back(place.end_s, -bytes);
  }
  for (std::size_t m = 0; m < out.size(); ++m) {
    std::ranges::sort(changes[m]);
    double level = 0;
    for (auto const& [date, bytes] : changes[m]) {
      level += bytes;
      out[m].peak = std::max(out[m].peak, level);
    }
  }
  return out;
}

/// Returns true if one run used at most 90 % of the memory of a GPU that the other used, and copied more.
bool other_memory(Trace const& a, Trace const& b) {
  if (!a.has_places || !b.has_places || a.memory_nodes.size() != b.memory_nodes.size()) return false;
  std::vector<GpuMemory> const of_a = gpu_memories(a), of_b = gpu_memories(b);
  auto const is_smaller = [](GpuMemory const& x, GpuMemory const& y) {
    return x.peak < 0.9 * y.peak && x.copied > y.copied;
  };
  for (Trace::Worker const& w : a.workers) {
    if (w.device != Trace::Device::gpu || !w.memory.valid()) continue;
    GpuMemory const &in_a = of_a[w.memory.index()], &in_b = of_b[w.memory.index()];
    if (is_smaller(in_a, in_b) || is_smaller(in_b, in_a)) return true;
  }
  return false;
}

/// Median seconds between two submissions on a node; 0 if none are known.
double submission_gap_s(Trace const& trace) {
  std::vector<std::vector<double>> dates(trace.nodes.size());
  for (std::size_t t = 0; t < trace.task_count(); ++t)
    if (NodeId const node = trace.node_of(TaskId{t}); node.valid() && !std::isnan(trace.submit_s[t]))
      dates[node.index()].push_back(trace.submit_s[t]);
  std::vector<double> gaps;
  for (std::vector<double>& of_node : dates) {
    std::ranges::sort(of_node);
    for (std::size_t i = 1; i < of_node.size(); ++i) gaps.push_back(of_node[i] - of_node[i - 1]);
  }
  std::ranges::sort(gaps);
  return gaps.empty() ? 0 : median(gaps);
}

bool other_submission(Trace const& a, Trace const& b, double makespan_s) {
  constexpr double factor = 1.5, share = 0.02;
  double const in_a = submission_gap_s(a), in_b = submission_gap_s(b);
  if (in_a == 0 || in_b == 0) return false;
  auto const tasks_of_node = static_cast<double>(a.task_count()) / static_cast<double>(a.nodes.size());
  return std::max(in_a, in_b) > factor * std::min(in_a, in_b) &&
         std::abs(in_b - in_a) * tasks_of_node > share * makespan_s;
}

}  // namespace

TraceDifferences trace_differences(Trace const& a, Trace const& b, double makespan_s) {
  return {.map = other_map(a, b),
          .workers = other_workers(a, b),
          .priorities = other_priorities(a, b),
          .network = other_speed(a.messages, b.messages),
          .bus = other_speed(a.copies, b.copies),
          .memory = other_memory(a, b),
          .submission = other_submission(a, b, makespan_s)};
}

}  // namespace factosim
