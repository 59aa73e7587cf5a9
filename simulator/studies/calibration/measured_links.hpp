#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "simulator/report/analysis/trace_links.hpp"
#include "simulator/studies/calibration/gpus.hpp"

namespace factosim {

/// One direction between two memory nodes of a machine, measured by copies.
struct MeasuredLink {
  std::size_t from = 0, to = 0;  // 0: RAM; then the GPUs
  LinkFit fit;
  double spread = 0;  // interquartile range of large copies, divided by their median
};

/// Measures a link as StarPU does, one copy at a time: the latency is the median time of copies of one byte, the
/// bandwidth follows from the additional time of copies of 32 MiB. `copy(bytes)` copies and waits.
[[nodiscard]] LinkFit measure_link(std::function<void(Bytes)> const& copy, double* spread = nullptr);

/// Measures both directions between the RAM and each GPU, and between all pairs of GPUs.
[[nodiscard]] std::vector<MeasuredLink> measure_links(Gpus& gpus);

}  // namespace factosim
