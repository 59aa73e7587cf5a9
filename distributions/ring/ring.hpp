#pragma once

#include <boost/graph/adjacency_list.hpp>

#include <cstdint>
#include <span>
#include <vector>

#include "simulator/base/core/processor_graph.hpp"

namespace factosim {

/// Iterations on slices of a matrix: in each iteration, every processor of a ring computes its slice, then
/// sends a message to its successor and one to its predecessor.
/// Source of all algorithms in this folder: Legrand, Renard, Robert, Vivien, Mapping and load-balancing
/// iterative computations on heterogeneous clusters, 2003 ("the slides").
struct RingProblem {
  ProcessorGraph const& graph;
  double work = 0;     // W, of all processors in one iteration, in units of their speeds
  double message = 0;  // H, bytes
};

/// Route of a message and the bandwidth reserved for it on each of its links (one number is enough: bandwidth
/// beyond the minimum over the links is unused).
struct RingPath {
  std::uint32_t from = 0, to = 0;    // vertices
  std::vector<std::uint32_t> links;  // in order of traversal, none twice
  double bandwidth = 0;              // 1 / c, bytes per second
};

/// Participating processors, routes of their messages, and the work of each.
struct Ring {
  std::vector<std::uint32_t> order;  // [q] vertices, each the predecessor of the next
  std::vector<RingPath>
      paths{};                  // [2q] messages of order[i]: to its successor 2i, to its predecessor 2i + 1;
                                // empty if q = 1
  std::vector<double> alpha{};  // [q] fraction of the work
  double step_s = 0;            // T_step

  [[nodiscard]] std::size_t size() const { return order.size(); }
};

/// [q] seconds of communication per iteration of each processor of the ring: H (c_i,succ + c_i,pred).
std::vector<double> exchange_seconds(RingProblem const& problem, Ring const& ring);

/// Computes alpha, and with it T_step = max over i of alpha_i W w_i + H (c_i,pred + c_i,succ), for the paths
/// and bandwidths of the ring. All processors finish at T = (W + sum of v_i t_i) / sum of v_i, with speeds v
/// and exchange times t, except those whose exchange alone takes longer, which compute nothing. O(q log q).
void share_work(RingProblem const& problem, Ring& ring);

/// [links] bandwidth; on shared links, without the bandwidth reserved by `paths`.
std::vector<double> bandwidth_left(ProcessorGraph const& graph, std::span<RingPath const> paths);

/// Returns the vertices that compute, in order.
std::vector<std::uint32_t> processors(ProcessorGraph const& graph);

/// Widest paths in a graph, by the remaining bandwidth of each link.
class WidestPaths {
 public:
  explicit WidestPaths(ProcessorGraph const& graph);

  /// Returns a path of maximum bandwidth, min over its links of `left` ([links]), with the fewest links;
  /// without bandwidth and links if none remains. Dijkstra's algorithm for the widest path, then a
  /// breadth-first search over the links that are wide enough.
  [[nodiscard]] RingPath widest(std::uint32_t from, std::uint32_t to, std::span<double const> left) const;

 private:
  struct Arc {
    std::uint32_t link = 0;
  };
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property, Arc>;
  using ArcId = boost::graph_traits<Graph>::edge_descriptor;

  [[nodiscard]] double width(std::uint32_t from, std::uint32_t to, std::span<double const> left) const;

  Graph graph_;  // an undirected link is two arcs
};

/// Constraints on the bandwidths d of a set of paths: d_p <= bound_p, and on each link shared by several
/// paths sum of d_p <= capacity. All allocations of bandwidth use these.
struct PathLimits {
  struct SharedLink {
    double capacity = 0;               // bytes per second
    std::vector<std::uint32_t> paths;  // at least two
  };
  std::vector<double> bound;       // [paths] bytes per second; infinite if no link limits the path
  std::vector<SharedLink> shared;  // by link; of several links with the same paths only the tightest
};

/// [links] the paths that cross each link, in order.
std::vector<std::vector<std::uint32_t>> paths_on_links(ProcessorGraph const& graph,
                                                       std::span<RingPath const> paths);

/// `capacity`: [links] bandwidth available to the paths.
PathLimits path_limits(ProcessorGraph const& graph, std::span<double const> capacity,
                       std::span<RingPath const> paths);
/// The same with the full bandwidth of every link.
PathLimits path_limits(ProcessorGraph const& graph, std::span<RingPath const> paths);

/// Weighted max-min fairness by progressive filling (Bertsekas and Gallager, Data Networks, 6.5.2):
/// bandwidths grow in proportion to `weights`; a path that reaches a full link or its bound stops, the others
/// go on. With unit weights no path can gain without a path of lower bandwidth losing, which is the first
/// refinement of the slides. O(paths (paths + links)).
std::vector<double> max_min_rates(PathLimits const& limits, std::span<double const> weights);

/// Bandwidths d that minimise the sum of g_p / d_p, with a lower bound of that sum.
struct PotentialDelay {
  std::vector<double> rates;  // [paths] bytes per second; feasible and Pareto-optimal
  double sum = 0;             // of g_p / d_p at these rates
  double lower_bound = 0;     // of the sum over all feasible rates
  bool within_tolerance = false;
};

struct PotentialDelayOptions {
  int rounds = 2000;         // maximum
  double tolerance = 1e-10;  // relative gap between sum and lower bound at which it stops
};

/// Minimum potential delay fairness (Massoulie, Roberts, 2002) with weights g > 0. It minimises T_step of a
/// ring in which every processor computes if g_p is the speed of the sender of p. Dual coordinate ascent:
/// each shared link's price in turn is set to the root at which its paths fill the link. The problem is
/// strictly convex and separable, so the rates converge to the unique optimum, and any prices give a lower
/// bound. Cheap enough for thousands of calls, and an independent check of the quadratic program.
PotentialDelay minimum_potential_delay(PathLimits const& limits, std::span<double const> weights,
                                       PotentialDelayOptions const& options = {});

}  // namespace factosim
