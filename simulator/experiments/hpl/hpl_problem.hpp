#pragma once

#include <algorithm>
#include <cstdint>

namespace factosim {

/// How a factored panel gets from its column of processes to the others of each row.
/// Source: HPL 2.3, src/comm; www/algorithm.html, "Panel Broadcast".
enum class HplBroadcast {
  ring_1,           // 0 -> 1 -> 2 -> ...
  ring_1_modified,  // 0 -> 1; 0 -> 2 -> 3 -> ...
  ring_2,           // two rings that start at 0, each over half of the processes
  ring_2_modified,  // 0 -> 1, and two rings over the others
  long_,            // scatter by a tree, then all-gather by rolling
  long_modified     // 0 -> 1, and `long_` among the others
};

/// How the pivot rows are swapped within a column of processes and U gets to all of them.
enum class HplSwap {
  binary_exchange,  // HPL_pdlaswp00: log P rounds
  long_,            // HPL_pdlaswp01: scatter, then roll
  mix               // binary exchange up to a number of columns, `long_` above
};

/// Order of the processes in the grid: consecutive processes, and so those of one node, are in a row or in a column.
enum class HplMapping { row_major, column_major };

/// The parameters of HPL.dat that matter for the time.
struct HplProblem {
  std::int64_t n = 0;  // order of the matrix
  int nb = 0;          // columns of a panel
  int p = 0, q = 0;    // rows and columns of the grid of processes
  HplBroadcast broadcast = HplBroadcast::ring_1_modified;
  int lookahead = 1;  // panels factored ahead
  HplSwap swap = HplSwap::mix;
  int swap_threshold = 64;  // local columns up to which `mix` exchanges
  HplMapping mapping = HplMapping::row_major;

  [[nodiscard]] int processes() const { return p * q; }
  /// How rows are swapped in so many local columns; never `mix`.
  [[nodiscard]] HplSwap swap_of(std::int64_t columns) const {
    if (swap != HplSwap::mix) return swap;
    return columns > swap_threshold ? HplSwap::long_ : HplSwap::binary_exchange;
  }
  /// Number of panels.
  [[nodiscard]] std::int64_t panels() const { return (n + nb - 1) / nb; }
  /// Columns of panel k.
  [[nodiscard]] int width(std::int64_t k) const {
    return static_cast<int>(std::min<std::int64_t>(nb, n - k * nb));
  }
  /// Rows, in process row r, of the matrix from row block k on.
  [[nodiscard]] std::int64_t rows_from(std::int64_t k, int r) const { return share_from(k, r, p); }
  /// Columns, in process column c, of the matrix from column block k on.
  [[nodiscard]] std::int64_t columns_from(std::int64_t k, int c) const { return share_from(k, c, q); }
  /// Numbers of the updates with panel u, for draws: of all columns behind panel k, of panel k alone while it waits to
  /// be factored, and of the panels that are factored before the first main update.
  [[nodiscard]] std::uint64_t main_update(std::int64_t u) const { return update(u, 0); }
  [[nodiscard]] std::uint64_t partial_update(std::int64_t u, std::int64_t k) const {
    return update(u, k - u);
  }
  [[nodiscard]] std::uint64_t first_update(std::int64_t u) const { return update(u, lookahead + 1); }
  /// Flops that HPL counts: 2/3 n^3 + 3/2 n^2.
  [[nodiscard]] double flops() const {
    auto const order = static_cast<double>(n);
    return order * order * (2.0 / 3 * order + 1.5);
  }

 private:
  [[nodiscard]] std::uint64_t update(std::int64_t u, std::int64_t kind) const {
    return static_cast<std::uint64_t>(u * (lookahead + 2) + kind);
  }
  /// Elements of blocks k, k + 1, ... that block-cyclic distribution over `parts` gives to `part`.
  [[nodiscard]] std::int64_t share_from(std::int64_t k, int part, int parts) const {
    std::int64_t const all = panels();
    if (k >= all) return 0;
    auto const owned_below = [&](std::int64_t end) { return (end + parts - 1 - part) / parts; };
    std::int64_t const blocks = owned_below(all) - owned_below(k);
    bool const has_last = blocks > 0 && (all - 1) % parts == part;
    return blocks * nb - (has_last ? nb - width(all - 1) : 0);
  }
};

}  // namespace factosim
