#include "simulator/bounds/load_and_path.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

namespace factosim {

namespace {

constexpr std::size_t intervals = 1024;  // of tails

/// Interval of a tail; the first one has the longest tails.
std::size_t interval_of(double tail, double longest) {
  double const share = longest > 0 ? 1 - tail / longest : 0;
  return static_cast<std::size_t>(std::clamp(share * intervals, 0.0, intervals - 1.0));
}

/// Tasks by intervals of their tails, from the longest tail on.
class TailHistogram {
 public:
  TailHistogram(std::size_t kernels, double longest) : kernels_(kernels), longest_(longest) {
    shortest_.assign(intervals, longest);
    tasks_.assign(intervals * kernels, 0);
  }

  void add(double tail, std::size_t kernel) {
    std::size_t const i = interval(tail);
    shortest_[i] = std::min(shortest_[i], tail);
    ++tasks_[i * kernels_ + kernel];
  }

  [[nodiscard]] std::size_t interval(double tail) const { return interval_of(tail, longest_); }
  [[nodiscard]] double shortest(std::size_t interval) const { return shortest_[interval]; }
  [[nodiscard]] std::span<std::uint64_t const> tasks(std::size_t interval) const {
    return {tasks_.data() + interval * kernels_, kernels_};
  }

 private:
  std::size_t kernels_;
  double longest_;
  std::vector<double> shortest_;      // [intervals] tail
  std::vector<std::uint64_t> tasks_;  // [intervals][kernels]
};

/// Returns a sum of positive numbers without what rounding may have added in so many operations.
double without_rounding(double sum, std::size_t operations) {
  return sum * (1 - static_cast<double>(operations + 4) * std::numeric_limits<double>::epsilon());
}

double priced(std::span<std::uint64_t const> tasks, std::span<double const> prices) {
  double sum = 0;
  for (std::size_t k = 0; k < tasks.size(); ++k)
    if (tasks[k] > 0) sum += static_cast<double>(tasks[k]) * prices[k];
  return without_rounding(sum, 2 * tasks.size());
}

/// A set of tasks: those with at least this tail.
struct Threshold {
  double tail = 0;
  std::vector<std::uint64_t> tasks;  // [kernels]
};

/// Searches the best threshold.
class ThresholdSearch {
 public:
  ThresholdSearch(TaskGraph const& graph, std::span<ChainTail const> tails,
                  std::span<WorkerClass const> classes)
      : graph_(graph), tails_(tails), classes_(classes), histogram_(graph.kernels.size(), longest(tails)) {
    for (std::size_t t = 0; t < tails.size(); ++t) histogram_.add(tails[t].fastest, graph.kernel[t]);
    Threshold sum{longest(tails), std::vector<std::uint64_t>(graph.kernels.size(), 0)};
    for (std::size_t i = 0; i < intervals; ++i) {
      add(sum.tasks, histogram_.tasks(i));
      sum.tail = std::min(sum.tail, histogram_.shortest(i));
      coarse_.push_back(sum);
    }
    if (classes.size() == 1) {  // the linear program has one solution
      prices_.push_back(classes[0].durations);
      for (double& price : prices_[0]) price /= classes[0].count;
    }
  }

  double best_bound() {
    // Prices of the whole graph and of sets that are halved again and again: few sets have other prices.
    for (std::size_t i = intervals; i > 1; i /= 2) try_threshold(coarse_[i - 1]);
    for (int round = 0; round < 8; ++round) {
      double const before = best_;
      Threshold const* best = nullptr;
      double estimate = 0;
      for (Threshold const& t : coarse_)
        if (double const e = estimated(t); best == nullptr || e > estimate) best = &t, estimate = e;
      try_threshold(*best);
      if (best_ <= before) break;
    }
    refine();
    return best_;
  }

 private:
  static double longest(std::span<ChainTail const> tails) {
    double longest = 0;
    for (ChainTail const& tail : tails) longest = std::max(longest, tail.fastest);
    return longest;
  }
  static void add(std::vector<std::uint64_t>& sum, std::span<std::uint64_t const> tasks) {
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += tasks[k];
  }

  void try_threshold(Threshold const& t) {
    if (classes_.size() == 1) {
      best_ = std::max(best_, estimated(t));
      return;
    }
    AreaBound const area = area_bound(t.tasks, classes_);
    best_ = std::max(best_, t.tail + area.makespan.value);
    if (area.makespan.value > 0) prices_.push_back(area.prices);
  }

  /// Returns a lower bound of the threshold's bound.
  [[nodiscard]] double estimated(Threshold const& t) const { return t.tail + area(t.tasks); }
  [[nodiscard]] double area(std::span<std::uint64_t const> tasks) const {
    double most = 0;
    for (auto const& prices : prices_) most = std::max(most, priced(tasks, prices));
    return most;
  }

  /// Looks at the tails inside each interval that may hold a better threshold than its end.
  void refine() {
    std::vector<std::pair<double, std::uint16_t>> inside;
    std::vector<bool> open(intervals, false);
    for (std::size_t i = 0; i < intervals; ++i) {
      double const longest_tail = i == 0 ? coarse_[0].tail : coarse_[i - 1].tail;
      open[i] = longest_tail > coarse_[i].tail && longest_tail + area(coarse_[i].tasks) > best_;
    }
    if (std::ranges::find(open, true) == open.end()) return;
    for (std::size_t t = 0; t < tails_.size(); ++t)
      if (open[histogram_.interval(tails_[t].fastest)])
        inside.emplace_back(tails_[t].fastest, graph_.kernel[t]);
    std::ranges::sort(inside, std::greater{});
    Threshold best, sum;
    double estimate = best_;
    for (std::size_t i = 0; i < inside.size();) {
      std::size_t const interval = histogram_.interval(inside[i].first);
      bool const is_first = i == 0 || histogram_.interval(inside[i - 1].first) != interval;
      if (is_first)
        sum.tasks = interval == 0 ? std::vector<std::uint64_t>(graph_.kernels.size(), 0)
                                  : coarse_[interval - 1].tasks;
      sum.tail = inside[i].first;
      for (; i < inside.size() && inside[i].first == sum.tail; ++i) ++sum.tasks[inside[i].second];
      if (double const e = estimated(sum); e > estimate) best = sum, estimate = e;
    }
    if (!best.tasks.empty()) try_threshold(best);
  }

  TaskGraph const& graph_;
  std::span<ChainTail const> tails_;
  std::span<WorkerClass const> classes_;
  TailHistogram histogram_;
  std::vector<Threshold> coarse_;            // [intervals]
  std::vector<std::vector<double>> prices_;  // of the sets tried
  double best_ = 0;
};

}  // namespace

Seconds area_and_path(TaskGraph const& graph, std::span<ChainTail const> tails,
                      std::span<WorkerClass const> classes) {
  if (tails.empty()) return Seconds{0};
  return Seconds{ThresholdSearch(graph, tails, classes).best_bound()};
}

Seconds load_and_path(TaskGraph const& graph, std::span<ChainTail const> tails, std::uint32_t first,
                      std::uint32_t last, std::span<double const> prices) {
  double longest = 0;
  for (std::uint32_t t = first; t < last; ++t) longest = std::max(longest, tails[t].with_messages);
  std::array<double, intervals> shortest, load{};
  shortest.fill(longest);
  for (std::uint32_t t = first; t < last; ++t) {
    double const tail = tails[t].with_messages;
    std::size_t const i = interval_of(tail, longest);
    shortest[i] = std::min(shortest[i], tail);
    load[i] += prices[graph.kernel[t]];
  }
  double sum = 0, tail = longest, bound = 0;
  for (std::size_t i = 0; i < intervals; ++i) {
    sum += load[i];
    tail = std::min(tail, shortest[i]);
    if (sum > 0) bound = std::max(bound, tail + without_rounding(sum, last - first));
  }
  return Seconds{bound};
}

}  // namespace factosim
