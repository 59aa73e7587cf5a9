#include "simulator/runtime/engine/maxmin_network.hpp"

#include <algorithm>

namespace factosim {

namespace {

std::vector<double> capacities(Topology const& topology) {
  std::vector<double> out;
  for (LinkSpec const& link : topology.links()) out.push_back(link.rate.bandwidth.value);
  return out;
}

}  // namespace

MaxMinNetwork::MaxMinNetwork(Topology const& topology)
    : FlowNetwork(topology), rates_(capacities(topology), topology.longest_route()) {}

void MaxMinNetwork::begin(Transfer const& transfer, Demand const& demand, Seconds now) {
  std::uint32_t const flow = rates_.add(demand.links, demand.weight, demand.bound);
  if (flow >= flows_.size()) flows_.resize(flow + 1);
  flows_[flow] = {.bytes_left = demand.bytes, .since = now, .rate = 0, .transfer = transfer};
}

void MaxMinNetwork::share_again(Seconds now) {
  for (std::uint32_t const id : rates_.update()) {
    Flow& flow = flows_[id];
    flow.bytes_left = std::max(0.0, flow.bytes_left - flow.rate * (now - flow.since).value);
    flow.since = now;
    flow.rate = rates_.rate(id);
    ends_.set(id, now + Seconds{flow.bytes_left / flow.rate});
  }
}

void MaxMinNetwork::advance(Seconds tie, std::vector<Transfer>& ended) {
  Seconds const date = ends_.first();
  while (ends_.first() <= date + tie) {
    std::uint32_t const flow = ends_.pop();
    rates_.remove(flow);
    ended.push_back(flows_[flow].transfer);
  }
  share_again(date);
}

}  // namespace factosim
