#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "factosim/eviction.hpp"
#include "factosim/scheduler.hpp"
#include "simulator/base/core/named_values.hpp"

namespace factosim {

/// An eviction policy and who owns it.
struct EvictionChoice {
  EvictionPolicy* policy = nullptr;       // null: the runtime system's own list
  std::unique_ptr<EvictionPolicy> owned;  // of the node; empty if the policy is the scheduler's
};

/// An eviction policy: its name in scenarios, how it is made for a node, and one line about it.
struct EvictionKind {
  std::string name;
  EvictionChoice (*make)(NodeView const&, Scheduler&);
  std::string description;
};

/// `EvictionKind::make` of a class that the node owns.
template <class Policy>
EvictionChoice made_eviction(NodeView const& node, Scheduler& scheduler) {
  auto policy = std::make_unique<Policy>(node, scheduler);
  EvictionPolicy* const address = policy.get();
  return {.policy = address, .owned = std::move(policy)};
}

/// Returns all eviction policies, with one line about each. The first is the default.
[[nodiscard]] std::vector<DescribedName> described_evictions();

/// Makes the eviction policy of a node. The references must outlive it. Throws std::out_of_range for a name that
/// `described_evictions()` does not list.
[[nodiscard]] EvictionChoice make_eviction(std::string const& name, NodeView const& node,
                                           Scheduler& scheduler);

/// Returns the scheduling policy, which from now on reports to `eviction` which tasks it sends to a worker, and which
/// tasks workers pop and end. The references must outlive it.
[[nodiscard]] std::unique_ptr<Scheduler> observed(std::unique_ptr<Scheduler> policy, NodeView const& node,
                                                  EvictionPolicy& eviction);

}  // namespace factosim
