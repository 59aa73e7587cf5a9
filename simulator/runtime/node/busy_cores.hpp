#pragma once

#include <cstdint>
#include <vector>

#include "simulator/tasks/plan/machine.hpp"

namespace factosim {

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
  void end(LocalWorker worker) { --busy_[contention_.socket[worker.index()]]; }

 private:
  Machine::Contention const& contention_;
  std::vector<std::uint32_t> busy_;  // [sockets]
};

}  // namespace factosim
