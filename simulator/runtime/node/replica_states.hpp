#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "factosim/id.hpp"

namespace factosim {

/// The order in which copies in one GPU's memory are evicted to make room for others.
///
/// All copies with memory are in one list. A new copy, and one that is found there when it is needed, goes to
/// the end. The list starts with the copies marked clean: those that no task will use any more, and those
/// that `tidy` had written back. From the first dirty copy on, the least recently used comes first. Finds the
/// next victim of each kind in logarithmic time, independent of the number of copies in use before it.
/// Source: StarPU 1.4 `memalloc.c` (mc_list, mc_dirty_head, starpu_memchunk_tidy), which scans the list
/// instead.
class EvictionOrder {
 public:
  /// Cost of evicting a copy, increasing. A shared copy is valid elsewhere too; an owned one is the only
  /// valid copy and must be written back. Reserved copies are meant for a task that was already sent to that
  /// GPU.
  enum class Kind : std::uint8_t { shared, reserved_shared, owned, reserved_owned, in_use };

  explicit EvictionOrder(std::size_t replicas) : places_(replicas) {}

  /// Begins with a replica anew, whose copy has no memory.
  void begin(LocalReplica replica) {
    if (replica.index() >= places_.size()) places_.resize(replica.index() + 1);
    places_[replica.index()] = {};
  }
  void add(LocalReplica replica);
  void remove(LocalReplica replica);
  /// The copy was found there when it was needed.
  void touch(LocalReplica replica);
  /// No task will use the copy any more: moves it behind the clean ones.
  void wont_use(LocalReplica replica);
  /// The copy was written.
  void dirty(LocalReplica replica);
  void set_kind(LocalReplica replica, Kind kind);
  [[nodiscard]] bool contains(LocalReplica replica) const { return places_[replica.index()].listed; }

  [[nodiscard]] Kind kind(LocalReplica replica) const { return places_[replica.index()].kind; }
  /// The list, whatever the kind; an invalid id at its end.
  [[nodiscard]] LocalReplica first() const { return first_; }
  [[nodiscard]] LocalReplica next(LocalReplica replica) const { return places_[replica.index()].next; }

  /// Returns the first copy of that kind; an invalid id without one.
  [[nodiscard]] LocalReplica first(Kind kind);
  /// Returns the first copy of any of the kinds; an invalid id without one.
  [[nodiscard]] LocalReplica first(std::initializer_list<Kind> kinds);

  /// How the shares of clean copies are counted: `whole` rounds them down to whole copies.
  enum class Shares : std::uint8_t { exact, whole };
  /// If fewer than 5 % of the copies are marked clean, marks the first dirty ones that may be written back until 10 % are, and
  /// appends to `marked` those to be written back. `keep(replica)`: its copy is left as it is, since a task, possibly of another
  /// GPU, is about to overwrite it.
  template <class Keep>
  void tidy(Keep const& keep, Shares shares, std::vector<LocalReplica>& marked) {
    auto const fewer_than = [&](std::size_t percent) {
      return shares == Shares::exact ? clean_ * 100 < listed_ * percent : clean_ < listed_ * percent / 100;
    };
    if (!fewer_than(5)) return;
    bool skipped = false;
    for (LocalReplica r = dirty_head_; r.valid() && fewer_than(10);) {
      Place& p = place(r);
      if (!p.clean && keep(r)) {
        skipped = true;  // the head stays before it
      } else if (!p.clean) {
        p.clean = true;
        ++clean_;
        marked.push_back(r);
      }
      r = p.next;
      if (!skipped) dirty_head_ = r;
    }
  }

 private:
  struct Place {
    LocalReplica previous, next;
    std::uint64_t key = 0;  // grows along the list
    Kind kind = Kind::in_use;
    bool clean = false;
    bool listed = false;
  };
  struct Candidate {
    std::uint64_t key;
    LocalReplica replica;
  };
  static constexpr std::size_t kinds = 4;  // those that can be evicted

  [[nodiscard]] Place& place(LocalReplica replica) { return places_[replica.index()]; }
  void push_back(LocalReplica replica);
  void insert_before_dirty(LocalReplica replica);
  void offer(LocalReplica replica);
  [[nodiscard]] bool is_current(Candidate const& candidate, Kind kind) const;

  std::vector<Place> places_;  // [replicas]
  LocalReplica first_, last_, dirty_head_;
  std::size_t listed_ = 0, clean_ = 0;
  std::uint64_t next_key_ = 0;
  std::array<std::vector<Candidate>, kinds> candidates_;  // heaps, least key on top; some are outdated
};

/// The copies of the replicas of one node on its memory nodes: which are valid, allocated, pinned or
/// reserved, and in which order those in limited memory are evicted. GPU memory is limited. RAM is only where
/// the last memory node is a disk; elsewhere nothing is allocated there or evicted.
class ReplicaStates {
 public:
  using Kind = EvictionOrder::Kind;

  /// `initial[r]`: the replica starts valid in memory node 0. `rams`: memory nodes before the first GPU's.
  /// `has_disk`: the last memory node is a disk, and `initial` must be false.
  ReplicaStates(std::vector<bool> const& initial, std::size_t memory_nodes, std::size_t rams = 1,
                bool has_disk = false);

  /// Adds a replica without any copy, under a new number or that of one that has been forgotten and is not `held`.
  void add(LocalReplica replica);
  /// Returns whether a copy of the replica is pinned or takes limited memory, as it may when it has been forgotten while a
  /// copy of it moves.
  [[nodiscard]] bool held(LocalReplica replica) const;

  [[nodiscard]] bool valid(LocalReplica replica, LocalMemory memory) const {
    return copy(replica, memory).valid;
  }
  [[nodiscard]] bool allocated(LocalReplica replica, LocalMemory memory) const {
    return !is_limited(memory) || copy(replica, memory).allocated;
  }
  /// Returns whether a copy is valid: none is while a first task overwrites the replica, or once it has been forgotten.
  [[nodiscard]] bool valid_somewhere(LocalReplica replica) const {
    return valid_copies_[replica.index()] > 0;
  }
  /// Returns whether that is the only valid copy.
  [[nodiscard]] bool is_only_valid(LocalReplica replica, LocalMemory memory) const {
    return copy(replica, memory).valid && valid_copies_[replica.index()] == 1;
  }
  /// Returns the first memory of a GPU with a valid copy; an invalid id without one.
  [[nodiscard]] LocalMemory on_gpu(LocalReplica replica) const {
    for (std::size_t m = rams_; m + (has_disk_ ? 1 : 0) < memory_nodes_; ++m)
      if (valid(replica, LocalMemory{m})) return LocalMemory{m};
    return {};
  }
  [[nodiscard]] bool is_ram(LocalMemory memory) const { return memory.index() < rams_; }
  [[nodiscard]] bool is_disk(LocalMemory memory) const {
    return has_disk_ && memory.index() + 1 == memory_nodes_;
  }
  [[nodiscard]] bool has_disk() const { return has_disk_; }
  /// Returns whether copies there are allocated and evicted: in all memory nodes from the first such one on.
  [[nodiscard]] bool is_limited(LocalMemory memory) const { return memory.index() >= first_limited(); }
  [[nodiscard]] std::size_t first_limited() const { return has_disk_ ? 0 : rams_; }
  /// Returns the memory node that copies evicted from there are written to: RAM for a GPU, the disk for RAM. An
  /// invalid id for the disk.
  [[nodiscard]] LocalMemory behind(LocalMemory memory) const {
    if (is_disk(memory)) return {};
    return LocalMemory{is_ram(memory) ? memory_nodes_ - 1 : 0};
  }
  [[nodiscard]] std::size_t replicas() const { return valid_copies_.size(); }
  [[nodiscard]] std::size_t memory_nodes() const { return memory_nodes_; }
  [[nodiscard]] std::size_t rams() const { return rams_; }
  /// The place of a copy in arrays of all copies: [replicas][memory nodes].
  [[nodiscard]] std::size_t copy_index(LocalReplica replica, LocalMemory memory) const {
    return replica.index() * memory_nodes_ + memory.index();
  }

  /// The copy becomes valid, beside others.
  void make_valid(LocalReplica replica, LocalMemory memory);
  /// The copy is written: it becomes the only valid one.
  void write(LocalReplica replica, LocalMemory memory);
  void allocate(LocalReplica replica, LocalMemory memory);
  /// The copy loses its memory, and is no longer valid.
  void deallocate(LocalReplica replica, LocalMemory memory);
  /// Makes all copies of the replica invalid and not allocated; their memory must have been given back.
  void forget(LocalReplica replica);

  /// A pinned copy is being read, written or moved and cannot be evicted.
  void pin(LocalReplica replica, LocalMemory memory);
  void unpin(LocalReplica replica, LocalMemory memory);
  /// That many tasks sent to that memory node will read or write the copy.
  void reserve(LocalReplica replica, LocalMemory memory, std::uint32_t tasks = 1);
  /// One such task starts; without effect if nothing is reserved.
  void release_reservation(LocalReplica replica, LocalMemory memory);

  /// A task holds the replica and will write it.
  void begin_write(LocalReplica replica) { being_written_[replica.index()] = true; }
  void end_write(LocalReplica replica) { being_written_[replica.index()] = false; }

  /// The copy was found there when it was needed.
  void touch(LocalReplica replica, LocalMemory memory);
  /// No task will use the replica any more.
  void wont_use(LocalReplica replica);

  /// Marks copies to be written back ahead of time; see EvictionOrder::tidy.
  void tidy(LocalMemory memory, std::vector<LocalReplica>& marked) {
    if (short_)
      order(memory).tidy([this](LocalReplica r) { return locked(r); }, EvictionOrder::Shares::whole, marked);
    else
      order(memory).tidy(
          [this, memory](LocalReplica r) {
            return being_written_[r.index()] || kind(r, memory) == Kind::in_use;
          },
          EvictionOrder::Shares::exact, marked);
  }
  [[nodiscard]] EvictionOrder& order(LocalMemory memory) { return orders_[memory.index()]; }

  /// A task that reads or writes the replica is ready.
  void accessed(LocalReplica replica, bool writes);
  /// A GPU's memory is full. From now on, while the last access that became ready writes a replica, none of its copies
  /// is evicted as long as any is pinned (memalloc.c, may_free_handle).
  void memory_is_short();
  [[nodiscard]] bool is_memory_short() const { return short_; }
  /// Ends what `memory_is_short` says of copies of replicas that are written. Returns whether it was in force.
  bool ignore_locks();
  [[nodiscard]] Kind kind(LocalReplica replica, LocalMemory memory) const;

 private:
  struct Copy {
    std::uint32_t reservations = 0;
    std::uint16_t pins = 0;
    bool valid = false;
    bool allocated = false;
  };

  [[nodiscard]] Copy const& copy(LocalReplica r, LocalMemory m) const { return copies_[copy_index(r, m)]; }
  [[nodiscard]] Copy& copy(LocalReplica r, LocalMemory m) { return copies_[copy_index(r, m)]; }
  void set_valid(LocalReplica replica, LocalMemory memory, bool valid);
  void update(LocalReplica replica, LocalMemory memory);
  void update_all(LocalReplica replica);
  [[nodiscard]] bool locked(LocalReplica replica) const {
    return locks_ && written_[replica.index()] && pins_[replica.index()] > 0;
  }

  std::size_t memory_nodes_;
  std::size_t rams_;
  bool has_disk_;
  std::vector<Copy> copies_;                // [replicas][memory nodes]
  std::vector<std::uint8_t> valid_copies_;  // [replicas]
  std::vector<bool> being_written_;         // [replicas]
  std::vector<std::uint16_t> pins_;         // [replicas] of all copies
  std::vector<bool> written_;               // [replicas] the last access that became ready writes
  bool short_ = false;                      // see memory_is_short
  bool locks_ = true;
  std::vector<EvictionOrder> orders_;  // [memory nodes]; empty where memory is not limited
};

}  // namespace factosim
