#include "distributions/ring/path_limits.hpp"

#include <algorithm>
#include <limits>

#include "factosim/error.hpp"

namespace factosim {

namespace {

constexpr double no_bound = std::numeric_limits<double>::infinity();

/// Keeps, of links shared by the same paths, the one with the smallest capacity.
void add_shared(PathLimits& limits, PathLimits::SharedLink&& link) {
  for (PathLimits::SharedLink& other : limits.shared)
    if (other.paths == link.paths) {
      other.capacity = std::min(other.capacity, link.capacity);
      return;
    }
  limits.shared.push_back(std::move(link));
}

/// Progressive filling: repeatedly fixes the rates of the paths on the bottleneck.
class Filling {
 public:
  Filling(PathLimits const& limits, std::span<double const> weights)
      : limits_(limits),
        weights_(weights),
        rates_(limits.bound.size(), 0.0),
        fixed_(rates_.size(), false),
        unfixed_(rates_.size()),
        links_of_(rates_.size()) {
    for (std::uint32_t l = 0; l < limits.shared.size(); ++l) {
      links_.push_back({limits.shared[l].capacity, 0});
      for (std::uint32_t const p : limits.shared[l].paths) {
        links_[l].weight += weights[p];
        links_of_[p].push_back(l);
      }
    }
  }

  [[nodiscard]] bool done() const { return unfixed_ == 0; }
  [[nodiscard]] std::vector<double> const& rates() const { return rates_; }

  void step() {
    Least const path = min_path(), link = min_link();
    if (link.share >= path.share) return fix(path.index, limits_.bound[path.index]);
    for (std::uint32_t const p : limits_.shared[link.index].paths)
      if (!fixed_[p]) fix(p, std::min(link.share * weights_[p], limits_.bound[p]));
    links_[link.index].weight = 0;  // exactly 0, without rounding error
  }

 private:
  struct Link {
    double left, weight;  // unallocated capacity; weight of the paths without a rate
  };
  struct Least {
    double share = no_bound;  // bandwidth per unit of weight
    std::uint32_t index = 0;
  };

  [[nodiscard]] Least min_path() const {
    Least minimum;
    for (std::uint32_t p = 0; p < rates_.size(); ++p)
      if (!fixed_[p] && (limits_.bound[p] / weights_[p] < minimum.share || minimum.share == no_bound))
        minimum = {limits_.bound[p] / weights_[p], p};
    return minimum;
  }
  [[nodiscard]] Least min_link() const {
    Least minimum;
    for (std::uint32_t l = 0; l < links_.size(); ++l)
      if (links_[l].weight > 0 && links_[l].left / links_[l].weight < minimum.share)
        minimum = {links_[l].left / links_[l].weight, l};
    return minimum;
  }
  void fix(std::uint32_t p, double rate) {
    fixed_[p] = true;
    --unfixed_;
    rates_[p] = rate;
    for (std::uint32_t const l : links_of_[p]) {
      links_[l].left = std::max(0.0, links_[l].left - rate);
      links_[l].weight -= weights_[p];
    }
  }

  PathLimits const& limits_;
  std::span<double const> weights_;
  std::vector<double> rates_;
  std::vector<bool> fixed_;
  std::size_t unfixed_;
  std::vector<Link> links_;                           // [limits.shared]
  std::vector<std::vector<std::uint32_t>> links_of_;  // [paths]
};

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
  Filling filling(limits, weights);
  while (!filling.done()) filling.step();
  return filling.rates();
}

}  // namespace factosim
