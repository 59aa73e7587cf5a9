#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "distributions/ring/ring_methods.hpp"
#include "factosim/error.hpp"

namespace factosim {

namespace {

class SimplePaths {
 public:
  SimplePaths(ProcessorGraph const& graph, std::uint32_t to)
      : graph_(graph), to_(to), visited_(graph.vertices.size(), false) {}

  std::vector<RingPath> from(std::uint32_t v) {
    path_ = {.from = v, .to = to_, .links = {}, .bandwidth = 0};
    extend(v, std::numeric_limits<double>::infinity());
    // Widest paths first, ties by number of links: good incumbents early shorten the search.
    std::stable_sort(found_.begin(), found_.end(), [](RingPath const& a, RingPath const& b) {
      return std::pair(-a.bandwidth, a.links.size()) < std::pair(-b.bandwidth, b.links.size());
    });
    return std::move(found_);
  }

 private:
  void extend(std::uint32_t at, double width) {
    if (at == to_) {
      path_.bandwidth = width;
      found_.push_back(path_);
      return;
    }
    visited_[at] = true;
    for (std::uint32_t l = 0; l < graph_.links.size(); ++l) {
      ProcessorGraph::Link const& link = graph_.links[l];
      bool const back = link.either_way && link.to == at;
      if (link.from != at && !back) continue;
      std::uint32_t const next = link.from == at ? link.to : link.from;
      if (visited_[next]) continue;
      path_.links.push_back(l);
      extend(next, std::min(width, link.bandwidth.value));
      path_.links.pop_back();
    }
    visited_[at] = false;
  }

  ProcessorGraph const& graph_;
  std::uint32_t to_;
  std::vector<bool> visited_;
  RingPath path_;
  std::vector<RingPath> found_;
};

class BranchAndBound {
 public:
  BranchAndBound(RingProblem const& problem, Ring const& known) : problem_(problem), best_{known, 0, 0} {
    std::vector<std::uint32_t> const all = processors(problem.graph);
    FACTOSIM_EXPECT(all.size() < 20, "exact search over many processors");
    for (std::uint32_t const a : all)
      for (std::uint32_t const b : all)
        if (a != b) paths_[{a, b}] = simple_paths(problem.graph, a, b);
    for (std::uint32_t subset = 1; subset < 1U << all.size(); ++subset) {
      std::vector<std::uint32_t> order;
      for (std::size_t i = 0; i < all.size(); ++i)
        if ((subset >> i & 1U) != 0) order.push_back(all[i]);
      do {
        if (order.size() > 2 && order[1] > order.back()) continue;  // its mirror image was already visited
        look_at(order);
      } while (order.size() > 2 && std::next_permutation(order.begin() + 1, order.end()));
    }
  }

  [[nodiscard]] ExactRing const& best() const { return best_; }

 private:
  void look_at(std::vector<std::uint32_t> const& order) {
    ++best_.rings;
    ring_ = {.order = order, .paths = {}, .alpha = {}, .step_s = 0};
    std::size_t const q = order.size();
    speeds_ = 0;
    for (std::uint32_t const v : order) speeds_ += problem_.graph.vertices[v].speed;
    if (q == 1) return try_leaf();
    ends_.clear();
    for (std::size_t p = 0; p < 2 * q; ++p)
      ends_.emplace_back(order[p / 2], order[(p / 2 + (p % 2 == 0 ? 1 : q - 1)) % q]);
    alone_.assign(2 * q + 1, 0.0);
    for (std::size_t p = 2 * q; p-- > 0;) {
      if (paths_[ends_[p]].empty()) return;
      alone_[p] = alone_[p + 1] + speed_of(p) / paths_[ends_[p]].front().bandwidth;
    }
    choose(0);
  }

  [[nodiscard]] double speed_of(std::size_t p) const { return problem_.graph.vertices[ends_[p].first].speed; }

  /// Lower bound of T_step if the sum of v_i c_ij is at least `delay`: the average of all times, weighted by
  /// speed.
  [[nodiscard]] double bound(double delay) const {
    return (problem_.work + problem_.message * delay) / speeds_;
  }

  void choose(std::size_t p) {
    double delay = alone_[p];
    if (p > 1) {
      std::vector<double> weights;
      for (std::size_t i = 0; i < p; ++i) weights.push_back(speed_of(i));
      delay += minimum_potential_delay(path_limits(problem_.graph, ring_.paths), weights,
                                       {.rounds = 8, .tolerance = 1e-6})
                   .lower_bound;
    } else if (p == 1) {
      delay += speed_of(0) / ring_.paths[0].bandwidth;
    }
    if (bound(delay) >= best_.ring.step_s) return;
    if (p == ends_.size()) return try_leaf();
    for (RingPath const& path : paths_[ends_[p]]) {
      ring_.paths.push_back(path);
      choose(p + 1);
      ring_.paths.pop_back();
    }
  }

  void try_leaf() {
    ++best_.choices;
    Ring ring = share_links_by_delay(problem_, ring_);
    bool const all_compute =
        std::all_of(ring.alpha.begin(), ring.alpha.end(), [](double a) { return a > 0; });
    if (!all_compute) ring = solve_quadratic_program(problem_, ring).ring;
    if (ring.step_s < best_.ring.step_s) best_.ring = std::move(ring);
  }

  RingProblem problem_;
  ExactRing best_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<RingPath>> paths_;
  Ring ring_;                                                  // order, and the paths chosen so far
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ends_;  // [2q] end vertices of its paths
  std::vector<double> alone_;  // [2q + 1] minimum delay of the paths from this one on, each on its own
  double speeds_ = 0;
};

}  // namespace

std::vector<RingPath> simple_paths(ProcessorGraph const& graph, std::uint32_t from, std::uint32_t to) {
  return SimplePaths(graph, to).from(from);
}

ExactRing exact_ring(RingProblem const& problem, Ring const& known) {
  return BranchAndBound(problem, known).best();
}

}  // namespace factosim
