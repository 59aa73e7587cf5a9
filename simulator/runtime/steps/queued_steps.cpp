#include "simulator/runtime/steps/queued_steps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "simulator/runtime/steps/step_workers.hpp"

namespace factosim {

QueuedSteps::QueuedSteps(StepProblem const& p, StepGroups& groups)
    : groups_(groups), machine_(p.machine), workers_(p.machine.worker_count()) {
  for (Machine::Type const& type : p.machine.types) {
    auto& durations = durations_.emplace_back(type.durations);
    for (double& duration : durations) duration += step_cost(p.options);
  }
  for (std::uint32_t node = 0; node < machine_.node_count(); ++node)
    for (std::uint32_t w = machine_.first_worker[node]; w < machine_.first_worker[node + 1]; ++w)
      workers_[w].node = node;
}

void QueuedSteps::ready(StepGroupId id, double now, StepSchedule& out) {
  StepGroup& group = groups_[id];
  group.left = group.tasks();
  for (StepGroup::Part const part : group.parts)
    if (part.tasks > 0) assign(group.node, id, part, now);
  flush(now, out);
}

void QueuedSteps::assign(std::size_t node, StepGroupId id, StepGroup::Part part, double now) {
  std::uint32_t const first = machine_.first_worker[node];
  std::size_t const count = machine_.first_worker[node + 1] - first;
  std::span<double const> const durations(durations_[machine_.type_of[node]].data() + part.kernel * count,
                                          count);
  given_.assign(count, 0);
  std::uint32_t left = part.tasks;
  if (left > 4 * count) {
    // All but the last of them at once: workers that take them end at about the same date.
    double rate = 0, sum = 0;
    for (std::size_t w = 0; w < count; ++w)
      if (std::isfinite(durations[w])) {
        rate += 1 / durations[w];
        sum += std::max(now, workers_[first + w].end) / durations[w];
      }
    double const level = (left + sum) / rate;
    for (std::size_t w = 0; w < count; ++w) {
      if (!std::isfinite(durations[w])) continue;
      double const room = (level - std::max(now, workers_[first + w].end)) / durations[w] - 1;
      if (room < 1) continue;
      given_[w] = std::min(left, static_cast<std::uint32_t>(room));
      left -= given_[w];
    }
  }
  for (; left > 0; --left) {
    double best = std::numeric_limits<double>::infinity();
    std::size_t chosen = 0;
    for (std::size_t w = 0; w < count; ++w) {
      double const end = std::max(now, workers_[first + w].end) + (given_[w] + 1) * durations[w];
      if (end < best) best = end, chosen = w;
    }
    ++given_[chosen];
  }
  for (std::uint32_t w = 0; w < count; ++w)
    if (given_[w] > 0) add(first + w, id, given_[w], durations[w], now);
}

void QueuedSteps::add(std::uint32_t number, StepGroupId id, std::uint32_t tasks, double duration,
                      double now) {
  Worker& worker = workers_[number];
  worker.end = std::max(now, worker.end) + tasks * duration;
  std::int32_t const priority = groups_[id].priority;
  auto const place = std::lower_bound(worker.waiting.begin(), worker.waiting.end(), priority,
                                      [](Entry const& e, std::int32_t p) { return e.priority < p; });
  worker.waiting.insert(place, {priority, tasks, id, duration});
  changed_.push_back(number);
}

void QueuedSteps::flush(double now, StepSchedule& out) {
  for (std::uint32_t const number : changed_) {
    Worker& worker = workers_[number];
    Entry& current = worker.current;
    if (current.tasks == 0) {
      start_next(number, now, out);
      continue;
    }
    if (current.tasks == 1 || worker.waiting.empty() || worker.waiting.back().priority <= current.priority)
      continue;
    auto const done =
        static_cast<std::uint32_t>(std::max(1.0, std::ceil((now - worker.since) / current.duration - 1e-9)));
    if (done >= current.tasks) continue;
    Entry rest = current;
    rest.tasks -= done;
    current.tasks = done;
    auto const place = std::upper_bound(worker.waiting.begin(), worker.waiting.end(), rest.priority,
                                        [](std::int32_t p, Entry const& e) { return p < e.priority; });
    worker.waiting.insert(place, rest);
    out.due.push_back({worker.since + done * current.duration, number, ++worker.generation});
  }
  changed_.clear();
}

void QueuedSteps::start_next(std::uint32_t number, double now, StepSchedule& out) {
  Worker& worker = workers_[number];
  worker.current.tasks = 0;
  if (worker.waiting.empty()) return;
  worker.current = worker.waiting.back();
  worker.waiting.pop_back();
  worker.since = now;
  out.due.push_back({now + worker.current.tasks * worker.current.duration, number, ++worker.generation});
}

void QueuedSteps::proceed(std::uint32_t number, std::uint32_t generation, double now, StepSchedule& out) {
  Worker& worker = workers_[number];
  if (worker.generation != generation) return;
  StepGroup& group = groups_[worker.current.group];
  group.left -= worker.current.tasks;
  if (group.left == 0) out.ends.push_back({now, worker.current.group});
  start_next(number, now, out);
}

}  // namespace factosim
