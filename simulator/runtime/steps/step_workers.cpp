#include "simulator/runtime/steps/step_workers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "factosim/error.hpp"

namespace factosim {

namespace {

/// The first one becomes free `by` later: keeps the dates ascending.
void occupy_first(std::span<double> free, double from, double duration) {
  double const end = from + duration;
  std::size_t i = 0;
  for (; i + 1 < free.size() && free[i + 1] <= end; ++i) free[i] = free[i + 1];
  free[i] = end;
}

}  // namespace

double step_cost(RuntimeOptions const& options) {
  // The push of the task, and a fetch for each of at most three operands.
  return options.push_cost.value + 3 * options.fetch_cost.value;
}

StepWorkers::StepWorkers(Machine::Type const& type, RuntimeOptions const& options)
    : count_(type.workers.size()) {
  std::size_t const kernels = type.durations.size() / type.workers.size();
  able_.resize(kernels);
  for (std::size_t w = 0; w < type.workers.size(); ++w) {
    std::vector<double> durations;
    for (std::size_t k = 0; k < kernels; ++k)
      durations.push_back(type.durations_of(k)[w] + step_cost(options));
    auto const known = std::ranges::find(classes_, durations, &Class::durations);
    if (known != classes_.end()) {
      ++known->count;
      continue;
    }
    classes_.push_back({.first = 0, .count = 1, .durations = std::move(durations)});
  }
  std::uint32_t first = 0;
  for (Class& c : classes_) {
    c.first = first;
    first += c.count;
  }
  for (std::size_t k = 0; k < kernels; ++k)
    for (std::uint32_t c = 0; c < classes_.size(); ++c)
      if (std::isfinite(classes_[c].durations[k])) able_[k].push_back(c);
}

StepWorkers::Started StepWorkers::start(std::span<double> free, std::uint16_t kernel, std::uint32_t tasks,
                                        double now, double latest) const {
  auto const& able = able_[kernel];
  if (able.size() == 1) {
    Class const& only = classes_[able.front()];
    return start_on_one_class(free.subspan(only.first, only.count), only.durations[kernel], tasks, now,
                              latest);
  }
  Started out;
  while (out.tasks < tasks) {
    double best = std::numeric_limits<double>::infinity();
    std::uint32_t where = 0;
    for (std::uint32_t const c : able) {
      double const end = std::max(now, free[classes_[c].first]) + classes_[c].durations[kernel];
      if (end < best) best = end, where = c;
    }
    Class const& chosen = classes_[where];
    double const start = std::max(now, free[chosen.first]);
    if (start > latest) break;
    occupy_first(free.subspan(chosen.first, chosen.count), start, chosen.durations[kernel]);
    ++out.tasks;
    out.last_start = std::max(out.last_start, start);
    out.last_end = std::max(out.last_end, best);
  }
  return out;
}

StepWorkers::Started StepWorkers::start_on_one_class(std::span<double> free, double duration,
                                                     std::uint32_t tasks, double now, double latest) const {
  Started out;
  for (double& date : free) {
    if (date >= now) break;
    date = now;
  }
  auto const round = static_cast<std::uint32_t>(free.size());
  while (out.tasks < tasks && free.front() <= latest) {
    if (tasks - out.tasks >= 2 * round && free.back() < free.front() + duration && free.back() <= latest) {
      // whole rounds at once: each worker runs the same number of tasks
      double const until = std::min(latest, 1e300);
      auto rounds = static_cast<double>((tasks - out.tasks) / round - 1);
      if (until < free.back() + rounds * duration) rounds = std::floor((until - free.back()) / duration);
      if (rounds >= 1) {
        for (double& date : free) date += rounds * duration;
        out.tasks += static_cast<std::uint32_t>(rounds) * round;
        out.last_start = free.back() - duration;
        continue;
      }
    }
    out.last_start = free.front();
    ++out.tasks;
    occupy_first(free, free.front(), duration);
  }
  out.last_end = out.last_start + duration;
  return out;
}

}  // namespace factosim
