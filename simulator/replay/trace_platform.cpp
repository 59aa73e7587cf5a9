#include "simulator/replay/trace_platform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

#include "simulator/analysis/pairwise_bus.hpp"

namespace factosim {

namespace {

constexpr LinkRate assumed_bus{.bandwidth = BytesPerSecond{12e9}, .latency = Seconds{10e-6}};
constexpr LinkRate assumed_network{.bandwidth = BytesPerSecond{1e12}, .latency = Seconds{0}};
constexpr Bytes no_limit{std::int64_t{1} << 50};

class TracePlatform {
 public:
  TracePlatform(Trace const& trace, RuntimeOptions const& options) : trace_(trace), options_(options) {}

  Platform make() {
    copies_ = fit_copies(trace_);
    auto const messages = fit_messages(trace_);
    LinkRate const network = messages ? messages->rate : assumed_network;
    nic_ = {network.bandwidth, network.latency / 2};  // a route crosses two
    Platform platform;
    for (std::uint32_t n = 0; n < trace_.nodes.size(); ++n) {
      platform.types.push_back(type_of(NodeId{n}));
      platform.nodes.push_back(n);
    }
    return platform;
  }

  void tell(std::vector<Finding>& findings) const {
    if (assumed_buses_ > 0)
      findings.push_back(
          {trace_.source, 0,
           fmt::format("tells no copies over {} links between RAM and GPUs: 12 GB/s and 10 us are "
                       "assumed there",
                       assumed_buses_)});
  }

 private:
  NodeType type_of(NodeId node) {
    NodeType type;
    type.name = trace_.nodes[node.index()].type.empty() ? "node" + std::to_string(node.value())
                                                        : trace_.nodes[node.index()].type;
    std::vector<MemoryNodeId> memories;  // of the GPUs, in the order of the workers
    for (Trace::Worker const& w : trace_.workers) {
      if (w.node != node) continue;
      if (w.device == Trace::Device::cpu) {
        ++type.cores;
        continue;
      }
      type.gpus.push_back({w.name, no_limit});
      memories.push_back(w.memory);
    }
    type.cores += options_.cores_per_gpu * static_cast<int>(type.gpus.size()) + options_.reserved_cores +
                  (trace_.nodes.size() > 1 ? options_.communication_cores : 0);
    type.ram = Bytes{0};  // not limited
    type.nic = nic_;
    type.provenance = "as the trace " + trace_.source + " shows it";
    add_bus(type, memories, ram_of(node));
    return type;
  }

  [[nodiscard]] MemoryNodeId ram_of(NodeId node) const {
    for (std::uint32_t m = 0; m < trace_.memory_nodes.size(); ++m)
      if (trace_.memory_nodes[m].node == node && trace_.memory_nodes[m].name == "ram") return MemoryNodeId{m};
    return {};
  }

  void add_bus(NodeType& type, std::vector<MemoryNodeId> const& gpus, MemoryNodeId ram) {
    std::vector<MemoryNodeId> memory{ram};
    memory.insert(memory.end(), gpus.begin(), gpus.end());
    type.bus = pairwise_bus(memory.size(), [&](std::size_t from, std::size_t to) -> std::optional<LinkRate> {
      if (auto const known = copies_.find({memory[from], memory[to]}); known != copies_.end())
        return known->second.rate;
      if (from != 0 && to != 0) return {};  // GPUs that only meet in the RAM
      ++assumed_buses_;
      return assumed_bus;
    });
  }

  Trace const& trace_;
  RuntimeOptions const& options_;
  std::map<std::pair<MemoryNodeId, MemoryNodeId>, LinkFit> copies_;
  LinkRate nic_;
  std::size_t assumed_buses_ = 0;
};

}  // namespace

Platform trace_platform(Trace const& trace, RuntimeOptions const& options, std::vector<Finding>& findings) {
  TracePlatform maker(trace, options);
  Platform platform = maker.make();
  maker.tell(findings);
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
  auto const node = [&](std::size_t t) {
    return trace.worker[t].valid() ? trace.workers[trace.worker[t].index()].node : NodeId{};
  };
  auto const ready = [&](std::uint32_t t) {
    double date = trace.submit_s[t] == trace.submit_s[t] ? trace.submit_s[t] : 0;
    if (trace.predecessor_begin.empty()) return std::max(date, trace.start_s[t]);
    for (TaskId const before : trace.predecessors_of(TaskId{t})) {
      auto const message = node(before.index()) == node(t) ? arrival.end() : arrival.find({before, node(t)});
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

void replay_messages(RuntimeOptions& options) {
  options.rendezvous = false;
  options.pinning_cost = Seconds{0};
  options.max_sends_per_node = 1'000'000;
}

void replay_pauses(RuntimeOptions& options) {
  options.push_cost = options.fetch_cost = options.progress_cost = Seconds{0};
}

}  // namespace factosim
