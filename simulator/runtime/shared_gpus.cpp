#include "simulator/runtime/shared_gpus.hpp"

#include <algorithm>

namespace factosim {

double SharedGpus::in_flight(std::size_t gpu) const {
  auto const first = kernels_.begin() + static_cast<std::ptrdiff_t>(gpu * workers_per_gpu_);
  return static_cast<double>(std::count_if(first, first + static_cast<std::ptrdiff_t>(workers_per_gpu_),
                                           [](Kernel const& k) { return k.runs; }));
}

void SharedGpus::progress(std::size_t gpu, Seconds now) {
  double const share = in_flight(gpu);
  for (std::size_t w = gpu * workers_per_gpu_; w < (gpu + 1) * workers_per_gpu_; ++w)
    if (kernels_[w].runs)
      kernels_[w].left = Seconds{std::max(0.0, kernels_[w].left.value - (now - since_[gpu]).value / share)};
  since_[gpu] = now;
}

}  // namespace factosim
