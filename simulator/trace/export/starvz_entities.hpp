#pragma once

#include "simulator/os/text_file.hpp"
#include "simulator/trace/export/starpu_names.hpp"
#include "simulator/trace/trace.hpp"

namespace factosim {

/// The tree of containers of a StarPU run with its kinds of states, links and variables, as StarVZ reads it
/// from entities.csv.
void write_starvz_entities(TextFile& out, Trace const& trace, StarpuNames const& names);

}  // namespace factosim
