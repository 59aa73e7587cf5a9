#include "distributions/square_partition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "distributions/ties.hpp"
#include "factosim/error.hpp"

namespace factosim {

double SquarePartition::cost() const {
  double sum = 0;
  for (Rectangle const& r : rectangles) sum += r.width + r.height;
  return sum;
}

double partition_lower_bound(std::span<double const> speeds) {
  double total = 0;
  for (double const s : speeds) total += s;
  double sum = 0;
  for (double const s : speeds) sum += 2 * std::sqrt(s / total);
  return sum;
}

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

using Rectangle = SquarePartition::Rectangle;
using Nodes = std::span<std::uint32_t const>;

/// Cuts a rectangle across its longer side; the first part has the fraction `share` of its area.
std::pair<Rectangle, Rectangle> cut(Rectangle whole, double share) {
  Rectangle first = whole;
  Rectangle rest = whole;
  if (!surely_less(whole.width, whole.height)) {
    first.width = share * whole.width;
    rest.left = whole.left + first.width;
    rest.width = whole.width - first.width;
  } else {
    first.height = share * whole.height;
    rest.top = whole.top + first.height;
    rest.height = whole.height - first.height;
  }
  return {first, rest};
}

class Dissection {
 public:
  Dissection(std::span<double const> speeds, std::vector<Rectangle>& rectangles)
      : speeds_(speeds), rectangles_(rectangles) {}

  void dissect(Nodes nodes, Rectangle whole) {
    if (nodes.size() == 1) {
      rectangles_[nodes.front()] = whole;
      return;
    }
    double total = 0;
    for (std::uint32_t const node : nodes) total += speeds_[node];
    std::size_t taken = 0;
    double speed = 0;
    // Nine equal nodes, with shares of exactly one third, give nine squares.
    do speed += speeds_[nodes[taken++]];
    while (taken + 1 < nodes.size() && surely_less(speed, total / 3));
    auto const [first, rest] = cut(whole, speed / total);
    dissect(nodes.first(taken), first);
    dissect(nodes.subspan(taken), rest);
  }

 private:
  std::span<double const> speeds_;
  std::vector<Rectangle>& rectangles_;
};

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

SquarePartition nagamochi_abe(std::span<double const> speeds) {
  FACTOSIM_EXPECT(std::ranges::all_of(speeds, [](double s) { return s >= 0; }), "a speed below 0");
  std::vector<std::uint32_t> nodes;
  for (std::uint32_t const node : descending(speeds))
    if (speeds[node] > 0) nodes.push_back(node);
  FACTOSIM_EXPECT(!nodes.empty(), "no node has a speed");
  SquarePartition partition;
  partition.rectangles.resize(speeds.size());
  Dissection(speeds, partition.rectangles).dissect(nodes, {.left = 0, .top = 0, .width = 1, .height = 1});
  return partition;
}

}  // namespace factosim
