#include "simulator/runtime/engine/maxmin_rates.hpp"

#include <cmath>
#include <functional>

namespace factosim {

namespace {

/// Relative difference below which two levels or rates count as equal.
constexpr double rounding = 1e-12;
/// An unlimited link whose load is this close to its capacity is solved: sums of changes of the load are inexact.
constexpr double load_margin = 1e-9;
/// Levels set per link in one update, before rounding is suspected of keeping it from converging.
constexpr std::size_t patience = 16;

bool differ(double a, double b, double tolerance) {
  return a != b && !(std::abs(a - b) <= tolerance * std::min(a, b));
}

}  // namespace

MaxMinRates::MaxMinRates(std::vector<double> const& capacities, std::size_t longest_route)
    : longest_route_(longest_route), links_(capacities.size()) {
  for (std::size_t l = 0; l < links_.size(); ++l) links_[l].capacity = capacities[l];
}

double MaxMinRates::limit_at(std::uint32_t flow, std::uint32_t link) {
  double limit = flows_[flow].bound;
  for (Crossing const& crossing : route_of(flow))
    if (crossing.link != link) limit = std::min(limit, links_[crossing.link].level);
  return limit;
}

void MaxMinRates::solve_later(std::uint32_t link, double above) {
  if (links_[link].waiting <= above) return;
  links_[link].waiting = above;
  waiting_.push_back({above, link});
  std::push_heap(waiting_.begin(), waiting_.end(), std::greater<>());
}

void MaxMinRates::check_load(std::uint32_t link, double above) {
  // Also solved if the load is not a number, after an infinite limit.
  if (!(links_[link].load <= links_[link].capacity * (1 - load_margin))) solve_later(link, above);
}

void MaxMinRates::mark_changed(std::uint32_t flow) {
  if (flows_[flow].changed) return;
  flows_[flow].changed = true;
  touched_.push_back(flow);
}

std::uint32_t MaxMinRates::add(std::span<Crossed const> links, double weight, double bound) {
  FACTOSIM_EXPECT(links.size() <= longest_route_, "a route crosses more links than the topology's longest");
  FACTOSIM_EXPECT(weight > 0, "a flow without weight has no share");
  auto flow = static_cast<std::uint32_t>(flows_.size());
  if (free_flows_.empty()) {
    flows_.emplace_back();
    crossings_.resize(crossings_.size() + longest_route_);
  } else {
    flow = free_flows_.back();
    free_flows_.pop_back();
  }
  flows_[flow] = {
      .weight = weight, .bound = bound / weight, .crossings = static_cast<std::uint32_t>(links.size())};
  mark_changed(flow);
  for (std::uint32_t part = 0; part < links.size(); ++part) {
    auto& uses = links_[links[part].link].uses;
    route_of(flow)[part] = {links[part].link, static_cast<std::uint32_t>(uses.size())};
    uses.push_back({unlimited, weight * links[part].share, flow, part});
  }
  for (Crossing const& crossing : route_of(flow)) {
    Link& link = links_[crossing.link];
    double const limit = limit_at(flow, crossing.link);
    link.uses[crossing.place].limit = limit;
    if (link.level != unlimited) {
      solve_later(crossing.link, 0);
    } else {
      link.load += link.uses[crossing.place].weight * limit;
      check_load(crossing.link, 0);
    }
  }
  return flow;
}

void MaxMinRates::remove(std::uint32_t flow) {
  FACTOSIM_EXPECT(!flows_[flow].changed, "a flow was removed before it had a rate");
  double const level = flows_[flow].rate / flows_[flow].weight;
  for (Crossing const& crossing : route_of(flow)) {
    Link& link = links_[crossing.link];
    Use const removed = link.uses[crossing.place];
    FACTOSIM_EXPECT(removed.flow == flow, "a flow does not stand where it says on its link");
    Use const moved = link.uses.back();
    link.uses[crossing.place] = moved;
    route_of(moved.flow)[moved.part].place = crossing.place;
    link.uses.pop_back();
    if (link.level != unlimited)
      solve_later(crossing.link, level);
    else
      link.load -= removed.weight * removed.limit;
  }
  free_flows_.push_back(flow);
}

double MaxMinRates::solved(Link& link) const {
  // Newton's method for sum of weight * min(level, limit) = capacity. The sum is concave in the level: after the
  // first step the level is at most the solution, and then it only increases.
  double level = link.level;
  for (bool from_below = false;;) {
    double left = link.capacity, weight = 0;
    double limited = 0, free = unlimited;  // the largest limit below the level, the smallest of the others
    for (Use const& use : link.uses) {
      if (use.limit < level) {
        left -= use.weight * use.limit;
        limited = std::max(limited, use.limit);
      } else {
        weight += use.weight;
        free = std::min(free, use.limit);
      }
    }
    if (weight == 0) {  // all limits are below the level
      if (left >= -rounding * link.capacity) {
        link.load = link.capacity - left;
        return unlimited;
      }
      if (from_below) return level;
    }
    double const next = weight > 0 ? std::max(left, 0.0) / weight : 0;
    if (from_below && next <= level) return level;
    if (weight > 0 && limited < next && next <= free) return next;  // the same flows are limited
    from_below = true;
    level = next;
  }
}

void MaxMinRates::set_level(std::uint32_t changed_link, double level) {
  Link& link = links_[changed_link];
  double const old_level = link.level;
  FACTOSIM_EXPECT(level >= 0, "the level of a link is no rate");
  link.level = level;
  for (Use const& use : link.uses) {
    if (std::min(use.limit, old_level) != std::min(use.limit, level)) mark_changed(use.flow);
    Flow const& flow = flows_[use.flow];
    bool const two_links = flow.crossings == 2 && flow.bound == unlimited;
    for (Crossing const& crossing : route_of(use.flow)) {
      if (crossing.link == changed_link) continue;
      Link& other = links_[crossing.link];
      auto& [limit, weight, flow_of, part] = other.uses[crossing.place];
      double const old_limit = limit;
      limit = two_links ? level : limit_at(use.flow, crossing.link);
      if (limit == old_limit) continue;
      double const above = std::min(limit, old_limit);
      if (other.level == unlimited) {
        other.load += weight * (limit - old_limit);
        if (limit > old_limit) check_load(crossing.link, above);
      } else if (above < other.level * (1 - rounding)) {
        solve_later(crossing.link, above);
      }
    }
  }
}

std::span<std::uint32_t const> MaxMinRates::update() {
  double tolerance = rounding;
  std::size_t left = patience * links_.size();
  while (!waiting_.empty()) {
    std::pop_heap(waiting_.begin(), waiting_.end(), std::greater<>());
    auto const [above, id] = waiting_.back();
    waiting_.pop_back();
    Link& link = links_[id];
    if (link.waiting != above) continue;
    link.waiting = unlimited;
    double const level = solved(link);
    if (!differ(level, link.level, tolerance)) continue;
    set_level(id, level);
    if (--left == 0) {  // levels that are equal but for rounding may alternate
      tolerance *= 2;
      left = patience * links_.size();
    }
  }
  changed_.clear();
  for (std::uint32_t const id : touched_) {
    Flow& flow = flows_[id];
    flow.changed = false;
    double const rate = flow.weight * limit_at(id, static_cast<std::uint32_t>(links_.size()));
    if (!differ(rate, flow.rate, rounding)) continue;
    flow.rate = rate;
    changed_.push_back(id);
  }
  touched_.clear();
  return changed_;
}

}  // namespace factosim
