#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace factosim {

/// Tie-breaking between nodes that would finish the next chunk at the same time.
enum class TieRule { highest, lowest };

/// Assigns equal chunks one by one, each to the node that would finish first: argmin (count + 1) / speed.
/// After any number of chunks the makespan is minimal, so assigning from the last column to the first
/// balances every trailing matrix of a factorization. Nodes of speed 0 get nothing.
///
/// Source: Algorithm 1 of Beaumont, Boudet, Petitet, Rastello, Robert, IEEE Trans. Computers 50(10), 2001, as
/// used by Nesi, Schnorr, Legrand, ICPADS 2020.
class OneDimensional {
 public:
  explicit OneDimensional(std::vector<double> speeds, TieRule tie = TieRule::highest);

  /// Assigns one more chunk and returns its node. Times within 1e-9 are equal. O(nodes).
  std::uint32_t next();

  /// Changes the speeds for further chunks; chunks already assigned still count.
  void change_speeds(std::vector<double> speeds);

  /// Chunks assigned so far.
  [[nodiscard]] std::vector<std::uint32_t> const& counts() const { return counts_; }  // [nodes]

 private:
  [[nodiscard]] double time_with_one_more(std::size_t node) const;

  std::vector<double> speeds_;         // [nodes]
  std::vector<std::uint32_t> counts_;  // [nodes]
  TieRule tie_;
};

/// Returns the owners of chunks 0 to n - 1, assigned from the last to the first. O(n nodes).
[[nodiscard]] std::vector<std::uint32_t> one_dimensional(int n, std::span<double const> speeds,
                                                         TieRule tie = TieRule::highest);

/// Returns the number of chunks of each node, of n equal chunks: whole numbers in proportion to the speeds
/// with minimum makespan, as Algorithm 1 counts them.
[[nodiscard]] std::vector<std::uint32_t> proportional_counts(int n, std::span<double const> speeds);

}  // namespace factosim
