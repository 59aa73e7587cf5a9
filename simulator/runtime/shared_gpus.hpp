#pragma once

#include <cstddef>
#include <vector>

#include "factosim/id.hpp"
#include "simulator/core/time_grid.hpp"

namespace factosim {

/// The kernels in flight on the GPUs of a node with several workers each: n of them on one GPU run at 1/n of its speed.
/// Source: StarPU-SimGrid, where the workers of a GPU are actors on one host of one core (core/simgrid.c), whose speed
/// SimGrid divides equally.
class SharedGpus {
 public:
  SharedGpus(std::size_t workers, std::size_t workers_per_gpu, TimeGrid grid)
      : workers_per_gpu_(workers_per_gpu),
        grid_(grid),
        kernels_(workers),
        since_(workers / workers_per_gpu) {}

  /// A kernel that needs `work` alone on the GPU starts on the worker. Calls `post(worker, date)` with the new date of the end
  /// of each kernel in flight on the GPU.
  template <class Post>
  void start(LocalWorker worker, Seconds work, Seconds now, Post const& post) {
    progress(gpu(worker), now);
    kernels_[worker.index()] = {.runs = true, .work = work, .left = work};
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
  /// Returns what the last kernel on the worker needs alone on the GPU.
  [[nodiscard]] Seconds work(LocalWorker worker) const { return kernels_[worker.index()].work; }

 private:
  struct Kernel {
    bool runs = false;
    Seconds work{0}, left{0};  // alone on the GPU
    Seconds end{0};            // with those that run now
  };

  [[nodiscard]] std::size_t gpu(LocalWorker worker) const { return worker.index() / workers_per_gpu_; }
  [[nodiscard]] double in_flight(std::size_t gpu) const;
  /// What runs on the GPU since the last call has progressed.
  void progress(std::size_t gpu, Seconds now);
  template <class Post>
  void announce(std::size_t gpu, Seconds now, Post const& post) {
    double const share = in_flight(gpu);
    for (std::size_t w = gpu * workers_per_gpu_; w < (gpu + 1) * workers_per_gpu_; ++w) {
      Kernel& kernel = kernels_[w];
      if (!kernel.runs) continue;
      kernel.end = grid_.after(now, grid_.duration(kernel.left * share));
      post(LocalWorker{w}, kernel.end);
    }
  }

  std::size_t workers_per_gpu_;
  TimeGrid grid_;
  std::vector<Kernel> kernels_;  // [workers of GPUs]
  std::vector<Seconds> since_;   // [GPUs] date of the last change
};

}  // namespace factosim
