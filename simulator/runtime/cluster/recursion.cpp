#include "simulator/runtime/cluster/recursion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace factosim {

namespace {

using Role = RecursiveTasks::Role;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Returns the mean duration on the cores, or on the GPUs, that can run the kernel; infinity without one.
double mean_duration(Machine::Type const& type, std::size_t kernel, bool gpu) {
  double sum = 0, workers = 0;
  for (std::size_t w = 0; w < type.workers.size(); ++w) {
    double const duration = type.durations_of(kernel)[w];
    if (type.workers[w].gpu != gpu || std::isinf(duration)) continue;
    sum += duration;
    ++workers;
  }
  return workers > 0 ? sum / workers : infinity;
}

/// Returns the longest chain of children of a coarse task, on cores.
double longest_chain(SimulationInputs const& in, std::uint32_t c, std::vector<double>& end) {
  RecursiveTasks const& tasks = *in.recursive;
  double longest = 0;
  for (TaskId const child : tasks.children_of(c)) {
    double& own = end[child.index()];
    own += mean_duration(in.machine.type(NodeId{0}), in.graph.kernel[child.index()], false);
    longest = std::max(longest, own);
    for (TaskId const next : in.graph.successors_of(child))
      if (tasks.coarse_of(next) == c) end[next.index()] = std::max(end[next.index()], own);
  }
  return longest;
}

SplitCosts costs_of(SimulationInputs const& in) {
  RecursiveTasks const& tasks = *in.recursive;
  Machine::Type const& type = in.machine.type(NodeId{0});
  std::size_t const kernels = tasks.kernels;
  SplitCosts out;
  out.gpus = static_cast<double>(type.gpus);
  out.cores = static_cast<double>(type.workers.size() - type.gpus);
  for (std::size_t k = 0; k < 2 * kernels; ++k)
    (k < kernels ? out.coarse : out.fine)
        .push_back({mean_duration(type, k, false), mean_duration(type, k, true)});
  out.children.assign(kernels, std::vector<double>(kernels, 0));
  out.chain_s.assign(kernels, 0);
  for (std::size_t k = 0; k < kernels; ++k)
    out.split_s.push_back(mean_duration(type, 2 * kernels + k, false));
  std::vector<bool> known(kernels, false);
  std::vector<double> end(in.graph.task_count(), 0);
  for (std::uint32_t c = 0; c < tasks.count; ++c) {
    std::size_t const kernel = in.graph.kernel[c];
    if (known[kernel]) continue;
    known[kernel] = true;  // all tasks of a kernel have the same children
    for (TaskId const child : tasks.children_of(c))
      ++out.children[kernel][in.graph.kernel[child.index()] - kernels];
    out.chain_s[kernel] = longest_chain(in, c, end);
  }
  return out;
}

}  // namespace

Recursion::Recursion(SimulationInputs const& inputs, StoredFlow& flow, Submission& submission,
                     RunObserver& observer, Engine& engine)
    : inputs_(inputs),
      tasks_(*inputs.recursive),
      flow_(flow),
      submission_(submission),
      observer_(observer),
      engine_(engine),
      costs_(costs_of(inputs)),
      splitter_(inputs.make_splitter(costs_)),
      decided_(tasks_.count, false),
      split_(tasks_.count, false),
      conversion_(tasks_.count, Conversion::none),
      conversions_left_(tasks_.count, 0),
      ready_(inputs.graph.kernels.size(), 0),
      unfinished_(ready_),
      undecided_(tasks_.count) {
  for (std::uint32_t c = 0; c < tasks_.count; ++c)
    children_left_.push_back(static_cast<std::uint32_t>(tasks_.children_of(c).size()));
}

void Recursion::add(TaskId task, std::vector<TaskId>& out) {
  ++ready_[kind(task)];
  out.push_back(task);
}

// ---- decisions ----

void Recursion::decide(TaskId task, std::vector<TaskId>& out) {
  std::uint32_t const c = tasks_.coarse_of(task);
  if (tasks_.role(task) != Role::coarse || decided_[c]) return add(task, out);
  choose(c);
  for (TaskId const before : tasks_.predecessors_of(c)) {
    bool const converts = split_[before.index()] != split_[c];
    if (!converts || conversion_[before.index()] == Conversion::done) continue;
    if (!split_[c]) ++conversions_left_[c];
    request_conversion(before.value(), out);
  }
  if (split_[c])
    add(tasks_.split_of(c), out);
  else if (conversions_left_[c] == 0)
    add(task, out);
}

void Recursion::choose(std::uint32_t c) {
  std::size_t const kernel = inputs_.graph.kernel[c];
  ++ready_[kernel];
  split_[c] = splitter_->splits(c, kernel, {ready_, unfinished_});
  --ready_[kernel];
  decided_[c] = true;
  --undecided_;
  ++tasks_taken_;
  if (!split_[c]) {
    ++unfinished_[kernel];
    return;
  }
  tasks_taken_ += tasks_.children_of(c).size();
  for (TaskId const child : tasks_.children_of(c)) ++unfinished_[kind(child)];
}

void Recursion::request_conversion(std::uint32_t c, std::vector<TaskId>& out) {
  if (conversion_[c] == Conversion::requested) return;
  conversion_[c] = Conversion::requested;
  ++tasks_taken_;
  if (!split_[c] || children_left_[c] == 0) add(started_conversion(c), out);
}

TaskId Recursion::started_conversion(std::uint32_t c) {
  TaskId const conversion = tasks_.conversion_of(c, split_[c]);
  observer_.task_submitted(conversion, NodeId{0}, engine_.now());
  return conversion;
}

// ---- ends ----

void Recursion::ended(TaskId task, std::vector<TaskId>& ready) {
  std::uint32_t const c = tasks_.coarse_of(task);
  switch (tasks_.role(task)) {
    case Role::coarse:
      --unfinished_[kind(task)];
      return release_coarse(c, ready);
    case Role::split:
      for (TaskId const child : tasks_.children_of(c))
        observer_.task_submitted(child, NodeId{0}, engine_.now());
      return release_children(task, ready);
    case Role::child:
      --unfinished_[kind(task)];
      return child_ended(task, ready);
    case Role::unpartition:
    case Role::partition:
      return conversion_ended(c, ready);
  }
}

void Recursion::release_coarse(std::uint32_t c, std::vector<TaskId>& ready) {
  for (TaskId const next : inputs_.graph.successors_of(TaskId{c}))
    if (flow_.count_predecessor(next) && submission_.is_submitted(next)) ready.push_back(next);
}

void Recursion::release_children(TaskId before, std::vector<TaskId>& ready) {
  for (TaskId const child : inputs_.graph.successors_of(before))
    if (flow_.count_predecessor(child)) ready.push_back(child);
}

void Recursion::child_ended(TaskId child, std::vector<TaskId>& ready) {
  std::uint32_t const c = tasks_.coarse_of(child);
  release_children(child, ready);
  bool const first = children_left_[c]-- == tasks_.children_of(c).size();
  if (first) release_coarse(c, ready);
  if (children_left_[c] == 0 && conversion_[c] == Conversion::requested)
    ready.push_back(started_conversion(c));
}

void Recursion::conversion_ended(std::uint32_t c, std::vector<TaskId>& ready) {
  conversion_[c] = Conversion::done;
  if (!split_[c]) {  // what its children would have written is there
    for (TaskId const child : tasks_.children_of(c)) release_children(child, ready);
    return;
  }
  for (TaskId const next : inputs_.graph.successors_of(TaskId{c}))
    if (decided_[next.index()] && !split_[next.index()] && --conversions_left_[next.index()] == 0)
      ready.push_back(next);
}

}  // namespace factosim
