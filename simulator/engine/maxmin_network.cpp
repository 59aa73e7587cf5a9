#include "simulator/engine/maxmin_network.hpp"

#include <algorithm>
#include <functional>

#include "factosim/error.hpp"

namespace factosim {

namespace {

/// Relative difference below which two levels count as equal.
constexpr double rounding = 1e-9;

}  // namespace

MaxMinNetwork::MaxMinNetwork(Topology const& topology)
    : topology_(topology), longest_route_(topology.longest_route()), links_(topology.links().size()) {
  for (std::size_t l = 0; l < links_.size(); ++l)
    links_[l].capacity = topology.links()[l].rate.bandwidth.value;
}

void MaxMinNetwork::start(Seconds since, MemoryNodeId from, MemoryNodeId to, Bytes size,
                          TransferToken token) {
  Topology::RouteBuffer scratch;
  Seconds const latency = topology_.route(from, to, scratch).latency;
  waiting_.push(since + latency, {from, to, static_cast<double>(size.value), token, started_++});
}

double MaxMinNetwork::weight_of(MemoryNodeId from, MemoryNodeId to, Seconds latency) const {
  return topology_.same_node(from, to) && latency.value > 0 ? 1 / latency.value : 1;
}

std::uint32_t MaxMinNetwork::add_flow() {
  if (!free_flows_.empty()) {
    std::uint32_t const id = free_flows_.back();
    free_flows_.pop_back();
    return id;
  }
  flows_.emplace_back();
  ends_.push_back(EventSource::never);
  crossings_.resize(crossings_.size() + longest_route_);
  if (topology_.has_unshared_links()) links_.emplace_back();
  return static_cast<std::uint32_t>(flows_.size() - 1);
}

void MaxMinNetwork::cross(std::uint32_t id, std::uint32_t link) {
  std::uint32_t const part = flows_[id].crossings++;
  route_of(id)[part] = {link, static_cast<std::uint32_t>(links_[link].uses.size())};
  links_[link].uses.push_back({id, part});
  touched_links_.push_back(link);
}

void MaxMinNetwork::begin(Waiting const& waiting, Seconds now) {
  Topology::RouteBuffer scratch;
  auto const [links, latency] = topology_.route(waiting.from, waiting.to, scratch);
  FACTOSIM_EXPECT(links.size() <= longest_route_, "a route crosses more links than the topology's longest");
  std::uint32_t const id = add_flow();
  flows_[id] = {.bytes_left = waiting.bytes,
                .since = now,
                .level = unlimited,
                .weight = weight_of(waiting.from, waiting.to, latency),
                .token = waiting.token,
                .order = waiting.order};
  double bound = unlimited;
  for (std::uint32_t const link : links) {
    if (topology_.is_shared(link))
      cross(id, link);
    else
      bound = std::min(bound, topology_.links()[link].rate.bandwidth.value);
  }
  if (bound == unlimited) return;
  auto const own = static_cast<std::uint32_t>(topology_.links().size() + id);
  links_[own].capacity = bound;
  cross(id, own);
}

void MaxMinNetwork::remove(std::uint32_t id) {
  changed_level_ = std::min(changed_level_, flows_[id].level);
  for (auto const [link_id, place] : route_of(id)) {
    Link& link = links_[link_id];
    LinkUse const moved = link.uses.back();
    link.uses[place] = moved;
    route_of(moved.flow)[moved.part].place = place;
    link.uses.pop_back();
    touched_links_.push_back(link_id);
  }
  ends_[id] = EventSource::never;
  free_flows_.push_back(id);
}

double MaxMinNetwork::level_of(Link const& link) const {
  double level = 0;
  while (true) {  // the rates of flows below the level are known: the rest is for the other flows
    double left = link.capacity, weight = 0;
    for (LinkUse const& use : link.uses) {
      Flow const& flow = flows_[use.flow];
      if (flow.level < level)
        left -= flow.rate;
      else
        weight += flow.weight;
    }
    double const next = weight > 0 ? left / weight : unlimited;
    if (!(next > level)) return level;
    level = next;
  }
}

void MaxMinNetwork::find_component(std::uint32_t start) {
  component_links_.assign(1, start);
  component_flows_.clear();
  links_[start].visited = search_;
  for (std::size_t next = 0; next < component_links_.size(); ++next)
    for (LinkUse const& use : links_[component_links_[next]].uses) {
      Flow& flow = flows_[use.flow];
      if (flow.visited == search_ || flow.level < changed_level_) continue;
      flow.visited = search_;
      component_flows_.push_back(use.flow);
      for (Crossing const& crossing : route_of(use.flow)) {
        Link& link = links_[crossing.link];
        if (link.visited == search_) continue;
        link.visited = search_;
        component_links_.push_back(crossing.link);
      }
    }
}

void MaxMinNetwork::set_rate(std::uint32_t id, double rate, Seconds now) {
  Flow& flow = flows_[id];
  if (rate == flow.rate && ends_[id] != EventSource::never) return;
  flow.bytes_left = std::max(0.0, flow.bytes_left - flow.rate * (now - flow.since).value);
  flow.since = now;
  flow.rate = rate;
  ends_[id] = now + Seconds{flow.bytes_left / rate};
}

void MaxMinNetwork::fill(Seconds now) {
  shares_.clear();
  for (std::uint32_t const l : component_links_) {
    Link& link = links_[l];
    link.left = link.capacity;
    link.weight = 0;
    for (LinkUse const& use : link.uses) {
      Flow const& flow = flows_[use.flow];
      if (flow.visited == search_)
        link.weight += flow.weight;
      else
        link.left -= flow.rate;
    }
    link.left = std::max(0.0, link.left);
    shares_.push_back({link.left / link.weight, l});
  }
  for (std::uint32_t const f : component_flows_) flows_[f].fixed = false;
  std::make_heap(shares_.begin(), shares_.end(), std::greater<>());
  std::size_t unfixed = component_flows_.size();
  while (unfixed > 0) {
    // The link with the smallest share per unit of weight is the bottleneck of its flows without a rate. Shares
    // only grow during filling: the first of the heap is the bottleneck if its share is still up to date.
    std::pop_heap(shares_.begin(), shares_.end(), std::greater<>());
    Share& next = shares_.back();
    Link& bottleneck = links_[next.link];
    if (bottleneck.weight <= 0) {  // all its flows have a rate
      shares_.pop_back();
      continue;
    }
    double const minimum = bottleneck.left / bottleneck.weight;
    if (minimum > next.share) {
      next.share = minimum;
      std::push_heap(shares_.begin(), shares_.end(), std::greater<>());
      continue;
    }
    shares_.pop_back();
    for (LinkUse const& use : bottleneck.uses) {
      Flow& flow = flows_[use.flow];
      if (flow.fixed || flow.visited != search_) continue;
      flow.fixed = true;
      flow.level = minimum;
      --unfixed;
      double const rate = minimum * flow.weight;
      for (Crossing const& crossing : route_of(use.flow)) {
        Link& link = links_[crossing.link];
        link.left = std::max(0.0, link.left - rate);
        link.weight -= flow.weight;
      }
      set_rate(use.flow, rate, now);
    }
    bottleneck.weight = 0;  // removes rounding errors
  }
}

void MaxMinNetwork::share_again(Seconds now) {
  if (touched_links_.empty()) return;
  for (std::uint32_t const link : touched_links_)
    if (!links_[link].uses.empty()) changed_level_ = std::min(changed_level_, level_of(links_[link]));
  changed_level_ *= 1 - rounding;
  ++search_;
  for (std::uint32_t const link : touched_links_) {
    if (links_[link].visited == search_) continue;
    find_component(link);
    if (component_flows_.empty()) continue;
    fill(now);
    ++solves_;
  }
  touched_links_.clear();
  changed_level_ = unlimited;
}

void MaxMinNetwork::end_flows(Seconds date, EventSource& events, TransferListener& listener) {
  ending_.clear();
  Seconds const last = date + events.tie();
  for (std::uint32_t id = 0; id < ends_.size(); ++id)
    if (ends_[id] <= last) ending_.push_back(id);
  std::sort(ending_.begin(), ending_.end(),
            [&](std::uint32_t a, std::uint32_t b) { return flows_[a].order < flows_[b].order; });
  for (std::uint32_t& ended : ending_) {
    remove(ended);
    ended = flows_[ended].token;
  }
  share_again(date);
  events.set_now(date);
  for (TransferToken const token : ending_) listener.transfer_ended(token);
}

void MaxMinNetwork::run(EventSource& events, TransferListener& listener) {
  while (true) {
    auto const first = std::min_element(ends_.begin(), ends_.end());
    Seconds const end = first == ends_.end() ? EventSource::never : *first;
    Seconds const begins = waiting_.empty() ? EventSource::never : waiting_.next_date();
    Seconds const own = events.next_date();
    if (own <= std::min(end, begins)) {
      if (own == EventSource::never) return;
      events.advance(std::min(end, begins));
    } else if (begins <= end) {
      while (!waiting_.empty() && waiting_.next_date() == begins) begin(waiting_.pop(), begins);
      share_again(begins);
    } else {
      end_flows(end, events, listener);
    }
  }
}

}  // namespace factosim
