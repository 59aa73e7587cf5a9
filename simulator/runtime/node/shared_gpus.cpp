#include "simulator/runtime/node/shared_gpus.hpp"

#include <algorithm>

#include "factosim/error.hpp"

namespace factosim {

GpuLevel::GpuLevel(std::vector<double>& parts) : limited_(static_cast<double>(parts.size())) {
  std::ranges::sort(parts);
  for (double const part : parts) {
    if (part * limited_ > left_) return;
    left_ -= part;
    --limited_;
  }
}

void SharedGpus::progress(std::size_t gpu, Seconds now) {
  Seconds const passed = now - since_[gpu];
  FACTOSIM_EXPECT(passed.value >= 0, "the clock of a GPU goes back");
  double const used = levels_[gpu].used();
  for (std::size_t w = gpu * workers_per_gpu_; w < (gpu + 1) * workers_per_gpu_; ++w) {
    Kernel& kernel = kernels_[w];
    if (!kernel.runs) continue;
    double const slowdown = levels_[gpu].slowdown(kernel.part);
    kernel.left = Seconds{std::max(0.0, kernel.left.value - passed.value / slowdown)};
    if (used < 1) kernel.drawn += passed * (kernel.part / used - kernel.part);
  }
  since_[gpu] = now;
}

void SharedGpus::share(std::size_t gpu) {
  parts_.clear();
  for (std::size_t w = gpu * workers_per_gpu_; w < (gpu + 1) * workers_per_gpu_; ++w)
    if (kernels_[w].runs) parts_.push_back(kernels_[w].part);
  levels_[gpu] = GpuLevel(parts_);
}

}  // namespace factosim
