#pragma once

#include <memory>
#include <vector>

#include "models/applications/layered_flow.hpp"

namespace factosim {

struct ApplicationParameters;

/// Builds the graph of an application on full tiles of one precision, on one node.
using PlainGraph = TaskGraph (*)(ApplicationParameters const&, TileMap const&);

/// Returns the flow with its tasks on full tiles replaced by tasks on parts of the tile that they write; as it is if
/// `nested` does not say so. The arguments must outlive the result.
///
/// - The parts of a task of one of the kernels of `plain`, in any precision, are the tasks of `plain` on smaller tiles whose
///   indices, divided by the parts in each direction, are its own. They compute in its precision, at its priority.
/// - They read other tiles whole. The parts of the tile that is written are handles without bytes of their own: they lie in
///   it. The first task on a part reads the tile itself. A task "unpartition", which takes no time, reads all parts
///   and writes the tile; what follows depends on it.
///
/// Source: PaRSEC, parsec_recursivecall; HiCMA-PaRSEC, bodies of type RECURSIVE of HiCMA_dpotrf_L_2flow.jdf.
[[nodiscard]] std::unique_ptr<ApplicationFlow> nested(std::unique_ptr<ApplicationFlow> flow,
                                                      ApplicationParameters const& parameters,
                                                      PlainGraph plain);

/// Returns the kernels with those that the parts of tasks need, in the order of their numbers.
[[nodiscard]] std::vector<Kernel> with_nested_kernels(std::vector<Kernel> kernels,
                                                      ApplicationParameters const& parameters,
                                                      PlainGraph plain);

/// `Application::flow` of a class with a constructor of both arguments, on layers if the map has some, its tasks replaced if
/// the parameters say so.
template <class Flow>
std::unique_ptr<ApplicationFlow> make_nested_flow(ApplicationParameters const& parameters,
                                                  TileMap const& map) {
  return nested(make_layered_flow<Flow>(parameters, map), parameters, graph_of_flow<Flow>);
}

/// `Application::graph` of the same class.
template <class Flow>
TaskGraph graph_of_nested(ApplicationParameters const& parameters, TileMap const& map) {
  SequentialTaskFlow out;
  make_nested_flow<Flow>(parameters, map)->submit(out);
  return std::move(out).finish();
}

}  // namespace factosim
