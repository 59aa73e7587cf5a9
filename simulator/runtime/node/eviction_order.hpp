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
  void unlink(LocalReplica replica);
  void offer(LocalReplica replica);
  [[nodiscard]] bool is_current(Candidate const& candidate, Kind kind) const;

  std::vector<Place> places_;  // [replicas]
  LocalReplica first_, last_, dirty_head_;
  std::size_t listed_ = 0, clean_ = 0;
  std::uint64_t next_key_ = 0;
  std::array<std::vector<Candidate>, kinds> candidates_;  // heaps, least key on top; some are outdated
};

}  // namespace factosim
