#pragma once

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

}  // namespace factosim
