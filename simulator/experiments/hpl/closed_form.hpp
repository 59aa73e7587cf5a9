#pragma once

#include "simulator/experiments/hpl/hpl_scenario.hpp"

namespace factosim {

/// Returns HPL's own estimate of its time: 2 gam3 N^3 / (3 P Q) + beta N^2 (3 P + Q) / (2 P Q) +
/// alpha N ((NB + 1) log2 P + P) / NB, with the fastest node's gam3 (seconds per flop of dgemm), and the latency alpha and
/// seconds per double beta of a message alone. Source: HPL 2.3, www/scalability.html.
[[nodiscard]] Seconds hpl_closed_form(HplScenario const& scenario);

/// Returns the time of the back substitution: each process reads its part of U, 4 N^2 / (P Q) bytes, and the solution
/// passes N / NB times from process to process. Source: the same page; memory-bound instead of gam2.
[[nodiscard]] Seconds hpl_back_substitution(HplScenario const& scenario);

}  // namespace factosim
