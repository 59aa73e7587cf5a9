#include "simulator/runtime/proactive_eviction.hpp"

namespace factosim {

ProactiveEviction::ProactiveEviction(RuntimeOptions const& options, ReplicaStates& states,
                                     GpuAllocation& gpus)
    : min_free_(options.min_free_gpu_memory),
      target_free_(options.target_free_gpu_memory),
      states_(states),
      gpus_(gpus),
      to_free_(states.memory_nodes(), Bytes{0}),
      writing_(states.memory_nodes()) {}

ProactiveEviction::Step ProactiveEviction::next(LocalMemory memory) {
  Bytes& to_free = to_free_[memory.index()];
  if (to_free.value <= 0) {
    auto const capacity = static_cast<double>(gpus_.capacity(memory).value);
    auto const free = static_cast<double>(gpus_.available(memory).value);
    if (free >= min_free_ * capacity) return {};
    to_free = Bytes{static_cast<std::int64_t>(target_free_ * capacity - free)};
  }
  if (writing_[memory.index()].valid()) return {};
  using Kind = ReplicaStates::Kind;
  LocalReplica const victim = states_.order(memory).first({Kind::shared, Kind::owned});
  if (!victim.valid()) {
    to_free = Bytes{0};
    return {};
  }
  if (!states_.is_only_valid(victim, memory)) return {.evict = victim};
  writing_[memory.index()] = victim;
  return {.write_back = victim};
}

}  // namespace factosim
