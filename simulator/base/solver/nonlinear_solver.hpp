#pragma once

#include <optional>
#include <vector>

namespace factosim {

/// Minimises a smooth f(x) where x and g(x) are within bounds.
class NonlinearProgram {
 public:
  static constexpr double unbounded = 1e19;

  /// Closed intervals, by their two ends.
  struct Bounds {
    std::vector<double> low, high;
    void add(double from, double to) {
      low.push_back(from);
      high.push_back(to);
    }
  };

  /// Receives the entries of a sparse matrix: always the same places in the same order.
  class Entries {
   public:
    Entries() = default;  // counts the entries
    Entries(int* row, int* column) : row_(row), column_(column) {}
    explicit Entries(double* value) : value_(value) {}

    void add(int row, int column, double value) {
      if (value_ != nullptr) value_[count_] = value;
      if (row_ != nullptr) {
        row_[count_] = row;
        column_[count_] = column;
      }
      ++count_;
    }
    [[nodiscard]] int count() const { return count_; }

   private:
    int *row_ = nullptr, *column_ = nullptr;
    double* value_ = nullptr;
    int count_ = 0;
  };

  virtual ~NonlinearProgram() = default;
  [[nodiscard]] virtual Bounds variables() const = 0;
  [[nodiscard]] virtual Bounds constraints() const = 0;
  [[nodiscard]] virtual std::vector<double> start() const = 0;

  [[nodiscard]] virtual double objective(double const* x) const = 0;
  /// Writes the derivatives of f, [variables].
  virtual void gradient(double const* x, double* out) const = 0;
  /// Writes g(x), [constraints].
  virtual void constraint_values(double const* x, double* out) const = 0;
  /// Adds the derivatives of g, [constraints][variables].
  virtual void jacobian(double const* x, Entries& out) const = 0;
  /// Adds the second derivatives of the sum of multiplier x g, one triangle of [variables][variables]; f must be
  /// linear.
  virtual void hessian(double const* x, double const* multiplier, Entries& out) const = 0;
};

struct NonlinearOptions {
  double tolerance = 1e-8;
  std::optional<int> max_iterations = {};
  std::optional<double> initial_barrier = {};
  bool adaptive_barrier = false;  // instead of one that only falls
};

struct NonlinearSolution {
  std::vector<double> x;  // the last point; empty if the solver found none
  bool converged = false;
  int iterations = 0;
};

/// Solves a program by Ipopt: an interior point method with a filter line search. Source: Wächter, Biegler,
/// Mathematical Programming 106(1), 2006. Throws InputError if Ipopt's module is not installed.
[[nodiscard]] NonlinearSolution solve(NonlinearProgram const& program, NonlinearOptions const& options);

/// Interface of the Ipopt module.
class NonlinearSolver {
 public:
  virtual ~NonlinearSolver() = default;
  [[nodiscard]] virtual NonlinearSolution solve(NonlinearProgram const& program,
                                                NonlinearOptions const& options) const = 0;
};

}  // namespace factosim
