#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulator/graph/processor_graph.hpp"

namespace factosim {

/// Iterations on slices of a matrix: in each of them every processor of a ring computes its slice, then sends
/// a message to its successor and one to its predecessor.
/// Source of all in this folder: Legrand, Renard, Robert, Vivien, Mapping and load-balancing iterative
/// computations on heterogeneous clusters, 2003 ("the slides").
struct RingProblem {
  ProcessorGraph const& graph;
  double work = 0;     // W, of all processors in one iteration, in the unit of their speeds
  double message = 0;  // H, bytes
};

/// The way of one message, and what is reserved for it on each of its links (one number is enough: what a
/// link gives beyond the least is not used).
struct RingPath {
  std::uint32_t from = 0, to = 0;    // vertices
  std::vector<std::uint32_t> links;  // in the order in which they are crossed, none twice
  double bandwidth = 0;              // 1 / c, bytes per second
};

/// Which processors take part, how their messages go, and what each computes.
struct Ring {
  std::vector<std::uint32_t> order;  // [q] vertices, each the predecessor of the next
  std::vector<RingPath> paths;       // [2q] of order[i]: to its successor 2i, to its predecessor 2i + 1;
                                     // none where q = 1
  std::vector<double> alpha;         // [q] part of the work
  double step_s = 0;                 // T_step

  [[nodiscard]] std::size_t size() const { return order.size(); }
};

/// [q] seconds that each processor of the ring sends in an iteration: H (c_i,succ + c_i,pred).
std::vector<double> exchange_seconds(RingProblem const& problem, Ring const& ring);

/// Chooses alpha, and with it T_step = max over i of alpha_i W w_i + H (c_i,pred + c_i,succ), for the paths
/// and bandwidths that the ring has. All processors end together, T = (W + sum of v_i t_i) / sum of v_i with
/// speeds v and exchanges t, but those whose exchange alone lasts longer: they compute nothing. O(q log q).
void share_work(RingProblem const& problem, Ring& ring);

/// [links] bandwidth; what `paths` have reserved is taken off those that are shared.
std::vector<double> bandwidth_left(ProcessorGraph const& graph, std::span<RingPath const> paths);

/// The vertices that compute, in order.
std::vector<std::uint32_t> processors(ProcessorGraph const& graph);

}  // namespace factosim
