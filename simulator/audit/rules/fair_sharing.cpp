#include "simulator/audit/rules/fair_sharing.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace factosim::audit {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

class FairNetwork {
 public:
  FairNetwork(std::span<Flow const> flows, std::span<double const> capacity)
      : flows_(flows),
        capacity_(capacity),
        on_link_(capacity.size()),
        seen_link_(capacity.size(), 0),
        left_(capacity.size()),
        weight_(capacity.size()),
        state_(flows.size()),
        ends_(flows.size(), infinite) {}

  std::vector<double> run() && {
    std::vector<std::uint32_t> order(flows_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return flows_[a].start_s < flows_[b].start_s; });
    std::size_t next = 0;
    while (next < order.size() || !active_.empty()) {
      auto const first =
          std::min_element(active_.begin(), active_.end(),
                           [&](std::uint32_t a, std::uint32_t b) { return state_[a].end < state_[b].end; });
      double const end = first == active_.end() ? infinite : state_[*first].end;
      if (next < order.size() && flows_[order[next]].start_s <= end)
        begin(order[next++]);
      else
        finish(static_cast<std::size_t>(first - active_.begin()), end);
    }
    return std::move(ends_);
  }

 private:
  struct State {
    double left = 0, since = 0, rate = 0, end = infinite;
    std::uint32_t seen = 0;
    bool fixed = false;
  };

  void begin(std::uint32_t flow) {
    state_[flow].left = flows_[flow].bytes;
    state_[flow].since = flows_[flow].start_s;
    active_.push_back(flow);
    for (std::uint32_t const link : flows_[flow].links) on_link_[link].push_back(flow);
    share(flow, flows_[flow].start_s);
  }

  void finish(std::size_t place, double date) {
    std::uint32_t const flow = active_[place];
    active_[place] = active_.back();
    active_.pop_back();
    ends_[flow] = date;
    for (std::uint32_t const link : flows_[flow].links) {
      auto& on = on_link_[link];
      *std::find(on.begin(), on.end(), flow) = on.back();
      on.pop_back();
    }
    share(flow, date);
  }

  /// Collects the active flows that are connected to the links of a flow, and these links.
  void connect(std::uint32_t start) {
    ++search_;
    links_.clear();
    connected_.clear();
    auto const add_links = [&](std::uint32_t flow) {
      for (std::uint32_t const link : flows_[flow].links)
        if (seen_link_[link] != search_) seen_link_[link] = search_, links_.push_back(link);
    };
    add_links(start);
    if (flows_[start].links.empty() && ends_[start] == infinite) connected_.push_back(start);
    for (std::size_t i = 0; i < links_.size(); ++i)
      for (std::uint32_t const flow : on_link_[links_[i]])
        if (state_[flow].seen != search_) {
          state_[flow].seen = search_;
          connected_.push_back(flow);
          add_links(flow);
        }
  }

  void share(std::uint32_t changed, double now) {
    connect(changed);
    for (std::uint32_t const link : links_) left_[link] = capacity_[link], weight_[link] = 0;
    for (std::uint32_t const flow : connected_) {
      state_[flow].fixed = false;
      for (std::uint32_t const link : flows_[flow].links) weight_[link] += flows_[flow].weight;
    }
    for (std::size_t fixed = 0; fixed < connected_.size();) {
      double level = infinite;
      for (std::uint32_t const link : links_)
        if (weight_[link] > 0) level = std::min(level, std::max(0.0, left_[link]) / weight_[link]);
      for (std::uint32_t const flow : connected_)
        if (!state_[flow].fixed) level = std::min(level, flows_[flow].limit_Bps / flows_[flow].weight);
      fixed += fill_up_to(level, now);
    }
  }

  /// Fixes the flows of full links, and those at their own limit. Returns their number.
  std::size_t fill_up_to(double level, double now) {
    constexpr double equal = 1e-12;  // relative difference of equal levels
    std::size_t count = 0;
    auto const fix = [&](std::uint32_t flow) {
      if (state_[flow].fixed) return;
      ++count;
      state_[flow].fixed = true;
      double const rate = level * flows_[flow].weight;
      for (std::uint32_t const link : flows_[flow].links) {
        left_[link] -= rate;
        weight_[link] -= flows_[flow].weight;
      }
      set_rate(state_[flow], rate, now);
    };
    for (std::uint32_t const link : links_) {
      if (!(weight_[link] > 0) || std::max(0.0, left_[link]) > level * weight_[link] * (1 + equal)) continue;
      for (std::uint32_t const flow : on_link_[link]) fix(flow);
      weight_[link] = 0;  // without rounding errors
    }
    for (std::uint32_t const flow : connected_)
      if (flows_[flow].limit_Bps <= level * flows_[flow].weight * (1 + equal)) fix(flow);
    return count;
  }

  static void set_rate(State& flow, double rate, double now) {
    flow.left = std::max(0.0, flow.left - flow.rate * (now - flow.since));
    flow.since = now;
    flow.rate = rate;
    flow.end = flow.left > 0 ? now + flow.left / rate : now;
  }

  std::span<Flow const> flows_;
  std::span<double const> capacity_;
  std::vector<std::vector<std::uint32_t>> on_link_;  // active flows
  std::vector<std::uint32_t> seen_link_;             // number of the last search
  std::vector<double> left_, weight_;                // [links] while filling
  std::vector<State> state_;                         // [flows]
  std::vector<double> ends_;                         // [flows]
  std::vector<std::uint32_t> active_;
  std::vector<std::uint32_t> links_, connected_;  // scratch: of the change
  std::uint32_t search_ = 0;
};

}  // namespace

std::vector<double> fair_ends(std::span<Flow const> flows, std::span<double const> capacity_Bps) {
  return FairNetwork(flows, capacity_Bps).run();
}

}  // namespace factosim::audit
