#pragma once

#include <cstdint>
#include <vector>

#include "simulator/runtime/node/bus_streams.hpp"

namespace factosim {

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
