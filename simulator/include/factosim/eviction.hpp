#pragma once

#include <cstdint>

#include "factosim/id.hpp"

namespace factosim {

/// The copies that have memory on one GPU, in the order of the runtime system's list: the least recently used first.
class ResidentCopies {
 public:
  virtual ~ResidentCopies() = default;
  /// Returns an invalid id at the end of the list.
  [[nodiscard]] virtual LocalReplica first() const = 0;
  [[nodiscard]] virtual LocalReplica next(LocalReplica copy) const = 0;
  /// Returns whether the copy may leave for the request in question: no task or transfer uses it, and for a prefetch
  /// no task that was sent to that GPU waits for it.
  [[nodiscard]] virtual bool evictable(LocalReplica copy) const = 0;
};

/// A request for memory that found none.
struct EvictionRequest {
  LocalMemory memory;
  LocalReplica wanted;  // the replica that needs memory
  bool urgent = false;  // a task that a worker has popped waits; else a prefetch
  ResidentCopies const& copies;
};

/// Chooses the copies that leave a GPU's memory when it is full: one object for all GPUs of a node. StarPU calls this
/// a victim selector (datawizard/memalloc.c, starpu_data_register_victim_selector). One file for each policy.
class EvictionPolicy {
 public:
  struct Victim {
    enum class Is : std::uint8_t {
      copy,       // this one, written back before if it is the only valid copy
      none,       // the request waits
      by_default  // what the runtime system's own list says
    };
    Is is = Is::none;
    LocalReplica copy = {};  // evictable
  };
  [[nodiscard]] static constexpr Victim copy(LocalReplica replica) {
    return {.is = Victim::Is::copy, .copy = replica};
  }
  [[nodiscard]] static constexpr Victim none() { return {.is = Victim::Is::none}; }
  [[nodiscard]] static constexpr Victim by_default() { return {.is = Victim::Is::by_default}; }

  virtual ~EvictionPolicy() = default;

  /// Asked again for the same request if the copy was in use again before it could leave.
  [[nodiscard]] virtual Victim victim(EvictionRequest const& request) = 0;

  /// The replica received memory there.
  virtual void allocated(LocalReplica /*replica*/, LocalMemory /*memory*/) {}
  /// The policy of the node has sent the task to a worker of that memory; a worker there has popped it, or has run it.
  virtual void pushed(TaskId /*task*/, LocalMemory /*memory*/) {}
  virtual void popped(TaskId /*task*/, LocalMemory /*memory*/) {}
  virtual void finished(TaskId /*task*/, LocalMemory /*memory*/) {}
};

}  // namespace factosim
