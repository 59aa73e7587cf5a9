#include "simulator/flow/path_counts.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace factosim {

namespace {

constexpr std::uint32_t empty = 0xffffffff;

bool equal(PathTasks const& a, PathTasks const& b) {
  return a.head == b.head && a.tail == b.tail && a.kind == b.kind;
}

}  // namespace

PathCounts::PathCounts(std::size_t most_different) : most_different_(most_different), places_(1024, empty) {}

std::size_t PathCounts::place_of(PathTasks const& task) const {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
  std::uint64_t hash = std::bit_cast<std::uint64_t>(task.head) * odd;
  hash = (hash ^ (hash >> 32U) ^ std::bit_cast<std::uint64_t>(task.tail)) * odd;
  hash = (hash ^ (hash >> 29U) ^ task.kind) * odd;
  std::size_t const mask = places_.size() - 1;
  std::size_t place = (hash >> 20U) & mask;
  while (places_[place] != empty && !equal(tasks_[places_[place]], task)) place = (place + 1) & mask;
  return place;
}

void PathCounts::grow() {
  places_.assign(2 * places_.size(), empty);
  for (std::size_t i = 0; i < tasks_.size(); ++i)
    places_[place_of(tasks_[i])] = static_cast<std::uint32_t>(i);
}

void PathCounts::count(PathTasks const& task) {
  // The next row of tiles has the tasks of this one, in the same order.
  if (last_ + 1 < tasks_.size() && equal(tasks_[last_ + 1], task)) ++last_;
  if (tasks_.empty() || !equal(tasks_[last_], task)) {
    std::size_t place = place_of(task);
    if (places_[place] == empty) {
      if (2 * tasks_.size() >= places_.size()) {
        grow();
        place = place_of(task);
      }
      places_[place] = static_cast<std::uint32_t>(tasks_.size());
      tasks_.push_back({.head = task.head, .tail = task.tail, .kind = task.kind, .amount = 0});
    }
    last_ = places_[place];
  }
  tasks_[last_].amount += task.amount;
}

void PathCounts::round_more() {
  unit_ *= 2;
  std::vector<PathTasks> const before = std::exchange(tasks_, {});
  std::ranges::fill(places_, empty);
  last_ = 0;
  for (PathTasks const& task : before)
    count({.head = rounded(task.head), .tail = rounded(task.tail), .kind = task.kind, .amount = task.amount});
}

void PathCounts::add(double head, double tail, std::uint16_t kernel) {
  count({.head = rounded(head), .tail = rounded(tail), .kind = kernel, .amount = 1});
  while (tasks_.size() > most_different_) round_more();
}

}  // namespace factosim
