#include "simulator/experiments/hpl/hpl_links.hpp"

#include <limits>
#include <numeric>

namespace factosim {

HplLinks::HplLinks(HplSystem const& system, Platform const& platform)
    : core_latency_(platform.network.backbone.latency.value), nodes_(platform.nodes.size()) {
  HplProblem const& problem = system.problem();
  auto const columns = static_cast<std::size_t>(problem.q);
  std::vector<std::vector<double>> on(platform.nodes.size(),
                                      std::vector<double>());  // [nodes][columns] or empty
  for (std::size_t i = 0; i < system.size(); ++i) {
    auto& counts = on[system.node_of(i).index()];
    counts.resize(columns);
    ++counts[i / static_cast<std::size_t>(problem.p)];
  }
  cards_are_shared_ = std::ranges::any_of(
      on, [](auto const& counts) { return std::accumulate(counts.begin(), counts.end(), 0.0) > 1; });
  others_.resize(columns);
  for (std::size_t c = 0; c < columns; ++c) {
    std::vector<double> with(columns);
    for (int r = 0; r < problem.p; ++r) {
      std::size_t const process = system.number(r, static_cast<int>(c));
      NodeId const node = system.node_of(process);
      LinkRate const& nic = platform.type_of(node).nic;
      LinkRate const& local = system.costs_of(process).local;
      std::vector<double> const& counts = on[node.index()];
      node_.push_back(node.value());
      latency_.push_back(nic.latency.value);
      per_byte_.push_back(1 / nic.bandwidth.value);
      in_column_.push_back(counts[c]);
      local_latency_.push_back(local.latency.value);
      local_per_byte_.push_back(local.bandwidth.value > 0 ? 1 / local.bandwidth.value : 0);
      for (std::size_t other = 0; other < columns; ++other)
        with[other] += counts[other] / counts[c] / problem.p;
    }
    for (std::size_t other = 0; other < columns; ++other)
      if (other != c && with[other] > 0) others_[c].emplace_back(other, with[other]);
  }
}

std::vector<double> HplLinks::slow_downs(std::span<double const> starts,
                                         std::span<double const> alone) const {
  std::vector<double> out(starts.size(), 1);
  constexpr double never = std::numeric_limits<double>::infinity();
  std::vector<std::size_t> order;  // columns that use the cards, by their start
  for (std::size_t c = 0; c < starts.size(); ++c)
    if (alone[c] > 0) order.push_back(c);
  std::ranges::stable_sort(order, {}, [&](std::size_t c) { return starts[c]; });
  std::vector<double> left(alone.begin(), alone.end()), load(starts.size(), 1);
  std::vector<std::size_t> active;
  std::size_t next = 0;
  double now = 0;
  while (next < order.size() || !active.empty()) {
    double const arrival = next < order.size() ? starts[order[next]] : never;
    double departure = never;
    std::size_t first = 0;
    for (std::size_t i = 0; i < active.size(); ++i) {
      double const end = now + left[active[i]] * load[active[i]];
      if (end < departure) {
        departure = end;
        first = i;
      }
    }
    double const date = std::min(arrival, departure);
    for (std::size_t const c : active) left[c] -= (date - now) / load[c];
    now = date;
    bool const arrives = arrival < departure;
    std::size_t const c = arrives ? order[next++] : active[first];
    if (arrives) {
      load[c] = 1;
      for (auto const& [other, processes] : others_[c])
        if (std::ranges::find(active, other) != active.end()) load[c] += processes;
      active.push_back(c);
    } else {
      out[c] = (now - starts[c]) / alone[c];
      active.erase(active.begin() + static_cast<std::ptrdiff_t>(first));
    }
    for (std::size_t const other : active)
      if (other != c)
        for (auto const& [sharer, processes] : others_[other])
          if (sharer == c) load[other] += arrives ? processes : -processes;
  }
  return out;
}

}  // namespace factosim
