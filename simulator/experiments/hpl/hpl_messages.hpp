#pragma once

#include <vector>

#include "simulator/experiments/hpl/hpl_problem.hpp"

namespace factosim {

// Who sends what to whom in HPL's collective operations. Processes are numbered by their distance from the root of
// the operation: in a column of processes from the row that owns the panel's diagonal block, in a row from the column
// that owns the panel.

/// Two processes that exchange data at once; amounts in the unit of the operation, 0: nothing in that direction.
struct HplExchange {
  int a = 0, b = 0;
  double to_b = 0, to_a = 0;
};

/// Exchanges of disjoint pairs.
using HplRound = std::vector<HplExchange>;

/// Rounds one after the other, as each process sees them, and then `rolls` rounds in which each process exchanges
/// `rolled` with one of its neighbours in turn.
struct HplCollective {
  std::vector<HplRound> rounds;
  int rolls = 0;
  double rolled = 0;
};

/// Returns the swap of `width` rows and the broadcast of the rows of U among `size` processes; the unit is a row.
/// Each process but the root holds width / size of the pivot rows: pivots are spread evenly.
/// Source: HPL_pdlaswp00T.c, HPL_pdlaswp01T.c (without equilibration), HPL_spreadT.c, HPL_rollT.c.
[[nodiscard]] HplCollective swap_messages(HplSwap swap, int size, double width);

/// Returns the long broadcast among `size` processes; the unit is the whole panel. Source: HPL_blong.c.
[[nodiscard]] HplCollective long_broadcast(int size);

/// Returns the rounds of the search for a pivot; the unit is the message. Source: HPL_pdmxswp.c.
[[nodiscard]] HplCollective pivot_search(int size);

/// Returns, for each process, to whom it forwards the whole panel, in order. In a modified long broadcast this is what
/// precedes the long one. Source: HPL_1ring.c, HPL_1rinM.c, HPL_2ring.c, HPL_2rinM.c, HPL_blonM.c.
[[nodiscard]] std::vector<std::vector<int>> forwards(HplBroadcast broadcast, int size);

/// Returns whether the broadcast ends with `long_broadcast`; then all processes wait for it.
[[nodiscard]] inline bool is_long(HplBroadcast b) {
  return b == HplBroadcast::long_ || b == HplBroadcast::long_modified;
}

/// Returns with whom a process exchanges in round k of rolling. Source: HPL_blong.c, HPL_rollT.c.
[[nodiscard]] inline int rolling_partner(int process, int k, int size) {
  return ((process + k) & 1) != 0 ? (process + size - 1) % size : (process + 1) % size;
}

}  // namespace factosim
