#include <functional>
#include <stdexcept>

#include "simulator/sched/central.hpp"
#include "simulator/sched/dm_family.hpp"
#include "simulator/sched/scheduler.hpp"

namespace factosim {

namespace {

using Maker = std::function<std::unique_ptr<Scheduler>(SchedulerOptions const&, NodeView const&)>;

Maker deque_model(DequeModelScheduler::Traits traits) {
  return [traits](SchedulerOptions const& options, NodeView const& node) {
    return std::make_unique<DequeModelScheduler>(traits, options, node);
  };
}

Maker central(bool by_priority) {
  return [by_priority](SchedulerOptions const&, NodeView const& node) {
    return std::make_unique<CentralScheduler>(by_priority, node);
  };
}

struct Policy {
  std::string name;
  Maker make;
};

/// The one place that knows which policies exist.
std::vector<Policy> const& policies() {
  static std::vector<Policy> const all = {
      {"eager", central(false)},
      {"prio", central(true)},
      {"dm", deque_model({.data_aware = false, .sorted = false, .ready_first = false})},
      {"dmda", deque_model({.data_aware = true, .sorted = false, .ready_first = false})},
      {"dmdar", deque_model({.data_aware = true, .sorted = false, .ready_first = true})},
      {"dmdap", deque_model({.data_aware = true, .sorted = true, .ready_first = false})},
      {"dmdas", deque_model({.data_aware = true, .sorted = true, .ready_first = true})},
  };
  return all;
}

}  // namespace

std::unique_ptr<Scheduler> make_scheduler(SchedulerOptions const& options, NodeView const& node) {
  for (Policy const& policy : policies())
    if (policy.name == options.type) return policy.make(options, node);
  throw std::out_of_range("unknown scheduler " + options.type);
}

std::vector<std::string> scheduler_names() {
  std::vector<std::string> names;
  for (Policy const& policy : policies()) names.push_back(policy.name);
  return names;
}

}  // namespace factosim
