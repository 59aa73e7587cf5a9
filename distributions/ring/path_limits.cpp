#include "distributions/ring/path_limits.hpp"

#include <algorithm>
#include <limits>

#include "simulator/core/error.hpp"

namespace factosim {

namespace {

constexpr double no_bound = std::numeric_limits<double>::infinity();

/// Keeps one of the links that the same paths share, with the least capacity.
void add_shared(PathLimits& limits, PathLimits::SharedLink&& link) {
  for (PathLimits::SharedLink& other : limits.shared)
    if (other.paths == link.paths) {
      other.capacity = std::min(other.capacity, link.capacity);
      return;
    }
  limits.shared.push_back(std::move(link));
}

}  // namespace

std::vector<std::vector<std::uint32_t>> paths_on_links(ProcessorGraph const& graph,
                                                       std::span<RingPath const> paths) {
  std::vector<std::vector<std::uint32_t>> users(graph.links.size());
  for (std::uint32_t p = 0; p < paths.size(); ++p)
    for (std::uint32_t const l : paths[p].links) users[l].push_back(p);
  return users;
}

PathLimits path_limits(ProcessorGraph const& graph, std::span<double const> capacity,
                       std::span<RingPath const> paths) {
  PathLimits limits{.bound = std::vector<double>(paths.size(), no_bound), .shared = {}};
  auto users = paths_on_links(graph, paths);
  for (std::size_t l = 0; l < users.size(); ++l) {
    for (std::uint32_t const p : users[l]) limits.bound[p] = std::min(limits.bound[p], capacity[l]);
    if (users[l].size() > 1 && capacity[l] < no_bound && graph.links[l].shared)
      add_shared(limits, {.capacity = capacity[l], .paths = std::move(users[l])});
  }
  return limits;
}

PathLimits path_limits(ProcessorGraph const& graph, std::span<RingPath const> paths) {
  return path_limits(graph, bandwidth_left(graph, {}), paths);
}

std::vector<double> max_min_rates(PathLimits const& limits, std::span<double const> weights) {
  std::vector<double> rates(limits.bound.size(), 0.0);
  std::vector<bool> fixed(rates.size(), false);
  struct Filling {
    double left, weight;  // capacity not yet given; weight of the paths without a rate
  };
  std::vector<Filling> filling;
  for (PathLimits::SharedLink const& link : limits.shared) {
    filling.push_back({link.capacity, 0});
    for (std::uint32_t const p : link.paths) filling.back().weight += weights[p];
  }
  std::vector<std::vector<std::uint32_t>> links_of(rates.size());
  for (std::uint32_t l = 0; l < limits.shared.size(); ++l)
    for (std::uint32_t const p : limits.shared[l].paths) links_of[p].push_back(l);

  auto const fix = [&](std::uint32_t p, double rate) {
    fixed[p] = true;
    rates[p] = rate;
    for (std::uint32_t const l : links_of[p]) {
      filling[l].left = std::max(0.0, filling[l].left - rate);
      filling[l].weight -= weights[p];
    }
  };
  for (std::size_t unfixed = rates.size(); unfixed > 0;) {
    double least = no_bound;  // bandwidth for each unit of weight
    std::uint32_t bottleneck = 0, bounded = 0;
    bool by_link = false;
    for (std::uint32_t p = 0; p < rates.size(); ++p)
      if (!fixed[p] && (limits.bound[p] / weights[p] < least || least == no_bound)) {
        least = limits.bound[p] / weights[p];
        bounded = p;
      }
    for (std::uint32_t l = 0; l < filling.size(); ++l)
      if (filling[l].weight > 0 && filling[l].left / filling[l].weight < least) {
        least = filling[l].left / filling[l].weight;
        bottleneck = l;
        by_link = true;
      }
    if (!by_link) {
      fix(bounded, limits.bound[bounded]);
      --unfixed;
      continue;
    }
    for (std::uint32_t const p : limits.shared[bottleneck].paths)
      if (!fixed[p]) {
        fix(p, std::min(least * weights[p], limits.bound[p]));
        --unfixed;
      }
    filling[bottleneck].weight = 0;  // no rounding is left of it
  }
  return rates;
}

}  // namespace factosim
