#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "factosim/tile_map.hpp"

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
  double message = 0;                      // of one tile over the node's network card, alone

  [[nodiscard]] double area_of(TaskKind kind) const { return area[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] double alone_of(TaskKind kind) const { return alone[static_cast<std::size_t>(kind)]; }
};

/// Costs that determine, together with the partition, how a factorization is distributed over nodes.
struct FactorizationCosts {
  std::vector<NodeCosts> nodes;
  double transfer = 0;  // of one tile between two nodes, in seconds
};

/// [nodes] times of an update with all workers computing, in seconds; infinite without a timing.
[[nodiscard]] std::vector<double> update_times(FactorizationCosts const& costs);

using KindCounts = std::array<std::uint64_t, task_kinds>;

/// [nodes][iterations from 0] number of tasks of each kind on the tiles of each node. O(tiles + nodes nt).
[[nodiscard]] std::vector<std::vector<KindCounts>> tasks_by_iteration(TileMap const& map,
                                                                      Factorization factorization,
                                                                      std::size_t nodes);

/// [nodes][iterations 1..nt] cost of the tiles of each node, ABE_p(k): time with all its workers busy.
[[nodiscard]] std::vector<std::vector<double>> iteration_loads(TileMap const& map,
                                                               Factorization factorization,
                                                               FactorizationCosts const& costs);

}  // namespace factosim
