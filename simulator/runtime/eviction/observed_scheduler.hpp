#pragma once

#include <memory>

#include "factosim/eviction.hpp"
#include "factosim/scheduler.hpp"

namespace factosim {

/// Returns the policy, which from now on reports to `eviction` which tasks it sends to a worker, and which tasks
/// workers pop and end. The references must outlive it.
[[nodiscard]] std::unique_ptr<Scheduler> observed(std::unique_ptr<Scheduler> policy, NodeView const& node,
                                                  EvictionPolicy& eviction);

}  // namespace factosim
