#pragma once

#include "simulator/os/text_file.hpp"
#include "simulator/trace/trace.hpp"

namespace factosim {

/// What starpu_perfmodel_recdump tells of a machine and its kernels, as measured in the trace: the workers
/// and memory nodes of the first node; mean, deviation and number of each kernel and footprint on each of its
/// architectures (all cores together, each GPU for itself), over all nodes of its type. Times in us.
void write_starpu_platform(TextFile& out, Trace const& trace);

}  // namespace factosim
