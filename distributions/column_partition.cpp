#include "distributions/column_partition.hpp"

#include <algorithm>
#include <limits>

#include "distributions/ties.hpp"
#include "factosim/error.hpp"

namespace factosim {

namespace {

/// Optimal partition of the first nodes into columns.
struct Cut {
  double cost = std::numeric_limits<double>::infinity();
  std::size_t columns = 0;
  std::size_t before = 0;  // number of nodes in all columns but the last
};

bool better(Cut const& a, Cut const& b) {
  if (surely_less(a.cost, b.cost)) return true;
  return a.cost <= b.cost * (1 + tie) && a.columns < b.columns;
}

}  // namespace

SquarePartition column_partition(std::span<double const> speeds, double column_cost) {
  FACTOSIM_EXPECT(!speeds.empty(), "a partition among at least one node");
  FACTOSIM_EXPECT(std::all_of(speeds.begin(), speeds.end(), [](double s) { return s > 0; }),
                  "speeds above 0");
  std::vector<std::uint32_t> const nodes = ascending(speeds);
  std::vector<double> sum{0};  // [i] sum over the first i nodes
  for (std::uint32_t const node : nodes) sum.push_back(sum.back() + speeds[node]);
  double const total = sum.back();

  std::vector<Cut> best(nodes.size() + 1);
  best[0].cost = 0;
  for (std::size_t end = 1; end <= nodes.size(); ++end)
    for (std::size_t begin = 0; begin < end; ++begin) {
      double const column = column_cost + static_cast<double>(end - begin) * (sum[end] - sum[begin]) / total;
      Cut const cut{best[begin].cost + column, best[begin].columns + 1, begin};
      if (better(cut, best[end])) best[end] = cut;
    }

  SquarePartition out;
  out.rectangles.resize(speeds.size());
  for (std::size_t end = nodes.size(); end > 0; end = best[end].before)
    out.columns.insert(out.columns.begin(), {nodes.begin() + static_cast<std::ptrdiff_t>(best[end].before),
                                             nodes.begin() + static_cast<std::ptrdiff_t>(end)});
  double left = 0;
  for (auto const& column : out.columns) {
    double in_column = 0;
    for (std::uint32_t const node : column) in_column += speeds[node];
    double top = 0;
    for (std::uint32_t const node : column) {
      double const height = speeds[node] / in_column;
      out.rectangles[node] = {.left = left, .top = top, .width = in_column / total, .height = height};
      top += height;
    }
    left += in_column / total;
  }
  return out;
}

}  // namespace factosim
