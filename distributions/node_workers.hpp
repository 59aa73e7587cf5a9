#pragma once

#include <cstddef>
#include <optional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "distributions/factorization_work.hpp"

namespace factosim {

/// The workers of one node in a list schedule: their queues, the memories that they compute in, and the copies of
/// tiles between these. A GPU computes in a memory of its own, all other workers in the RAM, memory 0. Data that
/// tasks only read, `data` of them, may be in several memories.
class NodeWorkers {
 public:
  struct Task {
    int order;
    std::size_t tile;
    std::size_t kind;
    double ready = 0;  // date when its operands are in the memory of its worker
    bool operator<(Task const& other) const {
      return std::pair(order, tile) > std::pair(other.order, other.tile);
    }
  };
  struct Started {
    std::size_t tile;
    double end;
  };

  NodeWorkers(NodeCosts const& costs, std::size_t data);

  /// Marks the datum as present in a memory.
  void put(std::size_t datum, std::size_t memory);

  /// Gives the task to the worker that would end it first after the copies of its operands and all that the worker
  /// has. `written`: memory of the tile that it writes, which moves to the worker's. Returns the worker. O(workers).
  std::size_t push(Task task, std::span<std::size_t const> read, std::size_t& written, double now);

  /// The next task that the worker takes, if it may hold one more.
  std::optional<Started> start(std::size_t worker, double now);

  /// The worker has ended a task.
  void finish(std::size_t worker) { --workers_[worker].held; }

  /// Copies a tile from that memory to the RAM. Returns the date when it is there.
  double fetch_to_ram(std::size_t memory, double now);

 private:
  struct Memory {
    double copy = 0;                 // of a tile from or to the RAM, in seconds
    double in_end = 0, out_end = 0;  // dates when the copies to it and from it end
  };
  struct Worker {
    EqualWorkers const* costs;
    std::size_t memory;
    double end_of_all = 0, end_of_held = 0;  // dates
    int held = 0;
    std::priority_queue<Task> queue{};
  };

  [[nodiscard]] bool has(std::size_t datum, std::size_t memory) const {
    return !present_.empty() && present_[memory * data_ + datum];
  }
  /// Returns the memory to copy the datum from: the RAM if it is there.
  [[nodiscard]] std::size_t source(std::size_t datum) const;
  /// Returns the end of a copy after the earlier ones into a memory, `in_end`.
  [[nodiscard]] double copied(std::size_t from, std::size_t to, double in_end, double now) const;

  std::size_t data_;
  std::vector<Memory> memories_;
  std::vector<Worker> workers_;
  std::vector<bool> present_;  // [memories][data]; empty: nothing is anywhere
};

}  // namespace factosim
