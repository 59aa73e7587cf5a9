#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "factosim/id.hpp"
#include "factosim/quantity.hpp"
#include "factosim/task_graph.hpp"

namespace factosim {

/// State variables of a node; a series stores their averages over intervals of time.
enum class Level : std::uint8_t {
  submitted,          // tasks submitted whose kernel has not ended
  ready,              // tasks handed to the policy whose kernel has not started
  running,            // kernels
  ram,  // bytes of tiles: owned, or received and still needed
  messages_sent,  // in flight from the node
  messages_received,  // in flight to the node
};
/// Transferred bytes; a series stores the bytes of the transfers that ended in each interval.
enum class Carried : std::uint8_t { nic_out, nic_in, h2d, d2h, d2d, h2h };

/// Records state variables and transferred bytes of each node over time, and the ends of each iteration,
/// during a simulation.
///
/// Time is divided into at most the given number of equal intervals. They start at 2^-20 s; when a date lies
/// beyond the last one, neighbours are merged and the interval length doubles. O(1) per event, in any order
/// of dates, and O(nodes x points) per doubling. Takes 144 bytes per node and point, and 8 per task.
class Series {
 public:
  /// `graph` must outlive the series.
  Series(TaskGraph const& graph, std::size_t nodes, std::size_t points);

  void change(NodeId node, Level level, Seconds date, double by);
  void carry(NodeId node, Carried over, Seconds date, Bytes size);
  /// Records a finished kernel; the task leaves all levels.
  void task_ran(TaskId task, NodeId node, Seconds start, Seconds end);
  /// Records the arrival of a message.
  void message_carried(NodeId from, NodeId to, Seconds start, Seconds end, Bytes size);
  /// Records the end of a copy inside the node.
  void copy_carried(NodeId node, bool from_ram, bool to_ram, Seconds date, Bytes size);

  /// The last recorded date, which ends the last interval.
  [[nodiscard]] Seconds end() const { return end_; }
  [[nodiscard]] Seconds interval() const { return interval_; }
  [[nodiscard]] std::size_t node_count() const { return nodes_; }
  /// Number of intervals up to the end; the last one may be shorter.
  [[nodiscard]] std::size_t interval_count() const;
  /// [intervals] time averages.
  [[nodiscard]] std::vector<double> averages(NodeId node, Level level) const;
  /// [intervals]
  [[nodiscard]] std::vector<Bytes> bytes(NodeId node, Carried over) const;

  /// Dates at which the kernels of one iteration of the factorization ended.
  struct Iteration {
    std::int32_t k = 0;
    std::size_t tasks = 0;
    Seconds first, median, last;  // even number of tasks: average of the two middle ones
  };
  /// Exact, in ascending order of k. O(tasks).
  [[nodiscard]] std::vector<Iteration> iterations() const;

 private:
  static constexpr std::size_t levels = 6;
  static constexpr std::size_t carriers = 6;
  /// One node during one interval.
  struct Point {
    std::array<double, levels> change{};  // sum of the changes in this interval
    std::array<double, levels> area{};  // their contribution until the interval ends, times seconds
    std::array<std::int64_t, carriers> bytes{};
  };

  /// Returns the interval of the date; doubles the interval length until one contains it.
  [[nodiscard]] std::size_t interval_of(Seconds date);
  void double_interval();
  [[nodiscard]] std::span<Point const> points_of(NodeId node) const {
    return {data_.data() + node.index() * points_, points_};
  }

  TaskGraph const& graph_;
  std::size_t nodes_, points_;
  Seconds interval_{1.0 / (1 << 20)};  // a power of two, so that doubling and dividing are exact
  Seconds end_{0};
  std::vector<Point> data_;         // [nodes][points]
  std::vector<Seconds> task_ends_;  // [tasks]
};

}  // namespace factosim
