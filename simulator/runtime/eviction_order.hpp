#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace factosim {

/// In which order copies in one GPU's memory make room for others.
///
/// All copies with memory stand in one list. A new one, and one that is found there when it is wanted, goes
/// to the end. The list starts with copies marked clean: those that nothing will use any more, and those that
/// `tidy` had written back; behind them, from the first dirty one on, the least recently used comes first.
/// The next victim of each kind is found in logarithmic time, however many copies are in use before it.
/// Source: StarPU 1.4 `memalloc.c` (mc_list, mc_dirty_head, starpu_memchunk_tidy), which scans the list
/// instead.
class EvictionOrder {
 public:
  static constexpr std::uint32_t none = 0xffffffffU;

  /// What taking a copy's memory needs. Promised ones are meant for a task that was already sent to that GPU.
  enum class Kind : std::uint8_t { shared, promised_shared, owned, promised_owned, in_use };

  explicit EvictionOrder(std::size_t replicas) : places_(replicas) {}

  void add(std::uint32_t replica);
  void remove(std::uint32_t replica);
  /// It was found there when it was wanted.
  void touch(std::uint32_t replica);
  /// Nothing will use it any more: to the end of the clean ones.
  void wont_use(std::uint32_t replica);
  /// It was written.
  void dirty(std::uint32_t replica);
  void set_kind(std::uint32_t replica, Kind kind);
  [[nodiscard]] bool contains(std::uint32_t replica) const { return places_[replica].listed; }

  /// The first one of that kind, or none.
  [[nodiscard]] std::uint32_t first(Kind kind);
  /// The earlier one of the first ones of two kinds, or none.
  [[nodiscard]] std::uint32_t first(Kind a, Kind b);

  /// When less than 5 % of the copies are marked clean, marks the first dirty ones that are not in use until
  /// 10 % are, and appends to `marked` those to be written back. `being_written[r]`: a task, maybe of another
  /// GPU, is about to make the copy worthless, which is left as it is.
  void tidy(std::vector<bool> const& being_written, std::vector<std::uint32_t>& marked);

 private:
  struct Place {
    std::uint32_t previous = none, next = none;
    std::uint64_t key = 0;  // grows along the list
    Kind kind = Kind::in_use;
    bool clean = false;
    bool listed = false;
  };
  struct Candidate {
    std::uint64_t key;
    std::uint32_t replica;
  };
  static constexpr std::size_t kinds = 4;  // those that can be victims

  void push_back(std::uint32_t replica);
  void unlink(std::uint32_t replica);
  void offer(std::uint32_t replica);
  [[nodiscard]] bool stands(Candidate const& candidate, Kind kind) const;

  std::vector<Place> places_;  // [replicas]
  std::uint32_t first_ = none, last_ = none, dirty_head_ = none;
  std::size_t listed_ = 0, clean_ = 0;
  std::uint64_t next_key_ = 0;
  std::array<std::vector<Candidate>, kinds> candidates_;  // heaps, least key on top; some no longer stand
};

}  // namespace factosim
