#pragma once

#include <utility>

#include "simulator/tasks/plan/machine.hpp"

namespace factosim {

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

}  // namespace factosim
