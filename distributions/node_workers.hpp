#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "distributions/factorization_work.hpp"

namespace factosim {

/// Which worker of its node gets a ready task in a list schedule.
enum class WorkerChoice : std::uint8_t {
  earliest_end,  // the one that would end it first after the copies of its operands and all that the worker has, as with dmdas
  core_first,  // an idle core, else an idle GPU
  gpu_first,   // an idle GPU, else an idle core
  any_idle     // either: prio wakes a GPU first, but a core may look for tasks before it
};

/// The workers of one node in a list schedule: their queues, the memories that they compute in, and the copies of
/// tiles between these. A GPU computes in a memory of its own, all other workers in the RAM, memory 0. Data that
/// tasks only read, `data` of them, may be in several memories.
class NodeWorkers {
 public:
  /// Numbers of the data that a task reads, its own tile apart.
  struct Operands {
    std::array<std::size_t, 2> values{};
    std::size_t count = 0;
    [[nodiscard]] std::span<std::size_t const> data() const { return std::span(values).first(count); }
  };
  struct Task {
    int order;
    std::size_t tile;
    std::size_t kind;
    Operands read{};
    double ready = 0;  // date when its operands are in the memory of its worker
    bool operator<(Task const& other) const {
      return std::pair(order, tile) > std::pair(other.order, other.tile);
    }
  };
  struct Started {
    std::size_t tile;
    double end, ready;
    bool fetches;
  };

  /// `choice`: not any_idle. `places`: [tiles] memory of each tile of the node, which moves to that of the worker that writes it.
  NodeWorkers(NodeCosts const& costs, std::size_t data, WorkerChoice choice,
              std::vector<std::size_t>& places);

  /// Marks the datum as present in a memory.
  void put(std::size_t datum, std::size_t memory);

  /// A task is ready. Returns the worker that may start it, if there is one. O(workers).
  std::optional<std::size_t> push(Task task, double now);

  /// The next task that the worker takes, if it may hold one more.
  std::optional<Started> start(std::size_t worker, double now);

  /// The operands of the task that the worker took last are there.
  void fetched(std::size_t worker) { workers_[worker].fetches = false; }

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
    bool fetches = false;                    // operands of a task from the common queue, and takes no other
    int held = 0;
    std::priority_queue<Task> queue{};
  };

  [[nodiscard]] static bool may_take(Worker const& worker) {
    return worker.held < worker.costs->held && !worker.fetches;
  }
  [[nodiscard]] static bool can_run(Worker const& worker, std::size_t kind) {
    return !std::isinf(worker.costs->seconds[kind]);
  }
  /// Returns the queue of the next task that the worker takes, or null.
  [[nodiscard]] std::priority_queue<Task>* queue_for(Worker& worker);
  [[nodiscard]] std::optional<std::size_t> first_idle(std::size_t kind) const;
  /// Returns the worker that would end the task first, and sets `ready`.
  [[nodiscard]] std::size_t earliest(Task& task, double now) const;
  /// Copies the operands to the memory of the worker, and its tile. Returns the date when they are there.
  double bring(Task const& task, Worker const& worker, double now);
  /// Visits the copies that the task needs in a memory: from where, and when it ends.
  template <class Visit>
  void for_copies(Task const& task, std::size_t to, double now, Visit const& visit) const;
  [[nodiscard]] bool has(std::size_t datum, std::size_t memory) const {
    return !present_.empty() && present_[memory * data_ + datum];
  }
  /// Returns the memory to copy the datum from: the RAM if it is there.
  [[nodiscard]] std::size_t source(std::size_t datum) const;
  /// Returns the end of a copy after the earlier ones into a memory, `in_end`.
  [[nodiscard]] double copied(std::size_t from, std::size_t to, double in_end, double now) const;

  std::size_t data_;
  WorkerChoice choice_;
  std::vector<std::size_t>& places_;
  std::vector<Memory> memories_;
  std::vector<Worker> workers_;
  std::array<std::priority_queue<Task>, task_kinds> ready_;  // [kinds] tasks for idle workers
  std::vector<bool> present_;                                // [memories][data]; empty: nothing is anywhere
};

}  // namespace factosim
