#include "simulator/runtime/policies/policies.hpp"

#include <functional>
#include <stdexcept>

#include "factosim/scheduler.hpp"
#include "simulator/runtime/policies/central.hpp"
#include "simulator/runtime/policies/darts.hpp"
#include "simulator/runtime/policies/dm_family.hpp"
#include "simulator/runtime/policies/heft.hpp"
#include "simulator/runtime/policies/heteroprio.hpp"
#include "simulator/runtime/policies/random.hpp"
#include "simulator/runtime/policies/work_stealing.hpp"

namespace factosim {

namespace {

using Maker = std::function<std::unique_ptr<Scheduler>(SchedulerOptions const&, NodeView const&)>;

Maker deque_model(DequeModelScheduler::Traits traits) {
  return [traits](SchedulerOptions const& options, NodeView const& node) {
    return std::make_unique<DequeModelScheduler>(traits, options, node);
  };
}

Maker central(CentralScheduler::Order order) {
  return [order](SchedulerOptions const&, NodeView const& node) {
    return std::make_unique<CentralScheduler>(order, node);
  };
}

template <class Policy>
std::unique_ptr<Scheduler> with_options(SchedulerOptions const& options, NodeView const& node) {
  return std::make_unique<Policy>(options, node);
}

template <class Policy>
std::unique_ptr<Scheduler> without_options(SchedulerOptions const&, NodeView const& node) {
  return std::make_unique<Policy>(node);
}

std::unique_ptr<Scheduler> random_choice(SchedulerOptions const& options, NodeView const& node) {
  return std::make_unique<RandomScheduler>(options.seed, node);
}

struct Policy {
  std::string name;
  Maker make;
  std::string description;
};

/// The list of all policies.
std::vector<Policy> const& policies() {
  static std::vector<Policy> const all = {
      {"eager", central(CentralScheduler::Order::fifo), "one queue for all workers, first in, first out"},
      {"prio", central(CentralScheduler::Order::priority), "one queue for all workers, by priority"},
      {"random", random_choice, "a random worker, GPUs more often than cores"},
      {"ws", without_options<WorkStealingScheduler>, "a queue for each worker; idle workers steal"},
      {"lws", without_options<WorkStealingScheduler>,
       "as ws: StarPU's differs by a list of neighbours that its simulation lacks"},
      {"dm", deque_model({}), "the worker with the earliest expected end"},
      {"dmda", deque_model({.data_aware = true}), "dm, with the time of transfers"},
      {"dmdar", deque_model({.data_aware = true, .ready_first = true}),
       "dmda; tasks whose data are there first"},
      {"dmdap", deque_model({.data_aware = true, .sorted = true}), "dmda; queues by priority"},
      {"dmdas", deque_model({.data_aware = true, .sorted = true, .ready_first = true}),
       "dmda; queues by priority, then tasks whose data are there"},
      {"dmdasd",
       deque_model({.data_aware = true, .sorted = true, .ready_first = true, .sorted_decision = true}),
       "dmdas; the expected end counts only tasks of at least the priority"},
      {"heft", with_options<HeftScheduler>,
       "a plan made before the run: earliest finish time, by decreasing rank"},
      {"darts", with_options<DartsScheduler>,
       "plans by tile: the transfer that unlocks most work; evicts what is least used in the future"},
      {"heteroprio", without_options<HeteroprioScheduler>,
       "queues by kernel; GPUs and cores take them in opposite orders of acceleration"},
  };
  return all;
}

}  // namespace

std::unique_ptr<Scheduler> make_scheduler(SchedulerOptions const& options, NodeView const& node) {
  if (options.own) return options.own(node);
  for (Policy const& policy : policies())
    if (policy.name == options.type) return policy.make(options, node);
  throw std::out_of_range("unknown scheduler " + options.type);
}

std::vector<std::string> scheduler_names() { return names_of(policies()); }

std::vector<DescribedName> described_policies() { return described(policies()); }

}  // namespace factosim
