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
#include "distributions/list_tasks.hpp"
#include "distributions/tile_flows.hpp"
#include "simulator/runtime/policies/expected_queue.hpp"

namespace factosim {

/// Which worker of its node gets a ready task in a list schedule.
enum class WorkerChoice : std::uint8_t {
  earliest_end,  // the one that the runtime system expects to end it first, as dmdas does
  core_first,    // an idle core, else an idle GPU
  gpu_first,     // an idle GPU, else an idle core
  any_idle       // either: prio wakes a GPU first, but a core may look for tasks before it
};

/// Where a tile is on its node.
struct TilePlace {
  std::uint8_t memory = 0;  // of the worker that wrote it last or will write it next
  bool comes = false;       // it is on its way to there
  std::uint32_t been = 1;   // a bit for each memory in which it has been

  [[nodiscard]] bool was_in(std::uint32_t in) const { return (been >> in & 1U) != 0; }
};

/// The workers of one node in a list schedule: their queues, the memories that they compute in, and the copies of
/// tiles between these. Data that tasks only read may be in several memories.
class NodeWorkers {
 public:
  struct Started {
    std::uint32_t tile;
    double end;
  };

  /// `node`: its number. `choice`: not any_idle. `places`: [tiles]. `flows` carries the copies. The references must
  /// outlive this.
  NodeWorkers(std::uint32_t node, NodeCosts const& costs, WorkerChoice choice, ListTasks const& tasks,
              std::vector<TilePlace>& places, TileFlows& flows);

  /// A datum of another node, which so many tasks read, is in the RAM.
  void receive(std::uint32_t datum, std::size_t uses);
  /// The datum is in a memory.
  void put(std::uint32_t datum, std::uint32_t memory);

  /// The next task on the tile is ready. Returns the worker that may start it, if there is one. O(workers).
  std::optional<std::size_t> push(std::size_t tile, double now);

  /// Returns the next task that the worker runs, if it may hold one more and the operands are there.
  std::optional<Started> start(std::size_t worker, double now);

  /// A copy has come, or the memory for it. The workers that may start are appended to `startable`.
  void copied(TileFlows::Cargo const& cargo, double now, std::vector<std::size_t>& startable);

  /// The worker has ended a task.
  void finish(std::size_t worker, double now);

  /// Copies the datum from the memory where it is to the RAM.
  void bring_to_ram(std::uint32_t datum, int order, double now) { bring(datum, ram, order, now); }
  [[nodiscard]] bool in_ram(std::uint32_t datum) const {
    return !costs_.bus || (copies_[datum].there & bit(ram)) != 0;
  }

 private:
  static constexpr std::uint32_t ram = 0;
  struct Worker {
    EqualWorkers const* costs;
    std::uint32_t memory;
    double end_of_held = 0;                // date
    std::optional<ListTask> fetching{};    // waits for its operands, and the worker takes no other task
    std::vector<std::uint32_t> running{};  // tiles whose tasks it runs one after the other
    ExpectedQueue queue{};                 // earliest_end: its own tasks

    [[nodiscard]] bool may_take() const {
      return !fetching && static_cast<int>(running.size()) < costs->held;
    }
    [[nodiscard]] bool can_run(std::size_t kind) const { return !std::isinf(costs->seconds[kind]); }
  };
  /// Where the copies of a datum are.
  struct Copies {
    std::uint32_t there = 0, coming = 0;  // a bit for each memory
    std::uint32_t uses = 0;               // that are left, of data of other nodes
  };
  using Ready = std::pair<int, std::uint32_t>;  // order and tile
  using ReadyTasks = std::priority_queue<Ready, std::vector<Ready>, std::greater<>>;

  [[nodiscard]] NodeBus::Route const& predicted(std::uint32_t from, std::uint32_t to) const {
    return costs_.bus->routes[from * memories_ + to];
  }
  [[nodiscard]] std::optional<std::size_t> take(Worker& worker, double now);
  [[nodiscard]] std::optional<std::size_t> first_idle(std::size_t kind) const;
  /// Puts the task into the queue of the worker that the runtime system expects to end it first.
  [[nodiscard]] std::size_t enqueue(ListTask const& task, double now);
  /// Returns the time that the runtime system expects for the copies of what the task lacks in a memory.
  [[nodiscard]] double expected_copies(ListTask const& task, std::uint32_t memory) const;
  /// Counts the tiles that the task lacks in a memory.
  [[nodiscard]] Readiness readiness(ListTask const& task, std::uint32_t memory) const;
  /// Asks for the operands of the task in a memory, and for its tile.
  void bring_all(ListTask const& task, std::uint32_t memory, double now);
  void bring(std::uint32_t datum, std::uint32_t memory, int order, double now);
  void end_use(std::uint32_t datum);
  /// Copies what the cargo says, after memory for it has been allocated unless `has_memory`.
  void send(TileFlows::Cargo cargo, bool has_memory, double now);
  void send_copy(TileFlows::Cargo const& cargo, double now);
  /// Returns the memory where the datum is and from where its copy takes the shortest time.
  [[nodiscard]] std::uint32_t source(std::uint32_t datum, std::uint32_t to) const;

  [[nodiscard]] static constexpr std::uint32_t bit(std::uint32_t memory) { return 1U << memory; }

  std::uint32_t node_;
  NodeCosts const& costs_;
  WorkerChoice choice_;
  ListTasks const& tasks_;
  std::uint32_t memories_;
  std::vector<TilePlace>& places_;
  TileFlows& flows_;
  std::uint32_t first_queue_ = 0;
  std::vector<TileFlows::Route> routes_;  // [memories][memories]
  TileFlows::Route allocator_;
  std::vector<Worker> workers_;
  std::array<ReadyTasks, task_kinds> ready_;  // [kinds] tasks for idle workers
  std::vector<Copies> copies_;                // [data]; empty: all are in the RAM
  std::vector<std::size_t> kept_;             // [memories] tiles whose memory can be reused
};

}  // namespace factosim
