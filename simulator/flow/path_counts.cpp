#include "simulator/flow/path_counts.hpp"

#include <bit>

namespace factosim {

namespace {

constexpr std::uint32_t empty = 0xffffffff;

bool equal(PathTasks const& a, PathTasks const& b) {
  return a.head == b.head && a.tail == b.tail && a.kind == b.kind;
}

}  // namespace

PathCounts::PathCounts() : places_(1024, empty) {}

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

void PathCounts::add(double head, double tail, std::uint16_t kernel) {
  PathTasks const task{.head = head, .tail = tail, .kind = kernel, .amount = 0};
  if (tasks_.empty() || !equal(tasks_[last_], task)) {
    std::size_t place = place_of(task);
    if (places_[place] == empty) {
      if (2 * tasks_.size() >= places_.size()) {
        grow();
        place = place_of(task);
      }
      places_[place] = static_cast<std::uint32_t>(tasks_.size());
      tasks_.push_back(task);
    }
    last_ = places_[place];
  }
  tasks_[last_].amount += 1;
}

}  // namespace factosim
