#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "simulator/analysis/trace_links.hpp"
#include "simulator/calibration/gpus.hpp"

namespace factosim {

/// One direction between two memory nodes of a machine, as copies show it.
struct MeasuredLink {
  std::size_t from = 0, to = 0;  // 0: RAM; then the GPUs
  LinkFit fit;
  double spread = 0;  // distance of the quartiles of large copies, as a part of their median
};

/// The latency is what a copy of one byte takes, the bandwidth what one of 32 MiB takes beyond it, both as
/// medians: as StarPU measures its buses, one copy at a time. `copy(bytes)` copies and waits.
[[nodiscard]] LinkFit measure_link(std::function<void(Bytes)> const& copy, double* spread = nullptr);

/// Both directions between the RAM and each GPU, and between each two GPUs.
[[nodiscard]] std::vector<MeasuredLink> measure_links(Gpus& gpus);

}  // namespace factosim
