#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace factosim {

/// Which of two nodes that would be equally late gets the next chunk.
enum class TieRule { highest, lowest };

/// Hands out equal chunks one by one, each to the node that would be done with its own the soonest: the
/// argmin of (count + 1) / speed. After any number of chunks the latest node is as early as can be, so what
/// is handed out from the last column to the first balances every trailing matrix of a factorization. Speed 0
/// gets nothing.
///
/// Source: Algorithm 1 of Beaumont, Boudet, Petitet, Rastello, Robert, IEEE Trans. Computers 50(10), 2001,
/// as used by Nesi, Schnorr, Legrand, ICPADS 2020.
class OneDimensional {
 public:
  explicit OneDimensional(std::vector<double> speeds, TieRule tie = TieRule::highest);

  /// Hands out one more chunk and says to which node. Times within 1e-9 are equal. O(nodes).
  std::uint32_t next();

  /// From now on other speeds, of as many nodes; what was handed out still counts.
  void change_speeds(std::vector<double> speeds);

  /// Chunks handed out so far.
  [[nodiscard]] std::vector<std::uint32_t> const& counts() const { return counts_; }  // [nodes]

 private:
  [[nodiscard]] double time_with_one_more(std::size_t node) const;

  std::vector<double> speeds_;         // [nodes]
  std::vector<std::uint32_t> counts_;  // [nodes]
  TieRule tie_;
};

/// The owners of chunks 0 to n - 1, handed out from the last to the first. O(n nodes).
[[nodiscard]] std::vector<std::uint32_t> one_dimensional(int n, std::span<double const> speeds,
                                                         TieRule tie = TieRule::highest);

/// How many of n equal chunks each node gets: the whole numbers in proportion to the speeds that are the
/// soonest done, as Algorithm 1 counts them.
[[nodiscard]] std::vector<std::uint32_t> proportional_counts(int n, std::span<double const> speeds);

}  // namespace factosim
