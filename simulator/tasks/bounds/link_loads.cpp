#include "simulator/tasks/bounds/link_loads.hpp"

#include <algorithm>

namespace factosim {

LinkLoads::LinkLoads(Topology const& topology, MessageRules const& rules)
    : topology_(topology),
      counts_(rules.links_are_shared && topology.node_count() > 1),
      forwarded_(rules.broadcast != Broadcast::point_to_point),
      messages_(topology.links().size()) {}

LinkLoad LinkLoads::most_loaded() const {
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

}  // namespace factosim
