#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace factosim {

/// Weighted max-min fair rates of flows over shared links: the rate of a flow can only increase if that of a flow
/// with a smaller level (rate / weight) decreases (Bertsekas and Gallager, Data Networks, 6.5.2).
///
/// Each link has a level l such that the sum over its flows of weight * min(l, limit) is its capacity, where the
/// limit of a flow is the smallest level of its other links; the level is unlimited if the capacity suffices for
/// all limits. The level of a flow is the smallest of its links' levels: levels that satisfy this for all links are
/// the max-min levels. After a change, the links of the changed flows are solved anew, and then each link that the
/// new level of another concerns, the lowest level first, until none is left: this converges from any levels, since
/// the lowest level depends on no other, the second only on the lowest, and so on. The cost is proportional to the
/// flows of the links whose levels change. Rates differ from the exact ones by rounding, relative 1e-12.
class MaxMinRates {
 public:
  static constexpr double unlimited = std::numeric_limits<double>::infinity();  // rate or level

  /// `capacities` of the links in bytes per second; no flow crosses more than `longest_route` links.
  MaxMinRates(std::vector<double> const& capacities, std::size_t longest_route);

  /// Adds a flow over `links`, which may name a link twice (it then takes two shares), that is never faster than
  /// `bound`. Returns its number; those of removed flows are used again.
  std::uint32_t add(std::span<std::uint32_t const> links, double weight, double bound);
  /// Removes a flow that was there at the last update.
  void remove(std::uint32_t flow);
  /// Computes the rates after additions and removals. Returns the flows whose rates changed, the new ones included.
  std::span<std::uint32_t const> update();
  /// In bytes per second, as of the last update.
  [[nodiscard]] double rate(std::uint32_t flow) const { return flows_[flow].rate; }

 private:
  struct Use {      // of a link by a flow
    double limit;   // smallest level of the flow's other links, and its bound
    double weight;  // of the flow
    std::uint32_t flow;
    std::uint32_t part;  // place of the link in the flow's route
  };
  struct Link {
    double capacity = 0;
    double level = unlimited;
    double load = 0;             // of an unlimited link: at least the sum of weight * limit, up to rounding
    double waiting = unlimited;  // level above which it must be solved anew
    std::vector<Use> uses;
  };
  struct Crossing {  // of a flow over a link
    std::uint32_t link;
    std::uint32_t place;  // in the link's uses
  };
  struct Flow {
    double rate = 0;
    double weight = 1;
    double bound = unlimited;  // level
    std::uint32_t crossings = 0;
    bool changed = false;
  };
  struct Waiting {
    double level;
    std::uint32_t link;  // breaks ties
    friend auto operator<=>(Waiting const&, Waiting const&) = default;
  };

  [[nodiscard]] std::span<Crossing> route_of(std::uint32_t flow) {
    return {crossings_.data() + flow * longest_route_, flows_[flow].crossings};
  }
  /// Returns the smallest level of the flow's links other than `link`, and of its bound.
  [[nodiscard]] double limit_at(std::uint32_t flow, std::uint32_t link);
  void solve_later(std::uint32_t link, double above);
  /// Solves an unlimited link later if its flows may need more than its capacity.
  void check_load(std::uint32_t link, double above);
  [[nodiscard]] double solved(Link& link) const;
  void set_level(std::uint32_t link, double level);
  void mark_changed(std::uint32_t flow);

  std::size_t longest_route_;
  std::vector<Link> links_;
  std::vector<Flow> flows_;          // pool
  std::vector<Crossing> crossings_;  // [flows][longest_route_]
  std::vector<std::uint32_t> free_flows_;
  std::vector<Waiting>
      waiting_;  // a heap, the lowest level first; entries that differ from their link are outdated
  std::vector<std::uint32_t> touched_;  // flows of which the level may have changed since the last update
  std::vector<std::uint32_t> changed_;
};

}  // namespace factosim
