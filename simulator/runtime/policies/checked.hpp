#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "factosim/id.hpp"
#include "factosim/scheduler.hpp"

namespace factosim {

#if FACTOSIM_CONTRACTS
constexpr bool own_policies_are_checked = true;
#else
constexpr bool own_policies_are_checked = false;
#endif

/// How messages name a policy.
struct PolicyName {
  std::string name;
  std::string where;  // place of its name in the input; empty: it stands in none
  bool built_in = false;

  /// Throws InputError; of a policy that is built in, ContractError.
  [[noreturn]] void fail(std::string_view problem) const;
};

/// Makes policies and checks what they answer: always those of users, and the program's own where contracts are checked.
class CheckedPolicies {
 public:
  explicit CheckedPolicies(SchedulerOptions const& options);

  /// Makes the policy of one node. It fails, naming the policy, as soon as it assigns a task to a worker
  /// that does not exist or cannot run it, or returns a task that was not pushed, was popped before, or that the worker
  /// cannot run.
  [[nodiscard]] std::unique_ptr<Scheduler> make(SchedulerOptions const& options, NodeView const& node);
  /// To be called when a run has come to a stop. Fails if a policy still has tasks.
  void check_empty() const;

 private:
  friend class CheckedScheduler;
  /// The tasks of all nodes; outlives the policies.
  struct Tasks {
    static constexpr std::uint32_t popped = NodeId::none - 1;
    /// [tasks of the graph] the node where the task was pushed, `NodeId::none` before that, `popped` after
    std::vector<std::uint32_t> at;
  };

  PolicyName name_;
  std::uint32_t nodes_ = 0;  // that have a policy
  std::shared_ptr<Tasks> tasks_;
};

}  // namespace factosim
