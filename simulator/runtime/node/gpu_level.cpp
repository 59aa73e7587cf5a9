#include "simulator/runtime/node/gpu_level.hpp"

#include <algorithm>

namespace factosim {

GpuLevel::GpuLevel(std::vector<double>& parts) : limited_(static_cast<double>(parts.size())) {
  std::ranges::sort(parts);
  for (double const part : parts) {
    if (part * limited_ > left_) return;
    left_ -= part;
    --limited_;
  }
}

}  // namespace factosim
