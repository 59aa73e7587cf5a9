#pragma once

#include <memory>
#include <vector>

#include "models/applications/application.hpp"

namespace factosim {

/// Returns the flow with its tasks on full tiles replaced by tasks on parts of the tile that they write, as `nested`
/// says. The arguments must outlive the result.
///
/// - The parts of a task of one of the kernels of a plain flow, in any precision, are the tasks of the plain flow on smaller tiles whose
///   indices, divided by the parts in each direction, are its own. They compute in its precision, at its priority.
/// - They read other tiles whole. The parts of the tile that is written are handles without bytes of their own: they lie in
///   it. The first task on a part reads the tile itself. A task "unpartition", which takes no time, reads all parts
///   and writes the tile; what follows depends on it.
///
/// Source: PaRSEC, parsec_recursivecall; HiCMA-PaRSEC, bodies of type RECURSIVE of HiCMA_dpotrf_L_2flow.jdf.
[[nodiscard]] std::unique_ptr<ApplicationFlow> nested(std::unique_ptr<ApplicationFlow> flow,
                                                      ApplicationParameters const& parameters,
                                                      Application const& application);

/// Returns the kernels with those that the parts of tasks need, in the order of their numbers.
[[nodiscard]] std::vector<Kernel> with_nested_kernels(std::vector<Kernel> kernels,
                                                      ApplicationParameters const& parameters,
                                                      Application const& application);

}  // namespace factosim
