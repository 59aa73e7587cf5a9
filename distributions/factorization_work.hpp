#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace factosim {

enum class Factorization : std::uint8_t { lu, cholesky };

/// Kinds of tasks of a factorization: on the diagonal tile (getrf, potrf), on the panel (trsm), on the
/// diagonal of the trailing matrix (syrk; Cholesky only), on the rest of it (gemm).
enum class TaskKind : std::uint8_t { diagonal, panel, symmetric_update, update };
inline constexpr std::size_t task_kinds = 4;

/// Returns the kind of the task of iteration k that writes tile (m, n), k <= min(m, n); Cholesky: n <= m.
[[nodiscard]] constexpr TaskKind task_kind(Factorization f, int k, int m, int n) {
  if (m == k && n == k) return TaskKind::diagonal;
  if (m == k || n == k) return TaskKind::panel;
  return f == Factorization::cholesky && m == n ? TaskKind::symmetric_update : TaskKind::update;
}

/// Cost of one task of each kind on a node, in seconds.
struct NodeCosts {
  std::array<double, task_kinds> area{};   // [kinds] with all workers computing: 1 / rate
  std::array<double, task_kinds> alone{};  // [kinds] on the fastest worker for that kind

  [[nodiscard]] double area_of(TaskKind kind) const { return area[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] double alone_of(TaskKind kind) const { return alone[static_cast<std::size_t>(kind)]; }
};

/// Costs that determine, together with the partition, how a factorization is distributed over nodes.
struct FactorizationCosts {
  std::vector<NodeCosts> nodes;
  double transfer = 0;  // of one tile between two nodes, in seconds
};

}  // namespace factosim
