#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include "simulator/audit/rules/checks.hpp"

namespace factosim::audit {

namespace {

/// A link that a flow crosses, and how much of it, as a multiple of the flow's rate.
struct Crossed {
  std::uint32_t link;
  double share;
};

/// A transfer over links with a given start. Crosses a link as often as it is listed.
struct Flow {
  std::string what{};                // the transfer
  double sent_s = 0, arrived_s = 0;  // as it was recorded
  double start_s = 0;                // of the first byte, after all latencies
  double bytes = 0;
  double weight = 1;             // share of a link relative to other flows
  double limit_Bps = 0;          // of its own, by links that are not shared; infinite: none
  std::vector<Crossed> links{};  // shared ones
};

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Links that are shared max-min fairly: rates are filled up alike, in proportion to the weights, until a link is full; its
/// flows keep their rates, and the others are filled further.
///
/// A plain second implementation of the definition (Bertsekas and Gallager, Data Networks, 6.5.2): after each start
/// and end the flows that are connected to the change by links are filled anew, from nothing.
/// O(flows x (connected flows x links)).
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

  /// Returns when each flow ends.
  std::vector<double> run() && {
    std::vector<std::uint32_t> order(flows_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, {}, [&](std::uint32_t flow) { return flows_[flow].start_s; });
    std::size_t next = 0;
    while (next < order.size() || !active_.empty()) {
      auto const first =
          std::ranges::min_element(active_, {}, [&](std::uint32_t flow) { return state_[flow].end; });
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
    for (auto const& [link, share] : flows_[flow].links) on_link_[link].push_back(flow);
    share(flow, flows_[flow].start_s);
  }

  void finish(std::size_t place, double date) {
    std::uint32_t const flow = active_[place];
    active_[place] = active_.back();
    active_.pop_back();
    ends_[flow] = date;
    for (auto const& [link, share] : flows_[flow].links) {
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
      for (auto const& [link, share] : flows_[flow].links)
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
      for (auto const& [link, share] : flows_[flow].links) weight_[link] += share * flows_[flow].weight;
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
      for (auto const& [link, share] : flows_[flow].links) {
        left_[link] -= share * rate;
        weight_[link] -= share * flows_[flow].weight;
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

/// All transfers of a run as flows over the links of the platform.
class FairnessCheck {
 public:
  FairnessCheck(RunView const& view, Check& check)
      : view_(view), check_(check), with_crosstraffic_(view.run.runtime.crosstraffic) {
    for (Routes::Link const& link : view.routes.links()) capacity_.push_back(link.bandwidth_Bps);
  }

  void check() {
    if (!view_.run.runtime.recorded_messages) add_messages();
    for (Trace::Copy const& c : view_.run.trace->copies) {
      if (view_.memory_owner(c.from) != view_.memory_owner(c.to)) continue;  // reported by another check
      Routes::Route const route = view_.routes.inside(view_.memory_owner(c.from), view_.local_memory(c.from),
                                                      view_.local_memory(c.to));
      double const weight = route.latency_s > 0 ? 1 / route.latency_s : 1;
      Routes::Route const back =
          with_crosstraffic_ ? view_.routes.inside(view_.memory_owner(c.from), view_.local_memory(c.to),
                                                   view_.local_memory(c.from))
                             : Routes::Route{};
      add(route, back, weight, c.start_s + route.latency_s, c,
          fmt::format("{} from {} to {}", view_.name_of_handle(c.handle), view_.name_of_memory(c.from),
                      view_.name_of_memory(c.to)));
    }
    std::vector<double> const ends = FairNetwork(flows_, capacity_).run();
    for (std::size_t i = 0; i < ends.size(); ++i) compare(flows_[i], ends[i]);
  }

 private:
  /// Unless the wire is shared, the first byte of a message follows the last of the one before, which is the one
  /// that ended before it.
  void add_messages() {
    std::vector<Trace::Message> const messages = view_.messages_by_pair();
    bool const shared = view_.run.platform.network.wire == Wire::shared;
    double const weight = view_.routes.message_weight();
    Trace::Message const* before = nullptr;
    for (Trace::Message const& m : messages) {
      bool const follows = !shared && before != nullptr && before->from == m.from && before->to == m.to;
      auto const& [route, back] = routes_of(m);
      double const first_byte = m.start_s + route.latency_s;
      add(route, back, weight, follows ? std::max(first_byte, before->end_s) : first_byte, m,
          fmt::format("{} from node {} to node {}", view_.name_of_handle(m.handle), m.from.value(),
                      m.to.value()));
      before = &m;
    }
  }

  using ThereAndBack = std::pair<Routes::Route, Routes::Route>;
  ThereAndBack const& routes_of(Trace::Message const& m) {
    auto const [known, is_new] =
        routes_.try_emplace({view_.memory_of(m.from_memory, m.from), view_.memory_of(m.to_memory, m.to)});
    if (!is_new) return known->second;
    known->second.first = view_.route_of(m);
    if (with_crosstraffic_) {
      Trace::Message back = m;
      std::swap(back.from, back.to);
      std::swap(back.from_memory, back.to_memory);
      known->second.second = view_.route_of(back);
    }
    return known->second;
  }

  template <class Transfer>
  void add(Routes::Route const& route, Routes::Route const& back, double weight, double first_byte,
           Transfer const& transfer, std::string what) {
    if (route.links.empty()) return;  // reported by another check
    Bytes const size = std::is_same_v<Transfer, Trace::Copy> ? transfer.size : view_.carried(transfer.size);
    Flow flow{.what = std::move(what),
              .sent_s = transfer.start_s,
              .arrived_s = transfer.end_s,
              .start_s = first_byte,
              .bytes = static_cast<double>(size.value),
              .weight = weight,
              .limit_Bps = infinite};
    if (view_.run.runtime.sharing == RuntimeModel::Sharing::none)
      flow.limit_Bps = route.bandwidth_Bps;
    else
      cross(route, 1, flow);
    cross(back, 0.05, flow);
    flows_.push_back(std::move(flow));
  }

  void cross(Routes::Route const& route, double share, Flow& flow) const {
    for (std::uint32_t const link : route.links)
      if (Routes::Link const& l = view_.routes.links()[link]; l.shared)
        flow.links.push_back({link, share});
      else
        flow.limit_Bps = std::min(flow.limit_Bps, l.bandwidth_Bps / share);
  }

  void compare(Flow const& flow, double expected) {
    ++check_.cases;
    double const slack = flow_round_off * (expected - flow.sent_s) + view_.tie_s;
    if (std::abs(flow.arrived_s - expected) <= slack) return;
    check_.add({fmt::format("ends at {:.9g} s", flow.arrived_s), "transfer of " + flow.what,
                fmt::format("{:.9g} s with fair shares of its links", expected), TaskId{}, flow.sent_s});
  }

  RunView const& view_;
  Check& check_;
  bool with_crosstraffic_;        // without: no route has a way back
  std::vector<double> capacity_;  // [links]
  std::vector<Flow> flows_;
  std::map<std::pair<MemoryNodeId, MemoryNodeId>, ThereAndBack> routes_;
};

}  // namespace

void check_fairness(RunView const& view, AuditReport& report) {
  Check& check = report.check("fairness");
  if (view.routes.uncertain())
    return check.skip("traces do not record the routes that messages chose (adaptive routing)");
  FairnessCheck(view, check).check();
}

}  // namespace factosim::audit
