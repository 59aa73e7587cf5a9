#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "factosim/id.hpp"
#include "factosim/scheduler.hpp"

namespace factosim {

/// How messages name a policy of a user.
struct PolicyName {
  std::string name;
  std::string where;  // place of its name in the input; empty: it stands in none

  /// Throws InputError.
  [[noreturn]] void fail(std::string_view problem) const;
};

/// Makes the policies of a user and checks what they answer.
class CheckedPolicies {
 public:
  /// `options` have a maker.
  explicit CheckedPolicies(SchedulerOptions const& options);

  /// Makes the policy of one node. It throws InputError, naming the policy, as soon as it assigns a task to a worker
  /// that does not exist or cannot run it, or returns a task that was not pushed, was popped before, or that the worker
  /// cannot run.
  [[nodiscard]] std::unique_ptr<Scheduler> make(NodeView const& node);
  /// To be called when a run has come to a stop. Throws InputError if a policy still has tasks.
  void check_empty() const;

 private:
  friend class CheckedScheduler;
  /// The tasks of all nodes; outlives the policies.
  struct Tasks {
    static constexpr std::uint32_t popped = NodeId::none - 1;
    /// [tasks of the graph] the node where the task was pushed, `NodeId::none` before that, `popped` after
    std::vector<std::uint32_t> at;
  };

  SchedulerMaker maker_;
  PolicyName name_;
  std::uint32_t nodes_ = 0;  // that have a policy
  std::shared_ptr<Tasks> tasks_;
};

}  // namespace factosim
