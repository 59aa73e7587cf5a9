#include "simulator/scenario/replay/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

#include "simulator/report/analysis/trace_timings.hpp"

namespace factosim {

namespace {

constexpr LinkRate assumed_bus{.bandwidth = BytesPerSecond{12e9}, .latency = Seconds{10e-6}};
constexpr LinkRate assumed_network{.bandwidth = BytesPerSecond{1e12}, .latency = Seconds{0}};
constexpr Bytes no_limit{std::int64_t{1} << 50};

/// Returns the node with its workers, without links.
NodeType node_type(Trace const& trace, NodeId node, RuntimeOptions const& options) {
  NodeType type;
  type.name = trace.nodes[node.index()].type.empty() ? "node" + std::to_string(node.value())
                                                     : trace.nodes[node.index()].type;
  for (Trace::Worker const& w : trace.workers) {
    if (w.node != node) continue;
    if (w.device == Trace::Device::cpu)
      ++type.cores;
    else
      type.gpus.push_back({w.name, no_limit});
  }
  type.cores += options.cores_per_gpu * static_cast<int>(type.gpus.size()) + options.reserved_cores +
                (trace.nodes.size() > 1 ? options.communication_cores : 0);
  type.ram = Bytes{0};  // not limited
  type.provenance = "as the trace " + trace.source + " shows it";
  return type;
}

/// Returns the RAM of a node and the memories of its GPUs, in the order of the workers.
std::vector<MemoryNodeId> memories_of(Trace const& trace, NodeId node) {
  std::vector<MemoryNodeId> out(1);
  for (std::uint32_t m = 0; m < trace.memory_nodes.size(); ++m)
    if (!out[0].valid() && trace.memory_nodes[m].node == node && trace.memory_nodes[m].name == "ram")
      out[0] = MemoryNodeId{m};
  for (Trace::Worker const& w : trace.workers)
    if (w.node == node && w.device != Trace::Device::cpu) out.push_back(w.memory);
  return out;
}

}  // namespace

Platform trace_workers(Trace const& trace, RuntimeOptions const& options) {
  Platform platform;
  for (std::uint32_t n = 0; n < trace.nodes.size(); ++n) {
    platform.types.push_back(node_type(trace, NodeId{n}, options));
    platform.nodes.push_back(n);
  }
  return platform;
}

Platform trace_platform(Trace const& trace, RuntimeOptions const& options, std::vector<Finding>& findings) {
  Platform platform = trace_workers(trace, options);
  auto const copies = fit_copies(trace);
  auto const messages = fit_messages(trace);
  LinkRate const network = messages ? messages->rate : assumed_network;
  std::size_t assumed = 0;
  for (std::uint32_t n = 0; n < platform.types.size(); ++n) {
    platform.types[n].nic = {network.bandwidth, network.latency / 2};  // a route crosses two
    auto const memory = memories_of(trace, NodeId{n});
    auto const link = [&](std::size_t from, std::size_t to) -> std::optional<LinkRate> {
      if (auto const known = copies.find({memory[from], memory[to]}); known != copies.end())
        return known->second.rate;
      if (from != 0 && to != 0) return {};  // GPUs that only meet in the RAM
      ++assumed;
      return assumed_bus;
    };
    platform.types[n].bus = pairwise_bus(memory.size(), link);
  }
  if (assumed > 0)
    findings.push_back(
        {trace.source, 0,
         fmt::format(
             "tells no copies over {} links between RAM and GPUs: 12 GB/s and 10 us are assumed there",
             assumed)});
  return platform;
}

std::vector<double> pauses(Trace const& trace) {
  std::vector<std::uint32_t> order(trace.task_count());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(trace.worker[a], trace.end_s[a], a) < std::tuple(trace.worker[b], trace.end_s[b], b);
  });
  std::map<std::pair<TaskId, NodeId>, double> arrival;
  for (Trace::Message const& m : trace.messages) {
    auto const [place, is_new] = arrival.try_emplace({m.producer, m.to}, m.end_s);
    if (!is_new) place->second = std::min(place->second, m.end_s);
  }
  auto const ready = [&](std::uint32_t t) {
    double date = trace.submit_s[t] == trace.submit_s[t] ? trace.submit_s[t] : 0;
    if (trace.predecessor_begin.empty()) return std::max(date, trace.start_s[t]);
    for (TaskId const before : trace.predecessors_of(TaskId{t})) {
      auto const message = trace.node_of(before) == trace.node_of(TaskId{t})
                               ? arrival.end()
                               : arrival.find({before, trace.node_of(TaskId{t})});
      date = std::max(date, message == arrival.end() ? trace.end_s[before.index()] : message->second);
    }
    return date;
  };
  double const first = *std::min_element(trace.start_s.begin(), trace.start_s.end());
  std::vector<double> out(trace.task_count(), 0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    std::uint32_t const t = order[i];
    double possible = std::max(first, ready(t));
    if (i > 0 && trace.worker[order[i - 1]] == trace.worker[t])
      possible = std::max(possible, trace.end_s[order[i - 1]]);
    out[t] = std::max(0.0, trace.start_s[t] - possible);
  }
  return out;
}

RuntimeOptions replay_options(bool with_pauses) {
  RuntimeOptions options;
  options.rendezvous = {.question = 0, .answer = 0};
  options.pinning_cost = Seconds{0};
  options.max_sends_per_node = unlimited_sends;
  if (with_pauses) options.push_cost = options.fetch_cost = options.progress_cost = Seconds{0};
  return options;
}

}  // namespace factosim
