#include "simulator/runtime/eviction/eviction_policies.hpp"

#include <stdexcept>

#include "simulator/runtime/eviction/farthest_use.hpp"
#include "simulator/runtime/eviction/first_in.hpp"
#include "simulator/runtime/eviction/least_used.hpp"

namespace factosim {

namespace {

using Maker = EvictionChoice (*)(NodeView const&, Scheduler&);

EvictionChoice of_scheduler(NodeView const& /*node*/, Scheduler& scheduler) {
  return {.policy = scheduler.eviction(), .owned = {}};
}

EvictionChoice own_list(NodeView const& /*node*/, Scheduler& /*scheduler*/) { return {}; }

template <class Policy>
EvictionChoice made(NodeView const& node, Scheduler& scheduler) {
  auto policy = std::make_unique<Policy>(node, scheduler);
  EvictionPolicy* const address = policy.get();
  return {.policy = address, .owned = std::move(policy)};
}

/// A scheduling policy that evicts by least use itself knows more about its plans than the tasks that it has sent.
EvictionChoice least_used(NodeView const& node, Scheduler& scheduler) {
  return scheduler.eviction() != nullptr ? of_scheduler(node, scheduler) : made<LeastUsed>(node, scheduler);
}

struct EvictionKind {
  std::string name;
  Maker make;
  std::string description;
};

/// The list of all eviction policies.
std::vector<EvictionKind> const& evictions() {
  static std::vector<EvictionKind> const all = {
      {"default", of_scheduler, "the scheduling policy's own (`darts`: `luf`), else `lru`"},
      {"lru", own_list, "StarPU's list: least recently used, clean copies first"},
      {"fifo", made<FirstIn>, "the copy whose memory was allocated first"},
      {"luf", least_used,
       "least used in the future: the copy that the fewest planned tasks use and no popped one"},
      {"belady", made<FarthestUse>, "the copy whose next use by popped and planned tasks is farthest"},
  };
  return all;
}

}  // namespace

std::vector<DescribedName> described_evictions() { return described(evictions()); }

EvictionChoice make_eviction(std::string const& name, NodeView const& node, Scheduler& scheduler) {
  for (EvictionKind const& eviction : evictions())
    if (eviction.name == name) return eviction.make(node, scheduler);
  throw std::out_of_range("unknown eviction policy " + name);
}

}  // namespace factosim
