#pragma once

#include <vector>

#include "simulator/audit/run_view.hpp"

namespace factosim::audit {

/// How long each task would have lasted with its worker's device for itself. The kernels that run on one GPU at once have
/// equal parts of it: the integral of 1 / (their number) from the start of the task to its end.
class GpuTime {
 public:
  explicit GpuTime(RunView const& view);

  [[nodiscard]] double alone_s(std::size_t task) const { return alone_s_[task]; }

 private:
  std::vector<double> alone_s_;  // [tasks]
};

}  // namespace factosim::audit
