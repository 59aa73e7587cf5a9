#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "simulator/audit/rules/checks.hpp"
#include "simulator/audit/rules/fair_sharing.hpp"

namespace factosim::audit {

namespace {

/// All transfers of a run as flows over the links of the platform.
class FairnessCheck {
 public:
  FairnessCheck(RunView const& view, Check& check) : view_(view), check_(check) {
    for (Routes::Link const& link : view.routes.links()) capacity_.push_back(link.bandwidth_Bps);
  }

  void check() {
    if (!view_.run.runtime.recorded_messages) add_messages();
    for (Trace::Copy const& c : view_.run.trace->copies) {
      if (view_.memory_owner(c.from) != view_.memory_owner(c.to)) continue;  // reported by another check
      Routes::Route const route = view_.routes.inside(view_.memory_owner(c.from), view_.local_memory(c.from),
                                                      view_.local_memory(c.to));
      double const weight = route.latency_s > 0 ? 1 / route.latency_s : 1;
      add(route, weight, c.start_s + route.latency_s, c.end_s, c.size,
          {c.handle, c.start_s, view_.name_of_memory(c.from), view_.name_of_memory(c.to)});
    }
    std::vector<double> const ends = fair_ends(flows_, capacity_);
    for (std::size_t i = 0; i < ends.size(); ++i) compare(i, ends[i]);
  }

 private:
  struct Transfer {
    HandleId handle;
    double start_s;
    std::string from, to;
    double end_s = 0;
  };

  /// Unless the wire is shared, the first byte of a message follows the last of the one before, which is the one
  /// that ended before it.
  void add_messages() {
    std::vector<Trace::Message> messages = view_.run.trace->messages;
    std::sort(messages.begin(), messages.end(), [](Trace::Message const& a, Trace::Message const& b) {
      return std::tuple(a.from, a.to, a.end_s, a.start_s) < std::tuple(b.from, b.to, b.end_s, b.start_s);
    });
    bool const shared = view_.run.platform.network.wire == Wire::shared;
    double const weight = view_.routes.message_weight();
    Trace::Message const* before = nullptr;
    for (Trace::Message const& m : messages) {
      bool const follows = !shared && before != nullptr && before->from == m.from && before->to == m.to;
      Routes::Route const& route = route_of(m);
      double const first_byte = m.start_s + route.latency_s;
      add(route, weight, follows ? std::max(first_byte, before->end_s) : first_byte, m.end_s,
          view_.carried(m.size),
          {m.handle, m.start_s, fmt::format("node {}", m.from.value()),
           fmt::format("node {}", m.to.value())});
      before = &m;
    }
  }

  Routes::Route const& route_of(Trace::Message const& m) {
    auto const [known, is_new] =
        routes_.try_emplace({view_.memory_of(m.from_memory, m.from), view_.memory_of(m.to_memory, m.to)});
    if (is_new) known->second = view_.route_of(m);
    return known->second;
  }

  void add(Routes::Route const& route, double weight, double first_byte, double end, Bytes size,
           Transfer transfer) {
    if (route.links.empty()) return;  // reported by another check
    Flow flow{.start_s = first_byte,
              .bytes = static_cast<double>(size.value),
              .weight = weight,
              .limit_Bps = std::numeric_limits<double>::infinity()};
    bool const alone = view_.run.runtime.sharing == RuntimeModel::Sharing::none;
    if (alone) flow.limit_Bps = route.bandwidth_Bps;
    for (std::uint32_t const link : route.links) {
      Routes::Link const& l = view_.routes.links()[link];
      if (alone) continue;
      if (l.shared)
        flow.links.push_back(link);
      else
        flow.limit_Bps = std::min(flow.limit_Bps, l.bandwidth_Bps);
    }
    flows_.push_back(std::move(flow));
    transfer.end_s = end;
    transfers_.push_back(std::move(transfer));
  }

  void compare(std::size_t i, double expected) {
    ++check_.cases;
    Transfer const& t = transfers_[i];
    double const slack = flow_round_off * (expected - t.start_s) + view_.tie_s;
    if (std::abs(t.end_s - expected) <= slack) return;
    check_.add({fmt::format("ends at {:.9g} s", t.end_s),
                fmt::format("transfer of {} from {} to {}", view_.name_of_handle(t.handle), t.from, t.to),
                fmt::format("{:.9g} s with fair shares of its links", expected), TaskId{}, t.start_s});
  }

  RunView const& view_;
  Check& check_;
  std::vector<double> capacity_;  // [links]
  std::vector<Flow> flows_;
  std::vector<Transfer> transfers_;  // [flows]
  std::map<std::pair<MemoryNodeId, MemoryNodeId>, Routes::Route> routes_;
};

}  // namespace

void check_fairness(RunView const& view, AuditReport& report) {
  Check& check = report.check("fairness");
  if (view.routes.uncertain())
    return check.skip("traces do not record the routes that messages chose (adaptive routing)");
  FairnessCheck(view, check).check();
}

}  // namespace factosim::audit
