#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "factosim/id.hpp"
#include "factosim/quantity.hpp"
#include "factosim/task_graph.hpp"

namespace factosim {

/// A quantity of a node at a date; a series has its average over each interval of time.
enum class Level : std::uint8_t {
  submitted,          // submitted tasks whose kernel has not ended
  ready,              // tasks pushed to the policy whose kernel has not started
  running,            // kernels that run
  ram,                // bytes of tiles: owned, or received and still needed
  messages_sent,      // in flight from the node
  messages_received,  // in flight to the node
};
/// Kinds of transfers by link; a series has the bytes of those that ended in each interval.
enum class Carried : std::uint8_t { nic_out, nic_in, h2d, d2h, d2d, h2h };

/// Levels and bytes of each node over time, and the ends of each iteration, while a simulation runs.
///
/// Time is divided into at most `points` equal intervals, of 2^-20 s at first. When a date is after the last
/// one, neighbours are merged and intervals become twice as long. O(1) per recorded event, in any order of
/// dates, and O(nodes x points) per doubling. Needs 144 bytes per node and point, and 8 per task.
class Series {
 public:
  /// `graph` must outlive the series.
  Series(TaskGraph const& graph, std::size_t nodes, std::size_t points);

  void change(NodeId node, Level level, Seconds date, double by);
  void carry(NodeId node, Carried over, Seconds date, Bytes size);
  /// The kernel of the task has run: removes the task from all levels.
  void task_ran(TaskId task, NodeId node, Seconds start, Seconds end);
  /// A message has arrived.
  void message_carried(NodeId from, NodeId to, Seconds start, Seconds end, Bytes size);
  /// A copy inside the node has ended.
  void copy_carried(NodeId node, bool from_ram, bool to_ram, Seconds date, Bytes size);

  /// Returns the last recorded date: the end of the last interval.
  [[nodiscard]] Seconds end() const { return end_; }
  [[nodiscard]] Seconds interval() const { return interval_; }
  [[nodiscard]] std::size_t node_count() const { return nodes_; }
  /// Returns the number of intervals up to the end; the last one may be shorter.
  [[nodiscard]] std::size_t interval_count() const;
  /// Returns the time averages: [intervals].
  [[nodiscard]] std::vector<double> averages(NodeId node, Level level) const;
  /// Returns the transferred bytes: [intervals].
  [[nodiscard]] std::vector<Bytes> bytes(NodeId node, Carried over) const;

  /// Ends of the kernels of one iteration of the factorization.
  struct Iteration {
    std::int32_t k = 0;
    std::size_t tasks = 0;
    Seconds first, median, last;  // median of an even number: mean of the two in the middle
  };
  /// Returns the iterations in the order of k, exactly. O(tasks log tasks).
  [[nodiscard]] std::vector<Iteration> iterations() const;

 private:
  static constexpr std::size_t levels = 6;
  static constexpr std::size_t carriers = 6;
  /// One node during one interval.
  struct Point {
    std::array<double, levels> change{};  // sum of changes in this interval
    std::array<double, levels> area{};    // integral of these changes until the interval ends
    std::array<std::int64_t, carriers> bytes{};
  };

  /// Returns the interval of the date; doubles intervals until there is one.
  [[nodiscard]] std::size_t interval_of(Seconds date);
  void double_interval();
  [[nodiscard]] std::span<Point const> points_of(NodeId node) const {
    return {data_.data() + node.index() * points_, points_};
  }

  TaskGraph const& graph_;
  std::size_t nodes_, points_;
  Seconds interval_{1.0 / (1 << 20)};  // a power of two: doubling and dividing by it are exact
  Seconds end_{0};
  std::vector<Point> data_;         // [nodes][points]
  std::vector<Seconds> task_ends_;  // [tasks]
};

/// A node as shown in a series.
struct SeriesNode {
  std::string type;
  bool bus = false;  // the node has several memories
};

/// Returns the series as JSON (`factosim-series`, version 1); deterministic. Averages are rounded to four
/// decimals, averages of bytes to whole numbers. `nodes` has an entry per node.
std::string series_json(Series const& series, std::vector<SeriesNode> const& nodes);

}  // namespace factosim
