#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "simulator/experiments/hpl/hpl_system.hpp"

namespace factosim {

/// Times of messages between processes whose nodes' cards are shared by a given number of messages. Uplinks of
/// switches and backbones are taken as never limiting.
class HplLinks {
 public:
  HplLinks(HplSystem const& system, Platform const& platform);

  /// Returns the time of a message of that many bytes, or of one in each direction at once, on cards that `share`
  /// messages share.
  [[nodiscard]] double seconds(std::size_t a, std::size_t b, double bytes, double share) const {
    if (node_[a] == node_[b]) return local_latency_[a] + bytes * local_per_byte_[a];
    return latency_[a] + latency_[b] + core_latency_ + bytes * share * std::max(per_byte_[a], per_byte_[b]);
  }

  [[nodiscard]] std::uint32_t node_of(std::size_t process) const { return node_[process]; }
  [[nodiscard]] std::size_t nodes() const { return nodes_; }
  /// Whether some node has several processes.
  [[nodiscard]] bool cards_are_shared() const { return cards_are_shared_; }

  /// Processes of this one's column on its node: their messages along rows and within the column share its card.
  [[nodiscard]] double in_column(std::size_t process) const { return in_column_[process]; }

  /// Whether processes of different columns are on the same node.
  [[nodiscard]] bool columns_share_cards() const {
    return std::ranges::any_of(others_, [](auto const& others) { return !others.empty(); });
  }

  /// Returns the factors by which columns of processes that use the cards at once slow each other down. Column c starts
  /// at `starts[c]` and would take `alone[c]` if no other were there; while it is active, each of its processes shares
  /// its card with those of the other active columns on its node. O(Q^2).
  [[nodiscard]] std::vector<double> slow_downs(std::span<double const> starts,
                                               std::span<double const> alone) const;

 private:
  std::vector<std::uint32_t> node_;  // [processes], like the next six
  std::vector<double> latency_, per_byte_, local_latency_, local_per_byte_, in_column_;
  double core_latency_;
  std::size_t nodes_;
  bool cards_are_shared_;
  /// [columns] the other columns with processes on the same nodes, and how many of these share a card with a process
  /// of the column, on average, relative to the processes of the column itself there
  std::vector<std::vector<std::pair<std::size_t, double>>> others_;
};

}  // namespace factosim
