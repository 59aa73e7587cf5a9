#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "factosim/id.hpp"
#include "factosim/quantity.hpp"
#include "platforms/topology.hpp"
#include "simulator/tasks/plan/options.hpp"

namespace factosim {

/// What a run knows of the paths of its messages.
struct MessageRules {
  bool links_are_shared = false;  // false: each transfer has the whole bandwidth, so that no link limits them
  Broadcast broadcast = Broadcast::point_to_point;
};

/// Time that the messages of a plan take on one link at its full bandwidth.
struct LinkLoad {
  std::optional<std::uint32_t> link;  // index into Topology::links; none: no link is loaded
  Seconds seconds;
};

/// Ends of flows are exact up to this share of their duration: the precision of SimGrid.
inline constexpr double flow_precision = 1e-6;

/// Sums the messages of each link. The sum does not depend on their order. Messages that other nodes forward in a broadcast
/// only count on the last link of their route, which every such message crosses.
class LinkLoads {
 public:
  /// The topology must outlive it.
  LinkLoads(Topology const& topology, MessageRules const& rules)
      : topology_(topology),
        counts_(rules.links_are_shared && topology.node_count() > 1),
        forwarded_(rules.broadcast != Broadcast::point_to_point),
        messages_(topology.links().size()) {}

  void add(NodeId from, NodeId to, Bytes size) {
    for_each_link(from, to, [&](std::uint32_t link) { ++count_of(link, size); });
  }
  /// Calls `use(link)` for each link on which a message counts.
  template <class Use>
  void for_each_link(NodeId from, NodeId to, Use const& use) const {
    if (!counts_) return;
    Topology::RouteBuffer scratch;
    auto const links = topology_.certain_route(from, to, scratch).links;
    if (forwarded_ && !topology_.certain_receiver()) return;
    for (std::uint32_t const link : forwarded_ ? links.last(1) : links)
      if (topology_.is_shared(link)) use(link);
  }
  [[nodiscard]] Seconds time(std::uint32_t link, Bytes size) const {
    return size / topology_.links()[link].rate.bandwidth;
  }
  /// Returns the link that its messages occupy longest: a lower bound of the makespan. O(messages).
  [[nodiscard]] LinkLoad most_loaded() const {
    LinkLoad out;
    for (std::uint32_t link = 0; link < messages_.size(); ++link) {
      std::vector<Messages> by_size = messages_[link];
      std::ranges::sort(by_size, {}, &Messages::size);
      Seconds sum{0};
      for (Messages const& m : by_size)
        for (std::uint64_t i = 0; i < m.count; ++i) sum += time(link, m.size);
      if (sum > out.seconds) out = {link, sum};
    }
    return out;
  }

 private:
  struct Messages {
    Bytes size;
    std::uint64_t count = 0;
  };

  std::uint64_t& count_of(std::uint32_t link, Bytes size) {
    for (Messages& m : messages_[link])
      if (m.size == size) return m.count;
    return messages_[link].emplace_back(Messages{size}).count;
  }

  Topology const& topology_;
  bool counts_, forwarded_;
  std::vector<std::vector<Messages>> messages_;  // [links][sizes]
};

}  // namespace factosim
