#pragma once

#include "simulator/os/text_file.hpp"
#include "simulator/trace/trace.hpp"

namespace factosim {

/// Writes the output of starpu_perfmodel_recdump for a machine and its kernels as measured in the trace:
/// workers and memory nodes of the first node; mean, deviation and count for each kernel, footprint and
/// architecture (all cores together, each GPU separately), over all nodes of its type. Times in us.
void write_starpu_platform(TextFile& out, Trace const& trace);

}  // namespace factosim
