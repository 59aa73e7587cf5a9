#include "simulator/runtime/steps/central_steps.hpp"

#include <algorithm>
#include <limits>

namespace factosim {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

}  // namespace

CentralSteps::CentralSteps(StepProblem const& p, StepGroups& groups) : groups_(groups) {
  for (Machine::Type const& type : p.machine.types) types_.emplace_back(type, p.options);
  for (std::uint32_t const type : p.machine.type_of) {
    nodes_.push_back({.type = type, .first_worker = free_.size(), .waiting = {}});
    free_.resize(free_.size() + types_[type].count(), 0);
  }
  saved_ = free_;
}

void CentralSteps::ready(StepGroupId id, double now, StepSchedule& out) {
  StepGroup const& group = groups_[id];
  Node& node = nodes_[group.node];
  node.waiting.push_back({group.priority, sequence_++, id});
  std::push_heap(node.waiting.begin(), node.waiting.end());
  if (node.is_starting) {
    if (!(node.current < node.waiting.front())) return;
    interrupt(node, now);
  }
  take_next(node, now, out);
}

void CentralSteps::proceed(std::uint32_t number, std::uint32_t generation, double now, StepSchedule& out) {
  Node& node = nodes_[number];
  if (node.generation == generation) take_next(node, now, out);
}

void CentralSteps::interrupt(Node& node, double now) {
  StepGroup& group = groups_[node.current.what];
  auto const free = free_of(node);
  std::copy_n(saved_.data() + node.first_worker, free.size(), free.begin());
  StepGroup::Part& part = group.parts[node.part];
  StepWorkers::Started const started =
      types_[node.type].start(free, part.kernel, part.tasks, node.since, now);
  part.tasks -= started.tasks;
  group.end = std::max(group.end, started.last_end);
  node.is_starting = false;
  node.waiting.push_back(node.current);
  std::push_heap(node.waiting.begin(), node.waiting.end());
}

void CentralSteps::plan_part(Node& node, double now) {
  auto const free = free_of(node);
  std::copy(free.begin(), free.end(), saved_.data() + node.first_worker);
  StepGroup::Part const& part = groups_[node.current.what].parts[node.part];
  node.since = now;
  node.plan = types_[node.type].start(free, part.kernel, part.tasks, now, never);
}

void CentralSteps::take_next(Node& node, double now, StepSchedule& out) {
  ++node.generation;
  while (true) {
    if (!node.is_starting) {
      if (node.waiting.empty()) return;
      std::pop_heap(node.waiting.begin(), node.waiting.end());
      node.current = node.waiting.back();
      node.waiting.pop_back();
      node.is_starting = true;
      node.part = groups_[node.current.what].parts[0].tasks > 0 ? 0 : 1;
      plan_part(node, now);
    }
    if (node.plan.last_start > now) {
      out.due.push_back({node.plan.last_start, groups_[node.current.what].node, node.generation});
      return;
    }
    StepGroup& group = groups_[node.current.what];
    group.end = std::max(group.end, node.plan.last_end);
    group.parts[node.part].tasks = 0;
    if (node.part == 0 && group.parts[1].tasks > 0) {
      node.part = 1;
      plan_part(node, now);
      continue;
    }
    out.ends.push_back({group.end, node.current.what});
    node.is_starting = false;
  }
}

}  // namespace factosim
