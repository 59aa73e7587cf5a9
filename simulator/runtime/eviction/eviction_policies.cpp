#include "simulator/runtime/eviction/eviction_policies.hpp"

#include <stdexcept>

/// The files of eviction policies, in the order in which messages list them. FILE.cpp defines FILE_eviction().
#define FACTOSIM_FILES_OF_EVICTIONS(FILE) \
  FILE(first_in)                          \
  FILE(least_used)                        \
  FILE(farthest_use)

namespace factosim {

#define FACTOSIM_DECLARE(file) EvictionKind file##_eviction();
FACTOSIM_FILES_OF_EVICTIONS(FACTOSIM_DECLARE)
#undef FACTOSIM_DECLARE

namespace {

EvictionChoice of_scheduler(NodeView const& /*node*/, Scheduler& scheduler) {
  return {.policy = scheduler.eviction(), .owned = {}};
}

EvictionChoice own_list(NodeView const& /*node*/, Scheduler& /*scheduler*/) { return {}; }

std::vector<EvictionKind> const& evictions() {
  static std::vector<EvictionKind> const all = {
      {"default", of_scheduler, "the scheduling policy's own (`darts`: `luf`), else `lru`"},
      {"lru", own_list, "StarPU's list: least recently used, clean copies first"},
#define FACTOSIM_LIST(file) file##_eviction(),
      FACTOSIM_FILES_OF_EVICTIONS(FACTOSIM_LIST)
#undef FACTOSIM_LIST
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
