#include "simulator/runtime/engine/independent_links_network.hpp"

#include <algorithm>
#include <functional>

namespace factosim {

IndependentLinksNetwork::IndependentLinksNetwork(Topology const& topology)
    : FlowNetwork(topology), links_(topology.links().size()) {
  for (std::size_t l = 0; l < links_.size(); ++l)
    links_[l].capacity = topology.links()[l].rate.bandwidth.value;
}

void IndependentLinksNetwork::set_date(std::uint32_t id) {
  Link const& link = links_[id];
  double const left = std::max(0.0, link.leaves.front().at - link.clock);
  leaves_.set(id, link.since + Seconds{left * link.weight / link.capacity});
}

void IndependentLinksNetwork::begin(Transfer const& transfer, Demand const& demand, Seconds now) {
  FlowId const id = flows_.add({transfer, demand.weight, static_cast<std::uint32_t>(demand.links.size())});
  Flow& flow = flows_[id];
  if (demand.bound < unlimited) {
    ++flow.left;
    leaves_.set(static_cast<std::uint32_t>(links_.size()) + id.value(),
                now + Seconds{demand.bytes / demand.bound});
  }
  for (std::uint32_t const l : demand.links) {
    Link& link = links_[l];
    if (!link.leaves.empty())
      link.clock += std::max(0.0, (now - link.since).value) * link.capacity / link.weight;
    link.since = now;
    link.weight += flow.weight;
    link.leaves.push_back({link.clock + demand.bytes / flow.weight, transfer.order, id});
    std::push_heap(link.leaves.begin(), link.leaves.end(), std::greater<>());
    set_date(l);
  }
}

void IndependentLinksNetwork::leave(std::vector<Transfer>& ended) {
  Seconds const date = leaves_.first();
  std::uint32_t const number = leaves_.pop();
  FlowId id{number - links_.size()};
  if (number < links_.size()) {
    Link& link = links_[number];
    std::pop_heap(link.leaves.begin(), link.leaves.end(), std::greater<>());
    auto const [clock, order, flow] = link.leaves.back();
    link.leaves.pop_back();
    id = flow;
    link.clock = clock;
    link.since = date;
    link.weight -= flows_[id].weight;
    if (link.leaves.empty())
      link.weight = link.clock = 0;  // removes rounding errors
    else
      set_date(number);
  }
  if (--flows_[id].left > 0) return;
  ended.push_back(flows_[id].transfer);
  flows_.remove(id);
}

void IndependentLinksNetwork::advance(Seconds tie, std::vector<Transfer>& ended) {
  Seconds const date = leaves_.first();
  leave(ended);
  while (!ended.empty() && leaves_.first() <= date + tie) leave(ended);
}

}  // namespace factosim
