#include "simulator/runtime/policies/policies.hpp"

#include <stdexcept>
#include <utility>

/// The files of policies, in the order in which messages list their policies. FILE.cpp defines FILE_policies(), which
/// returns the policies that it has.
#define FACTOSIM_FILES_OF_POLICIES(FILE) \
  FILE(central)                          \
  FILE(random)                           \
  FILE(work_stealing)                    \
  FILE(dm_family)                        \
  FILE(heft)                             \
  FILE(darts)                            \
  FILE(heteroprio)

namespace factosim {

#define FACTOSIM_DECLARE(file) std::vector<PolicyKind> file##_policies();
FACTOSIM_FILES_OF_POLICIES(FACTOSIM_DECLARE)
#undef FACTOSIM_DECLARE

namespace {

std::vector<PolicyKind> const& policies() {
  static std::vector<PolicyKind> const all = [] {
    std::vector<PolicyKind> out;
#define FACTOSIM_ADD(file) \
  for (PolicyKind & policy : file##_policies()) out.push_back(std::move(policy));
    FACTOSIM_FILES_OF_POLICIES(FACTOSIM_ADD)
#undef FACTOSIM_ADD
    return out;
  }();
  return all;
}

}  // namespace

std::unique_ptr<Scheduler> make_scheduler(SchedulerOptions const& options, NodeView const& node) {
  if (options.own) return options.own(node);
  for (PolicyKind const& policy : policies())
    if (policy.name == options.type) return policy.make(options, node);
  throw std::out_of_range("unknown scheduler " + options.type);
}

std::vector<std::string> scheduler_names() { return names_of(policies()); }

std::vector<DescribedName> described_policies() { return described(policies()); }

}  // namespace factosim
