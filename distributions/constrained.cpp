#include "distributions/constrained.hpp"

#include <algorithm>
#include <set>

#include "distributions/ties.hpp"
#include "factosim/error.hpp"

namespace factosim {

namespace {

constexpr double same_border = 1e-9;

/// Returns the distinct borders in ascending order, restricted to the open interval (0, 1).
std::vector<double> distinct(std::vector<double> borders) {
  std::sort(borders.begin(), borders.end());
  std::vector<double> out;
  for (double const border : borders)
    if (out.empty() || border > out.back() + same_border) out.push_back(border);
  return out;
}

std::vector<double> steps(std::vector<double> const& borders) {
  std::vector<double> out;
  for (std::size_t i = 0; i + 1 < borders.size(); ++i) out.push_back(borders[i + 1] - borders[i]);
  return out;
}

std::size_t index_of(std::vector<double> const& borders, double border) {
  auto const place = std::lower_bound(borders.begin(), borders.end(), border - same_border);
  FACTOSIM_ALWAYS(place != borders.end(), "a border of the partition is lost");
  return static_cast<std::size_t>(place - borders.begin());
}

}  // namespace

VirtualGrid virtual_grid(SquarePartition const& partition) {
  std::vector<double> across, down;
  for (auto const& r : partition.rectangles) {
    down.insert(down.end(), {r.left, r.left + r.width});
    across.insert(across.end(), {r.top, r.top + r.height});
  }
  across = distinct(std::move(across));
  down = distinct(std::move(down));
  VirtualGrid grid{.heights = steps(across), .widths = steps(down), .node = {}};
  grid.node.resize(grid.heights.size() * grid.widths.size());
  for (std::size_t n = 0; n < partition.rectangles.size(); ++n) {
    auto const& r = partition.rectangles[n];
    for (std::size_t row = index_of(across, r.top); row < index_of(across, r.top + r.height); ++row)
      for (std::size_t column = index_of(down, r.left); column < index_of(down, r.left + r.width); ++column)
        grid.node[row * grid.widths.size() + column] = NodeId{n};
  }
  return grid;
}

TileMap one_by_one(int mt, int nt, SquarePartition const& partition, TieRule tie) {
  VirtualGrid const grid = virtual_grid(partition);
  auto const row_of = one_dimensional(mt, grid.heights, tie);
  auto const column_of = one_dimensional(nt, grid.widths, tie);
  TileMap map{.mt = mt, .nt = nt, .owner = {}};
  map.owner.reserve(row_of.size() * column_of.size());
  for (std::uint32_t const row : row_of)
    for (std::uint32_t const column : column_of) map.owner.push_back(grid.at(row, column));
  return map;
}

namespace {

using Flags = std::vector<bool>;

/// Number of tasks of each kind in the iteration on a trailing matrix of (m + 1) x (m + 1) tiles.
std::array<double, task_kinds> work_of(Factorization factorization, double m) {
  if (factorization == Factorization::lu) return {1, 2 * m, 0, m * m};
  return {1, m, m, m * (m - 1) / 2};
}

std::vector<double> active_only(std::vector<double> speeds, Flags const& active) {
  for (std::size_t i = 0; i < speeds.size(); ++i)
    if (!active[i]) speeds[i] = 0;
  return speeds;
}

/// The active virtual rows and columns, which grow section by section.
class ActiveGrid {
 public:
  ActiveGrid(SquarePartition const& partition, FactorizationCosts const& costs)
      : partition_(partition),
        costs_(costs),
        grid_(virtual_grid(partition)),
        rows_(grid_.heights.size(), false),
        columns_(grid_.widths.size(), false) {
    FACTOSIM_EXPECT(!partition.columns.empty(), "a partition into columns");
    if (partition.columns.size() != grid_.widths.size())
      throw InfeasibleError(
          "some nodes are too slow for 1d1d-c: their columns would be no wider than 1e-9 of the matrix. "
          "Leave these nodes out");
    leftmost_ = columns_.size() - 1;
    columns_[leftmost_] = true;
    std::uint32_t const fastest = fastest_of(partition.columns.back());
    std::size_t highest = rows_.size();
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      if (grid_.at(row, leftmost_).value() != fastest) continue;
      if (highest == rows_.size() || !surely_less(grid_.heights[row], grid_.heights[highest])) highest = row;
    }
    rows_[highest] = true;
    find_nodes();
  }

  [[nodiscard]] bool all() const {
    return leftmost_ == 0 && std::find(rows_.begin(), rows_.end(), false) == rows_.end();
  }

  /// Adds the next column, if there is one, and the rows that the algorithm prescribes.
  void grow() {
    ++sections_;
    if (leftmost_ > 0) columns_[--leftmost_] = true;
    if (sections_ == 2)
      add_fast_rows();
    else
      rows_.assign(rows_.size(), true);
    find_nodes();
  }

  [[nodiscard]] VirtualGrid const& grid() const { return grid_; }
  [[nodiscard]] Flags const& rows() const { return rows_; }
  [[nodiscard]] Flags const& columns() const { return columns_; }
  [[nodiscard]] std::vector<std::uint32_t> const& nodes() const { return nodes_; }

 private:
  /// Updates per second of the node.
  [[nodiscard]] double rate(std::uint32_t node) const {
    return 1 / costs_.nodes[node].area_of(TaskKind::update);
  }
  /// Returns the fastest node; of several, the last.
  [[nodiscard]] std::uint32_t fastest_of(std::vector<std::uint32_t> const& nodes) const {
    std::uint32_t best = nodes.front();
    for (std::uint32_t const node : nodes)
      if (!surely_less(rate(node), rate(best))) best = node;
    return best;
  }

  void add_fast_rows() {
    auto const& last = partition_.columns.back();
    double minimum =
        rate(*std::min_element(last.begin(), last.end(), [&](auto a, auto b) { return rate(a) < rate(b); }));
    auto const& added = partition_.columns[leftmost_];
    minimum = std::min(minimum, rate(fastest_of(added)));
    for (std::size_t row = 0; row < rows_.size(); ++row)
      if (!surely_less(rate(grid_.at(row, leftmost_).value()), minimum)) rows_[row] = true;
  }

  void find_nodes() {
    std::set<std::uint32_t> found;
    for (std::size_t row = 0; row < rows_.size(); ++row)
      for (std::size_t column = 0; column < columns_.size(); ++column)
        if (rows_[row] && columns_[column]) found.insert(grid_.at(row, column).value());
    nodes_.assign(found.begin(), found.end());
  }

  SquarePartition const& partition_;
  FactorizationCosts const& costs_;
  VirtualGrid grid_;
  Flags rows_, columns_;
  std::size_t leftmost_ = 0;
  int sections_ = 1;
  std::vector<std::uint32_t> nodes_;
};

}  // namespace

double ideal_iteration_time(int nt, int k, Factorization factorization, FactorizationCosts const& costs,
                            std::vector<std::uint32_t> const& nodes) {
  auto const work = work_of(factorization, nt - k);
  double time = 0;
  for (std::size_t kind = 0; kind < task_kinds; ++kind) {
    if (work[kind] == 0) continue;
    double rate = 0;
    for (std::uint32_t const node : nodes) rate += 1 / costs.nodes[node].area[kind];
    time += work[kind] / rate;
  }
  return time;
}

double iteration_critical_path(Factorization factorization, FactorizationCosts const& costs,
                               std::vector<std::uint32_t> const& nodes) {
  TaskKind const last = factorization == Factorization::lu ? TaskKind::update : TaskKind::symmetric_update;
  double time = nodes.size() > 1 ? 2 * costs.transfer : 0;
  for (TaskKind const kind : {TaskKind::diagonal, TaskKind::panel, last}) {
    double slowest = 0;
    for (std::uint32_t const node : nodes) slowest = std::max(slowest, costs.nodes[node].alone_of(kind));
    time += slowest;
  }
  return time;
}

ConstrainedMap constrained(int nt, Factorization factorization, SquarePartition const& partition,
                           FactorizationCosts const& costs, TieRule tie) {
  ActiveGrid active(partition, costs);
  OneDimensional rows(active.grid().heights, tie);
  OneDimensional columns(active.grid().widths, tie);
  std::vector<std::uint32_t> row_of(static_cast<std::size_t>(nt)), column_of(row_of);
  ConstrainedMap out;
  for (int k = nt; k >= 1; --k) {
    bool grown = k == nt;
    while (!active.all() && surely_less(iteration_critical_path(factorization, costs, active.nodes()),
                                        ideal_iteration_time(nt, k, factorization, costs, active.nodes()))) {
      active.grow();
      grown = true;
    }
    if (grown) {
      rows.change_speeds(active_only(active.grid().heights, active.rows()));
      columns.change_speeds(active_only(active.grid().widths, active.columns()));
      out.sections.push_back({.first_k = k, .last_k = k, .nodes = active.nodes()});
    }
    out.sections.back().last_k = k;
    row_of[static_cast<std::size_t>(k) - 1] = rows.next();
    column_of[static_cast<std::size_t>(k) - 1] = columns.next();
  }
  out.map = {.mt = nt, .nt = nt, .owner = {}};
  for (std::uint32_t const row : row_of)
    for (std::uint32_t const column : column_of) out.map.owner.push_back(active.grid().at(row, column));
  return out;
}

}  // namespace factosim
