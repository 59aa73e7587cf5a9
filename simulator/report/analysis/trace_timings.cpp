#include "simulator/report/analysis/trace_timings.hpp"

#include <algorithm>

namespace factosim {

namespace {

constexpr std::size_t max_kinds = 65'000;  // a task graph numbers its kernels in 16 bits

template <class Map, class Key>
auto find_in(Map const& map, Key const& key) {
  auto const found = map.find(key);
  return found == map.end() ? Moments{} : found->second;
}

/// Returns the moments of the values of each key.
template <class Key>
std::map<Key, Moments> moments_of(std::map<Key, std::vector<double>> const& values) {
  std::map<Key, Moments> out;
  for (auto const& [key, seconds] : values) out.emplace_hint(out.end(), key, moments(seconds));
  return out;
}

}  // namespace

std::string timing_worker(Trace::Worker const& worker) {
  return worker.device == Trace::Device::cpu ? "cpu" : worker.name;
}

std::optional<StarpuSymbol> symbol_of(Trace const& trace, std::size_t kernel) {
  bool const has_model = kernel < trace.models.size() && !trace.models[kernel].empty();
  return parse_starpu_symbol(has_model ? trace.models[kernel] : trace.kernels[kernel].name);
}

Bytes data_of(Trace const& trace, std::size_t task) {
  Bytes out{0};
  if (trace.access_begin.empty()) return out;
  for (DataAccess const& access : trace.accesses_of(TaskId{task})) {
    Bytes const datum = trace.handles[access.handle().index()].size;
    if (datum.value < 0) return Bytes{0};
    out += datum;
  }
  return out;
}

TileSizes tile_sizes(Trace const& trace) {
  TileSizes out;
  std::vector<std::optional<StarpuSymbol>> symbols;
  for (std::size_t k = 0; k < trace.kernels.size(); ++k) symbols.push_back(symbol_of(trace, k));
  for (std::size_t t = 0; t < trace.task_count(); ++t)
    if (auto const& symbol = symbols[trace.kernel[t]]) out.add(*symbol, data_of(trace, t));
  return out;
}

std::vector<double> kernel_seconds(Trace const& trace) {
  std::vector<double> seconds(trace.task_count());
  std::vector<std::uint32_t> on_gpus;
  for (std::uint32_t t = 0; t < trace.task_count(); ++t) {
    seconds[t] = trace.end_s[t] - trace.start_s[t];
    if (trace.worker[t].valid() && trace.workers[trace.worker[t].index()].device == Trace::Device::gpu)
      on_gpus.push_back(t);
  }
  std::sort(on_gpus.begin(), on_gpus.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(trace.worker[a], trace.end_s[a], a) < std::tuple(trace.worker[b], trace.end_s[b], b);
  });
  for (std::size_t i = 1; i < on_gpus.size(); ++i) {
    std::uint32_t const before = on_gpus[i - 1], t = on_gpus[i];
    if (trace.worker[before] == trace.worker[t])
      seconds[t] = trace.end_s[t] - std::max(trace.start_s[t], trace.end_s[before]);
  }
  return seconds;
}

TraceTimings::TraceTimings(Trace const& trace) : seconds_(kernel_seconds(trace)) {
  bool shapes = !trace.footprint.empty();
  auto const kind = [&](std::size_t t) {
    return TimedKernel{trace.kernel[t], shapes ? trace.footprint[t] : 0};
  };
  auto const find_kinds = [&] {
    kinds_.clear();
    for (std::size_t t = 0; t < trace.task_count(); ++t) kinds_.push_back(kind(t));
    std::sort(kinds_.begin(), kinds_.end());
    kinds_.erase(std::unique(kinds_.begin(), kinds_.end()), kinds_.end());
  };
  find_kinds();
  if (kinds_.size() > max_kinds) {
    shapes = false;
    find_kinds();
  }
  kind_of_task_.reserve(trace.task_count());
  std::map<std::tuple<std::uint32_t, NodeId, std::string>, std::vector<double>> by_worker;
  std::map<std::tuple<std::uint32_t, NodeId, Trace::Device>, std::vector<double>> by_device;
  for (std::size_t t = 0; t < trace.task_count(); ++t) {
    auto const k =
        static_cast<std::uint32_t>(std::lower_bound(kinds_.begin(), kinds_.end(), kind(t)) - kinds_.begin());
    kind_of_task_.push_back(k);
    if (!trace.worker[t].valid()) continue;
    Trace::Worker const& worker = trace.workers[trace.worker[t].index()];
    double const seconds = seconds_[t];
    by_worker[{k, worker.node, timing_worker(worker)}].push_back(seconds);
    by_device[{k, worker.node, worker.device}].push_back(seconds);
    by_device[{k, NodeId{}, worker.device}].push_back(seconds);
  }
  by_worker_ = moments_of(by_worker);
  by_device_ = moments_of(by_device);
}

Moments TraceTimings::on(std::uint32_t kind, NodeId node, std::string const& worker) const {
  return find_in(by_worker_, std::tuple(kind, node, worker));
}

Moments TraceTimings::on(std::uint32_t kind, NodeId node, Trace::Device device) const {
  return find_in(by_device_, std::tuple(kind, node, device));
}

}  // namespace factosim
