#include "simulator/runtime/node/bus_streams.hpp"

#include <algorithm>

#include "factosim/error.hpp"

namespace factosim {

namespace {

bool writes_into_ends(BusStreams::Copy const& writer, BusStreams::Copy const& gpu_copy) {
  return writer.to == gpu_copy.from || writer.to == gpu_copy.to;
}

}  // namespace

bool BusStreams::sequential(Copy const& a, Copy const& b) const {
  if (a.from == b.from && a.to == b.to) return true;
  if (disk_.valid() && on_disk(a) && on_disk(b))
    return half_duplex_ || (a.from == disk_) == (b.from == disk_);
  if (parallel_copies_) return false;
  if (between_gpus(a) && a.from == b.to && a.to == b.from) return true;
  return (between_gpus(a) && writes_into_ends(b, a)) || (between_gpus(b) && writes_into_ends(a, b));
}

bool BusStreams::submit(RequestId request, LocalMemory from, LocalMemory to) {
  Copy copy{.request = request, .from = from, .to = to, .number = submitted_++};
  copy.waits = static_cast<std::uint32_t>(std::count_if(
      pending_.begin(), pending_.end(), [&](Copy const& earlier) { return sequential(copy, earlier); }));
  pending_.push_back(copy);
  return copy.waits == 0;
}

void BusStreams::end(RequestId request, std::vector<Copy>& startable) {
  auto const ended =
      std::find_if(pending_.begin(), pending_.end(), [&](Copy const& c) { return c.request == request; });
  FACTOSIM_EXPECT(ended != pending_.end(), "a copy ends that was not submitted");
  for (auto later = ended + 1; later != pending_.end(); ++later)
    if (sequential(*later, *ended) && --later->waits == 0) startable.push_back(*later);
  pending_.erase(ended);
}

}  // namespace factosim
