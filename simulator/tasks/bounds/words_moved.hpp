#pragma once

#include <vector>

#include "factosim/task_graph.hpp"
#include "models/applications/application.hpp"
#include "simulator/tasks/plan/execution_plan.hpp"

namespace factosim {

/// Elements of the matrices that a node sends and receives, and lower bounds of their sum. All are numbers of words, of
/// elements.
struct NodeWords {
  double sent = 0, received = 0;  // of the messages of the plan, without forwarding
  double tiles = 0;               // of the tiles that it keeps at the end
  double sums = 0;                // of its partial sums on layers
  /// Whatever its memory: with V of the update operations c += a b, a node uses at least 3 V^(2/3) elements of the
  /// three kinds (Loomis and Whitney), 3 (V^2 / 2)^(1/3) if a and b are of one matrix (V off the diagonal). Those that it
  /// does not keep it receives, or sends as partial sums; a tile of a factorization may serve as a sum and as an input.
  /// Sources: Al Daas, Ballard, Grigori, Kumar, Rouse, SPAA 2022 (products), SPAA 2023 (SYRK); Ballard, Demmel,
  /// Holtz, Lipshitz, Schwartz, SPAA 2012 (factorizations).
  double least = 0;
  /// With a memory of M elements, those of its tiles and partial sums: V / (2 sqrt(2 M)) - M.
  /// Source: Irony, Toledo, Tiskin, J. Parallel and Distributed Computing 64(9), 2004; Ballard, Demmel, Holtz, Schwartz,
  /// SIAM J. Matrix Analysis 32(3), 2011 (factorizations).
  double least_in_memory = 0;
};

/// Returns the words that each node moves, [nodes]. Both bounds are 0 for applications other than products, LU and Cholesky.
/// The bounds of a node are by the updates that the plan gives it.
[[nodiscard]] std::vector<NodeWords> words_moved(TaskGraph const& graph, ExecutionPlan const& plan,
                                                 Application const& application,
                                                 ApplicationParameters const& parameters);

}  // namespace factosim
