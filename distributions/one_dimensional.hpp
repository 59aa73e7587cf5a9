#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace factosim {

/// Who gets the next one where several would be as good.
enum class TieRule : std::uint8_t { highest, lowest };

/// Shares out the indices of one dimension, from the last one down: each goes to the processor p that then
/// has the least (c(p) + 1) / s(p), where c(p) counts what it has. Optimal for every suffix at once. Times
/// within a relative 1e-9 are ties. Source: Boulet, Dongarra, Rastello, Robert, Vivien (1999); Algorithm 1 of
/// ICPADS 2020.
class OneDimensional {
 public:
  /// A processor of speed 0 gets nothing; one at least is faster.
  explicit OneDimensional(std::vector<double> speeds, TieRule tie = TieRule::highest);

  /// The processor of the next index among the active ones.
  std::uint32_t next();
  /// All are active at first. What inactive ones have still counts when they are active again.
  void set_active(std::vector<bool> active);

 private:
  std::vector<double> speeds_;
  std::vector<bool> active_;
  std::vector<std::uint32_t> count_;
  TieRule tie_;
};

/// [n] the processor of each index.
[[nodiscard]] std::vector<std::uint32_t> one_dimensional(int n, std::span<double const> speeds,
                                                         TieRule tie = TieRule::highest);

}  // namespace factosim
