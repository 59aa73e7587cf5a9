#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "factosim/scheduler.hpp"
#include "simulator/base/core/named_values.hpp"

namespace factosim {

/// A scheduling policy: its name in scenarios, how it is made for a node, and one line about it.
struct PolicyKind {
  std::string name;
  std::function<std::unique_ptr<Scheduler>(SchedulerOptions const&, NodeView const&)> make;
  std::string description;
};

/// `PolicyKind::make` of a class that needs only its node.
template <class Policy>
std::unique_ptr<Scheduler> made_for_node(SchedulerOptions const& /*options*/, NodeView const& node) {
  return std::make_unique<Policy>(node);
}
/// The same of a class that has options.
template <class Policy>
std::unique_ptr<Scheduler> made_with_options(SchedulerOptions const& options, NodeView const& node) {
  return std::make_unique<Policy>(options, node);
}

/// Returns all policies, with one line about each.
[[nodiscard]] std::vector<DescribedName> described_policies();

}  // namespace factosim
