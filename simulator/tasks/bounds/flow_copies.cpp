#include "simulator/tasks/bounds/flow_copies.hpp"

#include <algorithm>

namespace factosim {

void FlowCopies::flush_inputs(PlacedTask const& task) {
  for (DataAccess const access : task.accesses) {
    Handle const& handle = handles_[access.handle().index()];
    if (!writes(access.mode()) && handle.copies.valid())
      copies_[handle.copies.index() * words_ + task.node.index() / 64] &= ~bit(task.node);
  }
}

void FlowCopies::flush_cache() {
  for (Handle& handle : handles_) release(handle);
}

void FlowCopies::release(Handle& handle) {
  if (!handle.copies.valid()) return;
  std::fill_n(copies_.begin() + static_cast<std::ptrdiff_t>(handle.copies.index() * words_), words_, 0);
  free_.push_back(handle.copies);
  handle.copies = {};
}

FlowCopies::Copies FlowCopies::new_set() {
  if (free_.empty()) {
    free_.emplace_back(copies_.size() / words_);
    copies_.resize(copies_.size() + words_, 0);
  }
  Copies const set = free_.back();
  free_.pop_back();
  return set;
}

}  // namespace factosim
