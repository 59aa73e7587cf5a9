#include "simulator/tasks/bounds/load_and_path.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

namespace factosim {

namespace {

constexpr std::size_t head_intervals = WindowedLoads::head_intervals,
                      tail_intervals = WindowedLoads::tail_intervals;

/// Returns a sum of positive numbers without what rounding may have added in so many operations.
double without_rounding(double sum, std::size_t operations) {
  return sum * (1 - static_cast<double>(operations + 4) * std::numeric_limits<double>::epsilon());
}

double priced(std::span<double const> tasks, std::span<double const> prices) {
  double sum = 0;
  for (std::size_t k = 0; k < tasks.size(); ++k)
    if (tasks[k] > 0) sum += tasks[k] * prices[k];
  return without_rounding(sum, 2 * tasks.size());
}

/// The tasks with at least this head and this tail.
struct Window {
  double head = 0, tail = 0;
  std::span<double const> tasks;  // [kinds of work] amounts
};

/// Tasks by intervals of their heads and tails, summed over all longer heads and tails.
class WindowGrid {
 public:
  WindowGrid(std::span<PathTasks const> tasks, std::size_t kinds)
      : kernels_(kinds), tasks_(head_intervals * tail_intervals * kernels_, 0) {
    for (PathTasks const& task : tasks) {
      longest_head_ = std::max(longest_head_, task.head);
      longest_tail_ = std::max(longest_tail_, task.tail);
    }
    head_.fill(std::numeric_limits<double>::infinity());
    tail_.fill(longest_tail_);
    std::array<bool, tail_intervals> occupied{};
    for (PathTasks const& task : tasks) {
      std::size_t const i = head_interval_of(task.head), j = tail_interval_of(task.tail);
      head_[i] = std::min(head_[i], task.head);
      tail_[j] = std::min(tail_[j], task.tail);
      occupied[j] = true;
      tasks_[(i * tail_intervals + j) * kernels_ + task.kind] += task.amount;
    }
    for (std::size_t j = 0; j < tail_intervals; ++j)
      if (occupied[j]) columns_.push_back(j);
    for (std::size_t i = 0; i < head_intervals; ++i)
      if (head_[i] < std::numeric_limits<double>::infinity()) rows_.push_back(i);
    sum_up();
  }

  [[nodiscard]] std::size_t head_interval_of(double head) const {
    return WindowedLoads::head_interval(head, longest_head_);
  }
  [[nodiscard]] std::size_t tail_interval_of(double tail) const {
    return WindowedLoads::tail_interval(tail, longest_tail_);
  }
  /// Numbers of the intervals that hold tasks, from the shortest heads and from the longest tails on.
  [[nodiscard]] std::vector<std::size_t> const& rows() const { return rows_; }
  [[nodiscard]] std::vector<std::size_t> const& columns() const { return columns_; }
  [[nodiscard]] double longest_tail() const { return longest_tail_; }

  [[nodiscard]] Window window(std::size_t row, std::size_t column) const {
    return {
        head_[row], tail_[column], {tasks_.data() + (row * tail_intervals + column) * kernels_, kernels_}};
  }

 private:
  void sum_up() {
    auto const add = [&](std::size_t row, std::size_t column, std::size_t other_row,
                         std::size_t other_column) {
      for (std::size_t k = 0; k < kernels_; ++k)
        tasks_[(row * tail_intervals + column) * kernels_ + k] +=
            tasks_[(other_row * tail_intervals + other_column) * kernels_ + k];
    };
    for (std::size_t r = rows_.size(); r-- > 0;) {
      if (r + 1 < rows_.size())
        for (std::size_t const j : columns_) add(rows_[r], j, rows_[r + 1], j);
    }
    for (std::size_t const i : rows_)
      for (std::size_t c = 1; c < columns_.size(); ++c) add(i, columns_[c], i, columns_[c - 1]);
  }

  std::size_t kernels_;
  double longest_head_ = 0, longest_tail_ = 0;
  std::array<double, head_intervals> head_;  // shortest of the interval
  std::array<double, tail_intervals> tail_;  // shortest of the interval
  std::vector<std::size_t> rows_, columns_;
  std::vector<double> tasks_;  // [head intervals][tail intervals][kinds of work]
};

/// Searches the best window.
class WindowSearch {
 public:
  WindowSearch(std::span<PathTasks const> tasks, std::size_t kinds, std::span<WorkerClass const> classes)
      : tasks_(tasks), kinds_(kinds), classes_(classes), grid_(tasks, kinds) {
    if (classes.size() == 1) {  // the linear program has one solution
      prices_.push_back(classes[0].durations);
      for (double& price : prices_[0]) price /= classes[0].count;
    }
  }

  double best_bound() {
    std::size_t const all = grid_.rows().front();
    auto const& columns = grid_.columns();
    // Prices of the whole graph and of sets that are halved again and again: few sets have other prices.
    for (std::size_t i = columns.size(); i > 0; i /= 2) try_window(grid_.window(all, columns[i - 1]));
    for (int round = 0; round < 8 && improve(std::span(&all, 1)).second; ++round) {
    }
    refine(all);
    std::size_t row = all;
    for (int round = 0; round < 4; ++round) {
      auto const [best, better] = improve(grid_.rows());
      if (!better) break;
      row = best;
    }
    if (row != all) refine(row);
    return best_;
  }

 private:
  /// Tries the window with the best estimate of these rows. Returns its row, and whether it is better.
  std::pair<std::size_t, bool> improve(std::span<std::size_t const> rows) {
    double const before = best_;
    std::pair best{rows.front(), grid_.columns().back()};
    double estimate = 0;
    for (std::size_t const i : rows)
      for (std::size_t const j : grid_.columns())
        if (double const e = estimated(grid_.window(i, j)); e > estimate) best = {i, j}, estimate = e;
    try_window(grid_.window(best.first, best.second));
    return {best.first, best_ > before};
  }

  void try_window(Window const& w) {
    if (classes_.size() == 1) {
      best_ = std::max(best_, estimated(w));
      return;
    }
    AreaBound const area = area_bound(w.tasks, classes_);
    if (area.makespan.value <= 0) return;
    best_ = std::max(best_, w.head + w.tail + area.makespan.value);
    prices_.push_back(area.prices);
  }

  /// Returns a lower bound of the window's bound; 0 for a window without tasks, which bounds nothing.
  [[nodiscard]] double estimated(Window const& w) const {
    double const least = area(w.tasks);
    return least > 0 ? w.head + w.tail + least : 0;
  }
  [[nodiscard]] double area(std::span<double const> tasks) const {
    double most = 0;
    for (auto const& prices : prices_) most = std::max(most, priced(tasks, prices));
    return most;
  }

  /// Looks at the tails inside each interval of the row that may hold a better window than its end.
  void refine(std::size_t row) {
    auto const& columns = grid_.columns();
    double const head = grid_.window(row, columns.front()).head;
    std::array<bool, tail_intervals> open{};
    std::array<std::size_t, tail_intervals> longer{};  // the column with the next longer tails
    double longest_tail = grid_.longest_tail();
    for (std::size_t c = 0; c < columns.size(); ++c) {
      Window const end = grid_.window(row, columns[c]);
      open[columns[c]] = longest_tail > end.tail && head + longest_tail + area(end.tasks) > best_;
      longer[columns[c]] = c == 0 ? tail_intervals : columns[c - 1];
      longest_tail = end.tail;
    }
    if (std::ranges::find(open, true) == open.end()) return;
    std::vector<std::pair<double, std::uint32_t>> inside;  // tail, task
    for (std::size_t t = 0; t < tasks_.size(); ++t)
      if (PathTasks const task = tasks_[t]; task.head >= head && open[grid_.tail_interval_of(task.tail)])
        inside.emplace_back(task.tail, static_cast<std::uint32_t>(t));
    std::ranges::sort(inside, std::greater{});
    std::vector<double> sum(kinds_), best_sum;
    Window best;
    double estimate = best_;
    for (std::size_t i = 0; i < inside.size();) {
      std::size_t const column = grid_.tail_interval_of(inside[i].first);
      if (i == 0 || grid_.tail_interval_of(inside[i - 1].first) != column) {
        std::ranges::fill(sum, 0);
        if (longer[column] < tail_intervals)
          std::ranges::copy(grid_.window(row, longer[column]).tasks, sum.begin());
      }
      Window const w{head, inside[i].first, sum};
      for (; i < inside.size() && inside[i].first == w.tail; ++i)
        sum[tasks_[inside[i].second].kind] += tasks_[inside[i].second].amount;
      if (double const e = estimated(w); e > estimate) best = w, best_sum = sum, estimate = e;
    }
    if (best_sum.empty()) return;
    best.tasks = best_sum;
    try_window(best);
  }

  std::span<PathTasks const> tasks_;
  std::size_t kinds_;
  std::span<WorkerClass const> classes_;
  WindowGrid grid_;
  std::vector<std::vector<double>> prices_;  // of the sets tried
  double best_ = 0;
};

}  // namespace

Seconds area_and_path(std::span<PathTasks const> tasks, std::size_t kinds,
                      std::span<WorkerClass const> classes) {
  if (tasks.empty()) return Seconds{0};
  return Seconds{WindowSearch(tasks, kinds, classes).best_bound()};
}

double work_and_path(std::span<WindowedWork const> work) {
  double longest_head = 0, longest_tail = 0;
  for (WindowedWork const& w : work) {
    longest_head = std::max(longest_head, w.head);
    longest_tail = std::max(longest_tail, w.tail);
  }
  WindowedLoads loads(longest_head, longest_tail);
  for (WindowedWork const& w : work) loads.add(w);
  return loads.bound();
}

WindowedLoads::WindowedLoads(double longest_head, double longest_tail)
    : longest_head_(longest_head),
      longest_tail_(longest_tail),
      shortest_tail_(tail_intervals, longest_tail),
      block_(head_intervals * blocks, 0),
      loads_(block_size, 0) {
  shortest_head_.fill(std::numeric_limits<double>::infinity());
  pending_.reserve(batch);
}

void WindowedLoads::count_pending() {
  for (WindowedWork const& w : pending_) {
    std::size_t const i = head_interval(w.head, longest_head_), j = tail_interval(w.tail, longest_tail_);
    shortest_head_[i] = std::min(shortest_head_[i], w.head);
    shortest_tail_[j] = std::min(shortest_tail_[j], w.tail);
    std::uint32_t& block = block_[i * blocks + j / block_size];
    if (block == 0) {
      block = static_cast<std::uint32_t>(loads_.size() / block_size);
      if (loads_.size() == loads_.capacity())
        loads_.reserve(loads_.size() + loads_.size() / 4 + 8 * block_size);
      loads_.resize(loads_.size() + block_size, 0);
    }
    loads_[block * block_size + j % block_size] += w.work;
  }
  count_ += pending_.size();
  pending_.clear();
}

double WindowedLoads::bound() {
  count_pending();
  std::array<double, tail_intervals> load{};
  double bound = 0;
  for (std::size_t i = head_intervals; i-- > 0;) {
    if (shortest_head_[i] == std::numeric_limits<double>::infinity()) continue;
    double sum = 0, tail = longest_tail_;
    for (std::size_t j = 0; j < tail_intervals; ++j) {
      load[j] += loads_[block_[i * blocks + j / block_size] * block_size + j % block_size];
      sum += load[j];
      tail = std::min(tail, shortest_tail_[j]);
      if (load[j] > 0)
        bound = std::max(bound, shortest_head_[i] + tail +
                                    without_rounding(sum, count_ + head_intervals + tail_intervals));
    }
  }
  return bound;
}

std::size_t WindowedLoads::head_interval(double head, double longest) {
  double const share = longest > 0 ? head / longest : 0;
  auto const number = [](double d) { return std::bit_cast<std::uint64_t>(d) >> 50; };  // 4 a power of two
  std::uint64_t const shortest = number(1.0 / 256);
  return share < 1.0 / 256 ? 0 : std::min<std::size_t>(number(share) - shortest + 1, head_intervals - 1);
}

std::size_t WindowedLoads::tail_interval(double tail, double longest) {
  double const share = longest > 0 ? 1 - tail / longest : 0;
  return static_cast<std::size_t>(std::clamp(share * tail_intervals, 0.0, tail_intervals - 1.0));
}

void PathCounts::count(double head, double tail, std::uint16_t kernel, double amount) {
  std::pair const key{std::floor(head / unit_), kernel};
  if (last_tails_ == nullptr || key != last_) {
    last_tails_ = &tails_[key];
    last_ = key;
  }
  double& counted = last_tails_->find_or_add(Tail(tail / unit_), 0);
  if (counted == 0) ++different_;
  counted += amount;
}

void PathCounts::double_unit() {
  std::vector<PathTasks> const before = tasks();
  unit_ *= 2;
  tails_.clear();
  last_tails_ = nullptr;
  different_ = 0;
  for (PathTasks const& task : before) count(task.head, task.tail, task.kind, task.amount);
}

std::vector<PathTasks> PathCounts::tasks() const {
  std::vector<PathTasks> out;
  out.reserve(different_);
  for (auto const& [key, tails] : tails_)
    tails.for_each([&](Tail tail, double amount) {
      out.push_back({.head = key.first * unit_,
                     .tail = static_cast<double>(tail.value()) * unit_,
                     .kind = key.second,
                     .amount = amount});
    });
  return out;
}

}  // namespace factosim
