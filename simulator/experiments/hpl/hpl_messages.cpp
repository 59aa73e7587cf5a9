#include "simulator/experiments/hpl/hpl_messages.hpp"

#include <bit>

namespace factosim {

namespace {

/// The largest power of two that is not above `size`.
int lower_power(int size) { return static_cast<int>(std::bit_floor(static_cast<unsigned>(size))); }

/// Adds the rounds of a binomial tree from process `root` to the `size` processes that follow it. With `scatters` a
/// process gets the pieces of its subtree, each 1 / size of `whole`; otherwise all of it.
void add_tree(std::vector<HplRound>& rounds, int root, int size, double whole, bool scatters) {
  if (size < 2) return;
  int const power = lower_power(size - 1);
  for (int step = power; step > 0; step /= 2) {
    HplRound round;
    for (int from = 0; from + step < size; from += 2 * step) {
      int const pieces = std::min(step, size - from - step);
      round.push_back(
          {.a = root + from, .b = root + from + step, .to_b = scatters ? whole * pieces / size : whole});
    }
    rounds.push_back(std::move(round));
  }
}

/// Source: HPL_pdlaswp00T.c.
HplCollective binary_exchange(int size, double width) {
  HplCollective out;
  int const power = lower_power(size);
  std::vector<double> held(static_cast<std::size_t>(size), width / size);  // rows to be swapped into U
  held[0] = 0;
  if (power < size) {
    HplRound round{{.a = 0, .b = power, .to_b = width, .to_a = held[static_cast<std::size_t>(power)]}};
    for (int i = 1; i + power < size; ++i) {
      auto const upper = static_cast<std::size_t>(i + power);
      round.push_back({.a = i, .b = i + power, .to_a = held[upper]});
      held[static_cast<std::size_t>(i)] += held[upper];
    }
    out.rounds.push_back(std::move(round));
  }
  for (int step = 1; step < power; step *= 2) {
    HplRound round;
    for (int a = 0; a < power; ++a) {
      int const b = a ^ step;
      if (b < a) continue;
      double& of_a = held[static_cast<std::size_t>(a)];
      double& of_b = held[static_cast<std::size_t>(b)];
      bool const has_u = a < step;  // then b gets U, and gives its rows
      round.push_back({.a = a, .b = b, .to_b = has_u ? width : of_a, .to_a = of_b});
      of_a += of_b;
      of_b = of_a;
    }
    out.rounds.push_back(std::move(round));
  }
  if (power < size) {
    add_tree(out.rounds, power, size - power, width, false);
    HplRound last;
    for (int i = 0; i + power < size; ++i) last.push_back({.a = i, .b = i + power, .to_b = width});
    out.rounds.push_back(std::move(last));
  }
  return out;
}

HplCollective scatter_and_roll(int size, double whole) {
  HplCollective out;
  if (size < 2) return out;
  add_tree(out.rounds, 0, size, whole, true);
  out.rolls = size - 1;
  out.rolled = whole / size;
  return out;
}

}  // namespace

HplCollective swap_messages(HplSwap swap, int size, double width) {
  if (size < 2) return {};
  return swap == HplSwap::long_ ? scatter_and_roll(size, width) : binary_exchange(size, width);
}

HplCollective long_broadcast(int size) { return scatter_and_roll(size, 1); }

HplCollective pivot_search(int size) {
  HplCollective out;
  if (size < 2) return out;
  int const power = lower_power(size);
  auto const outer = [&](bool back) {
    HplRound round;
    for (int i = 0; i + power < size; ++i)
      round.push_back({.a = i, .b = i + power, .to_b = back ? 1.0 : 0.0, .to_a = back ? 0.0 : 1.0});
    if (!round.empty()) out.rounds.push_back(std::move(round));
  };
  outer(false);
  for (int step = 1; step < power; step *= 2) {
    HplRound round;
    for (int a = 0; a < power; ++a)
      if ((a & step) == 0) round.push_back({.a = a, .b = a ^ step, .to_b = 1, .to_a = 1});
    out.rounds.push_back(std::move(round));
  }
  outer(true);
  return out;
}

std::vector<std::vector<int>> forwards(HplBroadcast broadcast, int size) {
  std::vector<std::vector<int>> out(static_cast<std::size_t>(size));
  auto const ring = [&](int first, int end) {
    for (int i = first; i + 1 < end; ++i) out[static_cast<std::size_t>(i)].push_back(i + 1);
  };
  auto const root = [&](int to) {
    if (to < size) out[0].push_back(to);
  };
  int const middle = (size + 1) / 2;
  switch (broadcast) {
    case HplBroadcast::ring_1:
      ring(0, size);
      break;
    case HplBroadcast::ring_1_modified:
      root(1);
      root(2);
      ring(2, size);
      break;
    case HplBroadcast::ring_2:
      root(1);
      if (middle > 1) root(middle);
      ring(1, middle);
      ring(middle, size);
      break;
    case HplBroadcast::ring_2_modified:
      root(1);
      if (middle > 2) root(2);
      if (middle > 1) root(middle);
      ring(2, middle);
      ring(std::max(middle, 2), size);
      break;
    case HplBroadcast::long_:
      break;
    case HplBroadcast::long_modified:
      root(1);
      break;
  }
  return out;
}

}  // namespace factosim
