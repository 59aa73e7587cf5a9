#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "distributions/ring/ring.hpp"
#include "distributions/ring/ring_methods.hpp"
#include "factosim/error.hpp"

namespace factosim {

namespace {

double delay(std::span<double const> rates, std::span<double const> weights) {
  double sum = 0;
  for (std::size_t p = 0; p < rates.size(); ++p) sum += weights[p] / rates[p];
  return sum;
}

class Greedy {
 public:
  explicit Greedy(RingProblem const& problem)
      : problem_(problem), widest_(problem.graph), processors_(processors(problem.graph)) {}

  std::vector<Ring> rings() {
    std::vector<Ring> out;
    if (!processors_.empty()) out.push_back(best_alone());
    for (auto next = best_pair(); next; next = best_insertion(out.back())) out.push_back(*next);
    return out;
  }

 private:
  [[nodiscard]] double speed(std::uint32_t v) const { return problem_.graph.vertices[v].speed; }

  [[nodiscard]] Ring best_alone() const {
    Ring ring{
        .order = {*std::max_element(processors_.begin(), processors_.end(),
                                    [&](std::uint32_t a, std::uint32_t b) { return speed(a) < speed(b); })},
        .step_s = 0};
    share_work(problem_, ring);
    return ring;
  }

  /// Returns the widest paths between those ends in the remaining bandwidths; nothing if one does not exist.
  [[nodiscard]] std::optional<std::array<RingPath, 4>> four_paths(
      std::array<std::pair<std::uint32_t, std::uint32_t>, 4> const& ends,
      std::vector<double> const& left) const {
    std::array<RingPath, 4> paths;
    std::array<double, 4> weights;
    for (std::size_t p = 0; p < 4; ++p) {
      paths[p] = widest_.widest(ends[p].first, ends[p].second, left);
      if (paths[p].links.empty()) return std::nullopt;
      weights[p] = speed(ends[p].first);
    }
    std::vector<double> const rates = brute_force_shares(path_limits(problem_.graph, left, paths), weights);
    for (std::size_t p = 0; p < 4; ++p) paths[p].bandwidth = rates[p];
    return paths;
  }

  [[nodiscard]] std::optional<Ring> best_pair() const {
    std::optional<Ring> best;
    std::vector<double> const all = bandwidth_left(problem_.graph, {});
    for (std::size_t i = 0; i < processors_.size(); ++i)
      for (std::size_t j = i + 1; j < processors_.size(); ++j) {
        std::uint32_t const a = processors_[i], b = processors_[j];
        auto const paths = four_paths({{{a, b}, {a, b}, {b, a}, {b, a}}}, all);
        if (paths)
          keep_if_better(best, {.order = {a, b}, .paths = {paths->begin(), paths->end()}, .step_s = 0});
      }
    return best;
  }

  /// Returns `ring` with v inserted between order[i] and its successor.
  [[nodiscard]] std::optional<Ring> inserted(Ring const& ring, std::vector<double> left, std::uint32_t v,
                                             std::size_t i) const {
    std::size_t const j = (i + 1) % ring.size();
    std::uint32_t const before = ring.order[i], after = ring.order[j];
    for (std::size_t const p : {2 * i, 2 * j + 1})  // these two paths are removed and release their bandwidth
      for (std::uint32_t const l : ring.paths[p].links)
        if (problem_.graph.links[l].shared) left[l] += ring.paths[p].bandwidth;
    auto const paths = four_paths({{{before, v}, {v, after}, {v, before}, {after, v}}}, left);
    if (!paths) return std::nullopt;
    auto const& [to_new, to_after, to_before, back_to_new] = *paths;
    Ring out = ring;
    out.paths[2 * i] = to_new;
    out.paths[2 * j + 1] = back_to_new;
    out.order.insert(out.order.begin() + static_cast<std::ptrdiff_t>(i) + 1, v);
    out.paths.insert(out.paths.begin() + 2 * static_cast<std::ptrdiff_t>(i) + 2, {to_after, to_before});
    return out;
  }

  [[nodiscard]] std::optional<Ring> best_insertion(Ring const& ring) const {
    std::optional<Ring> best;
    std::vector<double> const left = bandwidth_left(problem_.graph, ring.paths);
    for (std::size_t i = 0; i < ring.size(); ++i)
      for (std::uint32_t const v : processors_)
        if (std::find(ring.order.begin(), ring.order.end(), v) == ring.order.end())
          if (auto next = inserted(ring, left, v, i)) keep_if_better(best, std::move(*next));
    return best;
  }

  void keep_if_better(std::optional<Ring>& best, Ring ring) const {
    share_work(problem_, ring);
    if (!best || ring.step_s < best->step_s) best = std::move(ring);
  }

  RingProblem problem_;
  WidestPaths widest_;
  std::vector<std::uint32_t> processors_;
};

/// The network model of SLICE RING: a complete graph with a private link between every two processors, as
/// wide as the widest path of the real network.
struct CompleteGraph {
  ProcessorGraph graph;         // vertices: the processors; one directed unshared link for each ordered pair
  std::vector<RingPath> paths;  // [links] the real path of each, with its bandwidth
};

CompleteGraph complete_graph(ProcessorGraph const& graph) {
  CompleteGraph out;
  WidestPaths const widest(graph);
  std::vector<double> const all = bandwidth_left(graph, {});
  std::vector<std::uint32_t> const computing = processors(graph);
  for (std::uint32_t const v : computing) out.graph.vertices.push_back(graph.vertices[v]);
  for (std::uint32_t i = 0; i < computing.size(); ++i)
    for (std::uint32_t j = 0; j < computing.size(); ++j) {
      if (i == j) continue;
      RingPath path = widest.widest(computing[i], computing[j], all);
      if (path.links.empty()) continue;
      out.graph.links.push_back({.name = {},
                                 .from = i,
                                 .to = j,
                                 .bandwidth = {path.bandwidth},
                                 .either_way = false,
                                 .shared = false});
      out.paths.push_back(std::move(path));
    }
  return out;
}

}  // namespace

std::vector<double> brute_force_shares(PathLimits const& limits, std::span<double const> weights) {
  std::size_t const paths = weights.size();
  FACTOSIM_EXPECT(paths > 0 && paths <= 6, "brute force on more than a few paths");
  std::vector<double> centre;
  for (double const g : weights) centre.push_back(std::sqrt(g));
  std::vector<double> best = max_min_rates(limits, centre);
  if (limits.shared.empty()) return best;
  double minimum = delay(best, weights);
  for (double ratio : {2.0, 1.4, 1.15, 1.05}) {  // between neighbouring grid points
    std::vector<double> const around = centre;
    std::vector<double> tried = around;
    std::size_t combinations = 1;
    for (std::size_t p = 1; p < paths; ++p) combinations *= 5;
    for (std::size_t c = 0; c < combinations; ++c) {
      // the first one is fixed: only proportions matter
      for (std::size_t p = 1, digits = c; p < paths; ++p, digits /= 5)
        tried[p] = around[p] * std::pow(ratio, static_cast<double>(digits % 5) - 2);
      std::vector<double> rates = max_min_rates(limits, tried);
      if (double const sum = delay(rates, weights); sum < minimum) {
        minimum = sum;
        best = std::move(rates);
        centre = tried;
      }
    }
  }
  return best;
}

std::vector<Ring> greedy_rings(RingProblem const& problem) { return Greedy(problem).rings(); }

Ring best_ring(std::vector<Ring> const& rings) {
  if (rings.empty()) throw InfeasibleError("no vertex of the graph computes: give one a speed");
  return *std::min_element(rings.begin(), rings.end(),
                           [](Ring const& a, Ring const& b) { return a.step_s < b.step_s; });
}

Ring slice_ring(RingProblem const& problem) {
  CompleteGraph const complete = complete_graph(problem.graph);
  std::vector<std::uint32_t> const computing = processors(problem.graph);
  Ring ring = best_ring(greedy_rings({complete.graph, problem.work, problem.message}));
  for (std::uint32_t& v : ring.order) v = computing[v];
  for (RingPath& path : ring.paths) path = complete.paths[path.links.front()];
  return ring;
}

}  // namespace factosim
