#pragma once

#include <cstdint>

namespace factosim {

/// Where the application waits for all its tasks within an iteration.
enum class Synchronisation : std::uint8_t {
  every_phase,     // "none": not asynchronous
  public_version,  // "partial": after generation, and after factorization with determinant
  never            // "full"
};

/// What one may choose of ExaGeoStat. The six optimisations of section 4.2 of the ICPP 2021 paper are
/// `synchronisation`, `local_solve`, `memory_optimisations`, `all_priorities`, `ordered_generation` and
/// `oversubscribed_worker`; the defaults have all of them.
struct ExageostatOptions {
  int iterations = 1;  // of the likelihood; the optimiser waits between them
  double nu = 0.5;     // smoothness of the Matern function: decides what generation costs
  Synchronisation synchronisation = Synchronisation::never;
  bool local_solve = true;            // Algorithm 1; else Chameleon's solve
  bool memory_optimisations = true;   // see RuntimeOptions::host_alloc_cost
  bool all_priorities = true;         // equations 2 to 11; else Chameleon's of Cholesky, and 0
  bool ordered_generation = true;     // submitted by falling priority; else column by column
  bool oversubscribed_worker = true;  // one more worker a node, which does not generate
};

}  // namespace factosim
