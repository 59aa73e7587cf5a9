#include "simulator/report/analysis/trace_timings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "factosim/error.hpp"
#include "platforms/bus_rates.hpp"
#include "simulator/base/core/sample.hpp"

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

namespace {

constexpr double alike = 1.2;  // sizes within this factor do not determine a latency

/// Returns the fit with this rate.
LinkFit fit_with(LinkRate rate, std::vector<TransferTime> const& transfers) {
  LinkFit fit{.rate = rate, .transfers = transfers.size()};
  double sum = 0, squares = 0;
  for (TransferTime const& t : transfers) {
    sum += t.seconds;
    squares += std::pow(t.seconds - rate.latency.value - t.size_bytes / rate.bandwidth.value, 2);
  }
  fit.mean_s = sum / static_cast<double>(transfers.size());
  fit.residual_s = std::sqrt(squares / static_cast<double>(transfers.size()));
  return fit;
}

/// Returns the date at which the data of a message could be sent: the end of the task that wrote them on a
/// core. Data written by a GPU must reach the RAM first, so the date at which the message was sent.
double could_be_sent(Trace const& trace, Trace::Message const& m) {
  if (!m.producer.valid() || !trace.worker[m.producer.index()].valid()) return m.start_s;
  Trace::Worker const& worker = trace.workers[trace.worker[m.producer.index()].index()];
  return worker.device == Trace::Device::cpu ? trace.end_s[m.producer.index()] : m.start_s;
}

}  // namespace

LinkFit fit_through_zero(std::vector<TransferTime> const& transfers) {
  double bytes = 0, seconds = 0;
  for (TransferTime const& t : transfers) {
    bytes += t.size_bytes;
    seconds += t.seconds;
  }
  return fit_with({.bandwidth = BytesPerSecond{bytes / seconds}, .latency = Seconds{0}}, transfers);
}

std::optional<LinkFit> fit_link(std::vector<TransferTime> const& all) {
  std::vector<TransferTime> transfers;
  double sum = 0;
  for (TransferTime const& t : all) {
    if (!(t.size_bytes > 0) || !std::isfinite(t.seconds)) continue;
    transfers.push_back(t);
    sum += t.seconds;
  }
  if (transfers.empty() || !(sum > 0)) return std::nullopt;
  auto const [minimum, maximum] =
      std::minmax_element(transfers.begin(), transfers.end(),
                          [](auto const& a, auto const& b) { return a.size_bytes < b.size_bytes; });
  LinkFit fit = fit_through_zero(transfers);
  fit.latency_known = maximum->size_bytes > alike * minimum->size_bytes;
  if (fit.latency_known) {
    std::vector<std::pair<double, double>> points;
    for (TransferTime const& t : transfers) points.emplace_back(t.size_bytes, t.seconds);
    auto const line = line_through(points);
    if (line && line->at_zero >= 0 && line->slope > 0)  // else the noise is larger than the latency
      fit = fit_with({.bandwidth = BytesPerSecond{1 / line->slope}, .latency = Seconds{line->at_zero}},
                     transfers);
  }
  return fit;
}

std::optional<LinkFit> fit_messages(Trace const& trace) {
  std::vector<TransferTime> times;
  for (Trace::Message const& m : trace.messages)
    times.push_back({static_cast<double>(m.size.value), m.end_s - could_be_sent(trace, m)});
  return fit_link(times);
}

std::map<std::pair<MemoryNodeId, MemoryNodeId>, LinkFit> fit_copies(Trace const& trace) {
  std::map<std::pair<MemoryNodeId, MemoryNodeId>, std::vector<TransferTime>> times;
  for (Trace::Copy const& c : trace.copies)
    if (c.from.valid() && c.to.valid())
      times[{c.from, c.to}].push_back({static_cast<double>(c.size.value), c.end_s - c.start_s});
  std::map<std::pair<MemoryNodeId, MemoryNodeId>, LinkFit> out;
  for (auto const& [link, of_link] : times)
    if (auto const fit = fit_link(of_link)) out.emplace(link, *fit);
  return out;
}

Bus pairwise_bus(std::size_t memories,
                 std::function<std::optional<LinkRate>(std::size_t, std::size_t)> const& link) {
  Bus bus;
  if (memories == 1) return bus;
  bus.routes.resize(memories * memories);
  for (std::size_t from = 0; from < memories; ++from)
    for (std::size_t to = 0; to < memories; ++to) {
      if (from == to) continue;
      auto const rate = link(from, to);
      FACTOSIM_EXPECT(rate || (from != 0 && to != 0), "the RAM is joined with all other memory nodes");
      if (!rate) continue;
      bus.routes[from * memories + to] = {static_cast<std::uint32_t>(bus.links.size())};
      bus.links.push_back({fmt::format("{}-{}", from, to), *rate});
    }
  bus.predicted = predict_from_routes(bus, memories);
  return bus;
}

}  // namespace factosim
