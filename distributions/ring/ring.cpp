#include "distributions/ring/ring.hpp"

#include <algorithm>
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

}  // namespace factosim
