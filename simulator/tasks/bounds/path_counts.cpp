#include "simulator/tasks/bounds/path_counts.hpp"

namespace factosim {

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
