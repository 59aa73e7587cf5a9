#include "distributions/ring/ring.hpp"

#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <boost/graph/filtered_graph.hpp>
#include <boost/property_map/function_property_map.hpp>
#include <boost/property_map/property_map.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "factosim/error.hpp"

namespace factosim {

std::vector<double> exchange_seconds(RingProblem const& problem, Ring const& ring) {
  std::vector<double> seconds(ring.size(), 0.0);
  for (std::size_t p = 0; p < ring.paths.size(); ++p)
    if (problem.message > 0) seconds[p / 2] += problem.message / ring.paths[p].bandwidth;
  return seconds;
}

void share_work(RingProblem const& problem, Ring& ring) {
  FACTOSIM_EXPECT(!ring.order.empty() && problem.work > 0, "a ring without processors or work");
  std::vector<double> const exchange = exchange_seconds(problem, ring);
  auto const speed = [&](std::size_t i) { return problem.graph.vertices[ring.order[i]].speed; };
  std::vector<std::size_t> by_exchange(ring.size());
  std::iota(by_exchange.begin(), by_exchange.end(), std::size_t{0});
  std::stable_sort(by_exchange.begin(), by_exchange.end(),
                   [&](std::size_t a, std::size_t b) { return exchange[a] < exchange[b]; });
  // Completion date of the work: processors join in ascending order of exchange time while that is before it.
  double speeds = 0, done = problem.work, end = 0;
  for (std::size_t const i : by_exchange) {
    if (speeds > 0 && exchange[i] >= end) break;
    speeds += speed(i);
    done += speed(i) * exchange[i];
    end = done / speeds;
  }
  ring.alpha.assign(ring.size(), 0.0);
  for (std::size_t i = 0; i < ring.size(); ++i)
    ring.alpha[i] = std::max(0.0, (end - exchange[i]) * speed(i) / problem.work);
  ring.step_s = std::max(end, exchange[by_exchange.back()]);
}

std::vector<double> bandwidth_left(ProcessorGraph const& graph, std::span<RingPath const> paths) {
  std::vector<double> left;
  for (ProcessorGraph::Link const& link : graph.links) left.push_back(link.bandwidth.value);
  for (RingPath const& path : paths)
    for (std::uint32_t const l : path.links)
      if (graph.links[l].shared) left[l] = std::max(0.0, left[l] - path.bandwidth);
  return left;
}

std::vector<std::uint32_t> processors(ProcessorGraph const& graph) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t v = 0; v < graph.vertices.size(); ++v)
    if (graph.vertices[v].computes()) out.push_back(v);
  return out;
}

WidestPaths::WidestPaths(ProcessorGraph const& graph) : graph_(graph.vertices.size()) {
  for (std::uint32_t l = 0; l < graph.links.size(); ++l) {
    ProcessorGraph::Link const& link = graph.links[l];
    boost::add_edge(link.from, link.to, Arc{l}, graph_);
    if (link.either_way) boost::add_edge(link.to, link.from, Arc{l}, graph_);
  }
}

double WidestPaths::width(std::uint32_t from, std::uint32_t to, std::span<double const> left) const {
  std::vector<double> widths(boost::num_vertices(graph_));
  auto const weight =
      boost::make_function_property_map<ArcId>([&](ArcId const& arc) { return left[graph_[arc].link]; });
  boost::dijkstra_shortest_paths(
      graph_, from,
      boost::weight_map(weight)
          .distance_map(boost::make_iterator_property_map(widths.begin(), get(boost::vertex_index, graph_)))
          .distance_compare([](double a, double b) { return a > b; })
          .distance_combine([](double a, double b) { return std::min(a, b); })
          .distance_inf(0.0)
          .distance_zero(std::numeric_limits<double>::infinity()));
  return widths[to];
}

RingPath WidestPaths::widest(std::uint32_t from, std::uint32_t to, std::span<double const> left) const {
  FACTOSIM_EXPECT(from != to, "a path from a vertex to itself");
  RingPath path{.from = from, .to = to, .links = {}, .bandwidth = width(from, to, left)};
  if (path.bandwidth <= 0) return path;
  auto const wide = [&](ArcId const& arc) { return left[graph_[arc].link] >= path.bandwidth; };
  boost::filtered_graph<Graph, std::function<bool(ArcId const&)>> const wide_links(graph_, wide);
  std::vector<ArcId> reached_by(boost::num_vertices(graph_));
  auto const by = boost::make_iterator_property_map(reached_by.begin(), get(boost::vertex_index, graph_));
  boost::breadth_first_search(
      wide_links, from,
      boost::visitor(boost::make_bfs_visitor(boost::record_edge_predecessors(by, boost::on_tree_edge()))));
  for (std::size_t at = to; at != from; at = source(reached_by[at], graph_))
    path.links.push_back(graph_[reached_by[at]].link);
  std::reverse(path.links.begin(), path.links.end());
  return path;
}

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

class Prices {
 public:
  Prices(PathLimits const& limits, std::span<double const> weights, double tolerance)
      : limits_(limits),
        weights_(weights),
        tolerance_(tolerance),
        price_(limits.shared.size(), 0.0),
        of_path_(limits.bound.size(), 0.0) {
    // Initial prices: each link full if it were the only one, averaged over the links of each path.
    std::vector<double> links(of_path_.size(), 0.0);
    for (auto const& link : limits.shared)
      for (std::uint32_t const p : link.paths) links[p] += 1;
    for (std::size_t l = 0; l < price_.size(); ++l) {
      double roots = 0, maximum = 1;
      for (std::uint32_t const p : limits.shared[l].paths) {
        roots += std::sqrt(weights[p]);
        maximum = std::max(maximum, links[p]);
      }
      price_[l] = roots * roots / (limits.shared[l].capacity * limits.shared[l].capacity) / maximum;
      for (std::uint32_t const p : limits.shared[l].paths) of_path_[p] += price_[l];
    }
  }

  /// Sets each price in turn so that its link is filled at the current prices of the others.
  void adjust() {
    for (std::size_t l = 0; l < price_.size(); ++l) {
      double const changed = filling_price(l);
      for (std::uint32_t const p : limits_.shared[l].paths)
        of_path_[p] = std::max(0.0, of_path_[p] + changed - price_[l]);
      price_[l] = changed;
    }
  }

  [[nodiscard]] double rate(std::size_t p) const { return rate_at(p, of_path_[p]); }

  /// The dual function: min over rates within the bounds of sum g / d + price x excess.
  [[nodiscard]] double dual() const {
    // summed afresh, without the rounding errors of adjust()
    std::vector<double> of_path(of_path_.size(), 0.0);
    double value = 0;
    for (std::size_t l = 0; l < price_.size(); ++l) {
      value -= price_[l] * limits_.shared[l].capacity;
      for (std::uint32_t const p : limits_.shared[l].paths) of_path[p] += price_[l];
    }
    for (std::size_t p = 0; p < of_path.size(); ++p) {
      double const d = rate_at(p, of_path[p]);
      if (d < no_bound) value += weights_[p] / d + of_path[p] * d;
    }
    return value;
  }

 private:
  [[nodiscard]] double rate_at(std::size_t p, double price) const {
    return price > 0 ? std::min(limits_.bound[p], std::sqrt(weights_[p] / price)) : limits_.bound[p];
  }

  /// Returns the root of load - capacity, which decreases with the price; 0 if the link never fills up.
  /// Newton steps, with bisection where they leave the bracket.
  [[nodiscard]] double filling_price(std::size_t l) const {
    PathLimits::SharedLink const& link = limits_.shared[l];
    double roots = 0;
    for (std::uint32_t const p : link.paths) roots += std::sqrt(weights_[p]);
    double low = 0, high = roots * roots / (link.capacity * link.capacity);
    double price = std::min(price_[l], high);
    for (int step = 0; step < 60; ++step) {
      double excess = -link.capacity, slope = 0;
      for (std::uint32_t const p : link.paths) {
        double const others = std::max(0.0, of_path_[p] - price_[l]);
        double const d = rate_at(p, others + price);
        excess += d;
        if (d < limits_.bound[p]) slope -= d / (2 * (others + price));
      }
      if (std::abs(excess) <= tolerance_ * link.capacity) return price;
      (excess > 0 ? low : high) = price;
      if (price == 0 && excess <= 0) return 0;
      double next = slope < 0 ? price - excess / slope : low;
      if (!(next > low && next < high)) next = low == 0 && excess < 0 ? 0 : (low + high) / 2;
      if (std::abs(next - price) <= 1e-15 * high) return next;
      price = next;
    }
    return price;
  }

  PathLimits const& limits_;
  std::span<double const> weights_;
  double tolerance_;             // relative, of a link's load
  std::vector<double> price_;    // [shared links]
  std::vector<double> of_path_;  // [paths] summed over the links of each
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

PotentialDelay minimum_potential_delay(PathLimits const& limits, std::span<double const> weights,
                                       PotentialDelayOptions const& options) {
  std::size_t const paths = limits.bound.size();
  Prices prices(limits, weights, std::max(1e-14, options.tolerance * 1e-2));
  PotentialDelay out;
  std::vector<double> wanted(paths);
  out.sum = no_bound;
  for (int round = 1; round <= options.rounds; ++round) {
    prices.adjust();
    if (round % 8 != 0 && round != options.rounds && !limits.shared.empty()) continue;
    for (std::size_t p = 0; p < paths; ++p) wanted[p] = std::min(prices.rate(p), 1e300);
    std::vector<double> rates = max_min_rates(limits, wanted);  // within the limits, and Pareto-optimal
    double sum = 0;
    for (std::size_t p = 0; p < paths; ++p) sum += weights[p] / rates[p];
    if (sum < out.sum) {
      out.sum = sum;
      out.rates = std::move(rates);
    }
    out.lower_bound = std::max(out.lower_bound, prices.dual());
    out.within_tolerance = out.sum <= out.lower_bound * (1 + options.tolerance);
    if (out.within_tolerance) break;
  }
  return out;
}

}  // namespace factosim
