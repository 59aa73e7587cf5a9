#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace factosim {

/// How long a block takes on one worker, by its size (any unit). Increasing and continuous for sizes >= 0.
class BlockTime {
 public:
  virtual ~BlockTime() = default;
  [[nodiscard]] virtual double seconds(double size) const = 0;
  /// Derivative, > 0.
  [[nodiscard]] virtual double slope(double size) const = 0;
  /// The size that takes that long; 0 where none does.
  [[nodiscard]] virtual double size_within(double seconds) const;
};

/// One worker of the system: it starts its block at `free_at`.
struct EqualTimeWorker {
  BlockTime const* time = nullptr;
  double free_at = 0;  // seconds, any origin
};

struct EqualTimeSolution {
  std::vector<double> size;  // [workers]; 0: it could not end even the smallest block in time
  double end = 0;            // seconds: when all that have a block end
  double residual = 0;       // largest relative violation of an equation
  bool by_ipopt = false;     // else by bracketing
};

/// Splits work among workers so that all end together:
///     free_p + E_p(x_p) = T for all p with a block,     x_1 + ... + x_n = work.
/// With all of them free at 0, equation (1) of the PLB-HAC slides. Solved by Ipopt's interior point with
/// a line-search filter (Wächter and Biegler, Mathematical Programming 106(1), 2006), as there; where it
/// fails, or leaves more than `tolerance`, by bracketing T, and the counts say so.
class EqualTimeSolver {
 public:
  static constexpr double tolerance = 1e-6;

  EqualTimeSolver();
  ~EqualTimeSolver();

  /// `work` > 0, at least one worker.
  [[nodiscard]] EqualTimeSolution solve(std::span<EqualTimeWorker const> workers, double work);

  [[nodiscard]] std::uint32_t solved_by_ipopt() const { return by_ipopt_; }
  [[nodiscard]] std::uint32_t solved_by_bracketing() const { return by_bracketing_; }
  [[nodiscard]] double largest_residual() const { return largest_residual_; }

 private:
  class Ipopt;  // keeps Ipopt's headers out of this one
  std::unique_ptr<Ipopt> ipopt_;
  std::uint32_t by_ipopt_ = 0, by_bracketing_ = 0;
  double largest_residual_ = 0;
};

/// The same by bracketing T alone.
[[nodiscard]] EqualTimeSolution equal_time_by_bracketing(std::span<EqualTimeWorker const> workers,
                                                         double work);

/// Largest relative violation of the equations by these sizes and that end.
[[nodiscard]] double equal_time_residual(std::span<EqualTimeWorker const> workers, double work,
                                         std::span<double const> size, double end);

}  // namespace factosim
