#pragma once

#include "simulator/experiments/hpl/hpl_links.hpp"
#include "simulator/experiments/hpl/hpl_outcome.hpp"

namespace factosim {

/// Advances the date of each process from step to step by recurrences, without events. A process looks for the panel
/// that it waits for before it swaps rows, after that, and between pieces of `nb` columns of its update; sends and
/// receives block it. O(P Q log P) per step, O(P Q) memory.
/// Source: HPL 2.3, src/pgesv/HPL_pdgesv0.c, HPL_pdgesvK2.c, HPL_pdupdateTT.c.
[[nodiscard]] HplOutcome simulate_hpl_steps(HplSystem const& system, HplLinks const& links);

}  // namespace factosim
