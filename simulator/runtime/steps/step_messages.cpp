#include "simulator/runtime/steps/step_messages.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace factosim {

StepNetwork::StepNetwork(StepProblem const& p)
    : problem_(p),
      max_slots_(static_cast<std::uint32_t>(p.options.max_sends_per_node)),
      senders_(p.machine.node_count()) {
  for (LinkSpec const& link : p.topology.links())
    links_.push_back({.capacity = link.rate.bandwidth.value, .flows = {}});
}

std::uint32_t StepNetwork::tiles_left(Flow const& flow) const {
  return static_cast<std::uint32_t>(
      std::max(1.0, std::ceil(flow.left / static_cast<double>(problem_.tile.value) - 1e-6)));
}

void StepNetwork::send(StepMessage const& message, double now) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(flows_.size()));
    flows_.emplace_back();
  }
  std::uint32_t const id = free_.back();
  free_.pop_back();
  Flow& flow = flows_[id];
  flow.message = message;
  flow.left = message.tiles * static_cast<double>(problem_.tile.value);
  flow.rate = 0;
  flow.slots = flow.weight = 0;
  flow.sequence = sequence_++;
  Topology::RouteBuffer scratch;
  Topology::Route const route =
      problem_.topology.route(problem_.topology.ram_of(NodeId{message.source}),
                              problem_.topology.ram_of(NodeId{message.destination}), scratch);
  std::ranges::copy(route.links, flow.links.begin());
  flow.link_count = static_cast<std::uint8_t>(route.links.size());
  flow.latency = route.latency.value;
  Sender& sender = senders_[message.source];
  sender.waiting.push_back({message.priority, flow.sequence, id});
  std::push_heap(sender.waiting.begin(), sender.waiting.end());
  fill(sender, now);
  update_rates(now);
}

bool StepNetwork::proceed(std::uint32_t id, std::uint32_t generation, double now, StepMessage& sent,
                          double& latency) {
  Flow& flow = flows_[id];
  if (flow.generation != generation || flow.weight == 0) return false;
  settle(flow, now);
  double const rest = flow.left / flow.rate;
  if (rest > 1e-12 * now) {
    flow.due = now + rest;
    due_.push_back({flow.due, id, flow.generation});
    return false;
  }
  sent = flow.message;
  latency = flow.latency * (problem_.options.rendezvous ? 3 : 1);
  Sender& sender = senders_[flow.message.source];
  deactivate(sender, id);
  ++flow.generation;
  free_.push_back(id);
  fill(sender, now);
  update_rates(now);
  return true;
}

void StepNetwork::settle(Flow& flow, double now) {
  flow.left = std::max(0.0, flow.left - flow.rate * (now - flow.since));
  flow.since = now;
}

void StepNetwork::give_slots(Sender& sender, std::uint32_t id, std::uint32_t slots) {
  sender.slots += slots - flows_[id].slots;
  flows_[id].slots = slots;
}

void StepNetwork::set_weight(std::uint32_t id, std::uint32_t weight) {
  Flow& flow = flows_[id];
  if (flow.weight == weight) return;
  for (std::size_t i = 0; i < flow.link_count; ++i) {
    Link& link = links_[flow.links[i]];
    link.weight += weight - flow.weight;
    if (link.is_touched) continue;
    link.is_touched = true;
    touched_.push_back(flow.links[i]);
  }
  flow.weight = weight;
}

void StepNetwork::set_weights(Sender const& sender) {
  for (std::uint32_t const id : sender.active) {
    Flow const& flow = flows_[id];
    if (problem_.wire == Wire::shared) {
      set_weight(id, flow.slots);
      continue;
    }
    bool const waits = std::ranges::any_of(sender.active, [&](std::uint32_t other) {
      return flows_[other].message.destination == flow.message.destination &&
             flows_[other].posted < flow.posted;
    });
    set_weight(id, waits ? 0 : 1);
  }
}

void StepNetwork::activate(Sender& sender, std::uint32_t id, double now) {
  Flow const& flow = flows_[id];
  sender.active.insert(
      std::ranges::find_if(sender.active, [&](std::uint32_t other) { return before(flow, flows_[other]); }),
      id);
  for (std::size_t i = 0; i < flow.link_count; ++i) links_[flow.links[i]].flows.push_back(id);
  flows_[id].since = now;
  flows_[id].rate = 0;
  flows_[id].posted = posted_++;
  flows_[id].due = std::numeric_limits<double>::infinity();
}

void StepNetwork::deactivate(Sender& sender, std::uint32_t id) {
  give_slots(sender, id, 0);
  set_weight(id, 0);
  sender.active.erase(std::ranges::find(sender.active, id));
  Flow const& flow = flows_[id];
  for (std::size_t i = 0; i < flow.link_count; ++i) {
    auto& flows = links_[flow.links[i]].flows;
    *std::ranges::find(flows, id) = flows.back();
    flows.pop_back();
  }
}

void StepNetwork::fill(Sender& sender, double now) {
  for (std::uint32_t const id : sender.active) settle(flows_[id], now);
  // Tiles that have been sent give their places back.
  for (std::uint32_t const id : sender.active)
    if (std::uint32_t const left = tiles_left(flows_[id]); left < flows_[id].slots)
      give_slots(sender, id, left);
  std::size_t grown = 0;  // active flows before it have all the places that they can use
  while (true) {
    while (grown < sender.active.size() &&
           flows_[sender.active[grown]].slots >= tiles_left(flows_[sender.active[grown]]))
      ++grown;
    bool const waits = !sender.waiting.empty();
    bool const grows = grown < sender.active.size();
    if (!waits && !grows) break;
    bool const next_waits =
        waits && (!grows || before(flows_[sender.waiting.front().what], flows_[sender.active[grown]]));
    std::uint32_t const id = next_waits ? sender.waiting.front().what : sender.active[grown];
    Flow& flow = flows_[id];
    std::uint32_t const wanted = tiles_left(flow) - flow.slots;
    std::uint32_t available = max_slots_ - sender.slots;
    if (available == 0) {
      // The least urgent message gives places to a more urgent one.
      std::uint32_t const last = sender.active.back();
      if (last == id || !before(flow, flows_[last])) break;
      available = std::min(wanted, flows_[last].slots);
      settle(flows_[last], now);
      if (available == flows_[last].slots) {
        deactivate(sender, last);
        ++flows_[last].generation;
        sender.waiting.push_back({flows_[last].message.priority, flows_[last].sequence, last});
        std::push_heap(sender.waiting.begin(), sender.waiting.end());
      } else {
        give_slots(sender, last, flows_[last].slots - available);
      }
    }
    if (next_waits) {
      // The heap may have got the one that gave its places.
      std::pop_heap(sender.waiting.begin(), sender.waiting.end());
      sender.waiting.pop_back();
      activate(sender, id, now);
    }
    give_slots(sender, id, flow.slots + std::min(wanted, available));
  }
  set_weights(sender);
}

void StepNetwork::update_rates(double now) {
  for (std::uint32_t const number : touched_)
    for (std::uint32_t const id : links_[number].flows) {
      Flow& flow = flows_[id];
      if (flow.weight == 0 && flow.rate == 0) continue;
      double share = std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < flow.link_count; ++i) {
        Link const& link = links_[flow.links[i]];
        share = std::min(share, link.capacity / (problem_.links_are_shared ? link.weight : 1));
      }
      double const rate = flow.weight == 0 ? 0 : share * flow.weight;
      if (rate == flow.rate) continue;
      settle(flow, now);
      flow.rate = rate;
      if (rate == 0) continue;
      double const date = now + flow.left / rate;
      if (date >= flow.due) continue;
      flow.due = date;
      due_.push_back({date, id, flow.generation});
    }
  for (std::uint32_t const number : touched_) links_[number].is_touched = false;
  touched_.clear();
}

}  // namespace factosim
