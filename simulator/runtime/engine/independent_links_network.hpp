#pragma once

#include <cstdint>
#include <vector>

#include "factosim/id.hpp"
#include "simulator/base/core/id_pool.hpp"
#include "simulator/runtime/engine/end_dates.hpp"
#include "simulator/runtime/engine/flow_network.hpp"

namespace factosim {

/// An approximation for large clusters: each link divides its bandwidth among the transfers that cross it, in
/// proportion to their weights, as if it were the only link; a transfer ends when the last of its links has carried
/// it. All links of a route count, those between switches too, none carries more than its bandwidth, and none is idle
/// while a transfer needs it. Exact where only one link of each route is contended. Elsewhere a transfer that
/// another link holds back takes its share of this link all the same and leaves it early, as if switches stored
/// what the next link does not take yet. (Parsimon simulates each link alone too: Zhao et al., NSDI 2023.)
///
/// O(log transfers) per link of a transfer: a link has a virtual clock that counts the bytes carried per unit of
/// weight, on which the date at which a transfer leaves the link never changes.
class IndependentLinksNetwork final : public FlowNetwork {
 public:
  explicit IndependentLinksNetwork(Topology const& topology);

 private:
  struct Flow {
    Transfer transfer;
    double weight = 1;
    std::uint32_t left = 0;  // links, and the bound, that have not carried all of it
  };
  using FlowId = Id<Flow>;
  struct Leave {
    double at;  // reading of the link's virtual clock
    std::uint64_t order;
    FlowId flow;
    [[nodiscard]] bool operator>(Leave const& other) const {
      return at > other.at || (at == other.at && order > other.order);
    }
  };
  struct Link {
    double capacity = 0;
    double weight = 0;  // sum over `leaves`
    double clock = 0;   // bytes per unit of weight, at `since`; starts anew when the link is idle
    Seconds since{0};
    std::vector<Leave> leaves;  // a heap, the first to leave first
  };

  void begin(Transfer const& transfer, Demand const& demand, Seconds now) override;
  void share_again(Seconds /*now*/) override {}
  [[nodiscard]] Seconds next_date() override { return leaves_.first(); }
  void advance(Seconds tie, std::vector<Transfer>& ended) override;

  /// Lets the next flow leave its link; appends its transfer to `ended` if that link was the last.
  void leave(std::vector<Transfer>& ended);
  void set_date(std::uint32_t link);

  std::vector<Link> links_;
  IdPool<FlowId, Flow> flows_;
  EndDates leaves_;  // [links] then [flows] with a bound: the next date at which a flow leaves it
};

}  // namespace factosim
