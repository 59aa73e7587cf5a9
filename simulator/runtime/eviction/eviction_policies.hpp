#pragma once

#include <memory>
#include <string>
#include <vector>

#include "factosim/eviction.hpp"
#include "factosim/scheduler.hpp"
#include "simulator/base/core/named_values.hpp"

namespace factosim {

/// Returns all eviction policies, with one line about each. The first is the default.
[[nodiscard]] std::vector<DescribedName> described_evictions();

/// An eviction policy and who owns it.
struct EvictionChoice {
  EvictionPolicy* policy = nullptr;       // null: the runtime system's own list
  std::unique_ptr<EvictionPolicy> owned;  // of the node; empty if the policy is the scheduler's
};

/// Makes the eviction policy of a node. The references must outlive it. Throws std::out_of_range for a name that
/// `described_evictions()` does not list.
[[nodiscard]] EvictionChoice make_eviction(std::string const& name, NodeView const& node,
                                           Scheduler& scheduler);

}  // namespace factosim
