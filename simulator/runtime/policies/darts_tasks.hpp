#pragma once

#include <cstdint>
#include <vector>

#include "factosim/scheduler.hpp"
#include "simulator/base/core/linked_items.hpp"
#include "simulator/runtime/policies/future_uses.hpp"

namespace factosim {

/// The ready tasks of a node as DARTS keeps them, and their tiles: the tasks that are not planned; the planned tasks of
/// each place; of each tile the unplanned tasks that use it; of each place the tiles that it has not used. A task has a
/// slot until it is handed out. Nothing is allocated for a task once there were as many tasks before.
class DartsTasks {
 public:
  /// A memory node that has workers. The first places are RAMs if they have cores that run tasks, then the GPUs.
  struct Place {
    LocalMemory memory;
    LocalWorker worker;  // the first one there
    std::size_t workers = 0;
  };

  DartsTasks(DartsOptions const& options, NodeView const& node);

  [[nodiscard]] std::vector<Place> const& places() const { return places_; }
  /// Returns the place of that memory node.
  [[nodiscard]] std::size_t place_of(LocalMemory memory) const { return place_of_[memory.index()]; }

 protected:
  static constexpr std::uint32_t none = LinkedItems::none;
  using Links = LinkedItems::Links;
  static constexpr std::size_t cached_places = 64;
  enum class In : std::uint8_t { nothing, ready, planned };  // the list of a task

  struct Task {
    TaskId id;
    In in = In::nothing;
    std::int32_t priority = 0;
    std::int64_t order = 0;  // in the list of unplanned tasks: smaller is earlier
    double length = 0;       // seconds, on the first worker of the node
    std::uint32_t operands = 0;
    std::uint64_t runs_on = 0;     // bit p: place p can run it
    std::uint32_t missing_at = 0;  // the plan that counted `missing`
    std::uint32_t missing = 0;     // operands that are not present, for that plan
  };
  struct Operand {
    LocalReplica replica;
    bool reads = false;
    bool listed = false;  // in the list of its tile
  };
  struct Tile {
    bool known = false;            // a task with it became ready
    double length = 0;             // sum of the lengths of the unplanned tasks with it
    LinkedItems users;             // operands of unplanned tasks, the newest first
    std::uint32_t present_at = 0;  // the plan that asked for `present`
    bool present = false;
  };
  struct Urgent {  // an unplanned task, perhaps planned since
    std::int32_t priority;
    std::int64_t order;
    std::uint32_t slot;
  };
  [[nodiscard]] std::uint32_t new_slot(TaskId task);
  [[nodiscard]] std::uint32_t operand(std::uint32_t slot, std::uint32_t i) const {
    return slot * stride_ + i;
  }
  [[nodiscard]] bool runs(std::uint32_t slot, std::size_t place) const;
  /// Whether all tiles of the task are there, or will be for a planned task.
  [[nodiscard]] bool is_free(std::uint32_t slot, std::size_t place) const;
  void know_tiles(std::uint32_t slot, bool list);
  /// Lists the operand among the users of its tile.
  void list_operand(std::uint32_t operand_index);
  /// Adds a task to the unplanned ones, as the first or the last.
  void make_ready(std::uint32_t slot, bool first);
  void take_unplanned(std::uint32_t slot, std::size_t place);
  /// Returns the most urgent unplanned task, the first among equals, or by the option the first one; `none` without one.
  [[nodiscard]] std::uint32_t most_urgent();
  [[nodiscard]] bool is_unused(std::uint32_t tile, std::size_t place) const {
    return unused_listed_[place * tiles_.size() + tile];
  }
  void add_unused(std::uint32_t tile, std::size_t place);
  void drop_unused(std::uint32_t tile, std::size_t place);
  /// Drops the first tile of the task that the place has not used.
  void drop_first_unused(std::uint32_t slot, std::size_t place);
  void insert_at_random(std::uint32_t tile, std::size_t place);

  DartsOptions options_;
  NodeView const& node_;
  std::vector<Place> places_;
  std::vector<std::size_t> place_of_;  // [memory nodes]
  FutureUses uses_;

  std::uint32_t stride_ = 1;          // most operands of a task
  std::vector<Task> tasks_;           // [slots]
  std::vector<Links> task_links_;     // [slots] in the list of unplanned tasks or of a place's planned ones
  std::vector<Operand> operands_;     // [slots][stride]
  std::vector<Links> operand_links_;  // [slots][stride] in the list of its tile
  std::vector<std::uint32_t> free_slots_;
  std::vector<Tile> tiles_;  // [replicas]

  LinkedItems ready_;           // unplanned tasks
  std::vector<Urgent> urgent_;  // heap of them; some are outdated
  std::int64_t first_order_ = 0, last_order_ = 0;
  std::vector<LinkedItems> planned_;              // [places]
  std::vector<LinkedItems> unused_;               // [places] of tiles
  std::vector<std::vector<Links>> unused_links_;  // [places][replicas]
  std::vector<bool> unused_listed_;               // [places][replicas]

 private:
  [[nodiscard]] std::uint32_t random_number();

  std::uint64_t random_ = 0x330E;  // state of lrand48 after srand48(0)
};

}  // namespace factosim
