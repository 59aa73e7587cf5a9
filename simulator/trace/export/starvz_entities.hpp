#pragma once

#include "simulator/os/text_file.hpp"
#include "simulator/trace/export/starpu_names.hpp"
#include "simulator/trace/trace.hpp"

namespace factosim {

/// Writes entities.csv for StarVZ: the container tree of a StarPU run with its kinds of states, links and
/// variables.
void write_starvz_entities(TextFile& out, Trace const& trace, StarpuNames const& names);

}  // namespace factosim
