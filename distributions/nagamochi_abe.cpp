#include "distributions/nagamochi_abe.hpp"

#include <algorithm>
#include <vector>

#include "distributions/ties.hpp"
#include "factosim/error.hpp"

namespace factosim {

namespace {

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
