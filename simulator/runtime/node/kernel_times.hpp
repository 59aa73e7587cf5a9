#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "factosim/error.hpp"
#include "factosim/id.hpp"
#include "simulator/base/core/time_grid.hpp"
#include "simulator/runtime/node/node_services.hpp"
#include "simulator/runtime/node/noise.hpp"
#include "simulator/runtime/node/replay_oracle.hpp"
#include "simulator/tasks/plan/machine.hpp"

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

/// A core that a worker shares with the communication thread. The thread polls all the time, which leaves the
/// worker its share. While the thread handles a message both want the core, and the fair scheduler of the
/// operating system gives each half of it: handling takes twice its time, and the worker loses what its share
/// exceeds a half by in that time.
class SharedCore {
 public:
  explicit SharedCore(Machine::SharedCore const& core) : core_(core) {}

  [[nodiscard]] bool belongs_to(LocalWorker worker) const { return core_.worker == worker; }
  /// A kernel starts. Returns the factor of its duration.
  [[nodiscard]] double start() {
    FACTOSIM_EXPECT(!computes_, "two kernels run on one core");
    computes_ = true;
    return 1 / core_.worker_share;
  }
  void end() { computes_ = false; }

  /// The thread handles messages for `needed` of processor time. Returns how long that takes.
  [[nodiscard]] Seconds handle(Seconds needed) {
    if (!computes_) return needed;
    taken_ += needed * (2 * core_.worker_share - 1) / core_.worker_share;
    return needed * 2;
  }
  /// Returns by how much the kernel that was to end now is late, because of what was handled since the last
  /// call.
  [[nodiscard]] Seconds delay() { return std::exchange(taken_, Seconds{0}); }

 private:
  Machine::SharedCore core_;
  bool computes_ = false;
  Seconds taken_{0};
};

/// The cores of one node that run kernels, by socket. A kernel is slowed down for its whole duration by the
/// cores that are busy when it starts: to follow them while it runs would reschedule all kernels of the socket
/// at each start and end.
class BusyCores {
 public:
  /// `contention` must outlive this.
  explicit BusyCores(Machine::Contention const& contention)
      : contention_(contention), busy_(contention.socket.size(), 0) {}

  /// A kernel starts on the core of that worker. Returns the factor of its duration.
  [[nodiscard]] double start(std::size_t kernel, LocalWorker worker) {
    return contention_.factor(kernel, ++busy_[contention_.socket[worker.index()]]);
  }
  void end(LocalWorker worker) {
    FACTOSIM_EXPECT(busy_[contention_.socket[worker.index()]] > 0, "a kernel ends on an idle socket");
    --busy_[contention_.socket[worker.index()]];
  }

 private:
  Machine::Contention const& contention_;
  std::vector<std::uint32_t> busy_;  // [sockets]
};

/// Durations of the kernels of one node (recorded, drawn, or the mean), what prolongs them, and the recorded
/// pauses before them. Policies know only the means.
class KernelTimes {
 public:
  KernelTimes(NodeId node, SimulationInputs const& inputs, ReplayOracle& replay, TimeGrid grid)
      : node_(node), inputs_(inputs), replay_(replay), grid_(grid) {
    if (inputs.noise.on()) noise_.emplace(inputs.noise, inputs.machine, node);
    Machine::Type const& type = inputs.machine.type(node);
    if (type.contention) busy_cores_.emplace(*type.contention);
    if (type.shared_core) shared_core_.emplace(*type.shared_core);
    if (type.workers_per_gpu > 1) shared_gpus_.emplace(type.gpus, type.workers_per_gpu, grid);
  }

  /// The task's kernel starts on the worker. Returns its duration, in whole ticks of the clock.
  [[nodiscard]] Seconds start(TaskId task, LocalWorker worker) {
    Seconds duration = undisturbed(task, worker);
    if (busy_cores_ && !is_gpu(worker))
      duration = duration * busy_cores_->start(inputs_.graph.kernel[task.index()], worker);
    if (shares_core(worker)) duration = duration * shared_core_->start();
    return grid_.duration(duration);
  }
  /// A kernel ends on the worker.
  void end(LocalWorker worker) {
    if (busy_cores_ && !is_gpu(worker)) busy_cores_->end(worker);
    if (shares_core(worker)) shared_core_->end();
  }
  /// Returns the GPUs of the node if the worker shares one of them with others; null otherwise.
  [[nodiscard]] SharedGpus* shared_gpus(LocalWorker worker) {
    return shared_gpus_ && is_gpu(worker) ? &*shared_gpus_ : nullptr;
  }
  /// Returns by how much the kernel that was to end now is late, because of the communication thread.
  [[nodiscard]] Seconds delay(LocalWorker worker) {
    return shares_core(worker) ? shared_core_->delay() : Seconds{0};
  }
  /// The communication thread handles messages for `needed` of processor time. Returns how long that takes.
  [[nodiscard]] Seconds communicate(Seconds needed) {
    return shared_core_ ? shared_core_->handle(needed) : needed;
  }
  void task_ready(TaskId task, Seconds now) { replay_.task_ready(task, now); }
  /// Returns the recorded delay of the task's kernel, which could start now. `last_end`: of the worker's
  /// previous kernel.
  [[nodiscard]] Seconds pause_before(TaskId task, LocalWorker worker, Seconds last_end, Seconds now) const {
    return replay_.pause(task, is_gpu(worker), last_end, now);
  }

 private:
  [[nodiscard]] Seconds undisturbed(TaskId task, LocalWorker worker) {
    if (auto const recorded = replay_.duration(task, is_gpu(worker))) return *recorded;
    std::uint32_t const kernel = inputs_.graph.kernel[task.index()];
    Seconds const of_kernel{
        noise_ ? noise_->duration(inputs_.graph.submission_number(task), kernel, worker.value())
               : inputs_.machine.durations(node_, kernel)[worker.index()]};
    if (inputs_.graph.weights.empty()) return of_kernel;
    return of_kernel * inputs_.graph.weight(task, is_gpu(worker));
  }
  [[nodiscard]] bool shares_core(LocalWorker worker) const {
    return shared_core_ && shared_core_->belongs_to(worker);
  }
  [[nodiscard]] bool is_gpu(LocalWorker worker) const {
    return inputs_.machine.type(node_).workers[worker.index()].gpu;
  }

  NodeId node_;
  SimulationInputs const& inputs_;
  ReplayOracle& replay_;
  TimeGrid grid_;
  std::optional<Noise> noise_;             // only where durations differ from the means
  std::optional<BusyCores> busy_cores_;    // only where cores slow each other down
  std::optional<SharedCore> shared_core_;  // only where the communication thread has no core of its own
  std::optional<SharedGpus> shared_gpus_;  // only where GPUs have several workers
};

}  // namespace factosim
