#pragma once

#include <span>
#include <vector>

#include "simulator/audit/rules/run_view.hpp"

namespace factosim::audit {

/// How long each task would have lasted with its worker's device for itself, and for how long it drew the power of the device.
/// Of the kernels that run on one GPU at once, each has the part that it uses alone (`ExpectedMachine::part`), up to the level
/// at which the GPU is full. Between two starts or ends of kernels, one progresses by the part that it has over the one that it
/// uses alone, and draws power by the part that it has over those that all have.
class GpuTime {
 public:
  explicit GpuTime(RunView const& view);

  [[nodiscard]] double alone_s(std::size_t task) const { return alone_s_[task]; }
  [[nodiscard]] double drawn_s(std::size_t task) const { return drawn_s_[task]; }

 private:
  struct Running {
    std::uint32_t task;
    double part;
  };
  void pass(double seconds, std::span<Running const> by_part);

  std::vector<double> alone_s_, drawn_s_;  // [tasks]
};

}  // namespace factosim::audit
