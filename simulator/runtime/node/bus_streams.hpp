#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "factosim/error.hpp"
#include "factosim/id.hpp"

namespace factosim {

/// The order that the streams of a GPU runtime impose on the copies inside one node. Two copies run one after
/// the other when they have the same source and destination, when they are GPU to GPU in opposite directions,
/// or when one is GPU to GPU and the other writes into its source or destination. All others overlap and
/// share the links. With parallel copies only those of the same source and destination follow each other, as peer
/// copies on streams of their own do over NVLink. Copies from a disk follow each other, and so do those to it; on a
/// half-duplex disk all do.
/// Source: StarPU 1.4 `simgrid.c`, transfers_are_sequential.
class BusStreams {
 public:
  /// `rams`: the number of memory nodes before the first GPU's.
  explicit BusStreams(std::size_t rams = 1, bool parallel_copies = false)
      : rams_(rams), parallel_copies_(parallel_copies) {}
  /// `disk`: the memory node of the disk.
  BusStreams(std::size_t rams, bool parallel_copies, LocalMemory disk, bool half_duplex)
      : rams_(rams), parallel_copies_(parallel_copies), disk_(disk), half_duplex_(half_duplex) {}

  struct Copy {
    RequestId request;
    LocalMemory from, to;
    std::uint32_t waits = 0;   // earlier copies that must end first
    std::uint64_t number = 0;  // in the order of submission
  };

  /// Returns whether the copy may start at once.
  bool submit(RequestId request, LocalMemory from, LocalMemory to) {
    Copy copy{.request = request, .from = from, .to = to, .number = submitted_++};
    copy.waits = static_cast<std::uint32_t>(std::count_if(
        pending_.begin(), pending_.end(), [&](Copy const& earlier) { return sequential(copy, earlier); }));
    pending_.push_back(copy);
    return copy.waits == 0;
  }
  /// Removes a copy that has ended; appends those that may start now, in the order of submission.
  void end(RequestId request, std::vector<Copy>& startable) {
    auto const ended =
        std::find_if(pending_.begin(), pending_.end(), [&](Copy const& c) { return c.request == request; });
    FACTOSIM_EXPECT(ended != pending_.end(), "a copy ends that was not submitted");
    for (auto later = ended + 1; later != pending_.end(); ++later)
      if (sequential(*later, *ended) && --later->waits == 0) startable.push_back(*later);
    pending_.erase(ended);
  }
  /// Returns the number of copies submitted until now.
  [[nodiscard]] std::uint64_t submitted() const { return submitted_; }
  /// Returns whether the first `count` copies submitted have ended.
  [[nodiscard]] bool have_ended(std::uint64_t count) const {
    return pending_.empty() || pending_.front().number >= count;
  }

 private:
  static bool writes_into_ends(Copy const& writer, Copy const& gpu_copy) {
    return writer.to == gpu_copy.from || writer.to == gpu_copy.to;
  }
  [[nodiscard]] bool between_gpus(Copy const& c) const {
    return c.from.index() >= rams_ && c.to.index() >= rams_;
  }
  [[nodiscard]] bool on_disk(Copy const& c) const { return c.from == disk_ || c.to == disk_; }
  [[nodiscard]] bool sequential(Copy const& a, Copy const& b) const {
    if (a.from == b.from && a.to == b.to) return true;
    if (disk_.valid() && on_disk(a) && on_disk(b))
      return half_duplex_ || (a.from == disk_) == (b.from == disk_);
    if (parallel_copies_) return false;
    if (between_gpus(a) && a.from == b.to && a.to == b.from) return true;
    return (between_gpus(a) && writes_into_ends(b, a)) || (between_gpus(b) && writes_into_ends(a, b));
  }

  std::size_t rams_;
  bool parallel_copies_;
  LocalMemory disk_{};  // invalid: none
  bool half_duplex_ = false;
  std::vector<Copy> pending_;  // in the order of submission
  std::uint64_t submitted_ = 0;
};

/// Drivers that wait until the bus has carried all copies submitted before: memory is given back to a GPU's allocator when no
/// copy is in progress. Source: StarPU 1.4 `simgrid.c`, _starpu_simgrid_sync_gpus.
class BusBarriers {
 public:
  explicit BusBarriers(std::size_t memory_nodes) : waits_for_(memory_nodes, 0) {}

  /// The driver of that memory waits. Returns whether it has to.
  bool begin(LocalMemory memory, BusStreams const& streams) {
    if (streams.have_ended(streams.submitted())) return false;
    waits_for_[memory.index()] = streams.submitted();
    ++waiting_;
    return true;
  }
  /// Returns whether the driver waits no longer.
  [[nodiscard]] bool passed(LocalMemory memory, BusStreams const& streams) const {
    return streams.have_ended(waits_for_[memory.index()]);
  }
  /// A copy has ended: calls `use(memory)` for each driver that waited for it.
  template <class Use>
  void release(BusStreams const& streams, Use const& use) {
    for (std::size_t m = 0; waiting_ > 0 && m < waits_for_.size(); ++m) {
      if (waits_for_[m] == 0 || !passed(LocalMemory{m}, streams)) continue;
      waits_for_[m] = 0;
      --waiting_;
      use(LocalMemory{m});
    }
  }

 private:
  std::vector<std::uint64_t>
      waits_for_;  // [memory nodes] number of copies submitted when the wait began; 0: does not wait
  std::uint32_t waiting_ = 0;
};

}  // namespace factosim
