#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "factosim/error.hpp"
#include "factosim/id.hpp"
#include "simulator/base/core/time_grid.hpp"

namespace factosim {

/// How kernels in flight share a GPU: each has the part that it uses alone, but those that use most have equal parts of what
/// the others leave (max-min fair parts).
class GpuLevel {
 public:
  GpuLevel() = default;
  /// `parts`: what each uses alone, above 0 and at most 1; they are sorted. O(n log n).
  explicit GpuLevel(std::vector<double>& parts) : limited_(static_cast<double>(parts.size())) {
    std::ranges::sort(parts);
    for (double const part : parts) {
      if (part * limited_ > left_) return;
      left_ -= part;
      --limited_;
    }
  }

  /// Returns the factor of the duration of a kernel that uses that part alone.
  [[nodiscard]] double slowdown(double part) const {
    return limited_ > 0 && part * limited_ > left_ ? part * limited_ / left_ : 1;
  }
  /// Returns the sum of the parts that the kernels have.
  [[nodiscard]] double used() const { return limited_ > 0 ? 1 : 1 - left_; }

 private:
  double left_ = 1;     // by the kernels that have what they use alone
  double limited_ = 0;  // the other kernels
};

/// The kernels in flight on the GPUs of a node with several workers each. Each needs some part of its GPU to run as fast as
/// alone; see GpuLevel for the parts that they have. n kernels that need all of one run at 1/n of its speed.
/// Source of that: StarPU-SimGrid, where the workers of a GPU are actors on one host of one core (core/simgrid.c), whose
/// speed SimGrid divides equally.
class SharedGpus {
 public:
  SharedGpus(std::size_t workers, std::size_t workers_per_gpu, TimeGrid grid)
      : workers_per_gpu_(workers_per_gpu),
        grid_(grid),
        kernels_(workers),
        since_(workers / workers_per_gpu),
        levels_(workers / workers_per_gpu) {}

  /// A kernel that lasts `work` alone on the GPU, and uses that part of it, starts on the worker. Calls `post(worker, date)`
  /// with the new date of the end of each kernel in flight on the GPU.
  template <class Post>
  void start(LocalWorker worker, Seconds work, double part, Seconds now, Post const& post) {
    progress(gpu(worker), now);
    kernels_[worker.index()] = {.runs = true, .part = part, .left = work, .drawn = work * part};
    announce(gpu(worker), now, post);
  }
  /// The kernel on the worker has ended.
  template <class Post>
  void end(LocalWorker worker, Seconds now, Post const& post) {
    progress(gpu(worker), now);
    kernels_[worker.index()].runs = false;
    announce(gpu(worker), now, post);
  }
  /// Returns whether a kernel on the worker ends at that date, the last that was posted for it.
  [[nodiscard]] bool ends(LocalWorker worker, Seconds now) const {
    return kernels_[worker.index()].runs && kernels_[worker.index()].end <= now;
  }
  /// Returns for how long the last kernel on the worker drew the power of the GPU. Of a GPU's power, which it draws as soon as
  /// one kernel runs, each counts in proportion to its part.
  [[nodiscard]] Seconds drawn(LocalWorker worker) const { return kernels_[worker.index()].drawn; }

 private:
  struct Kernel {
    bool runs = false;
    double part = 1;   // of the GPU, that it uses alone
    Seconds left{0};   // alone on the GPU
    Seconds end{0};    // with those that run now
    Seconds drawn{0};  // as if the whole GPU were in use from now on
  };

  [[nodiscard]] std::size_t gpu(LocalWorker worker) const { return worker.index() / workers_per_gpu_; }
  /// What runs on the GPU since the last call has progressed.
  void progress(std::size_t gpu, Seconds now) {
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

  /// Divides the GPU among what runs there.
  void share(std::size_t gpu) {
    parts_.clear();
    for (std::size_t w = gpu * workers_per_gpu_; w < (gpu + 1) * workers_per_gpu_; ++w)
      if (kernels_[w].runs) parts_.push_back(kernels_[w].part);
    levels_[gpu] = GpuLevel(parts_);
  }
  template <class Post>
  void announce(std::size_t gpu, Seconds now, Post const& post) {
    share(gpu);
    for (std::size_t w = gpu * workers_per_gpu_; w < (gpu + 1) * workers_per_gpu_; ++w) {
      Kernel& kernel = kernels_[w];
      if (!kernel.runs) continue;
      kernel.end = grid_.after(now, grid_.duration(kernel.left * levels_[gpu].slowdown(kernel.part)));
      post(LocalWorker{w}, kernel.end);
    }
  }

  std::size_t workers_per_gpu_;
  TimeGrid grid_;
  std::vector<Kernel> kernels_;   // [workers of GPUs]
  std::vector<Seconds> since_;    // [GPUs] date of the last change
  std::vector<GpuLevel> levels_;  // [GPUs] since then
  std::vector<double> parts_;     // scratch
};

}  // namespace factosim
