#pragma once

#include <vector>

#include "simulator/scenario/simulation/placed_scenario.hpp"

namespace factosim {

/// A graph in submission order with the nodes of its data and tasks.
struct PlacedGraph {
  TaskGraph graph;
  std::vector<NodeId> owners;   // [handles] at the start
  std::vector<NodeId> nodes{};  // [tasks]; empty: each on the owner of the first handle that it writes
  std::size_t joined = 0;       // tasks whose data from one task on another node are one message
};

/// Places the graph of a file on the nodes, as its options say. Throws InputError if the file names a node that the platform
/// does not have.
[[nodiscard]] PlacedGraph place_graph(PlacedScenario const& scenario, GraphApplication const& application);

/// Returns the tasks of a scenario as a program: those of a tiled application with the owners of its map, those of a graph
/// file as they are. Throws InputError for the replay of a trace.
[[nodiscard]] TaskProgram program_of_scenario(PlacedScenario const& scenario);

/// Returns the operations of all tasks.
[[nodiscard]] Flops total_flops(TaskGraph const& graph);

}  // namespace factosim
