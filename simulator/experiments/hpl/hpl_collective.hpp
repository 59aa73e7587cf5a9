#pragma once

#include <algorithm>
#include <vector>

#include "simulator/experiments/hpl/hpl_links.hpp"
#include "simulator/experiments/hpl/hpl_messages.hpp"

namespace factosim {

/// Advances the dates of processes by a collective operation among them. In each round the messages that cross a card
/// share it.
class HplCollectiveDates {
 public:
  explicit HplCollectiveDates(HplLinks const& links) : links_(links), crossing_(links.nodes()) {}

  /// `dates[i]` belongs to process number i of the operation, `process(i)` in the grid. Processes outside the operation
  /// slow its messages down by a factor. O(messages without rolling).
  template <class Process>
  void advance(std::vector<double>& dates, HplCollective const& messages, double bytes_of_unit,
               double slow_down, Process const& process) {
    for (HplRound const& round : messages.rounds) {
      count_crossing(round, process);
      for (HplExchange const& e : round) {
        if (e.to_a == 0 && e.to_b == 0) continue;
        std::size_t const a = process(e.a), b = process(e.b);
        double& of_a = dates[static_cast<std::size_t>(e.a)];
        double& of_b = dates[static_cast<std::size_t>(e.b)];
        of_a = of_b = std::max(of_a, of_b) +
                      links_.seconds(a, b, bytes_of_unit * std::max(e.to_a, e.to_b), slow_down * share(a, b));
      }
    }
    if (messages.rolls > 0) roll(dates, messages, bytes_of_unit, slow_down, process);
  }

 private:
  /// After size - 1 rounds between neighbours each date depends on that of every process; an odd ring takes one more.
  template <class Process>
  void roll(std::vector<double>& dates, HplCollective const& messages, double bytes_of_unit, double slow_down,
            Process const& process) {
    int const size = messages.rolls + 1;
    HplRound neighbours;
    for (int i = 0; i + 1 < size; i += 2) neighbours.push_back({.a = i, .b = i + 1, .to_b = 1, .to_a = 1});
    double latest = 0, slowest = 0;
    for (int const first : {0, 1}) {
      for (HplExchange& e : neighbours)
        if (first == 1) e = {.a = (e.a + 1) % size, .b = (e.b + 1) % size, .to_b = 1, .to_a = 1};
      count_crossing(neighbours, process);
      for (HplExchange const& e : neighbours) {
        std::size_t const a = process(e.a), b = process(e.b);
        latest =
            std::max({latest, dates[static_cast<std::size_t>(e.a)], dates[static_cast<std::size_t>(e.b)]});
        slowest =
            std::max(slowest, links_.seconds(a, b, bytes_of_unit * messages.rolled, slow_down * share(a, b)));
      }
    }
    for (int i = 0; i < size; ++i)
      dates[static_cast<std::size_t>(i)] = latest + (messages.rolls + size % 2) * slowest;
  }

  /// Counts the exchanges of a round that cross each card.
  template <class Process>
  void count_crossing(HplRound const& round, Process const& process) {
    if (!links_.cards_are_shared()) return;
    for (HplExchange const& e : round)
      for (int const i : {e.a, e.b}) crossing_[links_.node_of(process(i))] = 0;
    for (HplExchange const& e : round) {
      std::uint32_t const a = links_.node_of(process(e.a)), b = links_.node_of(process(e.b));
      if (a == b) continue;
      ++crossing_[a];
      ++crossing_[b];
    }
  }
  [[nodiscard]] double share(std::size_t a, std::size_t b) const {
    if (!links_.cards_are_shared()) return 1;
    return std::max(crossing_[links_.node_of(a)], crossing_[links_.node_of(b)]);
  }

  HplLinks const& links_;
  std::vector<double> crossing_;  // [nodes], of the nodes of the round
};

}  // namespace factosim
