#include <functional>
#include <stdexcept>

#include "factosim/scheduler.hpp"
#include "simulator/core/named_values.hpp"
#include "simulator/sched/central.hpp"
#include "simulator/sched/dm_family.hpp"
#include "simulator/sched/heft.hpp"
#include "simulator/sched/heteroprio.hpp"
#include "simulator/sched/random.hpp"
#include "simulator/sched/work_stealing.hpp"

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
std::unique_ptr<Scheduler> without_options(SchedulerOptions const&, NodeView const& node) {
  return std::make_unique<Policy>(node);
}

std::unique_ptr<Scheduler> random_choice(SchedulerOptions const& options, NodeView const& node) {
  return std::make_unique<RandomScheduler>(options.seed, node);
}

struct Policy {
  std::string name;
  Maker make;
};

/// The list of all policies.
std::vector<Policy> const& policies() {
  static std::vector<Policy> const all = {
      {"eager", central(CentralScheduler::Order::fifo)},
      {"prio", central(CentralScheduler::Order::priority)},
      {"random", random_choice},
      {"ws", without_options<WorkStealingScheduler>},
      {"lws", without_options<WorkStealingScheduler>},
      {"dm", deque_model({})},
      {"dmda", deque_model({.data_aware = true})},
      {"dmdar", deque_model({.data_aware = true, .ready_first = true})},
      {"dmdap", deque_model({.data_aware = true, .sorted = true})},
      {"dmdas", deque_model({.data_aware = true, .sorted = true, .ready_first = true})},
      {"dmdasd",
       deque_model({.data_aware = true, .sorted = true, .ready_first = true, .sorted_decision = true})},
      {"heft", without_options<HeftScheduler>},
      {"heteroprio", without_options<HeteroprioScheduler>},
  };
  return all;
}

}  // namespace

std::unique_ptr<Scheduler> make_scheduler(SchedulerOptions const& options, NodeView const& node) {
  for (Policy const& policy : policies())
    if (policy.name == options.type) return policy.make(options, node);
  throw std::out_of_range("unknown scheduler " + options.type);
}

std::vector<std::string> scheduler_names() { return names_of(policies()); }

}  // namespace factosim
